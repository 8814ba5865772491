@testable import Scripts
import TestSupport
import Testing

/// The pages of `describe`. Every byte is compared.
struct DescribeTranscriptTests {
  /// A page for a chart each of whose inputs takes many steps.
  @Test("a page takes little: a large graph is left to 'graph', and a long example breaks off")
  func bounds() {
    let host = HostedService()
    func chart(turns: Int) -> String {
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"><state id="a">
      <onentry><script>for (var i = 0; i != \(turns); i = i + 1) {}</script></onentry>
      <transition event="e" target="a"/><transition event="f" target="b"/></state>
      <state id="b"><transition event="e" target="a"/></state></scxml>
      """
    }
    for (turns, isLarge) in [(10, false), (60_000, true)] {
      let guest = host.connect(toWorld: "w\(turns)")
      let document = chart(turns: turns)
      _ = guest.say("define k format=scxml bytes=\(document.utf8.count)\n\(document)")
      let page = guest.say("describe k")
      let pointer = ". table : 2 states and 3 inputs: 'graph k' shows what comes of each"
      expectEqual(page.contains(pointer), isLarge, "\(page)")
      expect(guest.say("graph k").last, hasPrefix: "+ ")
      // The page is the same when the whole graph is known.
      expectEqual(guest.say("describe k"), page)
      expect(guest.say("new k m").last, hasPrefix: "+ created m a")
      // Trying ends in the middle of a step, too; what was not tried is possible.
      expectEqual(guest.say("can m e"), [isLarge ? "+ yes effect=\"\"" : "+ yes effect=moved into=a"])
      expect(guest.say("send m e").last, hasPrefix: "+ moved a a")
    }
  }

  @Test("the table of a page has the width that is asked for")
  func width() {
    let guest = HostedService().connect(toWorld: "w")
    func widest(_ request: String) -> Int {
      guest.say(request).compactMap { $0.hasPrefix(". table : ") ? $0.count - ". table : ".count : nil }.max() ?? 0
    }
    expect(widest("describe callTracker") > 60)
    expect((1...60).contains(widest("describe callTracker width=60")))
    expect(guest.say("describe shiftKey width=39").last, hasPrefix: "- BAD-ARGUMENT argument=width ")
  }

  @Test("a page of a kind, of one with more sorts of data, and of a composition")
  func pages() {
    Transcript(
      #"""
      > describe shiftKey
      . kind shiftKey version=1 form="enum and switch" : Shift and Caps Lock in one key, distinguished by the speed of the taps
      . origin source=article : an article on state machines in iOS apps; its code is lost, so the 0.35 s are those of tap recognisers
      . state off initial=yes : the next letter is lower case
      . state on : the next letter is upper case, those after it are lower case
      . state capsLock : all letters are upper case
      . event tap : the Shift key is tapped
      . event character c="one character" : a letter key is tapped
      . timer doubleTap after=350ms : the time for the second of two taps is over
      . output text text=text : the text to insert
      . parameter doubleTap type=duration default=350ms allowed=0s..1m : how soon the second tap must come
      . parameter gestureMode type=flag default=off allowed=on,off,true,false : on: any two quick taps lock, even if the first one switches off
      . parameter initial type=state default=off allowed=off,on,capsLock : the state to start in, as if it had just been entered
      . table :   state     tap                        character  doubleTap
      . table :                                                   after 350ms
      . table :   --------  -------------------------  ---------  -----------
      . table :   off       → on                       ⟲          –
      . table :   on        [window open]: → capsLock  → off      ⟲
      . table :             [not window open]: → off
      . table :   capsLock  → off                      ⟲          –
      . table
      . table : 3 states, 2 events: 6 pairs, 5 transitions
      . table : 6 pairs with the classes of data: 4 move, 2 stay
      . table : ⟲ handled within the state; – does not run
      . example : > new shiftKey key
      . example : + created key off t=0.000 seq=1
      . example : > send key tap
      . example : + moved off on t=0.000 seq=2
      . example : > advance 200ms
      . example : + advanced fired=0 t=0.200 seq=2
      . example : > send key tap
      . example : + moved on capsLock t=0.200 seq=3
      . example : > send key character a
      . example : + stayed capsLock t=0.200 seq=4 outputs=text
      . example : > advance 1s
      . example : + advanced fired=0 t=1.200 seq=4
      . example : > send key tap
      . example : + moved capsLock off t=1.200 seq=5
      . example : > can key
      . example : . tap
      . example : . character c
      . example : + 2
      + 41
      > describe till
      . kind till version=1 form="enum and switch" : a till, for tests
      . state closed initial=yes : nothing is sold
      . state open : the sum so far
      . event open note="text of 1 to 20 bytes, or nil" : opens it
      . event add amount=1..99 : adds an amount
      . event weigh gross=on,off,true,false scale=kitchen,floor : weighs something
      . event close : closes it
      . timer idle after=1m : closes it when nothing is sold
      . output total sum=integer note=text : what was sold
      . output weight weight=number : what was weighed
      . parameter idle type=duration default=1m allowed=0s..1h : how long it waits for a sale
      . parameter initial type=state default=closed allowed=closed,open : the state to start in, as if it had just been entered
      . table :   state   open     add      weigh    close     idle
      . table :                                                after 1m
      . table :   ------  -------  -------  -------  --------  --------
      . table :   closed  → open   refused  ignored  ignored   –
      . table :   open    ignored  → self   ⟲        → closed  → closed
      . table :                    refused
      . table
      . table : 2 states, 4 events: 8 pairs, 3 transitions
      . table : 18 pairs with the classes of data: 5 move, 4 stay, 7 ignored, 2 refused
      . table : Partial: open was tried with nil and x only
      . table : Partial: add was tried with 1 and 99 only
      . table : ⟲ handled within the state; ignored: nothing happens; refused: not possible; – does not run
      + 24
      > describe phoneCall
      . kind phoneCall members=2 : a call tracker on a phone: tap on tracker, answer the alert and hang up on phone
      . origin source=slides : the call tracker of a conference talk, connected to a phone that is designed here
      . member tracker kind=callTracker : follows an outgoing call by the system's reports to an app
      . member phone kind=phone : a phone with one app, which it tells about alerts, calls and moves to and from the background
      . wire tracker open phone openTel : asks the system to call a number
      . wire phone willResignActive tracker willResignActive : the app is about to become inactive
      . wire phone didEnterBackground tracker didEnterBackground : the app is in the background
      . wire phone willEnterForeground tracker willEnterForeground : the app is about to leave the background
      . wire phone didBecomeActive tracker didBecomeActive : the app is active
      . wire phone callDialing tracker callDialing : an outgoing call is not connected yet
      . wire phone callConnected tracker callConnected : both sides can talk
      . wire phone callEnded tracker callEnded : the call is over
      . parameter waiting type=duration default=2s allowed=0s..365d : how long the call's screen may take to appear
      . parameter requireConnected type=flag default=off allowed=on,off,true,false : on: an unanswered call is not tracked
      . parameter alert type=duration default=100ms allowed=0s..365d : how long the alert takes to appear
      . parameter callUI type=duration default=300ms allowed=0s..365d : how long the call's screen takes to appear after pressCall
      . parameter ring type=duration default=6s allowed=0s..365d : how long the other side's phone rings before it is answered
      . parameter returns type=duration? default=nil allowed="0s..36500d, or nil" : how long after a call in the background the app is in front again; never if it is not given
      . example : > new phoneCall p
      . example : + created p members=2 t=0.000 seq=10
      . example : > watch p.tracker
      . example : + watching 1
      . example : > send p.tracker phoneTapped 112
      . example : * 11 0.000 p.tracker moved none start event=phoneTapped
      . example : * 11 0.000 p.tracker output open 112
      . example : + moved none start t=0.000 seq=11 outputs=open
      . example : > advance 100ms
      . example : * 14 0.100 p.tracker moved start systemAlert wire=p.phone.willResignActive
      . example : + advanced fired=1 t=0.100 seq=14
      . example : > send p.phone pressCall
      . example : * 16 0.100 p.tracker moved systemAlert waiting wire=p.phone.didBecomeActive
      . example : + moved inactive+alert+idle foreground+noAlert+idle t=0.100 seq=15 outputs=didBecomeActive
      . example : > advance 7s
      . example : * 18 0.400 p.tracker moved waiting callStarting wire=p.phone.willResignActive
      . example : * 22 6.400 p.tracker moved callStarting callInProgress wire=p.phone.callConnected
      . example : + advanced fired=2 t=7.100 seq=22
      . example : > send p.phone hangUp
      . example : * 24 7.100 p.tracker moved callInProgress callEnded wire=p.phone.callEnded
      . example : + moved background+noAlert+connected background+noAlert+idle t=7.100 seq=23 outputs=callEnded
      . example : > send p.phone openApp
      . example : * 27 7.100 p.tracker moved callEnded none wire=p.phone.didBecomeActive
      . example : * 27 7.100 p.tracker output tracked 112 0.700 true
      . example : + moved background+noAlert+idle foreground+noAlert+idle t=7.100 seq=25 outputs=willEnterForeground,didBecomeActive
      + 43
      > describe nosuch
      - UNKNOWN-KIND kind=nosuch : there is neither a kind nor a machine 'nosuch'; 'kinds' and 'list' show them
      """#
    ).expectHolds()
  }
}
