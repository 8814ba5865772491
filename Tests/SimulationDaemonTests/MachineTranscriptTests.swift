@testable import Scripts
import Testing

@testable import SimulationDaemon

/// Making, dropping, sending to and asking about machines. Every byte is compared.
@Suite("Transcripts: machines")
struct MachineTranscriptTests {
  @Test("machines and compositions are made, named, listed and dropped, with every mistake named")
  func making() {
    Transcript(
      #"""
      > new power p
      + created p off t=0.000 seq=1
      > new power p
      - NAME-TAKEN machine=p : there is a machine 'p' already
      > new nosuch q
      - UNKNOWN-KIND kind=nosuch : there is no kind 'nosuch'; 'kinds' lists them
      > new fridg f
      - UNKNOWN-KIND kind=fridg did-you-mean=fridge : there is no kind 'fridg'; 'kinds' lists them
      > new power 9x
      - BAD-ARGUMENT argument=name got=9x allowed="1 to 64 of A-Z a-z 0-9 . _ -, first a letter" : '9x' cannot be a name
      > new power aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg
      + created aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg off t=0.000 seq=2
      > new power aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggh
      - BAD-ARGUMENT argument=name got=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggh allowed="1 to 64 of A-Z a-z 0-9 . _ -, first a letter" : 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggh' cannot be a name
      > new fridge f start=4 max=5.5
      + created f cooling t=0.000 seq=3
      > new fridge g start=400
      - BAD-ARGUMENT argument=start got=400 allowed="-100..100 °C, or nil" : start is -100..100 °C, or nil, not '400'
      > new fridge g min=7
      - BAD-ARGUMENT argument=min got=7 allowed="at most 6 °C, which is max" : min must be at most 6 °C, which is max
      > new fridge g min=3 max=1
      - BAD-ARGUMENT argument=max got=1 allowed="at least 3 °C, which is min" : with the other parameters, max must be at least 3 °C, which is min
      > new fridge g strat=4
      - BAD-ARGUMENT argument=strat got=4 allowed=physics,start,min,max,ambient,coolingTarget,coolingTau,waitingTau,recheckDelay,initial did-you-mean=start : there is no parameter 'strat'
      > new fridge g start=4 start=5
      - BAD-ARGUMENT argument=start got=5 : 'start=' is given twice
      > new fridge g initial=waiting
      + created g waiting t=0.000 seq=4
      > new fridge h initial=frozen
      - BAD-ARGUMENT argument=initial got=frozen allowed=cooling,waiting : a fridge cannot start as 'frozen'
      > new fridge h physics=maybe
      - BAD-ARGUMENT argument=physics got=maybe allowed=on,off,true,false : physics is one of on,off,true,false, not 'maybe'
      > new fridge h coolingTau=0
      - BAD-ARGUMENT argument=coolingTau got=0 allowed=1ms..365d : coolingTau is a duration of 1ms..365d, not '0'
      > new till t initial=open idle=2m
      + created t open(0) t=0.000 seq=5
      > new phoneCall c
      + created c members=2 t=0.000 seq=15
      > new phoneCall c
      - NAME-TAKEN machine=c.tracker : there is a machine 'c.tracker' already
      > new phone x.phone
      + created x.phone foreground+noAlert+idle t=0.000 seq=16
      > new phoneCall x
      - NAME-TAKEN machine=x.phone : there is a machine 'x.phone' already
      > new power c
      - NAME-TAKEN machine=c : there is a machine 'c' already
      > new phoneCall d initial=idle
      - BAD-ARGUMENT argument=initial got=idle allowed=waiting,requireConnected,alert,callUI,ring,returns : there is no parameter 'initial'
      > new phoneCall d ring=1s waiting=700ms
      + created d members=2 t=0.000 seq=26
      > show c
      - UNKNOWN-MACHINE machine=c did-you-mean=c.tracker : 'c' is composed; its machines are c.tracker, c.phone
      > send c tap
      - UNKNOWN-MACHINE machine=c did-you-mean=c.tracker : 'c' is composed; its machines are c.tracker, c.phone
      > wires
      . c.phone willResignActive c.tracker willResignActive
      . c.phone didEnterBackground c.tracker didEnterBackground
      . c.phone willEnterForeground c.tracker willEnterForeground
      . c.phone didBecomeActive c.tracker didBecomeActive
      . c.phone callDialing c.tracker callDialing
      . c.phone callConnected c.tracker callConnected
      . c.phone callEnded c.tracker callEnded
      . c.tracker open c.phone openTel
      . d.phone willResignActive d.tracker willResignActive
      . d.phone didEnterBackground d.tracker didEnterBackground
      . d.phone willEnterForeground d.tracker willEnterForeground
      . d.phone didBecomeActive d.tracker didBecomeActive
      . d.phone callDialing d.tracker callDialing
      . d.phone callConnected d.tracker callConnected
      . d.phone callEnded d.tracker callEnded
      . d.tracker open d.phone openTel
      + 16
      > list
      . aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg power off
      . c.phone phone foreground+noAlert+idle
      . c.tracker callTracker none
      . d.phone phone foreground+noAlert+idle
      . d.tracker callTracker none
      . f fridge cooling
      . g fridge waiting
      . p power off
      . t till open(0)
      . x.phone phone foreground+noAlert+idle
      + 10
      > drop c.phone
      + dropped c.phone t=0.000 seq=27
      > wires
      . d.phone willResignActive d.tracker willResignActive
      . d.phone didEnterBackground d.tracker didEnterBackground
      . d.phone willEnterForeground d.tracker willEnterForeground
      . d.phone didBecomeActive d.tracker didBecomeActive
      . d.phone callDialing d.tracker callDialing
      . d.phone callConnected d.tracker callConnected
      . d.phone callEnded d.tracker callEnded
      . d.tracker open d.phone openTel
      + 8
      > drop c
      + dropped c t=0.000 seq=28
      > drop c
      - UNKNOWN-MACHINE machine=c did-you-mean=p : there is no machine 'c' in world w
      > drop nosuch
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > new
      - USAGE : new is used as 'new KIND NAME [param=value…]'
      > new power
      - USAGE : new is used as 'new KIND NAME [param=value…]'
      > new power a b
      - USAGE : new is used as 'new KIND NAME [param=value…]'
      > drop
      - USAGE : drop is used as 'drop NAME'
      """#
    ).expectHolds()
  }

  @Test("events with arguments of every type, refusals with their reasons, and mistakes that change nothing")
  func sending() {
    Transcript(
      #"""
      > new till t
      + created t closed t=0.000 seq=1
      > send t add 5
      - REFUSED machine=t state=closed event=add allowed=open ignores=weigh,close from=open(0) way=open t=0.000 seq=2 : the till is closed
      > send t open
      + moved closed open(0) t=0.000 seq=3
      > send t add 5
      + moved open(0) open(5) t=0.000 seq=4
      > send t add 0
      - BAD-ARGUMENT argument=amount got=0 allowed=1..99 : amount is 1..99, not '0'
      > send t add 100
      - BAD-ARGUMENT argument=amount got=100 allowed=1..99 : amount is 1..99, not '100'
      > send t add x
      - BAD-ARGUMENT argument=amount got=x allowed=1..99 : amount is 1..99, not 'x'
      > send t add
      - BAD-ARGUMENT argument=amount got="" allowed=1..99 : add takes amount (integer); amount is missing
      > send t add 1 2
      - BAD-ARGUMENT argument=2 got=2 allowed="" : add takes amount (integer), and no more
      > send t add amount=7
      + moved open(5) open(12) t=0.000 seq=5
      > send t add 7 amount=7
      - BAD-ARGUMENT argument=amount got=7 : 'amount' is given twice
      > send t add amount=7 amount=8
      - BAD-ARGUMENT argument=amount got=8 : 'amount' is given twice
      > send t add amont=7
      - BAD-ARGUMENT argument=amont got=7 allowed=amount did-you-mean=amount : add has no argument 'amont'
      > send t add 90
      - REFUSED machine=t state=open(12) event=add allowed=add,weigh,close ignores=open t=0.000 seq=6 : the till is full
      > send t weigh on floor
      + stayed open(12) t=0.000 seq=7 outputs=weight
      > send t weigh scale=kitchen gross=off
      + stayed open(12) t=0.000 seq=8 outputs=weight
      > send t weigh gross=off kitchen
      - BAD-ARGUMENT argument=gross got=kitchen allowed=on,off,true,false : gross is one of on,off,true,false, not 'kitchen'
      > send t weigh on
      - BAD-ARGUMENT argument=scale got="" allowed=kitchen,floor : weigh takes gross (flag), scale (choice); scale is missing
      > send t weigh on attic
      - BAD-ARGUMENT argument=scale got=attic allowed=kitchen,floor : scale is one of kitchen,floor, not 'attic'
      > send t weigh maybe floor
      - BAD-ARGUMENT argument=gross got=maybe allowed=on,off,true,false : gross is one of on,off,true,false, not 'maybe'
      > send t close
      + moved open(12) closed t=0.000 seq=9 outputs=total
      > send t open "two words"
      + moved closed open(0) t=0.000 seq=10
      > send t open again
      + ignored open(0) t=0.000 seq=11
      > send t add 1
      + moved open(0) open(1) t=0.000 seq=12
      > send t close
      + moved open(1) closed t=0.000 seq=13 outputs=total
      > send t open nil
      + moved closed open(0) t=0.000 seq=14
      > send t close
      + moved open(0) closed t=0.000 seq=15 outputs=total
      > send t open "a tab	and \"quotes\" 12345"
      - BAD-ARGUMENT argument=note got="a tab\tand \"quotes\" 12345" allowed="text of 1 to 20 bytes, or nil" : note is text of 1 to 20 bytes, or nil, not 'a tab and "quotes" 12345'
      > send t opne
      - UNKNOWN-EVENT machine=t event=opne allowed=open,add,weigh,close did-you-mean=open : a till has no event 'opne'
      > send nosuch open
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > send t
      - USAGE : send is used as 'send NAME EVENT [argument…]'
      > send
      - USAGE : send is used as 'send NAME EVENT [argument…]'
      > send t close
      + ignored closed t=0.000 seq=16
      > @x send t add 3
      - @x REFUSED machine=t state=closed event=add allowed=open ignores=weigh,close from=open(0) way=open t=0.000 seq=17 : the till is closed
      > @x send t sell
      - @x UNKNOWN-EVENT machine=t event=sell allowed=open,add,weigh,close : a till has no event 'sell'
      > journal limit=100
      . 1 0.000 t created till closed
      . 2 0.000 t refused closed event=add
      . 3 0.000 t moved closed open(0) event=open
      . 3 0.000 t armed idle due=60.000
      . 4 0.000 t moved open(0) open(5) event=add
      . 4 0.000 t armed idle due=60.000
      . 5 0.000 t moved open(5) open(12) event=add
      . 5 0.000 t armed idle due=60.000
      . 6 0.000 t refused open(12) event=add
      . 7 0.000 t stayed open(12) event=weigh
      . 7 0.000 t output weight 7.500
      . 8 0.000 t stayed open(12) event=weigh
      . 8 0.000 t output weight 0.250
      . 9 0.000 t moved open(12) closed event=close
      . 9 0.000 t disarmed idle due=60.000
      . 9 0.000 t output total 12 -
      . 10 0.000 t moved closed open(0) event=open
      . 10 0.000 t armed idle due=60.000
      . 11 0.000 t ignored open(0) event=open
      . 12 0.000 t moved open(0) open(1) event=add
      . 12 0.000 t armed idle due=60.000
      . 13 0.000 t moved open(1) closed event=close
      . 13 0.000 t disarmed idle due=60.000
      . 13 0.000 t output total 1 "two words"
      . 14 0.000 t moved closed open(0) event=open
      . 14 0.000 t armed idle due=60.000
      . 15 0.000 t moved open(0) closed event=close
      . 15 0.000 t disarmed idle due=60.000
      . 15 0.000 t output total 0 -
      . 16 0.000 t ignored closed event=close
      . 17 0.000 t refused closed event=add
      + 31
      """#
    ).expectHolds()
  }

  @Test("what only a timer brings cannot be sent, and goes by the timer's name")
  func timersEvents() {
    Transcript(
      #"""
      > new till t initial=open
      + created t open(0) t=0.000 seq=1
      > send t waitedEnough
      - UNKNOWN-EVENT machine=t event=waitedEnough allowed=open,add,weigh,close : only the timer 'idle' brings the event 'waitedEnough'; 'fire t idle' lets it expire now
      > send t idle
      - UNKNOWN-EVENT machine=t event=idle allowed=open,add,weigh,close : 'idle' is a timer; 'fire t idle' lets it expire now
      > fire t idle
      + moved open(0) closed t=0.000 seq=2 outputs=total
      > new ticker k initial=running
      + created k running t=0.000 seq=3
      > send k tick
      - UNKNOWN-EVENT machine=k event=tick allowed=start,stop : only the timer 'tick' brings the event 'tick'; 'fire k tick' lets it expire now
      > fire k tick
      + stayed running t=0.000 seq=4 outputs=ticked
      > agenda k
      . 1.000 k tick left=1.000
      + 1
      """#
    ).expectHolds()
  }

  @Test("kinds in sentences, and a state with its data where its name is wanted")
  func articles() {
    Transcript(
      #"""
      > new enemy e initial=nosuch
      - BAD-ARGUMENT argument=initial got=nosuch allowed=idle,attacking,fleeing,dead : an enemy cannot start as 'nosuch'
      > new mviTrace q initial=nope
      - BAD-ARGUMENT argument=initial got=nope allowed=idle,loading,disposed : an mviTrace cannot start as 'nope'
      > new http h
      + created h requestLine t=0.000 seq=1
      > send h nosuch
      - UNKNOWN-EVENT machine=h event=nosuch allowed=line,received,declined,ok,again,resume,status,uriChanged,accept : an http has no event 'nosuch'
      > new acceptor ac
      - BAD-ARGUMENT argument=pattern got="" allowed="text of 0 to 1024 bytes" : an acceptor needs pattern=, for instance pattern=(ab|c)*d
      > new job j initial=loading(3)
      - BAD-ARGUMENT argument=initial got=loading(3) allowed=idle,loading,processing,finished,cancelled,failed did-you-mean=loading : a job cannot start as 'loading(3)'; name the state without its data
      """#
    ).expectHolds()
  }

  @Test("a state that has no name but its data is asked for by them")
  func namesOfAnyKind() {
    Transcript(
      #"""
      > list state=active
      - BAD-ARGUMENT argument=state got=active allowed="a state of some kind" did-you-mean=inactive : no kind has a state 'active'
      > new freeform f
      + created f none t=0.000 seq=1
      > list state=active
      + 0
      > expect f active
      - EXPECTED expected=active got=none : f is in none, not in active
      > send f set active
      + moved none state(active) t=0.000 seq=2 outputs=before,on,after
      > expect f active
      + state(active) t=0.000
      > await f active
      + reached state(active) t=0.000 seq=2
      > list state=active
      . f freeform state(active)
      + 1
      > list state=Active
      + 0
      """#
    ).expectHolds()
  }

  @Test("what is possible and what runs")
  func asking() {
    Transcript(
      #"""
      > new shiftKey k doubleTap=350ms
      + created k off t=0.000 seq=1
      > send k tap
      + moved off on t=0.000 seq=2
      > show k
      . state on
      . timer doubleTap due=0.350 left=0.350
      . allowed tap character
      + 3
      > can k
      . tap
      . character c
      + 2
      > can k tap
      + yes effect=moved into=capsLock
      > advance 349ms
      + advanced fired=0 t=0.349 seq=2
      > send k tap
      + moved on capsLock t=0.349 seq=3
      > show k
      . state capsLock
      . allowed tap character
      + 2
      > send k tap
      + moved capsLock off t=0.349 seq=4
      > send k character ab
      - BAD-ARGUMENT argument=c got=ab allowed="one character" : c is one character, not 'ab'
      > send k character ""
      - BAD-ARGUMENT argument=c got="" allowed="one character" : c is one character, not ''
      > send k character é
      + stayed off t=0.349 seq=5 outputs=text
      > send k character "👨‍👩‍👧"
      + stayed off t=0.349 seq=6 outputs=text
      > send k tap
      + moved off on t=0.349 seq=7
      > advance 350ms
      + advanced fired=1 t=0.699 seq=8
      > send k tap
      + moved on off t=0.699 seq=9
      > fire k doubleTap
      - REFUSED machine=k state=off timer=doubleTap allowed="" t=0.699 seq=10 : this timer is not running
      > send k tap
      + moved off on t=0.699 seq=11
      > fire k doubleTap
      + stayed on t=0.699 seq=12
      > send k tap
      + moved on off t=0.699 seq=13
      > fire k doubleTap
      - REFUSED machine=k state=off timer=doubleTap allowed="" t=0.699 seq=14 : this timer is not running
      > fire k nosuch
      - UNKNOWN-TIMER machine=k timer=nosuch allowed=doubleTap : a shiftKey has no timer 'nosuch'
      > fire nosuch doubleTap
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > can k nosuch
      - UNKNOWN-EVENT machine=k event=nosuch allowed=tap,character : a shiftKey has no event 'nosuch'
      > can nosuch
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > show nosuch
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > new till t
      + created t closed t=0.699 seq=15
      > can t
      . open note
      . weigh gross scale effect=ignored
      . close effect=ignored
      + 3
      > can t add
      + no from=open(0) way=open : the till is closed
      > can t open
      + yes effect=moved into=open
      > show t
      . state closed
      . allowed open weigh close
      + 2
      > send t open
      + moved closed open(0) t=0.699 seq=16
      > can t add
      + yes effect=moved into=open
      > show t
      . state open(0)
      . timer idle due=60.699 left=60.000
      . allowed open add weigh close
      + 3
      """#
    ).expectHolds()
  }
}
