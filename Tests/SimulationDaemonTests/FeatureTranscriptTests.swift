import Testing

@testable import SimulationDaemon

/// What a feature tells of its work. Every byte is compared.
@Suite("Transcripts: features")
struct FeatureTranscriptTests {
  @Test("effects, states between and the post-processor's action, with what=all alone")
  func told() {
    Transcript(
      #"""
      > new resume r
      + created r closed t=0.000 seq=1
      > watch r
      + watching 1
      > send r open 7
      * 2 0.000 r moved closed loading(7) event=open
      + moved closed loading(7) t=0.000 seq=2
      > watch r what=all
      + watching 1
      > advance 1s
      * 3 1.000 r expired loaded(1) due=1.000
      * 3 1.000 r moved loading(7) shown(7,viewed) timer=loaded(1)
      * 3 1.000 r told effect loaded
      * 3 1.000 r told state shown(7,unviewed)
      * 3 1.000 r told action markViewed
      * 3 1.000 r told effect viewed
      * 3 1.000 r told state shown(7,viewed)
      * 3 1.000 r output route 7
      + advanced fired=1 t=1.000 seq=3
      > journal r what=moves
      . 1 0.000 r created resume closed
      . 2 0.000 r moved closed loading(7) event=open
      . 3 1.000 r moved loading(7) shown(7,viewed) timer=loaded(1)
      . 3 1.000 r output route 7
      + 4
      > new pagination p
      + created p initial t=1.000 seq=4
      > wire r effect p refresh
      - BAD-ARGUMENT argument=output got=effect allowed=route,toast,closeScreen : a resume has no output 'effect'
      > send p refresh
      + moved initial loading t=1.000 seq=5
      > journal p limit=1
      . 5 1.000 p moved initial loading event=refresh
      . 5 1.000 p told effect itemsRefreshingDidStart
      . 5 1.000 p told state loading
      . 5 1.000 p armed itemsDidLoad due=2.000
      + 4
      """#
    ).expectHolds()
  }
}
