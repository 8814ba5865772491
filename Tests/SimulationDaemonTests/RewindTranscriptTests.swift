@testable import Scripts
import TestSupport
import Testing

@testable import SimulationDaemon

/// Undo, goto, and their notices. Every byte is compared.
@Suite("Transcripts: going back")
struct RewindTranscriptTests {
  @Test("undo and goto on a virtual clock")
  func virtual() {
    Transcript(
      #"""
      > undo
      - BAD-ARGUMENT argument=count got=1 allowed="" : there is nothing to undo
      > new shiftKey key
      + created key off t=0.000 seq=1
      > advance 1s
      + advanced fired=0 t=1.000 seq=1
      > send key tap
      + moved off on t=1.000 seq=2
      > advance 10s
      + advanced fired=1 t=11.000 seq=3
      > undo
      + t=1.000 seq=4
      > show key
      . state off
      . allowed tap character
      + 2
      > undo 2
      - BAD-ARGUMENT argument=count got=2 allowed=1..1 : there is no more to undo than 1
      > send key tap
      + moved off on t=1.000 seq=5
      > agenda
      . 1.350 key doubleTap left=0.350
      + 1
      > advance 5s
      + advanced fired=1 t=6.000 seq=6
      > goto 1.35s
      + t=1.350 seq=7
      > goto 1349999999ns
      + t=1.349999999 seq=8
      > agenda
      . 1.350 key doubleTap left=0.000000001
      + 1
      > journal
      . 1 0.000 key created shiftKey off
      . 2 1.000 key moved off on event=tap undone=4
      . 2 1.000 key armed doubleTap due=1.350 undone=4
      . 3 1.350 key expired doubleTap due=1.350 undone=4
      . 3 1.350 key stayed on timer=doubleTap undone=4
      . 4 1.000 - undone from=2 to=3
      . 5 1.000 key moved off on event=tap
      . 5 1.000 key armed doubleTap due=1.350
      . 6 1.350 key expired doubleTap due=1.350 undone=8
      . 6 1.350 key stayed on timer=doubleTap undone=8
      . 7 1.350 - undone undone=8
      . 8 1.349999999 - undone from=6 to=7
      + 12
      > journal what=moves
      . 1 0.000 key created shiftKey off
      . 2 1.000 key moved off on event=tap undone=4
      . 4 1.000 - undone from=2 to=3
      . 5 1.000 key moved off on event=tap
      . 7 1.350 - undone undone=8
      . 8 1.349999999 - undone from=6 to=7
      + 6
      > goto 2s
      - BAD-ARGUMENT argument=time got=2s allowed="up to 1.349999999" : it is only 1.349999999; 'advance until' moves time on
      > goto 1349999999ns
      + t=1.349999999 seq=8
      > goto soon
      - BAD-ARGUMENT argument=time got=soon allowed="a number with one of ns us ms s m h d, up to 100000d" : 'soon' is no time
      > goto 100001d
      - BAD-ARGUMENT argument=time got=100001d allowed="a number with one of ns us ms s m h d, up to 100000d" : '100001d' is no time
      > goto 100000d
      - BAD-ARGUMENT argument=time got=100000d allowed="up to 1.349999999" : it is only 1.349999999; 'advance until' moves time on
      > goto
      - USAGE : goto is used as 'goto TIME' or 'goto seq=N'
      > undo 0
      - BAD-ARGUMENT argument=count got=0 allowed=1..1000000000 : count is a whole number from 1 to 1000000000
      > undo 1 2
      - USAGE : undo is used as 'undo [N]'
      > @u goto 0
      + @u t=0.000 seq=9
      > list
      . key shiftKey off
      + 1
      > undo
      + t=0.000 seq=10
      > list
      + 0
      """#
    ).expectHolds()
  }

  @Test("goto seq= goes to one input of several at one time, and a look leaves the world there")
  func input() {
    Transcript(
      #"""
      > goto seq=1
      - BAD-ARGUMENT argument=seq got=1 allowed="" : nothing has happened in this world yet
      > new shiftKey a
      + created a off t=0.000 seq=1
      > new shiftKey b
      + created b off t=0.000 seq=2
      > cast * tap
      + 2 moved=2 stayed=0 ignored=0 refused=0 t=0.000 seq=4
      > advance 1s
      + advanced fired=2 t=1.000 seq=6
      > goto seq=5
      + t=0.350 seq=5
      > agenda
      . 0.350 b doubleTap left=0.000
      + 1
      > world
      + world=w clock=virtual t=0.350 seq=7
      > can b tap
      + yes effect=moved into=capsLock
      > can a tap
      + yes effect=moved into=off
      > goto seq=5
      + t=0.350 seq=5
      > world fork plain
      + created plain
      > use plain
      + world=plain clock=virtual t=0.350 seq=7
      > show b
      . state on
      . timer doubleTap due=0.350 left=0.000
      . allowed tap character
      + 3
      > use w
      + world=w clock=virtual t=0.350 seq=7
      > redo
      + t=1.000 seq=8
      > world fork trial seq=5
      + created trial t=0.350 seq=5
      > goto seq=3
      + t=0.000 seq=3
      > list
      . a shiftKey on
      . b shiftKey off
      + 2
      > goto seq=6
      - BAD-ARGUMENT argument=seq got=6 allowed="an input in effect" : input 6 was undone by 9
      > world fork other seq=9
      - BAD-ARGUMENT argument=seq got=9 allowed="an input in effect" : input 9 has undone others; name the last one before those
      > goto seq=0
      - BAD-ARGUMENT argument=seq got=0 allowed=1..9 : its inputs are 1 to 9
      > goto seq=10
      - BAD-ARGUMENT argument=seq got=10 allowed=1..9 : its inputs are 1 to 9
      > goto 1s seq=3
      - USAGE : goto is used as 'goto TIME' or 'goto seq=N'
      > world new other seq=3
      - BAD-ARGUMENT argument=seq got=3 allowed="" : only 'world fork' takes 'seq='
      > use trial
      + world=trial clock=virtual t=0.350 seq=9
      > show b
      . state on
      . timer doubleTap due=0.350 left=0.000
      . allowed tap character
      + 3
      > send a tap
      + moved on off t=0.350 seq=11
      > journal since=9
      . 9 0.350 - undone from=6 to=8
      . 10 0.350 b expired doubleTap due=0.350
      . 10 0.350 b stayed on timer=doubleTap
      . 11 0.350 a moved on off event=tap
      + 4
      > undo
      + t=0.350 seq=12
      > goto seq=10
      + t=0.350 seq=10
      """#
    ).expectHolds()
  }

  @Test("goto seq= keeps the deliveries that followed from the input")
  func deliveries() {
    Transcript(
      #"""
      > new fridge f start=4
      + created f cooling t=0.000 seq=1
      > new power p
      + created p off t=0.000 seq=2
      > wire f compressorOff p buttonClick
      + t=0.000 seq=3
      > step
      + stepped fired=1 t=343.116647296 seq=5
      > send p buttonClick
      + moved on off t=343.116647296 seq=6
      > goto seq=4
      + t=343.116647296 seq=5
      > list
      . f fridge waiting
      . p power on
      + 2
      > goto 0
      + t=0.000 seq=8
      > world fork trial seq=3
      + created trial t=0.000 seq=3
      """#
    ).expectHolds()
  }

  @Test("a cast, a batch, and what is composed, are one request each")
  func requests() {
    Transcript(
      #"""
      > new power a
      + created a off t=0.000 seq=1
      > new power b
      + created b off t=0.000 seq=2
      > cast * buttonClick
      + 2 moved=2 stayed=0 ignored=0 refused=0 t=0.000 seq=4
      > undo
      + t=0.000 seq=5
      > list
      . a power off
      . b power off
      + 2
      > begin
      +
      > send a buttonClick
      > cast * buttonClick
      > new phoneCall c
      > end
      + moved off on t=0.000 seq=6
      + 2 moved=2 stayed=0 ignored=0 refused=0 t=0.000 seq=8
      + created c members=2 t=0.000 seq=18
      + batch=3
      > undo
      + t=0.000 seq=19
      > count
      . power off 2
      + 1
      > new phoneCall c
      + created c members=2 t=0.000 seq=29
      > send a buttonClick
      + moved off on t=0.000 seq=30
      > drop c
      + dropped c t=0.000 seq=32
      > undo
      + t=0.000 seq=33
      > list c*
      . c.phone phone foreground+noAlert+idle
      . c.tracker callTracker none
      + 2
      > drop c
      + dropped c t=0.000 seq=35
      > undo 3
      + t=0.000 seq=36
      > list
      . a power off
      . b power off
      + 2
      > begin
      +
      > undo
      > end
      - USAGE : 'undo' cannot stand between 'begin' and 'end'
      - BATCH index=1 : line 1 failed; what was done before it stays
      """#
    ).expectHolds()
  }

  @Test("all that was undone counts for nothing in coverage")
  func coverage() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "send key tap")
    let before = guest.say("coverage")
    _ = guest.play("send key tap", "advance 1s", "new power p", "undo 2")
    expectEqual(guest.say("coverage"), before)
  }

  @Test("whoever watches anything hears of it, in order")
  func watchers() {
    let host = HostedService()
    let author = host.connect(toWorld: "w")
    let full = host.connect(toWorld: "w")
    let moves = host.connect(toWorld: "w")
    _ = full.say("watch key what=all")
    _ = moves.say("watch key")
    _ = author.play("new shiftKey key", "send key tap", "watch * what=all")
    _ = full.lines() + moves.lines()
    expectEqual(author.say("undo"), ["* 3 0.000 - undone from=2 to=2", "+ t=0.000 seq=3"])
    expectEqual(full.lines(), ["* 3 0.000 - undone from=2 to=2"])
    expectEqual(moves.lines(), ["* 3 0.000 - undone from=2 to=2"])
    expectEqual(author.say("advance 1s").last, "+ advanced fired=0 t=1.000 seq=3")
    expectEqual(author.say("goto 500ms"), ["* 4 0.500 - undone", "+ t=0.500 seq=4"])
    expectEqual(author.say("undo").first, "* 5 0.000 - undone from=1 to=4")
    expectEqual(full.lines(), ["* 4 0.500 - undone", "* 5 0.000 - undone from=1 to=4"])
    expectEqual(moves.lines(), ["* 4 0.500 - undone", "* 5 0.000 - undone from=1 to=4"])
    // A watched name is watched again when it is made again.
    expectEqual(author.say("new shiftKey key").last, "+ created key off t=0.000 seq=6")
    expectEqual(full.lines(), ["* 6 0.000 key created shiftKey off"])
    expectEqual(moves.lines(), ["* 6 0.000 key created shiftKey off"])
    // The past as it was reported, from one input on.
    expectEqual(
      moves.say("watch ke? what=all since=2"),
      [
        "* 2 0.000 key moved off on event=tap", "* 2 0.000 key armed doubleTap due=0.350",
        "* 3 0.000 - undone from=2 to=2", "* 4 0.500 - undone", "* 5 0.000 - undone from=1 to=4",
        "* 6 0.000 key created shiftKey off", "+ watching 2",
      ])
  }

  @Test("who watches nothing here hears nothing, and a watch that rests hears nothing of what was meanwhile")
  func restingWatches() {
    let host = HostedService()
    let author = host.connect(toWorld: "w")
    let elsewhere = host.connect(toWorld: "w")
    let other = host.connect(toWorld: "v")
    _ = author.play("new shiftKey key", "send key tap")
    _ = elsewhere.play("watch *", "use main")
    _ = other.say("watch * what=all")
    _ = author.say("undo")
    expectEqual(elsewhere.lines(), [])
    expectEqual(other.lines(), [])
    expectEqual(elsewhere.say("use w"), ["+ world=w clock=virtual t=0.000 seq=3"])
    expectEqual(author.say("send key tap"), ["+ moved off on t=0.000 seq=4"])
    expectEqual(elsewhere.lines(), ["* 4 0.000 key moved off on event=tap"])
  }

  @Test("a clock that runs is paused, and that is told")
  func real() {
    let host = HostedService()
    let guest = host.connect()
    let other = host.connect()
    _ = guest.play("new shiftKey key", "watch * what=all")
    host.passTime(2)
    expectEqual(guest.say("send key tap").last, "+ moved off on t=2.000 seq=2")
    host.passTime(3)
    _ = guest.lines()
    expectEqual(
      guest.say("undo"),
      [
        "* 4 2.000 - undone from=2 to=3", "* 4 2.000 - clock paused=yes", "+ paused=yes t=2.000 seq=4",
      ])
    host.passTime(5)
    expectEqual(other.say("world"), ["+ world=main clock=real t=2.000 seq=4"])
    expectEqual(guest.say("goto 1s"), ["* 5 1.000 - undone", "+ t=1.000 seq=5"])
    _ = guest.say("resume")
    host.passTime(1.5)
    expectEqual(other.say("world"), ["+ world=main clock=real t=2.500 seq=5"])
    expectEqual(
      guest.say("goto 1h"),
      [
        "- BAD-ARGUMENT argument=time got=1h allowed=\"up to 2.500\" : it is only 2.500; time comes there by itself"
      ])
    // The speed stays as it was set, also for a paused clock.
    _ = guest.play("speed 4", "pause", "send key tap")
    _ = guest.lines()
    expectEqual(guest.say("undo"), ["* 7 2.500 - undone from=6 to=6", "+ t=2.500 seq=7"])
    _ = guest.say("resume")
    host.passTime(1)
    expectEqual(other.say("clock"), ["+ clock real speed=4 paused=no t=6.500 seq=7"])
  }

  @Test("who waits for a state: it may be there again, or the machine be gone")
  func awaiting() {
    let host = HostedService()
    let guest = host.connect()
    let waiting = host.connect()
    _ = guest.play("new power p", "send p buttonClick", "new power q")
    expectEqual(waiting.say("await p off within=1h"), [])
    _ = guest.say("undo 2")
    expectEqual(waiting.lines(), ["+ reached off t=0.000 seq=4"])
    expectEqual(waiting.say("await p on within=1h"), [])
    // The state was reached, though it is undone at once.
    _ = guest.say("send p buttonClick\nundo")
    expectEqual(waiting.lines(), ["+ reached on t=0.000 seq=5"])
    expectEqual(waiting.say("await p on within=1h"), [])
    _ = guest.say("undo")
    expectEqual(waiting.lines(), ["- UNKNOWN-MACHINE machine=p : 'p' was dropped meanwhile"])
  }

  @Test("another's advance that is under way waits, and goes on from where the world is then")
  func advancing() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let mover = host.connect(toWorld: "w")
    _ = guest.play("new ticker t every=1ms initial=running", "new power p")
    host.round { mover.arrive("advance 100s\n") }
    host.round { guest.arrive("undo\n") }
    host.settle()
    let undone = guest.lines()
    expect(undone.count == 1 && undone[0].hasPrefix("+ t=0.000 seq="), "\(undone)")
    expect(mover.lines().last, contains: " t=100.000 ")
    expectEqual(guest.say("list"), [". t ticker running", "+ 1"])
    // All ticks that have happened, each once.
    let shown = guest.say("show t")
    expect(shown.contains { $0.hasPrefix(". timer ") && $0.contains(" due=100.001 left=0.001") }, "\(shown)")
  }

  @Test("a long way is gone in slices; others in the world wait, those in others do not; cancel leaves all as it is")
  func slices() {
    var limits = Limits()
    // Without checkpoints the rewind begins at the beginning of the world.
    expectNil(limits.set("checkpointBytes=0"))
    let host = HostedService(limits: limits)
    let guest = host.connect(toWorld: "w")
    let neighbour = host.connect(toWorld: "w")
    let stranger = host.connect(toWorld: "v")
    _ = guest.play("new ticker t every=1ms initial=running", "advance 100s", "new power p")
    let before = guest.say("world")
    expectEqual(before, ["+ world=w clock=virtual t=100.000 seq=100002"])
    host.round {
      guest.arrive("undo\n")
      neighbour.arrive("send p buttonClick\n")
      stranger.arrive("world\n")
    }
    expectEqual(guest.lines(), [])
    expectEqual(neighbour.lines(), [])
    expectEqual(stranger.lines(), ["+ world=v clock=virtual t=0.000 seq=0"])
    host.settle()
    expectEqual(guest.lines(), ["+ t=100.000 seq=100003"])
    expectEqual(neighbour.lines(), ["- UNKNOWN-MACHINE machine=p did-you-mean=t : there is no machine 'p' in world w"])
    // Both in one round: a way that is gone quickly would be over before the cancel.
    host.round { guest.arrive("undo\n@c cancel\n") }
    host.settle()
    expectEqual(guest.lines(), ["- CANCELLED t=100.000 seq=100003 : cancelled by this connection", "+ @c"])
    expectEqual(guest.say("world"), ["+ world=w clock=virtual t=100.000 seq=100003"])
    expectEqual(neighbour.say("send t stop"), ["+ moved running idle t=100.000 seq=100004"])
    expectEqual(neighbour.violations(), [])
    // A client that leaves during the rewind does not block the others.
    host.round { guest.arrive("undo\n") }
    host.service.close(guest.client)
    expectEqual(neighbour.say("world").count, 1)
  }

  @Test("what the journal has forgotten cannot be undone")
  func forgotten() {
    var limits = Limits()
    expectNil(limits.set("journal=100"))
    expectNil(limits.set("checkpointBytes=0"))
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    _ = guest.say("new power p")
    for _ in 0..<200 { _ = guest.say("send p buttonClick") }
    expectEqual(
      guest.say("undo"),
      [
        "- LIMIT name=journal value=100 from=202 : the journal has forgotten the beginning of this world, and nothing can be undone"
      ])
  }
}
