import Simulations
@testable import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("The stored form of a journal")
struct StoredFormTests {
  /// A segment as it was written when all places were bytes.
  private static let written = """
    00000000000000000000000000000000A0860100000000001027000000000000E803000000000000A0860100000000000300000000000000\
    0000000000000000000000000000000001000000000000000000000005706F77657201700200000000000000010000000873686966744B65\
    79016B0300000000000000020000000873686966744B6579016C44000000000000E40100000101010801020080A7F2A60100C40200000100\
    00EE0100000001010C010200C0000000000001E00100000101000601010161030080A7F2A60101000101014100690200000100000B000101\
    000101016100E0010000000001020080A7F2A60100E0020000000001020080A7F2A60100
    """

  private static var bytes: [UInt8] {
    var digits = written.filter(\.isHexDigit)[...]
    var bytes: [UInt8] = []
    while !digits.isEmpty {
      bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
      digits = digits.dropFirst(2)
    }
    return bytes
  }

  /// The world whose journal the segment is.
  private static func world() throws -> WorldCore {
    func kind(_ name: String) throws -> Kind {
      guard case .machine(let kind)? = Catalogue.simulations[name] else { throw Missing() }
      return kind
    }
    struct Missing: Error {}
    var world = WorldCore(seed: 1)
    world.beginKeeping()
    let shiftKey = try kind("shiftKey")
    world.beginRequest()
    let power = try world.make(kind("power"), "p")
    let key = try Array("k".utf8).withUnsafeBytes { name in
      try world.create(shiftKey, named: name, initial: shiftKey.initialState(named: "on"))
    }
    let other = try world.make(shiftKey, "l")
    try world.wire(Wire(from: key, output: 0, to: other, event: 1))
    world.send(power, event: 0, [])
    world.send(key, event: 1, [.text("a")])
    world.send(key, event: 0, [])
    world.send(other, event: 0, [])
    world.endRequest()
    return world
  }

  @Test("a segment with places of one byte is read as before")
  func narrow() throws {
    let world = try Self.world()
    var recovery = Recovery(
      of: WorldCore(seed: 1), undone: RewindList(), StoredWords(.simulations), .simulations)
    try Self.bytes.withUnsafeBytes { try recovery.append($0, 1...9) }
    let recovered = recovery.finish(at: .beginning, WorldLimits())
    expectEqual(recovered.journalText(), world.journalText())
  }

  @Test("and a segment without wider places is still written in that way")
  func same() throws {
    let world = try Self.world()
    var bytes: [UInt8] = []
    _ = world.appendUnflushed(to: &bytes)
    let facts = JournalSegment.Facts.size
    expectEqual(bytes[facts...], Self.bytes[facts...])
  }
}
