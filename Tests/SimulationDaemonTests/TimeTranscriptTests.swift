@testable import Scripts
import Testing

@testable import SimulationDaemon

/// Virtual time, the agenda, waiting and expecting. Every byte is compared.
@Suite("Transcripts: time")
struct TimeTranscriptTests {
  @Test("advance, step, agenda and the clock")
  func clock() {
    Transcript(
      #"""
      > new ticker a every=1s initial=running
      + created a running t=0.000 seq=1
      > new ticker b every=1s initial=running
      + created b running t=0.000 seq=2
      > new shiftKey k initial=on doubleTap=1s
      + created k on t=0.000 seq=3
      > new till t initial=open idle=90s
      + created t open(0) t=0.000 seq=4
      > agenda
      . 1.000 a tick left=1.000
      . 1.000 b tick left=1.000
      . 1.000 k doubleTap left=1.000
      . 90.000 t idle left=90.000
      + 4
      > agenda a
      . 1.000 a tick left=1.000
      + 1
      > agenda limit=1
      . 1.000 a tick left=1.000
      + 1
      > agenda limit=0
      + 0
      > agenda limit=x
      - BAD-ARGUMENT argument=limit got=x allowed=0..1000000000 : limit is a whole number from 0 to 1000000000
      > agenda zzz
      + 0
      > advance 500ms
      + advanced fired=0 t=0.500 seq=4
      > advance until 0.5
      + advanced fired=0 t=0.500 seq=4
      > advance until 400ms
      - BAD-ARGUMENT argument=time got=400ms allowed="0.500 or later" : it is 0.500 already, and world time does not go back
      > advance until
      - BAD-ARGUMENT argument=duration got=until allowed="a number with one of ns us ms s m h d, up to 36500d" : 'until' is no duration
      > advance until 1s 2s
      - USAGE : advance is used as 'advance DURATION' or 'advance until TIME'
      > advance 3 hours
      - USAGE : a duration is one word: '3h'; advance is used as 'advance DURATION' or 'advance until TIME'
      > advance later 1s
      - USAGE : advance is used as 'advance DURATION' or 'advance until TIME'
      > advance
      - USAGE : advance is used as 'advance DURATION' or 'advance until TIME'
      > advance -1s
      - BAD-ARGUMENT argument=duration got=-1s allowed="a number with one of ns us ms s m h d, up to 36500d" : '-1s' is no duration
      > advance 1e3
      - BAD-ARGUMENT argument=duration got=1e3 allowed="a number with one of ns us ms s m h d, up to 36500d" : '1e3' is no duration
      > advance 1.5ns
      - BAD-ARGUMENT argument=duration got=1.5ns allowed="a number with one of ns us ms s m h d, up to 36500d" : a duration is whole nanoseconds, and '1.5ns' is not
      > advance 36501d
      - BAD-ARGUMENT argument=duration got=36501d allowed="a number with one of ns us ms s m h d, up to 36500d" : '36501d' is longer than any duration
      > advance 1x
      - BAD-ARGUMENT argument=duration got=1x allowed="a number with one of ns us ms s m h d, up to 36500d" : '1x' is no duration
      > step
      + stepped fired=1 t=1.000 seq=5
      > step 2
      + stepped fired=2 t=1.000 seq=7
      > agenda
      . 2.000 a tick left=1.000
      . 2.000 b tick left=1.000
      . 90.000 t idle left=89.000
      + 3
      > step 0
      - BAD-ARGUMENT argument=count got=0 allowed=1..1000000000 : count is a whole number from 1 to 1000000000
      > step x
      - BAD-ARGUMENT argument=count got=x allowed=1..1000000000 : count is a whole number from 1 to 1000000000
      > step 3
      + stepped fired=3 t=3.000 seq=10
      > step
      + stepped fired=1 t=3.000 seq=11
      > show k
      . state on
      . allowed tap character
      + 2
      > advance until 3s
      + advanced fired=0 t=3.000 seq=11
      > advance 250us
      + advanced fired=0 t=3.00025 seq=11
      > advance 10s
      + advanced fired=20 t=13.00025 seq=31
      > fire a tick
      + stayed running t=13.00025 seq=32 outputs=ticked
      > journal a limit=2
      . 30 13.000 a expired tick due=13.000
      . 30 13.000 a stayed running timer=tick
      . 30 13.000 a output ticked
      . 30 13.000 a armed tick due=14.000
      . 32 13.00025 a expired tick due=14.000
      . 32 13.00025 a stayed running timer=tick
      . 32 13.00025 a output ticked
      . 32 13.00025 a armed tick due=14.00025
      + 8
      > agenda
      . 14.000 b tick left=0.99975
      . 14.00025 a tick left=1.000
      . 90.000 t idle left=76.99975
      + 3
      > pause
      - CLOCK clock=virtual : this world's clock is virtual; 'advance' moves it
      > resume
      - CLOCK clock=virtual : this world's clock is virtual; 'advance' moves it
      > speed 2
      - CLOCK clock=virtual : this world's clock is virtual; 'advance' moves it
      > clock
      + clock virtual speed=1 paused=no t=13.00025 seq=32
      > clock real
      + clock real speed=1 paused=no t=13.00025 seq=32
      > advance 1s
      - CLOCK clock=real : this world's clock is running; 'pause' or 'clock virtual' makes it stand still
      > advance until 100s
      - CLOCK clock=real : this world's clock is running; 'pause' or 'clock virtual' makes it stand still
      > step
      - CLOCK clock=real : this world's clock is running; 'pause' or 'clock virtual' makes it stand still
      > clock real
      + clock real speed=1 paused=no t=13.00025 seq=32
      > speed 2.5
      + speed=2.5 paused=no t=13.00025 seq=32
      > speed 0
      - BAD-ARGUMENT argument=speed got=0 allowed="0.001 to 1000000, with at most nine decimals" : a speed is 0.001 to 1000000, with at most nine decimals
      > speed 1e3
      - BAD-ARGUMENT argument=speed got=1e3 allowed="0.001 to 1000000, with at most nine decimals" : a speed is 0.001 to 1000000, with at most nine decimals
      > speed 0.0001
      - BAD-ARGUMENT argument=speed got=0.0001 allowed="0.001 to 1000000, with at most nine decimals" : a speed is 0.001 to 1000000, with at most nine decimals
      > clock
      + clock real speed=2.5 paused=no t=13.00025 seq=32
      > pause
      + speed=2.5 paused=yes t=13.00025 seq=32
      > pause
      + speed=2.5 paused=yes t=13.00025 seq=32
      > advance 1s
      + advanced fired=2 t=14.00025 seq=34
      > step
      + stepped fired=1 t=15.000 seq=35
      > resume
      + speed=2.5 paused=no t=15.000 seq=35
      > clock sometimes
      - BAD-ARGUMENT argument=clock got=sometimes allowed=real,virtual : clock is one of real,virtual
      > clock virtual
      + clock virtual speed=2.5 paused=no t=15.000 seq=35
      > clock
      + clock virtual speed=2.5 paused=no t=15.000 seq=35
      """#
    ).expectHolds()
  }

  @Test("await and expect, with states of every form")
  func waiting() {
    Transcript(
      #"""
      > new ticker a every=1s
      + created a idle t=0.000 seq=1
      > await a running within=10s
      - TIMEOUT state=idle way=start t=0.000 : no timer runs, so nothing comes by itself; a is in idle
      > send a start
      + moved idle running t=0.000 seq=2
      > await a running
      + reached running t=0.000 seq=2
      > await a idle within=2500ms
      - TIMEOUT state=running t=2.500 : the time is over; a is in running
      > await a nosuch
      - BAD-ARGUMENT argument=state got=nosuch allowed=idle,running : a ticker has no state 'nosuch'
      > await nosuch idle
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > await a idle within=x
      - BAD-ARGUMENT argument=within got=x allowed="a number with one of ns us ms s m h d, up to 36500d" : 'x' is no duration
      > await a idle within=-1s
      - BAD-ARGUMENT argument=within got=-1s allowed="a number with one of ns us ms s m h d, up to 36500d" : '-1s' is no duration
      > await a
      - USAGE : await is used as 'await NAME STATE [within=DURATION]'
      > send a stop
      + moved running idle t=2.500 seq=5
      > await a running within=0
      - TIMEOUT state=idle way=start t=2.500 : no timer runs, so nothing comes by itself; a is in idle
      > await a running
      - TIMEOUT state=idle way=start t=2.500 : no timer runs, so nothing comes by itself; a is in idle
      > new shiftKey k initial=capsLock
      + created k capsLock t=2.500 seq=6
      > await k off
      - TIMEOUT state=capsLock way=tap t=2.500 : no timer runs, so nothing comes by itself; k is in capsLock
      > send k tap
      + moved capsLock off t=2.500 seq=7
      > send k tap
      + moved off on t=2.500 seq=8
      > await k off within=10s
      - TIMEOUT state=on way=tap t=2.850 : no timer runs, so nothing comes by itself; k is in on
      > expect k on
      + on t=2.850
      > expect k off
      - EXPECTED expected=off got=on : k is in on, not in off
      > expect k nosuch
      - BAD-ARGUMENT argument=state got=nosuch allowed=off,on,capsLock : a shiftKey has no state 'nosuch'
      > expect k o
      - BAD-ARGUMENT argument=state got=o allowed=off,on,capsLock did-you-mean=on : a shiftKey has no state 'o'
      > expect k capslock
      - BAD-ARGUMENT argument=state got=capslock allowed=off,on,capsLock did-you-mean=capsLock : a shiftKey has no state 'capslock'
      > expect nosuch on
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > expect k
      - USAGE : expect is used as 'expect NAME STATE'
      > new till t initial=open
      + created t open(0) t=2.850 seq=10
      > expect t open
      + open(0) t=2.850
      > expect t open(0)
      + open(0) t=2.850
      > expect t open(1)
      - EXPECTED expected=open(1) got=open(0) : t is in open(0), not in open(1)
      > expect t closed
      - EXPECTED expected=closed got=open(0) : t is in open(0), not in closed
      > expect t closed(0)
      - EXPECTED expected=closed(0) got=open(0) : t is in open(0), not in closed(0)
      > expect t open()
      - EXPECTED expected=open() got=open(0) : t is in open(0), not in open()
      > await t closed within=59.999999999s
      - TIMEOUT state=open(0) t=62.849999999 : the time is over; t is in open(0)
      > await t closed within=1ns
      + reached closed t=62.850 seq=11
      > new smartFridge s
      + created s resting+closed+pendingHigh t=62.850 seq=12
      > show s
      . state resting+closed+pendingHigh
      . reading temperature 22.000 °C
      . reading demand true
      . reading door closed
      . reading peak 22.000 °C
      . timer minOff due=242.850 left=180.000
      . timer highTemp due=1862.850 left=1800.000
      . timer defrostInterval due=21662.850 left=21600.000
      . allowed minTemperatureReached maxTemperatureReached highLimitReached highLimitLeft doorOpened doorClosed silence acknowledge powerLost powerRestored
      + 9
      > expect s closed
      + resting+closed+pendingHigh t=62.850
      > expect s closed+normal
      - EXPECTED expected=closed+normal got=resting+closed+pendingHigh : s is in resting+closed+pendingHigh, not in closed+normal
      > expect s normal+closed
      - EXPECTED expected=normal+closed got=resting+closed+pendingHigh : s is in resting+closed+pendingHigh, not in normal+closed
      > expect s cooling
      - EXPECTED expected=cooling got=resting+closed+pendingHigh : s is in resting+closed+pendingHigh, not in cooling
      > expect s closed+open
      - BAD-ARGUMENT argument=state got=closed+open allowed=off,resting,closed,normal,pendingHigh,highAlarm,open,openTooLong,ready,cooling.minOn,cooling.free,defrosting,dripping : a smartFridge has no state 'closed+open'
      > expect s off
      - EXPECTED expected=off got=resting+closed+pendingHigh : s is in resting+closed+pendingHigh, not in off
      > expect s off+closed
      - BAD-ARGUMENT argument=state got=off+closed allowed=off,resting,closed,normal,pendingHigh,highAlarm,open,openTooLong,ready,cooling.minOn,cooling.free,defrosting,dripping : a smartFridge has no state 'off+closed'
      > expect s +
      - BAD-ARGUMENT argument=state got=+ allowed=off,resting,closed,normal,pendingHigh,highAlarm,open,openTooLong,ready,cooling.minOn,cooling.free,defrosting,dripping : a smartFridge has no state '+'
      > expect s closed+
      - BAD-ARGUMENT argument=state got=closed+ allowed=off,resting,closed,normal,pendingHigh,highAlarm,open,openTooLong,ready,cooling.minOn,cooling.free,defrosting,dripping did-you-mean=closed : a smartFridge has no state 'closed+'
      > send s powerLost
      + moved resting+closed+pendingHigh off t=62.850 seq=13
      > show s
      . state off
      . reading temperature 22.000 °C
      . reading door closed
      . allowed minTemperatureReached maxTemperatureReached highLimitReached highLimitLeft doorOpened doorClosed silence acknowledge powerLost powerRestored
      + 4
      > expect s off
      + off t=62.850
      """#
    ).expectHolds()
  }

  @Test("world time ends, and says so")
  func endOfTime() {
    Transcript(
      #"""
      > new shiftKey k
      + created k off t=0.000 seq=1
      > advance until 36500d
      + advanced fired=0 t=3153600000.000 seq=1
      > send k tap
      + moved off on t=3153600000.000 seq=2
      > advance 36500d
      + advanced fired=1 t=6307200000.000 seq=3
      > advance 26999d
      + advanced fired=0 t=8639913600.000 seq=3
      > advance 1ns
      + advanced fired=0 t=8639913600.000000001 seq=3
      > advance 27000d
      - BAD-ARGUMENT argument=duration got=27000d allowed="up to 86399.999999999s" : world time ends at 100000d
      > send k tap
      + moved on off t=8639913600.000000001 seq=4
      > send k tap
      + moved off on t=8639913600.000000001 seq=5
      > advance 23h
      + advanced fired=1 t=8639996400.000000001 seq=6
      > advance 2h
      - BAD-ARGUMENT argument=duration got=2h allowed="up to 3599.999999999s" : world time ends at 100000d
      > await k off within=2d
      - TIMEOUT state=on way=tap t=8639996400.000000001 : no timer runs, so nothing comes by itself; k is in on
      > step
      + stepped fired=0 t=8639996400.000000001 seq=6
      > show k
      . state on
      . allowed tap character
      + 2
      > advance until 100000d
      + advanced fired=0 t=8640000000.000 seq=6
      > advance until 100001d
      - BAD-ARGUMENT argument=time got=100001d allowed="a number with one of ns us ms s m h d, up to 100000d" : '100001d' is no time
      > goto 8639996400.000000001
      + t=8639996400.000000001 seq=7
      > advance until 36500d
      - BAD-ARGUMENT argument=time got=36500d allowed="8639996400.000000001 or later" : it is 8639996400.000000001 already, and world time does not go back
      """#
    ).expectHolds()
  }

  @Test("chains of timers and of wires without end are bounded and told")
  func chains() {
    var limits = Limits()
    _ = limits.set("chain=50")
    _ = limits.set("wireChain=20")
    Transcript(
      #"""
      > new ticker t every=0
      + created t idle t=0.000 seq=1
      > send t start
      ! livelock world=w machine=t timer=tick t=0.000
      + moved idle running t=0.000 seq=2
      > sync
      +
      > agenda
      . 0.000 t tick left=0.000
      + 1
      > send t stop
      + moved running idle t=0.000 seq=53
      > send t start
      ! livelock world=w machine=t timer=tick t=0.000
      + moved idle running t=0.000 seq=54
      > advance 1s
      ! livelock world=w machine=t timer=tick t=0.000
      - LIMIT name=chain value=50 machine=t timer=tick t=0.000 : timers set each other off at one instant without end; what is still due waits
      > step
      ! livelock world=w machine=t timer=tick t=0.000
      - LIMIT name=chain value=50 machine=t timer=tick t=0.000 : timers set each other off at one instant without end; what is still due waits
      > await t idle within=1s
      ! livelock world=w machine=t timer=tick t=0.000
      - LIMIT name=chain value=50 machine=t timer=tick t=0.000 : timers set each other off at one instant without end; what is still due waits
      > send t stop
      + moved running idle t=0.000 seq=105
      > send t start
      ! livelock world=w machine=t timer=tick t=0.000
      + moved idle running t=0.000 seq=106
      > cast t stop
      + 1 moved=1 stayed=0 ignored=0 refused=0 t=0.000 seq=157
      > new fridge f physics=off
      + created f cooling t=0.000 seq=158
      > wire f compressorOff f maxTemperatureReached
      + t=0.000 seq=159
      > wire f compressorOn f minTemperatureReached
      + t=0.000 seq=160
      > send f minTemperatureReached
      ! livelock world=w machine=f output=compressorOff t=0.000
      - LIMIT name=wireChain value=20 machine=f output=compressorOff t=0.000 seq=161 : outputs set each other off through wires without end; the rest was not delivered
      > @x cast f* minTemperatureReached
      + @x 1 moved=0 stayed=0 ignored=1 refused=0 t=0.000 seq=182
      > expect f cooling
      - EXPECTED expected=cooling got=waiting : f is in waiting, not in cooling
      > journal f limit=2
      . 181 0.000 f moved cooling waiting wire=f.compressorOn
      . 181 0.000 f output compressorOff
      . 182 0.000 f ignored waiting event=minTemperatureReached
      + 3
      """#
    ).expectHolds(HostedService(limits: limits))
  }
}
