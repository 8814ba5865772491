@testable import Scripts
import Testing

@testable import SimulationDaemon

/// Lists, casts, wires and the journal. Every byte is compared.
@Suite("Transcripts: many machines, wires")
struct CrowdTranscriptTests {
  @Test("list, count, cast and quiet")
  func many() {
    Transcript(
      #"""
      > new power b1
      + created b1 off t=0.000 seq=1
      > new power b2
      + created b2 off t=0.000 seq=2
      > new power a
      + created a off t=0.000 seq=3
      > new shiftKey k1
      + created k1 off t=0.000 seq=4
      > new shiftKey B
      + created B off t=0.000 seq=5
      > new till t initial=open
      + created t open(0) t=0.000 seq=6
      > new smartFridge s
      + created s resting+closed+pendingHigh t=0.000 seq=7
      > send b2 buttonClick
      + moved off on t=0.000 seq=8
      > list
      . B shiftKey off
      . a power off
      . b1 power off
      . b2 power on
      . k1 shiftKey off
      . s smartFridge resting+closed+pendingHigh
      . t till open(0)
      + 7
      > list b*
      . b1 power off
      . b2 power on
      + 2
      > list ?1
      . b1 power off
      . k1 shiftKey off
      + 2
      > list kind=power
      . a power off
      . b1 power off
      . b2 power on
      + 3
      > list kind=power state=on
      . b2 power on
      + 1
      > list state=on
      . b2 power on
      + 1
      > list state=open
      . t till open(0)
      + 1
      > list state=open(0)
      . t till open(0)
      + 1
      > list state=nosuch
      - BAD-ARGUMENT argument=state got=nosuch allowed="a state of some kind" : no kind has a state 'nosuch'
      > list kind=power state=capsLock
      - BAD-ARGUMENT argument=state got=capsLock allowed=off,on : a power has no state 'capsLock'
      > list kind=nosuch
      - UNKNOWN-KIND kind=nosuch : there is no kind 'nosuch'; 'kinds' lists them
      > list limit=2
      . B shiftKey off
      . a power off
      + 2
      > list b* limit=1
      . b1 power off
      + 1
      > list limit=0
      + 0
      > list limit=-1
      - BAD-ARGUMENT argument=limit got=-1 allowed=0..1000000000 : limit is a whole number from 0 to 1000000000
      > list colour=red
      - BAD-ARGUMENT argument=colour got=red allowed=kind,state,limit : list takes no 'colour='
      > list a b
      - USAGE : list is used as 'list [PATTERN] [kind=KIND] [state=STATE] [limit=N]'
      > list nosuch
      + 0
      > list kind=phoneCall
      + 0
      > count
      . power off 2
      . power on 1
      . shiftKey off 2
      . smartFridge resting+closed+pendingHigh 1
      . till open 1
      + 5
      > count b*
      . power off 1
      . power on 1
      + 2
      > count kind=power
      . power off 2
      . power on 1
      + 2
      > count kind=nosuch
      - UNKNOWN-KIND kind=nosuch : there is no kind 'nosuch'; 'kinds' lists them
      > count zzz
      + 0
      > cast b* buttonClick
      + 2 moved=2 stayed=0 ignored=0 refused=0 t=0.000 seq=10
      > cast * buttonClick
      + 3 moved=3 stayed=0 ignored=0 refused=0 t=0.000 seq=13
      > cast k* tap
      + 1 moved=1 stayed=0 ignored=0 refused=0 t=0.000 seq=14
      > cast * tap
      + 2 moved=2 stayed=0 ignored=0 refused=0 t=0.000 seq=16
      > cast t add 5
      + 1 moved=1 stayed=0 ignored=0 refused=0 t=0.000 seq=17
      > cast * add 500
      - BAD-ARGUMENT argument=amount got=500 allowed=1..99 : amount is 1..99, not '500'
      > cast * add
      - BAD-ARGUMENT argument=amount got="" allowed=1..99 : add takes amount (integer); amount is missing
      > cast * nosuch
      - UNKNOWN-EVENT event=nosuch : no kind has an event 'nosuch'
      > cast * buttonClik
      - UNKNOWN-EVENT event=buttonClik did-you-mean=buttonClick : no kind has an event 'buttonClik'
      > cast zzz tap
      + 0 moved=0 stayed=0 ignored=0 refused=0 t=0.000 seq=17
      > cast zzz nosuch
      - UNKNOWN-EVENT event=nosuch : no kind has an event 'nosuch'
      > cast * character a
      + 2 moved=1 stayed=1 ignored=0 refused=0 t=0.000 seq=19
      > cast t add 99
      + 1 moved=0 stayed=0 ignored=0 refused=1 t=0.000 seq=20
      > cast *
      - USAGE : cast is used as 'cast PATTERN EVENT [argument…]'
      > cast
      - USAGE : cast is used as 'cast PATTERN EVENT [argument…]'
      > quiet on
      +
      > cast * buttonClick
      > send a buttonClick
      > send t add 99
      - REFUSED machine=t state=open(5) event=add allowed=add,weigh,close ignores=open t=0.000 seq=25 : the till is full
      > new power q
      > drop q
      > expect a on
      + on t=0.000
      > quiet off
      +
      > quiet maybe
      - BAD-ARGUMENT argument=quiet got=maybe allowed=on,off : quiet is one of on,off
      > quiet
      - USAGE : quiet is used as 'quiet on|off'
      > sync
      +
      """#
    ).expectHolds()
  }

  @Test("wires, and what the journal says of them")
  func wires() {
    Transcript(
      #"""
      > new power p
      + created p off t=0.000 seq=1
      > new character h
      + created h weak t=0.000 seq=2
      > new shiftKey k
      + created k off t=0.000 seq=3
      > new regex r pattern=a*
      + created r accepting t=0.000 seq=4
      > new shiftKey l
      + created l off t=0.000 seq=5
      > wire k text l character
      + t=0.000 seq=6
      > wire r accepted h hit
      + t=0.000 seq=7
      > wire r accepted h hit
      - BAD-ARGUMENT argument=wire got="r accepted h hit" : there is such a wire already; 'wires' lists them
      > wire r accepted p buttonClick
      - BAD-ARGUMENT argument=event got=buttonClick allowed="" : the output accepted carries length (integer), and the event buttonClick takes no argument
      > wire k text h pickUp
      + t=0.000 seq=8
      > wire k text p set
      - BAD-ARGUMENT argument=event got=set allowed="" : the output text carries text (text), and the event set takes to (flag)
      > wire r nosuch h hit
      - BAD-ARGUMENT argument=output got=nosuch allowed=accepted,rejected : a regex has no output 'nosuch'
      > wire r accepte h hit
      - BAD-ARGUMENT argument=output got=accepte allowed=accepted,rejected did-you-mean=accepted : a regex has no output 'accepte'
      > wire p buttonClick k tap
      - BAD-ARGUMENT argument=output got=buttonClick allowed="" : a power has no outputs
      > wire r accepted p buttonClik
      - UNKNOWN-EVENT machine=p event=buttonClik allowed=buttonClick,set did-you-mean=buttonClick : a power has no event 'buttonClik'
      > wire r accepted nosuch hit
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > wire nosuch accepted h hit
      - UNKNOWN-MACHINE machine=nosuch : there is no machine 'nosuch' in world w
      > wire r accepted h
      - USAGE : wire is used as 'wire FROM OUTPUT TO EVENT'
      > wires
      . k text l character
      . k text h pickUp
      . r accepted h hit
      + 3
      > watch * what=all
      + watching 1
      > send r end
      * 9 0.000 r moved accepting accepted event=end
      * 9 0.000 r output accepted 0
      * 10 0.000 h refused weak wire=r.accepted
      + moved accepting accepted t=0.000 seq=9 outputs=accepted
      > send k character a
      * 11 0.000 k stayed off event=character
      * 11 0.000 k output text a
      * 12 0.000 l stayed off wire=k.text
      * 12 0.000 l output text a
      * 13 0.000 h refused weak wire=k.text
      + stayed off t=0.000 seq=11 outputs=text
      > unwire k text l character
      * 14 0.000 k unwired text l character
      + t=0.000 seq=14
      > unwire k text l character
      - BAD-ARGUMENT argument=wire got="k text l character" : there is no such wire; 'wires' lists them
      > wires
      . k text h pickUp
      . r accepted h hit
      + 2
      > send r char a
      * 15 0.000 r moved accepted accepting event=char
      + moved accepted accepting t=0.000 seq=15
      > send r end
      * 16 0.000 r moved accepting accepted event=end
      * 16 0.000 r output accepted 1
      * 17 0.000 h ignored weak wire=r.accepted
      + moved accepting accepted t=0.000 seq=16 outputs=accepted
      > drop h
      * 18 0.000 h dropped
      + dropped h t=0.000 seq=18
      > wires
      + 0
      > journal
      . 1 0.000 p created power off
      . 2 0.000 h created character weak
      . 3 0.000 k created shiftKey off
      . 4 0.000 r created regex accepting
      . 5 0.000 l created shiftKey off
      . 6 0.000 k wired text l character
      . 7 0.000 r wired accepted h hit
      . 8 0.000 k wired text h pickUp
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      . 10 0.000 h refused weak wire=r.accepted
      . 11 0.000 k stayed off event=character
      . 11 0.000 k output text a
      . 12 0.000 l stayed off wire=k.text
      . 12 0.000 l output text a
      . 13 0.000 h refused weak wire=k.text
      . 14 0.000 k unwired text l character
      . 15 0.000 r moved accepted accepting event=char
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      . 17 0.000 h ignored weak wire=r.accepted
      . 18 0.000 h dropped
      + 22
      > journal what=moves
      . 1 0.000 p created power off
      . 2 0.000 h created character weak
      . 3 0.000 k created shiftKey off
      . 4 0.000 r created regex accepting
      . 5 0.000 l created shiftKey off
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      . 11 0.000 k output text a
      . 12 0.000 l output text a
      . 15 0.000 r moved accepted accepting event=char
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      . 18 0.000 h dropped
      + 13
      > journal h
      . 2 0.000 h created character weak
      . 10 0.000 h refused weak wire=r.accepted
      . 13 0.000 h refused weak wire=k.text
      . 17 0.000 h ignored weak wire=r.accepted
      . 18 0.000 h dropped
      + 5
      > journal h limit=1
      . 18 0.000 h dropped
      + 1
      > journal since=9
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      . 10 0.000 h refused weak wire=r.accepted
      . 11 0.000 k stayed off event=character
      . 11 0.000 k output text a
      . 12 0.000 l stayed off wire=k.text
      . 12 0.000 l output text a
      . 13 0.000 h refused weak wire=k.text
      . 14 0.000 k unwired text l character
      . 15 0.000 r moved accepted accepting event=char
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      . 17 0.000 h ignored weak wire=r.accepted
      . 18 0.000 h dropped
      + 14
      > journal since=9 limit=1
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      + 2
      > journal since=0
      . 1 0.000 p created power off
      . 2 0.000 h created character weak
      . 3 0.000 k created shiftKey off
      . 4 0.000 r created regex accepting
      . 5 0.000 l created shiftKey off
      . 6 0.000 k wired text l character
      . 7 0.000 r wired accepted h hit
      . 8 0.000 k wired text h pickUp
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      . 10 0.000 h refused weak wire=r.accepted
      . 11 0.000 k stayed off event=character
      . 11 0.000 k output text a
      . 12 0.000 l stayed off wire=k.text
      . 12 0.000 l output text a
      . 13 0.000 h refused weak wire=k.text
      . 14 0.000 k unwired text l character
      . 15 0.000 r moved accepted accepting event=char
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      . 17 0.000 h ignored weak wire=r.accepted
      . 18 0.000 h dropped
      + 22
      > journal since=99
      + 0
      > journal since=x
      - BAD-ARGUMENT argument=since got=x allowed=0..18446744073709551615 : since is a whole number from 0 to 18446744073709551615
      > journal limit=1000001
      - BAD-ARGUMENT argument=limit got=1000001 allowed=0..1000000 : limit is a whole number from 0 to 1000000
      > journal limit=0
      + 0
      > journal limit=2 what=moves
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      . 18 0.000 h dropped
      + 3
      > journal what=some
      - BAD-ARGUMENT argument=what got=some allowed=moves,all : what is one of moves,all
      > journal r* since=5 what=moves
      . 9 0.000 r moved accepting accepted event=end
      . 9 0.000 r output accepted 0
      . 15 0.000 r moved accepted accepting event=char
      . 16 0.000 r moved accepting accepted event=end
      . 16 0.000 r output accepted 1
      + 5
      > unwatch *
      + watching 0
      > unwatch *
      - BAD-ARGUMENT argument=pattern got=* allowed="" : this connection does not watch '*' here
      """#
    ).expectHolds()
  }
}
