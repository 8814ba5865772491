import Simulator
import StateMachines
import Waveforms

/// Works out what the readings of machines were, by replaying the journal.
///
/// Between two inputs a reading follows from the machine's value and the time, so it is read at the inputs of its
/// machine, just before and after, and at even steps of the stretch.
final class ReadingSurvey {
  private var replay: Replay
  private let lanes: [(lane: Int, name: [UInt8])]
  private let from: Instant
  private let to: Instant
  private let last: UInt64
  private let first: UInt64
  private var step: Int64 = 0
  private var source: JournalReader
  private var isThere = false

  /// The even steps of a stretch.
  private static let steps: Int64 = 160
  /// The most machines whose readings are worked out.
  private static let mostLanes = 32

  /// About how many bytes the copy of the world takes that plays the past.
  var bytes: Int { replay.world.bytesOfACopy }

  /// - Parameters:
  ///   - lanes: Machines that may have readings.
  ///   - first: The first input of the stretch; `nil` if it has none.
  /// - Returns: `nil` if the journal does not reach back far enough.
  init?(
    of world: borrowing WorldCore, _ lanes: [(Int, String)], from: Instant, to: Instant, first: UInt64?
  ) {
    let first = first ?? world.lastSequence + 1
    guard let replay = Replay(of: world, before: first) else { return nil }
    self.replay = replay
    self.lanes = lanes.prefix(ReadingSurvey.mostLanes).map { ($0.0, Array($0.1.utf8)) }
    self.from = from
    self.to = to
    self.first = first
    last = world.lastSequence
    source = world.journalReader(from: max(first, world.firstSequence))
  }

  /// Plays on.
  ///
  /// - Parameter goesOn: Asked between two inputs. After it was false, the rest is left for the next call.
  /// - Returns: Whether it is done.
  func advance(
    through world: borrowing WorldCore, by inputs: Int, while goesOn: () -> Bool, into builder: inout WaveformBuilder
  ) -> Bool {
    do throws(Replay.Divergence) {
      if !isThere {
        guard try replay.advance(through: world, by: inputs, while: goesOn) else { return false }
        isThere = true
        readAll(at: from, into: &builder)
        return false
      }
      var left = inputs
      while left > 0, goesOn() {
        left -= 1
        guard let entry = nextInEffect(world), entry.sequence <= last, entry.moment <= to else {
          readSteps(upTo: to, into: &builder)
          readAll(at: to, into: &builder)
          return true
        }
        readSteps(upTo: entry.moment, into: &builder)
        let machine = entry.machine
        if let machine { read(machine, at: entry.moment, world, into: &builder) }
        replay.end = entry.sequence
        _ = try replay.advance(through: world, by: 1)
        if let machine { read(machine, at: entry.moment, world, into: &builder) }
      }
      return false
    } catch {
      // A rule that does not repeat itself has no past that could be read.
      return true
    }
  }

  private func nextInEffect(_ world: borrowing WorldCore) -> JournalEntry? {
    while let entry = world.read(&source) {
      if !world.hasUndone(entry.sequence), entry.sequence > replay.world.lastSequence { return entry }
    }
    return nil
  }

  private func readSteps(upTo moment: Instant, into builder: inout WaveformBuilder) {
    let length = to.nanoseconds - from.nanoseconds
    while step <= ReadingSurvey.steps {
      let at = Instant(nanoseconds: from.nanoseconds + length / ReadingSurvey.steps * step)
      guard at <= moment else { return }
      readAll(at: at, into: &builder)
      step += 1
    }
  }

  private func readAll(at moment: Instant, into builder: inout WaveformBuilder) {
    for (lane, name) in lanes {
      if let machine = name.withUnsafeBytes({ replay.world.find($0) }) {
        read(machine, lane, at: moment, into: &builder)
      }
    }
  }

  private func read(
    _ machine: MachineID, at moment: Instant, _ world: borrowing WorldCore, into builder: inout WaveformBuilder
  ) {
    guard replay.world.knows(machine) else { return }
    for (lane, name) in lanes where replay.world.withName(of: machine, { $0.elementsEqual(name) }) {
      read(machine, lane, at: moment, into: &builder)
    }
  }

  private func read(_ machine: MachineID, _ lane: Int, at moment: Instant, into builder: inout WaveformBuilder) {
    let kind = replay.world.kind(of: machine)
    let values = replay.world.readings(of: machine, at: moment)
    for (entry, value) in zip(kind.readings, values) {
      let number: Double
      switch value {
      case .number(let value): number = value
      case .integer(let value): number = Double(value)
      case .interval(let value): number = value.seconds
      case .text(let text):
        // The data of a document are JSON; of these only numbers are a curve.
        guard entry.type == .json, let value = Double(text) else { continue }
        number = value
      case .flag, .moment, .some(.none), nil: continue
      }
      builder.notePoint(lane: lane, entry.name, unit: entry.type.unit, at: moment, number)
    }
  }
}
