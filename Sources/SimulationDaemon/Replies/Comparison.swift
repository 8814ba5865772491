import LineProtocol
import Simulator
import StateMachines

/// Compares two worlds machine by machine, in the order of names, and writes the differences for a client.
///
/// Each machine is compared as it is when its turn comes. For each piece both worlds are lent.
final class Comparison {
  let tag: [UInt8]
  /// The left world and the right world.
  let worlds: [HostedWorld]
  /// Their names as the client knows them, by their names in the daemon.
  private let names: [String: String]
  private var phase = Phase.beginning
  private var written = 0

  private enum Phase {
    case beginning
    /// Machines after a name; nil for all.
    case machines(after: [UInt8]?)
    case wires
    case done
  }

  /// Machines compared in one piece.
  private static let machinesInAPiece = 1_000
  /// Machines sorted by name in one piece.
  private static let namesInAPiece = 10_000

  /// - Parameter shown: How the client calls a world.
  init(_ left: HostedWorld, _ right: HostedWorld, tag: [UInt8], shown: (String) -> String) {
    worlds = [left, right]
    names = Dictionary([left.name, right.name].map { ($0, shown($0)) }) { first, _ in first }
    self.tag = tag
  }

  /// Writes the next piece.
  ///
  /// - Returns: The number of lines after the last piece; nil if there is more.
  func write(_ left: inout LiveWorld, _ right: inout LiveWorld, to buffer: inout ByteBuffer) -> Int? {
    switch phase {
    case .beginning:
      let times = (left.world.now, right.world.now)
      if times.0 != times.1 {
        begin("time", &buffer)
        buffer.word(seconds: times.0.nanoseconds)
        buffer.word(seconds: times.1.nanoseconds)
        buffer.endLine()
      }
      phase = .machines(after: nil)
    case .machines(var last):
      // Sorting a large world for the first time takes many pieces.
      var budget = Comparison.namesInAPiece
      guard left.world.putNamesInOrder(budget: &budget), right.world.putNamesInOrder(budget: &budget) else {
        return nil
      }
      for _ in 0..<Comparison.machinesInAPiece {
        guard let name = nextName(after: last, &left, &right) else {
          phase = .wires
          return nil
        }
        compare(name, &left, &right, &buffer)
        last = name
      }
      phase = .machines(after: last)
    case .wires:
      compareWires(left, right, &buffer)
      phase = .done
      return written
    case .done:
      return written
    }
    return nil
  }

  private func begin(_ word: StaticString, _ buffer: inout ByteBuffer) {
    tag.withUnsafeBytes { buffer.begin(.data, tag: $0) }
    buffer.word(literal: word)
    written += 1
  }

  // MARK: Machines

  /// The next name of a machine in either world.
  private func nextName(after last: [UInt8]?, _ left: inout LiveWorld, _ right: inout LiveWorld) -> [UInt8]? {
    let names = [Comparison.name(after: last, in: &left), Comparison.name(after: last, in: &right)].compactMap(\.self)
    return names.min { $0.lexicographicallyPrecedes($1) }
  }

  private static func name(after last: [UInt8]?, in live: inout LiveWorld) -> [UInt8]? {
    let machine =
      last.map { name in name.withUnsafeBytes { live.world.machine(after: $0) } }
      ?? [].withUnsafeBytes { live.world.machine(atOrAfter: $0) }
    return machine.map { live.world.withName(of: $0) { Array($0) } }
  }

  private func compare(
    _ name: [UInt8], _ left: inout LiveWorld, _ right: inout LiveWorld, _ buffer: inout ByteBuffer
  ) {
    let machines = name.withUnsafeBytes { (left.world.find($0), right.world.find($0)) }
    switch machines {
    case (let machine?, nil): writeOnly(machine, in: left, &buffer)
    case (nil, let machine?): writeOnly(machine, in: right, &buffer)
    case (let one?, let other?):
      let kinds = (left.world.kind(of: one), right.world.kind(of: other))
      if kinds.0 === kinds.1 {
        compare(one, left, other, right, name, kinds.0, &buffer)
      } else {
        writePair("kind", name, [], kinds.0.name, kinds.1.name, &buffer)
      }
    case (nil, nil): break
    }
  }

  /// `. only W NAME KIND STATE`
  private func writeOnly(_ machine: MachineID, in live: borrowing LiveWorld, _ buffer: inout ByteBuffer) {
    begin("only", &buffer)
    buffer.word(names[live.name] ?? live.name)
    live.world.appendName(of: machine, to: &buffer)
    buffer.word(live.world.kind(of: machine).name)
    buffer.word(live.world.state(of: machine))
    buffer.endLine()
  }

  /// `. WORD NAME [WHAT] LEFT RIGHT`
  private func writePair(
    _ word: StaticString, _ name: [UInt8], _ what: [String], _ left: String, _ right: String,
    _ buffer: inout ByteBuffer
  ) {
    begin(word, &buffer)
    name.withUnsafeBytes { buffer.word(bare: $0) }
    for word in what { buffer.word(word) }
    buffer.word(left)
    buffer.word(right)
    buffer.endLine()
  }

  private func compare(
    _ one: MachineID, _ left: borrowing LiveWorld, _ other: MachineID, _ right: borrowing LiveWorld, _ name: [UInt8],
    _ kind: Kind, _ buffer: inout ByteBuffer
  ) {
    if !left.world.hasSameState(one, as: right.world, other) {
      let states = (left.world.state(of: one), right.world.state(of: other))
      if states.0 != states.1 {
        writePair("state", name, [], states.0, states.1, &buffer)
      } else {
        // They differ in data that the state's text does not show.
        begin("hidden", &buffer)
        name.withUnsafeBytes { buffer.word(bare: $0) }
        buffer.word(states.0)
        buffer.endLine()
      }
    }
    let parameters = (left.world.parameterValues(of: one), right.world.parameterValues(of: other))
    for (place, entry) in kind.parameters.enumerated() where parameters.0[place] != parameters.1[place] {
      let words = (ArgumentText.written(parameters.0[place]), ArgumentText.written(parameters.1[place]))
      writePair("parameter", name, [entry.name], words.0, words.1, &buffer)
    }
    let readings = (left.world.readings(of: one), right.world.readings(of: other))
    for (place, entry) in kind.readings.enumerated() where readings.0[place] != readings.1[place] {
      begin("reading", &buffer)
      name.withUnsafeBytes { buffer.word(bare: $0) }
      buffer.word(entry.name)
      for reading in [readings.0[place], readings.1[place]] {
        if let reading { ArgumentText.append(reading, to: &buffer) } else { buffer.word("-") }
      }
      buffer.endLine()
    }
    compareTimers(
      left.world.runningTimers(of: one), right.world.runningTimers(of: other), name, kind, &buffer)
  }

  private typealias Timer = (timer: Int, key: UInt32, due: Instant)

  /// `. timer NAME TIMER DUE DUE`, with `-` where the timer does not run.
  private func compareTimers(
    _ left: [Timer], _ right: [Timer], _ name: [UInt8], _ kind: Kind, _ buffer: inout ByteBuffer
  ) {
    func due(_ timer: Timer, in others: [Timer]) -> Instant? {
      others.first { $0.timer == timer.timer && $0.key == timer.key }?.due
    }
    func write(_ timer: Timer, _ left: Instant?, _ right: Instant?) {
      let words = [left, right].map { $0.map { TimeText.seconds($0.nanoseconds) } ?? "-" }
      let word = TimerText.word(kind.timers[timer.timer].name, key: timer.key)
      writePair("timer", name, [word], words[0], words[1], &buffer)
    }
    for timer in left {
      let other = due(timer, in: right)
      if other != timer.due { write(timer, timer.due, other) }
    }
    for timer in right where due(timer, in: left) == nil { write(timer, nil, timer.due) }
  }

  // MARK: Wires

  /// `. wire W FROM OUTPUT TO EVENT`
  private func compareWires(_ left: borrowing LiveWorld, _ right: borrowing LiveWorld, _ buffer: inout ByteBuffer) {
    let wires = (Comparison.wires(of: left), Comparison.wires(of: right))
    let sets = (Set(wires.0), Set(wires.1))
    for wire in wires.0 where !sets.1.contains(wire) { write(wire, in: left, &buffer) }
    for wire in wires.1 where !sets.0.contains(wire) { write(wire, in: right, &buffer) }
  }

  private func write(_ wire: [String], in live: borrowing LiveWorld, _ buffer: inout ByteBuffer) {
    begin("wire", &buffer)
    buffer.word(names[live.name] ?? live.name)
    for word in wire { buffer.word(word) }
    buffer.endLine()
  }

  private static func wires(of live: borrowing LiveWorld) -> [[String]] {
    var words: [[String]] = []
    for wire in live.world.allWires() {
      words.append([
        live.world.name(of: wire.from), live.world.kind(of: wire.from).outputs[wire.output].name,
        live.world.name(of: wire.to), live.world.kind(of: wire.to).events[wire.event].name,
      ])
    }
    return words
  }
}

extension Service {
  func compare(_ left: String, _ right: String, _ tag: [UInt8], _ client: Client) {
    guard let one = world(left, tag, client), let other = world(right, tag, client) else { return }
    for hosted in [one, other] {
      catchUp(hosted)
      if let outage = hosted.presentStatus.outage, !outage.isReadable {
        client.session.fail(tag, world: client.session.shown(hosted.name), outage)
        return
      }
    }
    if one === other {
      return client.session.succeed(tag) { $0.word(UInt64(0)) }
    }
    let (names, user) = (environment.names, client.user.id)
    client.session.activity = .compare(Comparison(one, other, tag: tag) { names.shown($0, to: user) })
    client.session.task = RequestUnderWay(.diff)
    // A worker compares even if the present world is lent, which may be neither of the two.
    client.session.needsWorker = true
  }
}

extension Session {
  /// Writes the next piece of a comparison.
  mutating func work(_ comparison: Comparison, _ left: inout LiveWorld, _ right: inout LiveWorld) {
    // A world may have gone out of service after the request.
    for (name, outage) in [(left.name, left.outage), (right.name, right.outage)] {
      guard let outage, !outage.isReadable else { continue }
      fail(comparison.tag, world: shown(name), outage)
      return endActivity()
    }
    guard let lines = comparison.write(&left, &right, to: &outbox.buffer) else { return }
    succeed(comparison.tag) { $0.word(UInt64(lines)) }
    endActivity()
  }
}
