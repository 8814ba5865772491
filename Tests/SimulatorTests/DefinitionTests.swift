import StateMachines
import Statecharts
import TestSupport
import Testing

@testable import Simulator

/// Definitions belong to a world and to its archives as machines do.
@Suite("Definitions, undone, redone, forgotten and stored")
struct DefinitionTests {
  static let compiler = DocumentCompiler { document, version, key throws(DocumentFailure) in
    guard case .definition(let definition, _) = Definition.compile(document.bytes) else {
      throw DocumentFailure("it has mistakes")
    }
    do throws(ExceededLimit) {
      return Kind(document.name, key: key, version: version, origin: "a document", try ChartProgram(definition))
    } catch {
      throw DocumentFailure("it exceeds \(error.name)")
    }
  }

  static func define(_ name: String, in world: inout WorldCore) throws {
    let document = KindDocument(
      name: name, format: "scxml", bytes: Array(DocumentMachineTests.lamp.utf8), resources: [])
    let (version, key) = world.next(name)
    world.define(document, as: try compiler.compile(document, version, key))
  }

  static func reread(_ world: borrowing WorldCore, _ limits: WorldLimits = WorldLimits()) throws -> WorldCore {
    var writer = ArchiveWriter(of: world, atLastInput: true)
    while try !writer.advance(machines: .max) {}
    return try WorldCore(archive: writer.bytes, kinds: { _ in nil }, compiler: compiler, limits: limits)
  }

  @Test("an undo brings back machines of a kind that was taken back, and forgotten, since the world was loaded")
  func forgotten() throws {
    var before = WorldCore()
    try Self.define("k", in: &before)
    try before.make(before.known("k"), "m")
    var world = try Self.reread(before)
    world.keepCheckpointIfDue()
    world.drop("m")
    world.undefine("k")
    for number in 0..<40 { try Self.define("d\(number)", in: &world) }
    expectNil(world.document(of: before.known("k")))
    try world.undo(42)
    expect(world.definition(named: "k") != nil)
    expectEqual(world.checkInvariants(), [])
    try expectEqual(world.stateHash, Self.copied(world).stateHash)
    // Machines of it can be made and the kind can be taken back, as before.
    world.send("m", "press")
    try world.make(world.known("k"), "n")
    try expectEqual(Self.reread(world).stateHash, world.stateHash)
  }

  /// The world after its way through an archive.
  private static func copied(_ world: borrowing WorldCore) throws -> WorldCore {
    try WorldCore(archive: world.archive(), kinds: { _ in nil }, compiler: compiler)
  }

  @Test(
    "a checkpoint at any moment has the definitions that it needs: define, new, drop, undefine, undo, redo, fork, restart",
    arguments: Thorough.rounds(0..<16))
  func walk(seed: Int) throws {
    var dice = Dice(seed: seed)
    var limits = Script.limits()
    limits.journal = dice.one(of: [20, 60, 1_000])
    limits.checkpointDistance = 8
    var world = WorldCore(seed: UInt64(seed), limits: limits)
    for step in 0..<250 {
      try DefinitionTests.step(&world, limits, &dice)
      world.keepCheckpointIfDue()
      try #require(world.checkInvariants() == [], "seed \(seed), step \(step)")
      let copy = try DefinitionTests.copied(world)
      try #require(try copy.stateHash == world.stateHash, "seed \(seed), step \(step)")
      try #require(copy.definitions.map(\.kind.key) == world.definitions.map(\.kind.key))
      expectNil(RewindTests.difference(copy.portrait(), world.portrait()), "seed \(seed), step \(step)")
    }
    expect(world.lastSequence > 100, "seed \(seed)")
  }

  private static func step(_ world: inout WorldCore, _ limits: WorldLimits, _ dice: inout Dice) throws {
    let kind = "k\(dice.number(below: 3))"
    let machine = "m\(dice.number(below: 4))"
    switch dice.number(below: 20) {
    case 0..<5: try define(dice.once(in: 2) ? kind : "d\(dice.number(below: 30))", in: &world)
    case 5..<8:
      // Each spare kind is taken back, so that many are forgotten.
      let unused = world.definitions.map(\.document.name).filter { world.machines(ofDefined: $0).count == 0 }
      for name in unused.prefix(3) { world.undefine(name) }
    case 8..<11:
      if let defined = world.definition(named: kind), world.machine(machine) == nil {
        try world.make(defined.kind, machine)
      }
    case 11, 12: if world.machine(machine) != nil { world.drop(machine) }
    case 13..<15: if world.machine(machine) != nil { world.send(machine, "press") }
    case 15, 16:
      // There may be nothing left to undo, or to redo.
      _ = try? world.undo(dice.number(1...12))
    case 17: _ = try? world.goBack(.undos(1))
    case 18:
      var budget = 20
      _ = world.advance(to: world.now + .seconds(Int64(dice.number(1...4))), budget: &budget)
    case _:
      if dice.once(in: 2) {
        world = world.fork()
      } else if world.canBeArchived {
        world = try reread(world, limits)
      }
    }
  }
}

extension WorldCore {
  fileprivate func known(_ kind: String) -> Kind {
    guard let defined = definition(named: kind) else { preconditionFailure("\(kind) is defined") }
    return defined.kind
  }
}
