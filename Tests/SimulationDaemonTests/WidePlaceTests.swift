import Foundation
import JournalStore
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("A kind with 300 states, events and outputs")
struct WidePlaceTests {
  @Test("its words are the same in replies, notices, the journal, after a restart, and exported")
  func words() throws {
    var setup = KeptDaemon.Setup()
    setup.kinds = [.machine(Dial.kind)]
    let daemon = try KeptDaemon(setup)
    var guest = daemon.begin("w")
    expectEqual(
      guest.ask("new dial a", "new dial b initial=s298"),
      [
        "+ created a s0 t=0.000 seq=1", "+ created b s298 t=0.000 seq=2",
      ])
    expectEqual(guest.ask("wire a o299 b e299"), ["+ t=0.000 seq=3"])
    _ = guest.say("watch * what=all")
    let lines = guest.say("send a e299")
    expect(lines, contains: "+ moved s0 s299 t=0.000 seq=4 outputs=o299", "\(lines)")
    expect(lines, contains: "* 5 0.000 b moved s298 s299 wire=a.o299", "\(lines)")
    expect(lines, contains: "* 5 0.000 b output o299", "\(lines)")
    expectEqual(
      guest.ask("send a e256", "send a e255", "send a e255"),
      [
        "+ moved s299 s256 t=0.000 seq=6 outputs=o256", "+ moved s256 s255 t=0.000 seq=7 outputs=o255",
        "+ ignored s255 t=0.000 seq=8",
      ])
    expectEqual(guest.ask("advance 1s").count, 1)
    expectEqual(guest.ask("expect b s0"), ["+ s0 t=1.000"])
    expect(guest.ask("send a e299", "undo 1").last, hasPrefix: "+ ")
    let (view, journal) = (guest.view(), guest.journal())
    expect(journal, contains: "3 0.000 a wired o299 b e299", "\(journal)")

    let next = try daemon.afterKill()
    guest = next.connect("w")
    expect(guest.view() == view && guest.journal() == journal)
    expect(guest.ask("expect a s255", "send a e299").last, hasPrefix: "+ moved s255 s299 ")

    let file = next.file("w.sqlite")
    try TableExport.write(next.history(of: "w"), to: file, release: "0.0.0")
    let database = try ExportedDatabase(file)
    try expectEqual(
      database.rows("SELECT machine, output FROM outputs WHERE seq IN (4, 5) ORDER BY seq"), ["a|o299", "b|o299"])
    try expectEqual(database.rows("SELECT source, output, target, event FROM wires"), ["a|o299|b|e299"])
    try expect(next.script(of: "w"), contains: "send a e299")
  }

  @Test("what was written with wide places is read by a kind whose places are bytes")
  func narrower() throws {
    var setup = KeptDaemon.Setup()
    setup.kinds = [ReleasedLamp<UpgradeTests.Wider>.entry]
    let daemon = try KeptDaemon(setup)
    var guest = daemon.begin("w")
    _ = guest.play(
      "new lamp a", "new lamp b initial=lit", "wire a on b nudge", "send a press", "send a dim 3", "send a press")
    let (list, journal) = (guest.say("list"), guest.journal())
    expect(journal.contains { $0.contains(" a moved dark lit ") }, "\(journal)")
    let next = try daemon.afterKill { $0.kinds = [ReleasedLamp<UpgradeTests.First>.entry] }
    guest = next.connect("w")
    expect(guest.say("list") == list && guest.journal() == journal)
  }
}
