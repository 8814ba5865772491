package import StateMachines

/// What the machines of a world did in a stretch of its time, as lanes to draw.
///
/// It knows no world, clock or journal. A ``WaveformBuilder`` makes it from inputs in order.
package struct Waveform: Sendable {
  package let from: Instant
  package internal(set) var to: Instant
  /// In the order of names.
  package internal(set) var lanes: [Lane] = []
  package internal(set) var deliveries: [Delivery] = []
  /// Inputs of the whole world: going back, restarts, definitions.
  package internal(set) var worldInputs: [Tick] = []
  /// Remarks at moments, such as a failed expectation.
  package var marks: [Mark] = []
  /// Machines with inputs for which there was no lane left.
  package internal(set) var omittedMachines = 0
  /// The inputs of those machines.
  package internal(set) var omittedInputs = 0
  /// Names of states, events, timers and outputs, by number.
  package internal(set) var words = WordList()
  /// Stretches of inputs that were undone; ``Tick/branch`` counts them from 1.
  package internal(set) var branches: [Branch] = []

  package init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  /// The inputs of all lanes and of the world.
  package var inputCount: Int { lanes.reduce(worldInputs.count) { $0 + $1.ticks.count } }

  /// About how many bytes it takes.
  package var bytes: Int {
    lanes.reduce(
      (deliveries.capacity + worldInputs.capacity) * MemoryLayout<Tick>.stride + words.words.count * 64
    ) { $0 + $1.bytes }
  }

  /// One machine name over the stretch.
  package struct Lane: Sendable {
    package let name: String
    package internal(set) var kind: String
    /// The names of orthogonal regions; empty if its states have none.
    package internal(set) var regions: [String]
    /// Its inputs in order, undone ones included.
    package internal(set) var ticks: [Tick] = []
    /// Its states in order; segments in effect do not overlap, and leave no gap while the machine exists.
    package internal(set) var segments: [Segment] = []
    package internal(set) var bars: [Bar] = []
    package internal(set) var curves: [Curve] = []

    var bytes: Int {
      ticks.capacity * MemoryLayout<Tick>.stride + segments.capacity * MemoryLayout<Segment>.stride
        + bars.capacity * MemoryLayout<Bar>.stride + curves.reduce(512) { $0 + $1.points.capacity * 16 }
    }
  }

  /// An input at its moment.
  package struct Tick: Sendable, Equatable {
    package let moment: Int64
    package let sequence: UInt64
    /// The name of the event or timer.
    package let word: UInt32
    /// 0 if it is in effect; otherwise the number of the branch that was undone.
    package let branch: UInt32
    package let source: Source
    package let outcome: Outcome
  }

  package enum Source: UInt8, Sendable {
    case client, wire, expiry, fired, world
  }

  package enum Outcome: UInt8, Sendable {
    case moved, stayed, ignored, refused, created, dropped, wired, unwired
    /// Of an input of the whole world.
    case undone, restarted, defined, undefined
  }

  /// A machine's state between two moments.
  package struct Segment: Sendable, Equatable {
    package let from: Int64
    package internal(set) var to: Int64
    /// The input that began it; 0 if it began before the stretch.
    package let start: UInt64
    /// The input that ended it; `UInt64.max` if it goes on.
    package internal(set) var end: UInt64
    package let state: UInt32
    package let branch: UInt32
  }

  /// A timer while it runs.
  package struct Bar: Sendable, Equatable {
    package let from: Int64
    package internal(set) var to: Int64
    package let start: UInt64
    package internal(set) var finish: UInt64
    package let timer: UInt32
    package let branch: UInt32
    package internal(set) var end: End
  }

  package enum End: UInt8, Sendable {
    case expired, disarmed, running
  }

  /// A reading over time.
  package struct Curve: Sendable {
    package let name: String
    package let unit: String
    package internal(set) var points: [Point] = []

    package struct Point: Sendable, Equatable {
      package let moment: Int64
      package let value: Double
    }
  }

  /// An output that went through a wire from one lane to another.
  package struct Delivery: Sendable {
    package let moment: Int64
    package let sequence: UInt64
    /// Places in ``Waveform/lanes``; the source is `nil` if it has no lane.
    package internal(set) var from: Int?
    package internal(set) var to: Int
    package let source: String
    package let output: UInt32
    package let event: UInt32
    package let branch: UInt32
  }

  /// A stretch of inputs that was undone.
  package struct Branch: Sendable {
    /// The input that undid them.
    package let undoer: UInt64
  }

  /// A remark at a moment.
  package struct Mark: Sendable {
    package let moment: Instant
    package let text: String

    package init(at moment: Instant, _ text: String) {
      self.moment = moment
      self.text = text
    }
  }

  /// Words by number, each stored once.
  package struct WordList: Sendable {
    package private(set) var words: [String] = []
    private var numbers: [String: UInt32] = [:]

    package subscript(_ number: UInt32) -> String { words[Int(number)] }

    mutating func number(of word: String) -> UInt32 {
      if let known = numbers[word] { return known }
      let number = UInt32(words.count)
      words.append(word)
      numbers[word] = number
      return number
    }
  }
}

extension Waveform.Outcome {
  /// The outcome as replies print it.
  package var word: StaticString {
    switch self {
    case .moved: "moved"
    case .stayed: "stayed"
    case .ignored: "ignored"
    case .refused: "refused"
    case .created: "created"
    case .dropped: "dropped"
    case .wired: "wired"
    case .unwired: "unwired"
    case .undone: "undone"
    case .restarted: "restarted"
    case .defined: "defined"
    case .undefined: "undefined"
    }
  }
}

extension Waveform.End {
  package var word: StaticString {
    switch self {
    case .expired: "expired"
    case .disarmed: "disarmed"
    case .running: "running"
    }
  }
}
