@testable import Scripts
import TestSupport
import Testing

@testable import SimulationDaemon

/// Redo and its notices. Every byte is compared.
@Suite("Transcripts: redo")
struct RedoTranscriptTests {
  @Test("an undo is taken back with its time, also several, and the journal tells of it")
  func virtual() {
    Transcript(
      #"""
      > redo
      - BAD-ARGUMENT argument=count got=1 allowed="" : there is nothing to redo
      > new shiftKey key
      + created key off t=0.000 seq=1
      > advance 1s
      + advanced fired=0 t=1.000 seq=1
      > send key tap
      + moved off on t=1.000 seq=2
      > advance 100ms
      + advanced fired=0 t=1.100 seq=2
      > watch *
      + watching 1
      > undo
      * 3 1.000 - undone from=2 to=2
      + t=1.000 seq=3
      > redo
      * 4 1.100 - redone from=2 to=2
      + t=1.100 seq=4
      > agenda
      . 1.350 key doubleTap left=0.250
      + 1
      > redo
      - BAD-ARGUMENT argument=count got=1 allowed="" : there is nothing to redo
      > undo
      * 5 1.000 - undone from=2 to=4
      + t=1.000 seq=5
      > undo
      * 6 0.000 - undone from=1 to=5
      + t=0.000 seq=6
      > redo 3
      - BAD-ARGUMENT argument=count got=3 allowed=1..2 : there is no more to redo than 2
      > redo 2
      * 7 1.100 - redone from=1 to=4
      + t=1.100 seq=7
      > unwatch *
      + watching 0
      > expect key on
      + on t=1.100
      > journal
      . 1 0.000 key created shiftKey off
      . 2 1.000 key moved off on event=tap
      . 2 1.000 key armed doubleTap due=1.350
      . 3 1.000 - undone from=2 to=2 undone=7
      . 4 1.100 - redone from=2 to=2 undone=7
      . 5 1.000 - undone from=2 to=4 undone=7
      . 6 0.000 - undone from=1 to=5 undone=7
      . 7 1.100 - redone from=1 to=4
      + 8
      > goto 1s
      + t=1.000 seq=8
      > redo
      + t=1.100 seq=9
      > undo
      + t=1.000 seq=10
      > send key character c=A
      + stayed off t=1.000 seq=11 outputs=text
      > redo
      - BAD-ARGUMENT argument=count got=1 allowed="" : there is nothing to redo: input 11 came after undo 10, so what that took back stays undone
      > undo
      + t=1.000 seq=12
      > redo
      + t=1.000 seq=13
      > redo
      - BAD-ARGUMENT argument=count got=1 allowed="" : there is nothing to redo
      """#
    ).expectHolds()
  }

  @Test("composed names, dropped machines and kinds from documents come back and go again")
  func names() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let document = DefinedKindsTests.toggle
    _ = guest.say("new phoneCall call\nsend call.tracker phoneTapped number=112\nnew power p")
    _ = guest.say("drop call\ndefine lamp format=scxml bytes=\(document.utf8.count)\n\(document)new lamp l")
    let questions = "list\nagenda\nwires\ncount\nworld\nkinds group=documents"
    func view() -> [String] { guest.say(questions).map { $0.split(separator: " seq=")[0] }.map(String.init) }
    let end = view()
    for count in 1...6 {
      expect(guest.say("undo \(count)").last, hasPrefix: "+ t=")
      let before = view()
      expect(guest.say("redo").last, hasPrefix: "+ t=")
      expectEqual(view(), end, "\(count)")
      expect(guest.say("undo \(count)").last, hasPrefix: "+ t=")
      expectEqual(view(), before, "\(count)")
      expect(guest.say("redo").last, hasPrefix: "+ t=")
    }
    _ = guest.say("undo 3")
    expect(guest.say("drop call")[0], hasPrefix: "+ dropped call")
    expectEqual(guest.violations(), [])
  }

  @Test("on a real clock that runs it is paused, and resume lets it go on")
  func real() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = guest.say("clock real\nnew shiftKey key\nsend key tap")
    host.passTime(0.2)
    expectEqual(guest.say("undo"), ["+ paused=yes t=0.000 seq=3"])
    expect(guest.say("resume")[0], hasPrefix: "+ speed=1 paused=no")
    host.passTime(0.05)
    expectEqual(guest.say("redo"), ["+ paused=yes t=0.200 seq=4"])
    expectEqual(guest.say("agenda"), [". 0.350 key doubleTap left=0.150", "+ 1"])
    _ = guest.say("resume")
    host.passTime(1)
    expect(guest.say("expect key on")[0], hasPrefix: "+ on")
  }

  @Test("a fork and its origin redo the same, each by itself")
  func forked() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new power p\nsend p buttonClick\nsend p buttonClick\nundo 2\nworld fork f")
    expectEqual(guest.say("redo").last, "+ t=0.000 seq=5")
    _ = guest.say("use f")
    expectEqual(guest.say("list"), [". p power off", "+ 1"])
    expect(guest.say("send p buttonClick\nredo").last, hasPrefix: "- BAD-ARGUMENT")
    expectEqual(guest.say("undo\nundo\nredo 2\nlist").suffix(2), [". p power on", "+ 1"])
  }

  @Test("a script tells of a redo, and makes the same world")
  func script() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say(
      "new shiftKey key\nsend key tap\nadvance 100ms\nsend key tap\nadvance 1s\nundo\nundo\nredo\nredo\ngoto 50ms\nredo"
    )
    let lines = guest.say("script")
    expectEqual(lines.filter { $0.hasPrefix(". redo") }, [". redo", ". redo", ". redo"], "\(lines)")
    expect(lines.last, hasPrefix: "+ ", "\(lines)")
  }
}
