@testable import Scripts
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// Timers with the same name, distinguished by keys. Every byte is compared.
@Suite("Transcripts: timers with keys")
struct KeyedTimerTranscriptTests {
  private func host(_ limits: String...) -> HostedService {
    var all = Limits()
    for limit in limits { expectNil(all.set(limit)) }
    return HostedService(limits: all, with: [.machine(Post.kind), .composition(Post.district)])
  }

  @Test("notices, journal, show and agenda bear the key")
  func shown() {
    Transcript(
      #"""
      > new post p town=Bree
      + created p open t=0.000 seq=1
      > watch p what=all
      + watching 1
      > send p send 2
      * 2 0.000 p stayed open event=send
      * 2 0.000 p armed delivery(2) due=2.000
      + stayed open t=0.000 seq=2
      > send p send 1
      * 3 0.000 p stayed open event=send
      * 3 0.000 p armed delivery(1) due=2.000
      + stayed open t=0.000 seq=3
      > send p close
      * 4 0.000 p stayed open event=close
      * 4 0.000 p armed closing due=1.000
      + stayed open t=0.000 seq=4
      > send p send 3
      * 5 0.000 p stayed open event=send
      * 5 0.000 p armed delivery(3) due=2.000
      + stayed open t=0.000 seq=5
      > show p
      . state open
      . timer closing due=1.000 left=1.000
      . timer delivery(2) due=2.000 left=2.000
      . timer delivery(1) due=2.000 left=2.000
      . timer delivery(3) due=2.000 left=2.000
      . allowed send flood recall close spin
      + 6
      > agenda limit=2
      . 1.000 p closing left=1.000
      . 2.000 p delivery(2) left=2.000
      + 2
      > send p recall 1
      * 6 0.000 p stayed open event=recall
      * 6 0.000 p disarmed delivery(1) due=2.000
      + stayed open t=0.000 seq=6
      > fire p delivery(3)
      * 7 0.000 p expired delivery(3) due=2.000
      * 7 0.000 p stayed open timer=delivery(3)
      * 7 0.000 p output delivered 3
      + stayed open t=0.000 seq=7 outputs=delivered
      > advance 2s
      * 8 1.000 p expired closing due=1.000
      * 8 1.000 p moved open closed timer=closing
      * 9 2.000 p expired delivery(2) due=2.000
      * 9 2.000 p stayed closed timer=delivery(2)
      * 9 2.000 p output delivered 2
      + advanced fired=2 t=2.000 seq=9
      > journal since=9
      . 9 2.000 p expired delivery(2) due=2.000
      . 9 2.000 p stayed closed timer=delivery(2)
      . 9 2.000 p output delivered 2
      + 3
      """#
    ).expectHolds(host())
  }

  @Test("fire wants the key; what does not run refuses, what there is not is named")
  func fire() {
    Transcript(
      #"""
      > new post p town=Bree
      + created p open t=0.000 seq=1
      > fire p delivery
      - UNKNOWN-TIMER machine=p timer=delivery allowed=closing : several 'delivery' can run at once; name the letter too, as in delivery(1); none runs now
      > send p send 4
      + stayed open t=0.000 seq=2
      > fire p delivery
      - UNKNOWN-TIMER machine=p timer=delivery allowed=closing,delivery(4) did-you-mean=delivery(4) : several 'delivery' can run at once; name the letter too, as in delivery(4); one runs now
      > send p send 2
      + stayed open t=0.000 seq=3
      > fire p delivery(x)
      - UNKNOWN-TIMER machine=p timer=delivery(x) allowed=closing,delivery(4),delivery(2) : several 'delivery' can run at once; name the letter too, as in delivery(4); 2 run now
      > fire p delivery(02)
      - UNKNOWN-TIMER machine=p timer=delivery(02) allowed=closing,delivery(4),delivery(2) : several 'delivery' can run at once; name the letter too, as in delivery(4); 2 run now
      > fire p delivery(0)
      - UNKNOWN-TIMER machine=p timer=delivery(0) allowed=closing,delivery(4),delivery(2) : several 'delivery' can run at once; name the letter too, as in delivery(4); 2 run now
      > fire p delivry(2)
      - UNKNOWN-TIMER machine=p timer=delivry(2) allowed=closing,delivery(4),delivery(2) did-you-mean=delivery(2) : a post has no timer 'delivry(2)'
      > fire p closing(2)
      - UNKNOWN-TIMER machine=p timer=closing(2) allowed=closing,delivery(4),delivery(2) did-you-mean=closing : of 'closing' only one runs at a time; it bears no number
      > fire p delivery(7)
      - REFUSED machine=p state=open timer=delivery(7) allowed=delivery(4),delivery(2) t=0.000 seq=4 : this timer is not running
      > fire p closing
      - REFUSED machine=p state=open timer=closing allowed=delivery(4),delivery(2) t=0.000 seq=5 : this timer is not running
      > fire p delivery(2)
      + stayed open t=0.000 seq=6 outputs=delivered
      > journal what=all limit=3
      . 4 0.000 p refused open timer=delivery(7)
      . 5 0.000 p refused open timer=closing
      . 6 0.000 p expired delivery(2) due=2.000
      . 6 0.000 p stayed open timer=delivery(2)
      . 6 0.000 p output delivered 2
      + 5
      """#
    ).expectHolds(host())
  }

  @Test("of many that run a failure lists some")
  func manyRunning() {
    let guest = host().connect(toWorld: "w")
    _ = guest.play("new post p town=Bree", "send p flood 500")
    let failure = guest.say("fire p delivery")
    expectEqual(failure.count, 1)
    expect(failure[0], contains: ",delivery(16) :")
    expect(failure[0], hasSuffix: "500 run now")
  }

  @Test("a chain without end names the key")
  func livelock() {
    Transcript(
      #"""
      > new post p town=Bree
      + created p open t=0.000 seq=1
      > send p spin
      ! livelock world=w machine=p timer=delivery(1000) t=0.000
      + moved open closed t=0.000 seq=2
      > advance 1s
      ! livelock world=w machine=p timer=delivery(1000) t=0.000
      - LIMIT name=chain value=5 machine=p timer=delivery(1000) t=0.000 : timers set each other off at one instant without end; what is still due waits
      """#
    ).expectHolds(host("chain=5"))
  }

  @Test("at the limit, and one past it: the request fails and says which timer was not armed")
  func limit() {
    Transcript(
      #"""
      > new post p town=Bree
      + created p open t=0.000 seq=1
      > send p flood 3
      + stayed open t=0.000 seq=2
      > send p send 2
      + stayed open t=0.000 seq=3
      > send p send 4
      ! limit world=w name=keyedTimers value=3 machine=p timer=delivery(4) t=0.000
      - LIMIT name=keyedTimers value=3 machine=p timer=delivery(4) t=0.000 seq=4 : p has that many running; this one was not armed
      > send p recall 1
      + stayed open t=0.000 seq=5
      > send p send 4
      + stayed open t=0.000 seq=6
      > agenda
      . 2.000 p delivery(3) left=2.000
      . 2.000 p delivery(2) left=2.000
      . 2.000 p delivery(4) left=2.000
      + 3
      """#
    ).expectHolds(host("keyedTimers=3"))
  }

  @Test("past the limit within an advance, which stops there and goes on when it is asked again")
  func limitWhileAdvancing() {
    Transcript(
      #"""
      > new post n town=Bree
      + created n open t=0.000 seq=1
      > new post s town=Bree delivery=10s
      + created s open t=0.000 seq=2
      > wire n delivered s send
      + t=0.000 seq=3
      > send s send 9
      + stayed open t=0.000 seq=4
      > send n flood 3
      + stayed open t=0.000 seq=5
      > advance 5s
      ! limit world=w name=keyedTimers value=3 machine=s timer=delivery(3) t=2.000
      - LIMIT name=keyedTimers value=3 machine=s timer=delivery(3) t=2.000 : s has that many running; this one was not armed
      > advance 3s
      + advanced fired=0 t=5.000 seq=11
      """#
    ).expectHolds(host("keyedTimers=3"))
  }

  @Test("past the limit on a real clock: all who use the world are told, and it is paused until somebody goes on")
  func limitOnARealClock() {
    let host = host("keyedTimers=1")
    let (guest, other) = (host.connect(), host.connect())
    _ = guest.play(
      "new post n town=Bree delivery=1s", "new post s town=Bree delivery=50s", "wire n delivered s send",
      "send s send 9", "send n send 1")
    host.passTime(2)
    let told = "! limit world=main name=keyedTimers value=1 machine=s timer=delivery(1) t=1.000"
    expectEqual(guest.lines(), [told])
    expectEqual(other.lines(), [told])
    expectEqual(guest.say("clock"), ["+ clock real speed=1 paused=yes t=1.000 seq=7"])
    expectEqual(guest.say("resume"), ["+ speed=1 paused=no t=1.000 seq=7"])
    host.passTime(50)
    expectEqual(guest.say("agenda"), ["+ 0"])
    expectEqual(guest.violations(), [])
  }
}
