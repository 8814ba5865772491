@testable import Scripts
import Testing

@testable import SimulationDaemon

/// Worlds, watches, tags, words and the verbs of a connection. Every byte is compared.
@Suite("Transcripts: worlds, watches and lines")
struct ConnectionTranscriptTests {
  @Test("worlds are made, used, listed and dropped")
  func worlds() {
    Transcript(
      #"""
      > world
      + world=w clock=virtual t=0.000 seq=0
      > worlds
      . main clock=real t=0.000 seq=0
      . w clock=virtual t=0.000 seq=0
      + 2
      > world new lesson
      + created lesson
      > world new lesson
      - NAME-TAKEN world=lesson : there is a world 'lesson' already
      > world new lab clock=real seed=7
      + created lab
      > world new 9
      - BAD-ARGUMENT argument=name got=9 allowed="1 to 64 of A-Z a-z 0-9 . _ -, first a letter" : '9' cannot be a name
      > world new x clock=moon
      - BAD-ARGUMENT argument=clock got=moon allowed=virtual,real : clock is one of virtual,real
      > world new x seed=-1
      - BAD-ARGUMENT argument=seed got=-1 allowed=0..18446744073709551615 : seed is a whole number from 0 to 18446744073709551615
      > world new x seed=18446744073709551615
      + created x
      > world new y seed=18446744073709551616
      - BAD-ARGUMENT argument=seed got=18446744073709551616 allowed=0..18446744073709551615 : seed is a whole number from 0 to 18446744073709551615
      > world new y durable=yes
      - BAD-ARGUMENT argument=durable got=yes allowed=no : this daemon keeps nothing, since it was started with --ephemeral
      > world new y durable=no
      + created y
      > world new y colour=red
      - BAD-ARGUMENT argument=colour got=red allowed=clock,seed,durable,seq : world takes no 'colour='
      > world new
      - USAGE : world is used as 'world' or 'world new W [clock=virtual|real] [seed=N] [durable=no|yes]' or 'world fork W [seq=N] [durable=no|yes]' or 'world drop W' or 'world move W HOST' or 'world share W [read|write]' or 'world unshare W'
      > world drop
      - USAGE : world is used as 'world' or 'world new W [clock=virtual|real] [seed=N] [durable=no|yes]' or 'world fork W [seq=N] [durable=no|yes]' or 'world drop W' or 'world move W HOST' or 'world share W [read|write]' or 'world unshare W'
      > world fork y
      - NAME-TAKEN world=y : there is a world 'y' already
      > world list
      - USAGE : 'worlds' lists all worlds; world is used as 'world' or 'world new W [clock=virtual|real] [seed=N] [durable=no|yes]' or 'world fork W [seq=N] [durable=no|yes]' or 'world drop W' or 'world move W HOST' or 'world share W [read|write]' or 'world unshare W'
      > world move y
      - USAGE : world is used as 'world' or 'world new W [clock=virtual|real] [seed=N] [durable=no|yes]' or 'world fork W [seq=N] [durable=no|yes]' or 'world drop W' or 'world move W HOST' or 'world share W [read|write]' or 'world unshare W'
      > world clock=virtual
      - BAD-ARGUMENT argument=clock got=virtual allowed="" : only 'world new' takes 'clock='
      > world drop y
      + dropped y
      > world drop y
      - UNKNOWN-WORLD world=y did-you-mean=w : there is no world 'y'; 'worlds' lists them
      > world drop yy
      - UNKNOWN-WORLD world=yy : there is no world 'yy'; 'worlds' lists them
      > world drop main
      - BAD-ARGUMENT argument=world got=main allowed=lab,lesson,w,x : the world main cannot be dropped
      > use lesson
      + world=lesson clock=virtual t=0.000 seq=0
      > new power p
      + created p off t=0.000 seq=1
      > use nosuch
      - UNKNOWN-WORLD world=nosuch : there is no world 'nosuch'; 'worlds' lists them
      > use lessn
      - UNKNOWN-WORLD world=lessn did-you-mean=lesson : there is no world 'lessn'; 'worlds' lists them
      > use
      - USAGE : use is used as 'use W'
      > worlds
      . lab clock=real t=0.000 seq=0
      . lesson clock=virtual t=0.000 seq=1
      . main clock=real t=0.000 seq=0
      . w clock=virtual t=0.000 seq=0
      . x clock=virtual t=0.000 seq=0
      + 5
      > use w
      + world=w clock=virtual t=0.000 seq=0
      > expect p off
      - UNKNOWN-MACHINE machine=p : there is no machine 'p' in world w
      > use lesson
      + world=lesson clock=virtual t=0.000 seq=1
      > expect p off
      + off t=0.000
      > @a world
      + @a world=lesson clock=virtual t=0.000 seq=1
      > world drop lesson
      ! world dropped=lesson
      + dropped lesson
      > @b world
      + @b world=main clock=real t=0.000 seq=0
      > use w
      + world=w clock=virtual t=0.000 seq=0
      > world drop w
      ! world dropped=w
      + dropped w
      > list
      + 0
      """#
    ).expectHolds()
  }

  @Test("patterns that overlap are told each thing once, in the widest scope asked for")
  func watches() {
    Transcript(
      #"""
      > watch k*
      + watching 1
      > watch k1 what=all
      + watching 2
      > watch *
      + watching 3
      > new shiftKey k1
      * 1 0.000 k1 created shiftKey off
      + created k1 off t=0.000 seq=1
      > send k1 tap
      * 2 0.000 k1 moved off on event=tap
      * 2 0.000 k1 armed doubleTap due=0.350
      + moved off on t=0.000 seq=2
      > watch k*
      + watching 3
      > watch * what=all
      + watching 3
      > send k1 tap
      * 3 0.000 k1 moved on capsLock event=tap
      * 3 0.000 k1 disarmed doubleTap due=0.350
      + moved on capsLock t=0.000 seq=3
      > unwatch k1
      + watching 2
      > unwatch k*
      + watching 1
      > send k1 tap
      * 4 0.000 k1 moved capsLock off event=tap
      + moved capsLock off t=0.000 seq=4
      > clock real
      * 4 0.000 - clock mode=real
      + clock real speed=1 paused=no t=0.000 seq=4
      > clock virtual
      * 4 0.000 - clock mode=virtual
      + clock virtual speed=1 paused=no t=0.000 seq=4
      > unwatch *
      + watching 0
      > send k1 tap
      + moved off on t=0.000 seq=5
      > watch k1 since=1
      * 1 0.000 k1 created shiftKey off
      * 2 0.000 k1 moved off on event=tap
      * 3 0.000 k1 moved on capsLock event=tap
      * 4 0.000 k1 moved capsLock off event=tap
      * 5 0.000 k1 moved off on event=tap
      + watching 1
      > watch k1 since=4 what=moves
      * 4 0.000 k1 moved capsLock off event=tap
      * 5 0.000 k1 moved off on event=tap
      + watching 1
      > watch k1 since=99
      + watching 1
      > watch k1 since=-1
      - BAD-ARGUMENT argument=since got=-1 allowed=0..18446744073709551615 : since is a whole number from 0 to 18446744073709551615
      > watch
      - USAGE : watch is used as 'watch PATTERN [what=moves|all] [since=SEQ]'
      > watch a b
      - USAGE : watch is used as 'watch PATTERN [what=moves|all] [since=SEQ]'
      > watch a what=none
      - BAD-ARGUMENT argument=what got=none allowed=moves,all : what is one of moves,all
      > watch ""
      - BAD-ARGUMENT argument=pattern got="" allowed="a name, with * and ? as in a shell" : a pattern is not empty
      > unwatch zzz
      - BAD-ARGUMENT argument=pattern got=zzz allowed=k1 : this connection does not watch 'zzz' here
      > drop k1
      * 6 0.000 k1 dropped
      + dropped k1 t=0.000 seq=6
      > watch k1 since=1
      * 1 0.000 k1 created shiftKey off
      * 2 0.000 k1 moved off on event=tap
      * 3 0.000 k1 moved on capsLock event=tap
      * 4 0.000 k1 moved capsLock off event=tap
      * 5 0.000 k1 moved off on event=tap
      * 6 0.000 k1 dropped
      + watching 1
      """#
    ).expectHolds()
  }

  @Test("tags, quotes, arity and verbs of the connection")
  func lines() {
    Transcript(
      #"""
      > @t help send
      . @t send NAME EVENT [argument…] : one event to one machine
      . @t example : send key character a
      + @t 2
      > help nosuch
      - UNKNOWN-VERB verb=nosuch : there is no verb 'nosuch'; 'help' lists them
      > help advanc
      - UNKNOWN-VERB verb=advanc did-you-mean=advance : there is no verb 'advanc'; 'help' lists them
      > help a b
      - USAGE : help is used as 'help [VERB]'
      > @t send
      - @t USAGE : send is used as 'send NAME EVENT [argument…]'
      > nonsense
      - UNKNOWN-VERB verb=nonsense : there is no verb 'nonsense'; 'help' lists them
      > sned p buttonClick
      - UNKNOWN-VERB verb=sned did-you-mean=send : there is no verb 'sned'; 'help' lists them
      > SEND p buttonClick
      - UNKNOWN-VERB verb=SEND did-you-mean=send : there is no verb 'SEND'; 'help' lists them
      > @ list
      - SYNTAX : a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'
      > @a
      - @a SYNTAX : a verb must follow the tag
      > @a.b_c-D9 list
      + @a.b_c-D9 0
      > @toolongtoolongtoolongtoolongtoolo list
      - SYNTAX : a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'
      > @t@t list
      - SYNTAX : a tag is '@' and 1 to 32 letters, digits, '_', '-' or '.'
      > @t	list
      + @t 0
      >    list
      + 0
      > list   
      + 0
      > "list"
      + 0
      > list "*"
      + 0
      > list "
      - SYNTAX : a quote is not closed
      > list "a"b
      - SYNTAX : a blank must follow the closing quote
      > list a"b
      - SYNTAX : a quote may only begin a word or a value
      > list "\q"
      - SYNTAX : in quotes a backslash may only stand before ", \, n and t
      > list "\"\\\n\t"
      + 0
      > k=v list
      - SYNTAX : a request begins with a verb, not with key=value
      > list k="a b"
      - BAD-ARGUMENT argument=k got="a b" allowed=kind,state,limit : list takes no 'k='
      > list k=a"b
      - SYNTAX : a quote may only begin a word or a value
      > list ké=1
      + 0
      > # comment
      > sync # not a comment
      - USAGE : sync is used as 'sync'
      > send p "key=value"
      - UNKNOWN-MACHINE machine=p : there is no machine 'p' in world w
      > begin now
      - USAGE : begin is used as 'begin [strict]'
      > end
      - USAGE : there is no 'begin' for this 'end'
      > cancel
      +
      > cancel now
      - BAD-ARGUMENT argument=activity got=now allowed=0..18446744073709551615 : activity is a whole number from 0 to 18446744073709551615
      > mode text
      +
      > mode xml
      - BAD-ARGUMENT argument=mode got=xml allowed=text,json : mode is one of text,json
      > mode
      - USAGE : mode is used as 'mode text|json'
      > quiet
      - USAGE : quiet is used as 'quiet on|off'
      > limits extra
      - USAGE : limits is used as 'limits'
      > stats extra
      - USAGE : stats is used as 'stats'
      > sync extra
      - USAGE : sync is used as 'sync'
      > quit now
      - USAGE : quit is used as 'quit'
      > @q quit
      + @q
      ! bye reason=quit
      """#
    ).expectHolds()
  }
}
