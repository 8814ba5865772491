import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("What is no archive, or none that can be read, is told so")
struct ArchiveFailureTests {
  /// A small world with every part that an archive stores.
  private func example() throws -> WorldCore {
    var world = WorldCore(seed: 7, limits: Script.limits())
    try world.make(Oven.kind, "oven")
    try world.make(Relay.kind, "a", [(0, .integer(2))])
    try world.make(Relay.kind, "b")
    try world.make(Metronome.kind, "m")
    try world.make(Gambler.kind, "g")
    try world.wire(world.wire(from: "a.said", to: "b.say"))
    guard case .composition(let call)? = Catalogue.simulations["phoneCall"] else { preconditionFailure() }
    try world.create(call, named: "call", parameters: call.members.map { _ in [] })
    world.send("a", "say", .text("hello"))
    world.send("g", "roll")
    world.advance(to: 2.5)
    world.drop("g")
    try expectEqual(ArchiveTests.reread(world).portrait(), world.portrait())
    return world
  }

  private func read(_ archive: [UInt8], _ kinds: (String) -> CatalogueEntry? = ArchiveTests.kind) throws -> WorldCore {
    try WorldCore(archive: archive, kinds: kinds)
  }

  @Test("every byte counts")
  func flips() throws {
    let archive = try example().archive()
    for place in archive.indices {
      for bit in 0..<8 {
        var damaged = archive
        damaged[place] ^= 1 << UInt8(bit)
        #expect(throws: ArchiveFailure.self, "byte \(place), bit \(bit)") { _ = try read(damaged) }
      }
    }
  }

  @Test("none may be missing, none too many")
  func cuts() throws {
    let archive = try example().archive()
    for length in archive.indices {
      #expect(throws: ArchiveFailure.self, "\(length) bytes") { _ = try read(Array(archive[..<length])) }
    }
    #expect(throws: ArchiveFailure.self) { _ = try read(archive + [0]) }
  }

  /// An archive with changed bytes in its state and a valid seal.
  private func sealed(_ archive: [UInt8], changing change: (inout [UInt8], Range<Int>) -> Void) -> [UInt8] {
    // The state follows the magic, the format and the number of firings, which may have several bytes.
    let firings = archive[(WorldArchive.magic.count + 1)...].firstIndex { $0 < 0x80 } ?? archive.count
    let state = (firings + 1)..<(archive.count - WorldArchive.sealBytes)
    var damaged = archive
    change(&damaged, state)
    let seal = damaged[..<state.lowerBound].withUnsafeBytes {
      WorldArchive.seal($0, stateHash: Checksum.of(Array(damaged[state])))
    }
    damaged.replaceSubrange(state.upperBound..., with: withUnsafeBytes(of: seal.littleEndian) { Array($0) })
    return damaged
  }

  /// Reads an archive that may be damaged; if it can be read, its world must differ.
  private func expectOther(_ damaged: [UInt8], than archive: [UInt8], _ hash: UInt64, _ what: String) throws {
    guard damaged != archive else { return }
    do {
      let other = try read(damaged)
      try expect(other.stateHash != hash, "\(what)")
      _ = other.checkInvariants()
    } catch is ArchiveFailure {
      return
    }
  }

  @Test("damage under a seal that is right traps nowhere, and is no secret", arguments: [0x01, 0x80, 0x7E] as [UInt8])
  func sealedDamage(mask: UInt8) throws {
    let world = try example()
    let archive = try world.archive()
    let hash = try world.stateHash
    expectEqual(sealed(archive) { _, _ in }, archive)
    var dice = Dice(seed: mask)
    for place in archive.indices.shuffled(using: &dice).prefix(Thorough.rounds(archive.count)) {
      let damaged = sealed(archive) { bytes, state in if state.contains(place) { bytes[place] ^= mask } }
      try expectOther(damaged, than: archive, hash, "byte \(place)")
    }
  }

  @Test("the same in worlds of all kinds", arguments: Thorough.rounds(0..<8))
  func sealedDamageOfAllKinds(seed: Int) throws {
    let script = Script(seed: seed, of: DeterminismTests.entries, inputs: 120)
    var world = WorldCore(seed: UInt64(seed), limits: Script.limits())
    script.play(into: &world, .whole)
    let archive = try world.archive()
    let hash = try world.stateHash
    var dice = Dice(seed: seed)
    for round in 0..<150 {
      let damaged = sealed(archive) { bytes, state in
        let place = dice.number(state.lowerBound...(state.upperBound - 1))
        switch dice.number(0...3) {
        case 0: bytes[place] ^= 1 << UInt8(dice.number(0...7))
        case 1: bytes[place] = dice.one(of: [0x00, 0x01, 0x7F, 0x80, 0xFF])
        case 2: for next in place..<min(place + 4, state.upperBound) { bytes[next] = bytes[state.lowerBound] }
        default: bytes[place] &+= 1
        }
      }
      // Bytes that no machine uses may change, for example the default of a parameter that every machine was given.
      do {
        let other = try read(damaged)
        _ = other.checkInvariants()
        if try other.stateHash == hash { try expectEqual(other.archive(), archive, "seed \(seed), round \(round)") }
      } catch let failure as ArchiveFailure {
        expect(!failure.text.isEmpty, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("a kind that is not known, or has another version")
  func kinds() throws {
    let archive = try example().archive()
    #expect(throws: ArchiveFailure.unknownKind("relay")) {
      _ = try read(archive) { $0 == "relay" ? nil : ArchiveTests.kind($0) }
    }
    #expect(throws: ArchiveFailure.unknownKind("phoneCall")) {
      _ = try read(archive) { $0 == "phoneCall" ? nil : ArchiveTests.kind($0) }
    }
    let newer = Kind(
      Metronome.self, "metronome", version: 2, "ticks otherwise",
      events: [.event(.reset, "a period begins now")],
      timers: [.timer(.periodEnded, named: "period", after: "period", "between two ticks")],
      parameters: [.parameter("period", \.period, .interval(.zero ... .longest), "between two ticks")])
    #expect(throws: ArchiveFailure.version(kind: "metronome", written: 1, known: 2)) {
      _ = try read(archive) { $0 == "metronome" ? .machine(newer) : ArchiveTests.kind($0) }
    }
  }

  @Test("a kind is read by its words: what was added or moved is no hindrance, what is gone is named")
  func changes() throws {
    func metronome(
      events: [EventForm<Metronome.Event>] = [.event(.reset, "a period begins now")], parameter: String = "period"
    ) -> Kind {
      Kind(
        Metronome.self, "metronome", "ticks", events: events,
        timers: [.timer(.periodEnded, named: "period", after: "period", "between two ticks")],
        parameters: [.parameter(parameter, \.period, .interval(.zero ... .longest), "between two ticks")])
    }
    var world = try example()
    try world.wire(world.wire(from: "m.tick", to: "m.reset"))
    let archive = try world.archive()
    func read(as kind: Kind) throws -> WorldCore {
      try self.read(archive) { $0 == "metronome" ? .machine(kind) : ArchiveTests.kind($0) }
    }
    let longer = metronome(events: [.event(.reset, "now").named("again"), .event(.reset, "now")])
    let wire = try #require(try read(as: longer).allWires().first { world.name(of: $0.from) == "m" })
    expectEqual(wire.event, 1)
    let renamed = metronome(events: [.event(.reset, "a period begins now").named("begin")])
    #expect(throws: ArchiveFailure.changedKind("metronome", how: "it has no event 'reset' any more")) {
      _ = try read(as: renamed)
    }
    #expect(throws: ArchiveFailure.changedKind("metronome", how: "it has no parameter 'period' any more")) {
      _ = try read(as: metronome(parameter: "time"))
    }
  }

  @Test("another format, and what is no archive at all")
  func formats() throws {
    var archive = try example().archive()
    archive[WorldArchive.magic.count] = 9
    #expect(throws: ArchiveFailure.format(9)) { _ = try read(archive) }
    #expect(throws: ArchiveFailure.noArchive) { _ = try read(Array("SQLite format 3".utf8)) }
    #expect(throws: ArchiveFailure.noArchive) { _ = try read([]) }
  }

  @Test("every failure has a line for people")
  func texts() {
    let failures: [ArchiveFailure] = [
      .noArchive, .format(2), .damaged("x"), .unknownKind("x"), .version(kind: "x", written: 1, known: 2),
      .changedKind("x", how: "y"), .unwritable(kind: "x", why: "y"),
    ]
    expectEqual(Set(failures.map(\.text)).count, failures.count)
  }
}
