import Foundation
import JournalStore
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("States that are named by their data")
struct NamedByDataTests {
  private static var setup: KeptDaemon.Setup {
    var setup = KeptDaemon.Setup()
    setup.kinds = [.machine(Board.kind)]
    return setup
  }

  @Test("requests print the word and take any part of it")
  func requests() throws {
    let guest = HostedService(with: [.machine(Board.kind)]).connect(toWorld: "w")
    expectEqual(guest.say("new board m"), ["+ created m none t=0.000 seq=1"])
    expectEqual(guest.say("new board n initial=c"), ["+ created n c t=0.000 seq=2"])
    expectEqual(guest.say("send m flip 1"), ["+ moved none b t=0.000 seq=3"])
    expectEqual(guest.say("send m flip 0"), ["+ moved b a+b t=0.000 seq=4"])
    expectEqual(guest.say("send m look"), ["+ stayed a+b t=0.000 seq=5"])
    expectEqual(guest.say("show m").first, ". state a+b")
    expectEqual(guest.say("list"), [". m board a+b", ". n board c", "+ 2"])
    expectEqual(guest.say("list state=b"), [". m board a+b", "+ 1"])
    expectEqual(guest.say("list state=a+b"), [". m board a+b", "+ 1"])
    expectEqual(guest.say("list state=b+a"), ["+ 0"])
    expectEqual(guest.say("list state=none"), ["+ 0"])
    expectEqual(guest.say("count"), [". board a+b 1", ". board c 1", "+ 2"])
    expectEqual(guest.say("expect m b"), ["+ a+b t=0.000"])
    expect(guest.say("expect m a+c")[0], hasPrefix: "- EXPECTED expected=a+c got=a+b")
    expect(guest.say("expect m q")[0], hasPrefix: "- BAD-ARGUMENT argument=state got=q")
    expectEqual(guest.say("await m b within=20s"), ["+ reached a+b t=0.000 seq=5"])
    expectEqual(guest.say("await n none within=20s").last, "+ reached none t=10.000 seq=6")
    expect(guest.say("send n lower")[0], hasPrefix: "- REFUSED machine=n state=none event=lower")
    expectEqual(
      guest.say("journal m since=1"),
      [
        ". 1 0.000 m created board none", ". 3 0.000 m moved none b event=flip", ". 3 0.000 m armed fall due=10.000",
        ". 4 0.000 m moved b a+b event=flip", ". 4 0.000 m armed fall due=10.000", ". 5 0.000 m stayed a+b event=look",
        ". 7 10.000 m expired fall due=10.000", ". 7 10.000 m moved a+b b timer=fall",
        ". 7 10.000 m armed fall due=20.000", "+ 9",
      ])
  }

  @Test("a watch, a fork, an undo and a comparison of worlds")
  func worlds() throws {
    let host = HostedService(with: [.machine(Board.kind)])
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new board m", "send m flip 3", "watch m")
    let lines = guest.say("send m flip 4")
    expect(lines, contains: "* 3 0.000 m moved d d+e event=flip", "\(lines)")
    expect(guest.say("world fork v").last, hasPrefix: "+ ")
    expect(guest.say("undo").last, hasPrefix: "+ ")
    expectEqual(guest.say("show m").first { $0.hasPrefix(".") }, ". state d")
    _ = guest.say("use v")
    expectEqual(guest.say("show m").first { $0.hasPrefix(".") }, ". state d+e")
  }

  @Test("a durable world comes back, also from a kind that is gone, and is exported")
  func durable() throws {
    let daemon = try KeptDaemon(Self.setup)
    var guest = daemon.begin("w")
    _ = guest.play("new board m", "send m flip 3", "send m flip 4", "send m look", "new board n initial=l", "drop n")
    let (view, journal) = (guest.view(), guest.journal())
    expect(journal.contains { $0.hasSuffix("m moved d d+e event=flip") })
    let next = try daemon.afterKill()
    guest = next.connect("w")
    expect(guest.view() == view && guest.journal() == journal)
    expect(guest.say("send m flip 3").last, hasPrefix: "+ moved d+e e ")
    let script = try next.script(of: "w")
    expect(script, contains: "expect m e\n", "\(script)")
    let file = next.file("w.sqlite")
    try TableExport.write(next.history(of: "w"), to: file, release: "0.0.0")
    let database = try ExportedDatabase(file)
    let moves =
      "SELECT from_state, to_state FROM transitions WHERE machine = 'm' AND from_state IS NOT NULL ORDER BY seq"
    try expectEqual(database.rows(moves), ["none|d", "d|d+e", "d+e|e"])
    let last = try next.afterKill { $0.kinds = [] }
    expect(last.log.joined(), contains: "board")
  }

  @Test("graphs, paths and coverage are by word")
  func graphs() throws {
    let guest = HostedService(with: [.machine(Board.kind)]).connect(toWorld: "w")
    _ = guest.play("new board m", "send m flip 0", "send m flip 1")
    let dot = guest.say("graph m format=dot")
    expect(dot.contains { $0.contains(">a+b<") && $0.contains("penwidth=3") }, "\(dot)")
    expect(dot.contains { $0.contains(">a+b+l<") })
    let coverage = guest.say("coverage")
    expect(coverage.contains { $0.hasPrefix(". kind board machines=1 states=3/80 ") }, "\(coverage)")
    expect(coverage, contains: ". untried board state a+b+l", "\(coverage)")
    expect(!coverage.contains { $0.contains(" region ") })
    let tests = guest.say("graph board format=tests")
    expect(tests.contains { $0.hasSuffix("send c1 flip 0 => moved none a outputs=") }, "\(tests.prefix(20))")
  }
}
