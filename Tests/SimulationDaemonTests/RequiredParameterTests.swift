@testable import Scripts
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// Required parameters, and machines selected by their composed kind. Every byte is compared.
@Suite("Transcripts: parameters without a default, members of composed kinds")
struct RequiredParameterTests {
  private func host() -> HostedService {
    HostedService(with: [.machine(Post.kind), .composition(Post.district)])
  }

  @Test("new says what it needs, and takes no seq")
  func required() {
    Transcript(
      #"""
      > new post p
      - BAD-ARGUMENT argument=town got="" allowed="text of 1 to 20 bytes" : a post needs town=, for instance town=Bree
      > new post p delivery=1s initial=closed
      - BAD-ARGUMENT argument=town got="" allowed="text of 1 to 20 bytes" : a post needs town=, for instance town=Bree
      > new post p town=""
      - BAD-ARGUMENT argument=town got="" allowed="text of 1 to 20 bytes" : town is text of 1 to 20 bytes, not ''
      > new post p town=Bree
      + created p open t=0.000 seq=1
      > new post q town=Bree delivery=1s
      + created q open t=0.000 seq=2
      """#
    ).expectHolds(host())
  }

  @Test("of a composed kind too, and each member that has it gets it")
  func composed() {
    Transcript(
      #"""
      > new district d
      - BAD-ARGUMENT argument=town got="" allowed="text of 1 to 20 bytes" : a district needs town=, for instance town=Bree
      > new district d town=Bree delivery=5s idle=9s
      + created d members=3 t=0.000 seq=4
      > send d.north send 1
      + stayed open t=0.000 seq=5
      > send d.south send 1
      + stayed open t=0.000 seq=6
      > agenda
      . 5.000 d.north delivery(1) left=5.000
      . 5.000 d.south delivery(1) left=5.000
      + 2
      """#
    ).expectHolds(host())
  }

  @Test("what a composed kind presets is none of its parameters")
  func preset() {
    Transcript(
      #"""
      > new checkinApp o observed=off
      - BAD-ARGUMENT argument=observed got=off allowed=mode,service,latency,failures,failureRate,items,offline,loginLatency,sessionTTL : there is no parameter 'observed'
      > new checkinApp o screen.observed=off
      - BAD-ARGUMENT argument=screen.observed got=off allowed=mode,service,latency,failures,failureRate,items,offline,loginLatency,sessionTTL : there is no parameter 'screen.observed'
      > new proxy z supervised=off
      - BAD-ARGUMENT argument=supervised got=off allowed=clients,headerTimeout,bodyTimeout,keepAlive,maxBody,satisfy,handlers,sessionTimeout : there is no parameter 'supervised'
      > new proxy z imap.supervised=off
      - BAD-ARGUMENT argument=imap.supervised got=off allowed=clients,headerTimeout,bodyTimeout,keepAlive,maxBody,satisfy,handlers,sessionTimeout : there is no parameter 'imap.supervised'
      > new proxy z
      + created z members=9 t=0.000 seq=25
      """#
    ).expectHolds(host())
    for name in ["proxy", "checkinApp"] {
      let page = ExampleSession.play(["describe \(name)"], catalogue: HostedService.catalogue)
      expect(page.contains { $0.contains("parameter ") })
      expect(!page.contains { $0.contains(#/parameter (\w+\.)?(supervised|observed) /#) })
    }
  }

  @Test("list and count of a composed kind: the members that it made and that still live")
  func members() {
    Transcript(
      #"""
      > new district d town=Bree
      + created d members=3 t=0.000 seq=4
      > new district e town=Bree
      + created e members=3 t=0.000 seq=8
      > new phoneCall c
      + created c members=2 t=0.000 seq=18
      > new post p town=Bree
      + created p open t=0.000 seq=19
      > new till d.extra
      + created d.extra closed t=0.000 seq=20
      > list kind=district
      . d.north post open
      . d.south post open
      . d.till till closed
      . e.north post open
      . e.south post open
      . e.till till closed
      + 6
      > drop d.south
      + dropped d.south t=0.000 seq=21
      > drop e
      + dropped e t=0.000 seq=24
      > new post d.south town=Bree
      + created d.south open t=0.000 seq=25
      > list kind=district
      . d.north post open
      . d.till till closed
      + 2
      > list *.till kind=district state=closed
      . d.till till closed
      + 1
      > list kind=district limit=1
      . d.north post open
      + 1
      > list kind=district state=shut
      - BAD-ARGUMENT argument=state got=shut allowed=open,closed : no member of a district has a state 'shut'
      > list kind=phoneCall
      . c.phone phone foreground+noAlert+idle
      . c.tracker callTracker none
      + 2
      > count kind=district
      . post open 1
      . till closed 1
      + 2
      > count kind=post
      . post open 3
      + 1
      > list kind=post
      . d.north post open
      . d.south post open
      . p post open
      + 3
      """#
    ).expectHolds(host())
  }
}
