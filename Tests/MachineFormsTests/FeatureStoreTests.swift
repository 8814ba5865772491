import MachineForms
import StateMachines
import TestSupport
import Testing

struct FeatureStoreTests {
  /// Hands wishes to a new store; gives each call of a part and each thing heard, in order.
  private func play(
    _ wishes: [String], _ order: FeatureOrder, _ feature: ScriptedFeature, answers: [String: String] = [:]
  ) -> [String] {
    var listener = ScriptedListener(feature, answers: answers)
    var store = FeatureStore([], of: feature, order: order, to: &listener)
    for wish in wishes { store.accept(wish, by: feature, to: &listener) }
    return feature.notes.lines
  }

  private var chain: ScriptedFeature {
    ScriptedFeature(effects: ["I": "1", "P": "2"], posts: ["1": "P"], news: ["1": "N1", "2": "N2"])
  }

  @Test(
    "recursive: the post-processor's action is handled to its end before the news, which say the state they were made of"
  )
  func recursive() {
    expectEqual(
      play(["I"], .recursive, chain),
      [
        "actor I s0", "s1", "post I 1 s1", "actor P s1", "s2", "post P 2 s2", "news N2 s2, now s2",
        "news N1 s1, now s2",
      ])
  }

  @Test("queued: news come in the order of the actions")
  func queued() {
    expectEqual(
      play(["I"], .queued, chain),
      [
        "actor I s0", "s1", "post I 1 s1", "news N1 s1, now s1", "actor P s1", "s2", "post P 2 s2",
        "news N2 s2, now s2",
      ])
  }

  @Test("an action without effects: nothing is emitted, post-processed or said", arguments: FeatureOrder.allCases)
  func noEffects(order: FeatureOrder) {
    let feature = ScriptedFeature(posts: ["1": "P"], news: ["1": "N1"])
    expectEqual(play(["X"], order, feature), ["actor X s0"])
    var store = FeatureStore([], of: feature, order: order)
    let isTaken = store.accept("X", by: feature)
    expect(!isTaken)
  }

  @Test("several effects of one action are applied in order, each to the latest state")
  func severalRecursive() {
    let feature = ScriptedFeature(effects: ["A": "123", "P": "4"], posts: ["1": "P"])
    expectEqual(
      play(["A"], .recursive, feature),
      [
        "actor A s0", "s1", "post A 1 s1", "actor P s1", "s2", "post P 4 s2", "s3", "post A 2 s3", "s4", "post A 3 s4",
      ])
  }

  @Test("queued: the effects of an action are not interrupted by what they send")
  func severalQueued() {
    let feature = ScriptedFeature(effects: ["A": "12", "P": "4"], posts: ["1": "P"])
    expectEqual(
      play(["A"], .queued, feature),
      [
        "actor A s0", "s1", "post A 1 s1", "s2", "post A 2 s2", "actor P s2", "s3", "post P 4 s3",
      ])
  }

  @Test("wishes sent from a news listener see the latest state, one after the other", arguments: FeatureOrder.allCases)
  func loopBack(order: FeatureOrder) {
    let feature = ScriptedFeature(effects: ["1": "a", "2": "b", "3": "c"], news: ["a": "L"])
    let lines = play(["1"], order, feature, answers: ["L": "23"])
    expectEqual(lines.filter { $0.hasPrefix("actor") }, ["actor 1 s0", "actor 2 s1", "actor 3 s2"])
  }

  @Test("a wish from a news listener is handled at once, or behind what waits")
  func loopBackOrder() {
    func feature() -> ScriptedFeature {
      ScriptedFeature(effects: ["I": "12", "2": "b"], news: ["1": "L"])
    }
    expectEqual(
      play(["I"], .recursive, feature(), answers: ["L": "2"]).filter { !$0.hasPrefix("post") },
      [
        "actor I s0", "s1", "news L s1, now s1", "actor 2 s1", "s2", "s3",
      ])
    expectEqual(
      play(["I"], .queued, feature(), answers: ["L": "2"]).filter { !$0.hasPrefix("post") },
      [
        "actor I s0", "s1", "news L s1, now s1", "s2", "actor 2 s2", "s3",
      ])
  }

  @Test("the bootstrapper is done before anybody can subscribe", arguments: FeatureOrder.allCases)
  func bootstrap(order: FeatureOrder) {
    let feature = ScriptedFeature(
      first: ["A", "B"], effects: ["A": "1…", "B": "2", "P": "3"], posts: ["1": "P"], news: ["1": "N1"])
    var listener = ScriptedListener(feature)
    let store = FeatureStore([], of: feature, order: order, to: &listener)
    expectEqual(store.state, (order == .recursive ? ["1", "3", "2"] : ["1", "2", "3"]))
    let heard = feature.notes.lines.filter { !$0.hasPrefix("actor") && !$0.hasPrefix("post") }
    expectEqual(heard, ["open 1 of A s0"])
  }

  @Test("after its end a feature drops everything", arguments: FeatureOrder.allCases)
  func disposed(order: FeatureOrder) {
    let feature = ScriptedFeature(first: ["A"], effects: ["A": "…", "B": "2"])
    var listener = ScriptedListener(feature)
    var store = FeatureStore([], of: feature, order: order, to: &listener)
    store.dispose()
    expect(store.isDisposed)
    expect(store.streams.isEmpty)
    feature.notes.lines = []
    let taken = [
      store.accept("B", by: feature, to: &listener),
      store.act("B", by: feature, to: &listener),
      store.deliver("x", from: 1, by: feature, to: &listener),
    ]
    expectEqual(taken, [false, false, false])
    expectEqual(feature.notes.lines, [])
    expectEqual(store.state, [])
  }

  @Test("an end in the middle drops the effects, actions and news that were still to come")
  func disposedInside() {
    func feature() -> ScriptedFeature {
      ScriptedFeature(effects: ["I": "12…", "P": "3"], posts: ["1": "P"], news: ["1": "N1", "3": "N3"])
    }
    expectEqual(
      play(["I"], .recursive, feature(), answers: ["N3": "!"]),
      [
        "actor I s0", "open 1 of I s0", "s1", "post I 1 s1", "actor P s1", "s2", "post P 3 s2", "news N3 s2, now s2",
      ])
    expectEqual(
      play(["I"], .queued, feature(), answers: ["N1": "!"]),
      [
        "actor I s0", "open 1 of I s0", "s1", "post I 1 s1", "news N1 s1, now s1",
      ])
  }

  @Test("a thousand actions may come of one wish", arguments: FeatureOrder.allCases)
  func longestChain(order: FeatureOrder) {
    let feature = CountDown()
    var store = FeatureStore(FeatureStore<CountDown>.longestChain - 1, of: feature, order: order)
    store.accept(.next, by: feature)
    expectEqual(store.state, -1)
  }

  @Test("a post-processor without an end is found out", .enabled(if: Thorough.isFull))
  func endless() async {
    await #expect(processExitsWith: .failure) {
      var store = FeatureStore(FeatureStore<CountDown>.longestChain, of: CountDown(), order: .recursive)
      store.accept(.next, by: CountDown())
    }
    await #expect(processExitsWith: .failure) {
      var store = FeatureStore(FeatureStore<CountDown>.longestChain + 1, of: CountDown(), order: .queued)
      store.accept(.next, by: CountDown())
    }
  }
}

/// Sends itself on until its number is below zero.
private struct CountDown: Feature {
  enum Wish: Sendable { case next }

  func reducer(_ state: Int, _ effect: Wish) -> Int { state - 1 }
  func postProcessor(_ action: Wish, _ effect: Wish, _ state: Int) -> Wish? { state < 0 ? nil : .next }
}
