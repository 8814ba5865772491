@testable import Scripts
import TestSupport
import Testing

@testable import SimulationDaemon

/// Copies of worlds, and the differences between two of them. Every byte is compared.
@Suite("Transcripts: forks")
struct ForkTranscriptTests {
  @Test("a fork and a goto can stop within the making of a composition; undo takes back the whole")
  func withinComposition() {
    Transcript(
      #"""
      > new phoneCall c
      + created c members=2 t=0.000 seq=10
      > world fork x seq=3
      + created x t=0.000 seq=3
      > use x
      + world=x clock=virtual t=0.000 seq=11
      > wires
      . c.tracker open c.phone openTel
      + 1
      > drop c.phone
      + dropped c.phone t=0.000 seq=12
      > use w
      + world=w clock=virtual t=0.000 seq=10
      > goto seq=1
      + t=0.000 seq=1
      > list
      . c.tracker callTracker none
      + 1
      > redo
      + t=0.000 seq=12
      > list c.phone
      . c.phone phone foreground+noAlert+idle
      + 1
      > undo
      + t=0.000 seq=13
      > list
      + 0
      """#
    ).expectHolds()
  }

  @Test("a fork goes its own way, and diff tells how far")
  func forks() {
    Transcript(
      #"""
      > new shiftKey key
      + created key off t=0.000 seq=1
      > new fridge f start=4
      + created f cooling t=0.000 seq=2
      > new power p
      + created p off t=0.000 seq=3
      > wire f compressorOff p buttonClick
      + t=0.000 seq=4
      > send key tap
      + moved off on t=0.000 seq=5
      > advance 100ms
      + advanced fired=0 t=0.100 seq=5
      > world fork trial
      + created trial
      > diff w trial
      + 0
      > diff w w
      + 0
      > use trial
      + world=trial clock=virtual t=0.100 seq=5
      > send key tap
      + moved on capsLock t=0.100 seq=6
      > new power extra
      + created extra off t=0.100 seq=7
      > wire f compressorOn p buttonClick
      + t=0.100 seq=8
      > unwire f compressorOff p buttonClick
      + t=0.100 seq=9
      > drop p
      + dropped p t=0.100 seq=10
      > diff w trial
      . only trial extra power off
      . state key on capsLock
      . timer key doubleTap 0.350 -
      . only w p power off
      . wire w f compressorOff p buttonClick
      + 5
      > diff trial w
      . only trial extra power off
      . state key capsLock on
      . timer key doubleTap - 0.350
      . only w p power off
      . wire w f compressorOff p buttonClick
      + 5
      > undo 5
      + t=0.100 seq=11
      > diff w trial
      + 0
      > undo
      + t=0.000 seq=12
      > diff w trial
      . time 0.100 0.000
      . reading f temperature 3.999389 4.000
      . state key on off
      . timer key doubleTap 0.350 -
      + 4
      > drop f
      + dropped f t=0.000 seq=13
      > new fridge f start=5
      + created f cooling t=0.000 seq=14
      > drop key
      + dropped key t=0.000 seq=15
      > new power key
      + created key off t=0.000 seq=16
      > @d diff w trial
      . @d time 0.100 0.000
      . @d parameter f start 4 5
      . @d reading f temperature 3.999389 5.000
      . @d timer f minTemperatureReached 343.116647296 503.142992551
      . @d kind key shiftKey power
      . @d wire w f compressorOff p buttonClick
      + @d 6
      > diff w nowhere
      - UNKNOWN-WORLD world=nowhere : there is no world 'nowhere'; 'worlds' lists them
      > diff w
      - USAGE : diff is used as 'diff W1 W2'
      > world fork trial
      - NAME-TAKEN world=trial : there is a world 'trial' already
      > world fork 9
      - BAD-ARGUMENT argument=name got=9 allowed="1 to 64 of A-Z a-z 0-9 . _ -, first a letter" : '9' cannot be a name
      > world fork
      - USAGE : world is used as 'world' or 'world new W [clock=virtual|real] [seed=N] [durable=no|yes]' or 'world fork W [seq=N] [durable=no|yes]' or 'world drop W' or 'world move W HOST' or 'world share W [read|write]' or 'world unshare W'
      > world fork x clock=real
      - BAD-ARGUMENT argument=clock got=real allowed="" : only 'world new' takes 'clock='
      """#
    ).expectHolds()
  }

  @Test("the clock of a fork goes on as its parent's, paused or running; nobody watches it")
  func clocks() {
    let host = HostedService()
    let guest = host.connect()
    _ = guest.play("new power p", "watch * what=all", "speed 2")
    host.passTime(1)
    _ = guest.play("world fork a", "pause", "world fork b")
    host.passTime(1)
    _ = guest.lines()
    expectEqual(
      guest.say("worlds"),
      [
        ". a clock=real t=4.000 seq=1", ". b clock=real t=2.000 seq=1", ". main clock=real t=2.000 seq=1", "+ 3",
      ])
    _ = guest.say("use a")
    expectEqual(guest.say("send p buttonClick"), ["+ moved off on t=4.000 seq=2"])
    expectEqual(guest.say("clock"), ["+ clock real speed=2 paused=no t=4.000 seq=2"])
    expectEqual(guest.say("use b\nclock").last, "+ clock real speed=2 paused=yes t=2.000 seq=1")
  }

  @Test("the number of worlds is limited for forks too")
  func limit() {
    var limits = Limits()
    expectNil(limits.set("worlds=2"))
    let guest = HostedService(limits: limits).connect()
    expectEqual(guest.say("world fork a"), ["+ created a"])
    expectEqual(
      guest.say("world fork b"), ["- LIMIT name=worlds value=2 : there are 2 worlds; 'world drop' removes one"])
  }

  @Test("a fork back to an input takes the inputs that goto takes")
  func range() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new power p", "send p buttonClick")
    for input in ["0", "3", "18446744073709551615"] {
      let refused = guest.say("goto seq=\(input)")
      expect(refused[0], hasPrefix: "- BAD-ARGUMENT argument=seq got=\(input) allowed=1..2 : ", "\(refused)")
      expectEqual(guest.say("world fork f seq=\(input)"), refused)
    }
  }

  @Test("a comparison of many machines is written in pieces, and its notices come behind it")
  func many() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let other = host.connect(toWorld: "w")
    _ = guest.say("quiet on")
    _ = guest.say((0..<5_000).map { "new power m\($0)" }.joined(separator: "\n"))
    _ = guest.play("world fork v", "cast * buttonClick", "watch m1 what=moves")
    host.round {
      guest.arrive("diff w v\n")
      other.arrive("send m1 buttonClick\n")
    }
    host.settle()
    let lines = guest.lines()
    expect(lines.filter { $0.hasPrefix(". state m") && $0.hasSuffix(" on off") }.count >= 4_999)
    let end = lines.firstIndex { $0.hasPrefix("+ ") }
    expectEqual(lines.dropFirst((end ?? 0) + 1), ["* 10001 0.000 m1 moved on off event=buttonClick"])
  }
}
