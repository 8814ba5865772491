import LineProtocol
import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("A session that may change nothing")
struct ReadOnlyTests {
  private let host = HostedService()
  private let owner: Guest
  private let viewer: Guest

  init() {
    owner = host.connect()
    for request in [
      "clock virtual", "new shiftKey key", "new fridge f start=4", "new power lamp", "send key tap", "world new other",
    ] { _ = owner.say(request) }
    viewer = host.connect(SessionTerms(mayChange: false))
  }

  /// The verbs whose example is refused.
  private static let changes: Set<Verb> = [
    .define, .undefine, .new, .drop, .send, .cast, .wire, .unwire, .clock, .speed, .pause, .resume, .advance, .step,
    .fire, .await, .undo, .redo, .goto, .point, .world, .shutdown,
  ]

  @Test("each verb either looks or is refused", arguments: Verb.allCases)
  func verbs(verb: Verb) throws {
    let seen = try owner.client.hosted.live.world.stateHash
    var request = verb.entry.example
    if verb == .define { request += "\n" + String(repeating: "x", count: 412) + "@next sync" }
    let answer = viewer.say("@t \(request)")
    let final = answer.first { $0.hasPrefix("+ @t") || $0.hasPrefix("- @t") } ?? ""
    expectEqual(final.hasPrefix("- @t READ-ONLY verb=\(verb.name) : "), Self.changes.contains(verb), "\(answer)")
    if verb == .define { expect(answer.last, hasPrefix: "+ @next", "\(answer)") }
    try expectEqual(owner.client.hosted.live.world.stateHash, seen)
    expect(!host.service.isShuttingDown)
  }

  @Test("forms without arguments look, and a session may set itself up")
  func forms() {
    expect(viewer.say("clock").last, hasPrefix: "+ clock virtual")
    expect(viewer.say("world").last, hasPrefix: "+ ")
    expectEqual(viewer.say("cancel"), ["+"])
    for request in [
      "world new w", "world fork w", "world drop other", "clock real", "cancel 1", "send lamp buttonClick",
    ] {
      expect(viewer.say(request).last, hasPrefix: "- READ-ONLY ", "\(request)")
    }
    expect(viewer.say("use other").last, hasPrefix: "+ world=other")
    expect(viewer.say("use main").last, hasPrefix: "+ world=main")
    expectEqual(viewer.say("mode json").last, #"{"class":"success"}"#)
    expectEqual(
      viewer.say("@x undo").last,
      #"{"class":"failure","tag":"x","code":"READ-ONLY","verb":"undo","#
        + #""text":"this connection may look at worlds and change nothing"}"#)
    expectEqual(viewer.say("quit").last, #"{"class":"flow","what":"bye","reason":"quit"}"#)
  }

  @Test("a batch ends at its first change")
  func batch() {
    let answers = viewer.say("begin\nshow lamp\nsend lamp buttonClick\nshow lamp\nend")
    expect(answers.contains { $0.hasPrefix("- READ-ONLY verb=send") })
    expect(answers.last, hasPrefix: "- BATCH index=2", "\(answers)")
  }

  @Test("its watches tell it what others do")
  func watches() {
    _ = viewer.say("watch *")
    _ = owner.say("send key tap")
    expect(viewer.lines().contains { $0.hasPrefix("* ") && $0.contains(" key moved") })
  }

  @Test("another's activity cannot be cancelled")
  func cancel() {
    _ = owner.say("clock real")
    _ = owner.say("await f waiting within=1h")
    expect(owner.isBusy)
    let number = viewer.say("activities").first?.split(separator: " ").dropFirst().first ?? ""
    expect(viewer.say("cancel \(number)").last, hasPrefix: "- READ-ONLY verb=cancel")
    expect(owner.isBusy)
  }
}
