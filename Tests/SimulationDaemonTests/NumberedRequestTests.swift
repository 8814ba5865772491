import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// Requests with `id=`, which a client may repeat.
@Suite("Numbered requests")
struct NumberedRequestTests {
  @Test("a repeated request is answered again and not run again, also after an undo and under another tag")
  func repeated() {
    Transcript(
      #"""
      > send p buttonClick id=1
      - UNKNOWN-MACHINE machine=p : there is no machine 'p' in world w
      > new power q id=1
      - BAD-ARGUMENT argument=id got=1 allowed=initial : there is no parameter 'id'; 'client NAME' comes first, so that id= numbers it
      > drop p id=1
      - BAD-ARGUMENT argument=id got=1 allowed="" : drop takes no 'id='; 'client NAME' comes first, so that id= numbers it
      > client plant
      + client plant last=0
      > new power p id=1
      + created p off t=0.000 seq=1
      > new power p id=1
      + created p off t=0.000 seq=1
      > cast * buttonClick id=1
      + created p off t=0.000 seq=1
      > @a send p buttonClick id=2
      + @a moved off on t=0.000 seq=2
      > send p buttonClick id=2
      + moved off on t=0.000 seq=2
      > @b send p buttonClick id=2
      + @b moved off on t=0.000 seq=2
      > undo
      + t=0.000 seq=3
      > send p buttonClick id=2
      + moved off on t=0.000 seq=2
      > expect p off
      + off t=0.000
      > cast * buttonClick id=5
      + 1 moved=1 stayed=0 ignored=0 refused=0 t=0.000 seq=4
      > cast * buttonClick id=5
      + 1 moved=1 stayed=0 ignored=0 refused=0 t=0.000 seq=4
      > client plant
      + client plant last=5
      """#
    ).expectHolds()
  }

  @Test("numbers only grow; one that is not kept is never run; what brought no input may be tried again")
  func expired() {
    Transcript(
      #"""
      > client plant
      + client plant last=0
      > new power p id=4
      + created p off t=0.000 seq=1
      > send p buttonClick id=3
      - EXPIRED-ID id=3 first=4 last=4 : numbers only grow: the last is 4, and no answer to 3 is kept, so it is not run
      > send p nothing id=5
      - UNKNOWN-EVENT machine=p event=nothing allowed=buttonClick,set : a power has no event 'nothing'
      > send p buttonClick id=5
      + moved off on t=0.000 seq=2
      > send p buttonClick id=0
      - BAD-ARGUMENT argument=id got=0 allowed=1..9223372036854775807 : id is a whole number from 1 to 9223372036854775807
      > client other
      + client other last=0
      > send p buttonClick id=1
      + moved on off t=0.000 seq=3
      > begin
      +
      > send p buttonClick id=2
      > end
      - USAGE : 'id=' cannot stand between 'begin' and 'end'
      - BATCH index=1 : line 1 failed; what was done before it stays
      > expect p off
      + off t=0.000
      """#
    ).expectHolds()
  }

  @Test("refusals are kept as well, and so are answers that 'quiet' would withhold")
  func refusals() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("client plant", "quiet on", "new job j id=1")
    let refused = guest.say("send j cancel id=2")
    expect(refused[0], hasPrefix: "- REFUSED machine=j ")
    expectEqual(guest.say("send j cancel id=2"), refused)
    expectEqual(guest.say("new job j id=1"), ["+ created j idle t=0.000 seq=1"])
    expectEqual(guest.client.hosted.live.world.lastSequence, 2)
  }

  @Test("of each client so many answers are kept as the limit says, and of so many clients")
  func limits() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new power p", "client plant")
    let most = NumberedAnswers.maxAnswers
    for number in 1...most + 1 { expect(guest.say("send p buttonClick id=\(number)")[0], hasPrefix: "+ moved ") }
    expect(guest.say("send p buttonClick id=1")[0], hasPrefix: "- EXPIRED-ID id=1 first=2 last=\(most + 1) ")
    expect(guest.say("send p buttonClick id=2")[0], hasSuffix: " seq=3")
    for number in 2...NumberedAnswers.maxClients { _ = guest.play("client c\(number)", "send p buttonClick id=1") }
    expect(guest.play("client late", "send p buttonClick id=1")[1], hasPrefix: "- LIMIT name=clientNames value=1024 : ")
    expect(guest.play("client c2", "send p buttonClick id=2")[1], hasPrefix: "+ moved ")
  }

  @Test("a fork knows the requests of its world, and goes on by itself")
  func fork() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("client plant", "new power p id=1", "world fork f", "use f")
    expectEqual(guest.say("new power p id=1"), ["+ created p off t=0.000 seq=1"])
    expect(guest.say("send p buttonClick id=2")[0], hasPrefix: "+ moved off on ")
    expect(guest.play("use w", "send p buttonClick id=2")[1], hasPrefix: "+ moved off on ")
  }

  @Test("numbers are known after a kill, whether a checkpoint has them or the journal")
  func kill() throws {
    for setup in [KeptDaemon.Setup("checkpointInputs=1000"), KeptDaemon.Setup("checkpointInputs=2")] {
      let daemon = try KeptDaemon(setup)
      let guest = daemon.connect()
      let first = guest.play(
        "clock virtual", "client plant", "new power p id=1", "send p buttonClick id=2", "send p buttonClick id=3")
      for again in [try daemon.afterKill(), try daemon.afterKill().restarted(), try daemon.restarted()] {
        let guest = again.connect()
        expectEqual(guest.say("client plant"), ["+ client plant last=3"])
        expectEqual(
          guest.play("new power p id=1", "send p buttonClick id=2", "send p buttonClick id=3"), first.suffix(3))
        expectEqual(guest.say("send p buttonClick id=4"), ["+ moved off on t=0.000 seq=4"])
      }
    }
  }

  @Test(
    "whatever is killed when, a client that repeats what was not answered gets every request done once",
    arguments: Thorough.rounds(0..<8 as Range<UInt64>))
  func onceEach(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    func chance(_ oneIn: Int) -> Bool { Int.random(in: 1...oneIn, using: &dice) == 1 }
    var daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=\(Int.random(in: 5...45, using: &dice))"))
    var guest = daemon.connect()
    let requests = 60
    _ = guest.play("clock virtual", "new stepper s", "new power p", "client plant")
    // So much can be undone before the turn comes to the stepper.
    for _ in 0..<requests { _ = guest.say("send p buttonClick") }
    var answers: [String] = []
    while answers.count < requests {
      let number = answers.count + 1
      // The request may have come, and its answer not; or not even the request.
      if chance(4) {
        if chance(2) { guest.arrive("send s increment id=\(number)\n") }
        if chance(2) { daemon.host.round() }
        daemon = try daemon.afterKill()
        guest = daemon.connect()
        _ = guest.say("client plant")
      }
      if chance(10) { _ = guest.say("undo") }
      answers += guest.say("send s increment id=\(number)")
      let earlier = max(1, number - Int.random(in: 0..<20, using: &dice))
      expectEqual(guest.say("send s increment id=\(earlier)"), [answers[earlier - 1]], "seed \(seed)")
    }
    let rows = guest.journal("since=1 what=all").map { row in row.split(separator: " ").map(String.init) }
    let kinds: Set = ["moved", "stayed", "ignored"]
    let steps = rows.filter { row in row.count > 3 && row[2] == "s" && kinds.contains(row[3]) }
    expectEqual(Set(steps.map { $0[0] }).count, answers.count, "seed \(seed)")
    expect(answers.allSatisfy { $0.hasPrefix("+ ") }, "seed \(seed)")
  }
}
