import Foundation
import MachineForms
import StateMachines
import TestSupport
import Testing

/// One lamp in every form does the same in each, and the page about forms shows what is tested here.
struct LampFormsTests {
  /// Switches the lamp on and off by hand, and then on, until it goes out by itself.
  private func story<Lamp: StaircaseLamp>(of lamp: Lamp.Type) -> [String] {
    let lamp = MachineRunner(Lamp.self, timers: [.burnedOut])
    var told = [lamp.send(.pressed), lamp.send(.pressed)]
    lamp.now = .beginning + .seconds(5)
    told += [lamp.send(.pressed), "\(lamp.timers)", lamp.expire(.burnedOut)]
    return told
  }

  private static let story = [
    "moved dark lit", "moved lit dark", "moved dark lit", #"["burnedOut": 65000000000]"#, "moved lit dark",
  ]

  @Test("a lamp does the same in every form of a machine")
  func machines() {
    expectEqual(story(of: SwitchedLamp.self), Self.story)
    expectEqual(story(of: ReducedLamp.self), Self.story)
    expectEqual(story(of: FeatureLamp.self), Self.story)
    expectEqual(story(of: PatternLamp.self), Self.story)
    expectEqual(story(of: ObjectLamp.self), Self.story)
    expectEqual(story(of: SchemaLamp.self), Self.story)
  }

  @Test("event objects tell what happens, and refuse what is not for the state")
  func eventObjects() throws {
    var lamp = LampObjects.Machine(try lampObjects())
    var log: [String] = []
    try lamp.fire("pressOn", userInfo: (), on: &log)
    #expect(throws: FireFailure.self) { try lamp.fire("pressOn", userInfo: (), on: &log) }
    try lamp.fire("burnedOut", userInfo: (), on: &log)
    expectEqual(lamp.current?.name, "dark")
    expectEqual(log, ["hello", "good night"])
  }

  @Test("a name on any object has its blocks around each change")
  func namedStates() {
    let lamp = FreeLamp()
    for state in ["lit", "dark"] { lamp.shiftState = state }
    expectEqual(lamp.log, ["hello", "good night"])
  }

  @Test("an acceptor knows which stories end in the dark")
  func acceptor() {
    expect(endsInTheDark.accepts([.pressed, .burnedOut, .pressed, .pressed]))
    expect(!endsInTheDark.accepts([.pressed]))
    expect(!endsInTheDark.accepts([.burnedOut]), "a dark lamp does not burn out")
  }

  @Test("a composite answers once for the states within it")
  func hierarchical() {
    let lamp = MachineRunner(ChartLamp.self, timers: [.dims, .burnedOut])
    expectEqual(lamp.send(.pressed), "moved dark on.lit")
    expectEqual(lamp.timers, ["burnedOut": 60_000_000_000, "dims": 50_000_000_000])
    expectEqual(lamp.expire(.dims), "moved on.lit on.dimmed")
    expectEqual(lamp.expire(.burnedOut), "moved on.dimmed dark")
    lamp.send(.pressed)
    expectEqual(lamp.send(.pressed), "moved on.lit dark")
    expect(lamp.timers.isEmpty)
  }

  @Test("regions are two lamps with one rule")
  func orthogonal() {
    let stairs = MachineRunner(Stairwell.self, timers: [.burnedOut])
    expectEqual(stairs.send(.pressedUpstairs), "moved dark+dark lit+dark")
    expectEqual(stairs.send(.pressedDownstairs), "moved lit+dark lit+lit")
    expectEqual(stairs.send(.pressedUpstairs), "moved lit+lit dark+lit")
    expectEqual(stairs.expire(.burnedOut), "moved dark+lit dark+dark")
  }

  @Test("one screen three times: a second tap does nothing, and a login is opened once")
  func heart() {
    let plain = PlainHeart()
    var (opened, asked) = (0, [(Bool?) -> Void]())
    plain.openLogin = { opened += 1 }
    plain.tapped { asked.append($1) }
    plain.tapped { asked.append($1) }
    expect(asked.count == 1 && plain.isSending)
    asked[0](nil)
    expect(opened == 1 && !plain.isLiked && !plain.isSending)

    var heart = FeatureStore(HeartFeature.State(), of: HeartFeature())
    let taps = [heart.accept(.tap, by: HeartFeature()), heart.accept(.tap, by: HeartFeature())]
    expectEqual(taps, [true, false])
    heart.deliver(.notLoggedIn, from: 1, by: HeartFeature())
    expectEqual(heart.state, HeartFeature.State(needsLogin: true))
    heart.accept(.tap, by: HeartFeature())
    heart.deliver(.answered(isLiked: true), from: 2, by: HeartFeature())
    expectEqual(heart.state, HeartFeature.State(isLiked: true))

    let telling = TellingHeartFeature()
    var teller = FeatureStore(TellingHeartFeature.State(), of: telling)
    let told = [teller.accept(.tap, by: telling), teller.accept(.tap, by: telling)]
    expectEqual(told, [true, false])
    var listener = LoginListener()
    teller.deliver(.notLoggedIn, from: 1, by: telling, to: &listener)
    expect(listener.opened == 1 && teller.state == TellingHeartFeature.State())
    teller.accept(.tap, by: telling, to: &listener)
    teller.deliver(.answered(isLiked: true), from: 2, by: telling, to: &listener)
    expect(listener.opened == 1 && teller.state.isLiked)
  }

  private struct LoginListener: FeatureListener {
    typealias Subject = TellingHeartFeature
    var opened = 0

    mutating func hear(
      news: TellingHeartFeature.News, from store: inout FeatureStore<TellingHeartFeature>,
      _ feature: TellingHeartFeature
    ) {
      opened += 1
    }
  }

  @Test("the page about forms shows a lamp for each of them, as it is compiled")
  func page() throws {
    let lamps = try Document("Tests/MachineFormsTests/LampForms.swift").text
    let sections = try Document("Docs/Forms.md").text.components(separatedBy: "\n### ").dropFirst()
    expectEqual(sections.compactMap { $0.components(separatedBy: "\n").first }, Form.allCases.map(\.rawValue))
    for section in sections {
      let blocks = Document(path: "Docs/Forms.md", text: section).blocks(marked: "swift")
      expect(!blocks.isEmpty, "\(section.prefix(20)) has no lamp")
      for block in blocks { expect("\(lamps)\n".contains(block.text)) }
    }
  }
}
