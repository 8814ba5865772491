import Foundation
import TestSupport
import Testing

@testable import JournalStore
@testable import SimulationDaemon

/// Trouble with the store at the start and at the end of a daemon, and with its files in between.
@Suite("A store in trouble")
struct StoreTroubleTests {
  // MARK: At the start and at the end

  @Test(
    "a daemon starts on a store that cannot be written: what is there is served, time stands still, and later it goes on"
  )
  func startReadOnly() throws {
    let first = try KeptDaemon()
    let one = first.connect()
    _ = one.ask("new ticker t initial=running", "world new lesson durable=yes", "use lesson", "new power p")
    first.pass(2)
    let probe = try KeptDaemon(in: first.folder.asAfterKill(), wall: first.wall) { store in
      try store.database.run("PRAGMA query_only = 1")
    }
    let (guest, other) = (probe.connect(), probe.connect("lesson"))
    expect(probe.log.count == 2 && probe.log.allSatisfy { $0.contains("can only be read for now") }, "\(probe.log)")
    let view = guest.view()
    expect(guest.ask("list", "journal", "diff main main", "world fork copy").allSatisfy { $0.hasPrefix("+") })
    expectEqual(other.say("list"), [". p power off", "+ 1"])
    for request in ["send t stop", "new power q", "pause", "advance 1s", "undo", "await t idle", "world drop lesson"] {
      expect(guest.ask(request)[0], hasPrefix: "- STORAGE world=", "\(request)")
    }
    probe.pass(5)
    expectEqual(guest.view(), view)
    expect(guest.ask("use copy", "send t stop", "use main")[1], hasPrefix: "+")
    try probe.store.database.run("PRAGMA query_only = 0")
    probe.pass(2)
    expect(guest.ask("send t stop")[0], hasPrefix: "+ ")
    expect(other.ask("send p buttonClick")[0], hasPrefix: "+ moved off on")
    expect(probe.service.release())
  }

  @Test("an end at which the last round cannot be stored says what is lost")
  func lastRound() throws {
    for timing in [FaultPlan.Timing.insteadOfCall, .fromThenOn] {
      let daemon = try KeptDaemon()
      let guest = daemon.connect()
      _ = guest.ask("new ticker t initial=running")
      daemon.faults.strike(call: 1, timing)
      daemon.host.round {
        guest.arrive("send t stop\n")
        daemon.service.shutDown()
      }
      expect(!daemon.service.release())
      expect("\(daemon.log)", contains: "world main: inputs 2 to 2 could not be stored", "\(daemon.log)")
    }
    let sound = try KeptDaemon()
    _ = sound.connect().ask("new ticker t initial=running")
    sound.pass(3)
    expect(sound.service.release())
  }

  // MARK: The store's files

  @Test("files that are taken away under a daemon: nothing is acknowledged from then on, and other worlds go on")
  func gone() throws {
    for isLog in [false, true] {
      let daemon = try KeptDaemon()
      let (guest, watcher) = (daemon.connect(), daemon.connect())
      let free = daemon.host.connect(toWorld: "brief")
      _ = guest.ask("new power p")
      _ = watcher.ask("watch *")
      let path = isLog ? daemon.folder.files.log : daemon.folder.files.database
      try FileManager.default.removeItem(atPath: path)
      for _ in 0..<3 {
        let answer = guest.ask("@1 send p buttonClick")[0]
        expect(answer, hasPrefix: "- @1 STORAGE world=main : \(path) was moved, removed or replaced", "\(answer)")
        expect(guest.ask("list")[0], hasPrefix: "- STORAGE world=main : ")
        expect(guest.ask("world new more durable=yes")[0], hasPrefix: "- STORAGE world=more : ")
        daemon.pass(2)
      }
      expectEqual(watcher.lines(), [])
      expect(free.ask("new power p")[0], hasPrefix: "+ created p")
      expect(daemon.log.count { $0.contains(path) } <= 2, "\(daemon.log)")
      expect(!daemon.service.release())
    }
  }

  @Test("what the store has to say later is said")
  func laterWarnings() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new power p")
    daemon.faults.strike(call: 0)
    let before = daemon.faults.calls
    _ = guest.ask("send p buttonClick")
    // Writing the watermarks is the last call of a round.
    daemon.faults.strike(call: daemon.faults.calls - before)
    expect(guest.ask("send p buttonClick")[0], hasPrefix: "+ moved")
    expect(daemon.warnings.texts.count == 1 && daemon.warnings.texts[0].contains("journal.heads"))
  }

  @Test("after a power cut a daemon says what is missing and starts; without one it does not")
  func boots() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new power p")
    let before = daemon.folder.asAfterKill()
    _ = guest.ask("send p buttonClick")
    let after = daemon.folder.asAfterKill()
    // The watermarks are on the disk, the round is not.
    for name in ["journal.heads"] {
      try FileManager.default.removeItem(atPath: "\(before.path)/\(name)")
      try FileManager.default.copyItem(atPath: "\(after.path)/\(name)", toPath: "\(before.path)/\(name)")
    }
    var setup = KeptDaemon.Setup()
    #expect(throws: StoreFailure.self) { try KeptDaemon(setup, in: before) }
    setup.boot = 2
    let again = try KeptDaemon(setup, in: before)
    expect(again.warnings.texts.count == 1 && again.warnings.texts[0].contains("inputs 2 to 2"))
    expectEqual(again.store.lastEnd, .withSystem)
    expectEqual(again.connect().say("list"), [". p power off", "+ 1"])
  }
}
