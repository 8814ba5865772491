package import StateMachines

/// What the machines of a world did in a stretch of its time, as lanes to draw.
///
/// It knows no world, clock or journal. A ``WaveformBuilder`` makes it from inputs in order. It has each input once;
/// the segments of states follow from them (``LaneWalk``).
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
  /// Machines for which there was no lane left.
  package internal(set) var omittedMachines = 0
  /// The inputs of those machines.
  package internal(set) var omittedInputs = 0
  /// Names of states, events, timers and outputs, by number.
  package internal(set) var words = WordList()
  /// Stretches of inputs that were undone; ``Tick/branch`` counts them from 1.
  package internal(set) var branches: [Branch] = []
  /// The inputs of all lanes and of the world.
  package internal(set) var inputCount = 0
  /// Where in time they are.
  var clusters = MomentClusters()
  /// Which sorts of inputs and ends of timers there are.
  var legend = Legend()

  package init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  /// About how many bytes it takes.
  ///
  /// - Complexity: O(lanes).
  package var bytes: Int {
    lanes.reduce(
      deliveries.capacity * MemoryLayout<Delivery>.stride + worldInputs.capacity * MemoryLayout<Tick>.stride
        + branches.capacity * MemoryLayout<Branch>.stride + words.bytes + clusters.bytes
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
    /// The state before the first input in effect; ``Waveform/noState`` if it did not exist, or nothing is known.
    package internal(set) var start = Waveform.noState
    /// The undone stretches in which it had inputs, in order.
    package internal(set) var undone: [Undone] = []
    /// In the order in which they first began.
    package internal(set) var timers: [Timer] = []
    package internal(set) var curves: [Curve] = []
    /// The bars of all timers, and the points of all curves, for ``bytes``.
    var bars = 0
    var points = 0

    var bytes: Int {
      512 + ticks.capacity * MemoryLayout<Tick>.stride + undone.capacity * MemoryLayout<Undone>.stride
        + timers.capacity * 64 + bars * MemoryLayout<Bar>.stride * 3 / 2
        + points * MemoryLayout<Curve.Point>.stride * 3 / 2
    }
  }

  /// What failed in an input, after its outcome.
  func failure(of tick: Tick) -> String { tick.failure.map { ", failed: \(words[$0])" } ?? "" }

  /// The number of no state: the machine does not exist.
  package static let noState = UInt32.max

  /// An input at its moment.
  package struct Tick: Sendable, Equatable {
    package let moment: Int64
    package let sequence: UInt64
    /// The name of the event or timer.
    package let word: UInt32
    /// The state after it; ``Waveform/noState`` for a drop and for inputs that say nothing of a state.
    package let state: UInt32
    /// 0 if it is in effect; otherwise the number of the branch that was undone.
    package let branch: UInt32
    package let source: Source
    package let outcome: Outcome
    /// What failed in it.
    package let failure: UInt32?

    /// Whether a timer brought it.
    package var isOfTimer: Bool { source == .expiry || source == .fired }
  }

  package enum Source: UInt8, Sendable {
    case client, wire, expiry, fired, world
  }

  package enum Outcome: UInt8, Sendable {
    case moved, stayed, ignored, refused, created, dropped, wired, unwired
    /// Of an input of the whole world.
    case undone, redone, restarted, defined, undefined
  }

  /// A machine's inputs in one undone stretch, which stand together in ``Lane/ticks``.
  package struct Undone: Sendable {
    package let branch: UInt32
    /// The place of the first one.
    package let first: Int
    /// The state before it, as for ``Lane/start``.
    package internal(set) var start: UInt32
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

  /// When a timer ran.
  package struct Timer: Sendable {
    package let word: UInt32
    /// In order, without overlap.
    package internal(set) var bars: [Bar] = []
    /// Those of undone stretches.
    package internal(set) var undone: [Bar] = []
  }

  /// A timer while it runs.
  package struct Bar: Sendable, Equatable {
    package let from: Int64
    package internal(set) var to: Int64
    package let start: UInt64
    package internal(set) var finish: UInt64
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
    /// The name of the machine that said it.
    package let source: UInt32
    package let output: UInt32
    package let event: UInt32
    package let branch: UInt32
  }

  /// A stretch of inputs that was undone.
  package struct Branch: Sendable {
    /// The input that undid them.
    package let undoer: UInt64
    /// The moment of the last of them that is drawn.
    package internal(set) var end: Int64
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
    private var characters = 0

    /// About how many bytes it takes.
    var bytes: Int { characters + words.capacity * 16 + numbers.capacity * 32 }

    package subscript(_ number: UInt32) -> String { words[Int(number)] }

    mutating func number(of word: String) -> UInt32 {
      if let known = numbers[word] { return known }
      let number = UInt32(words.count)
      words.append(word)
      numbers[word] = number
      // Short ones stand in the array.
      if word.utf8.count > 15 { characters += word.utf8.count + 32 }
      return number
    }
  }

  /// Which signs a drawing needs.
  struct Legend: Sendable {
    private var outcomes: UInt32 = 0
    var hasDisarmed = false

    mutating func add(_ outcome: Outcome, isOfTimer: Bool) { outcomes |= 1 << (outcome.bit + (isOfTimer ? 16 : 0)) }

    func has(_ outcome: Outcome, isOfTimer: Bool) -> Bool { outcomes & 1 << (outcome.bit + (isOfTimer ? 16 : 0)) != 0 }
  }
}

extension Waveform.Outcome {
  fileprivate var bit: UInt32 { UInt32(rawValue) }

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
    case .redone: "redone"
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
