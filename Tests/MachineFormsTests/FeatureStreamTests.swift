import MachineForms
import StateMachines
import TestSupport
import Testing

/// Effects that come later.
struct FeatureStreamTests {
  private let feature = ScriptedFeature(
    effects: ["slow": "a…", "fast": "b", "P": "p"], posts: ["z": "P"], news: ["z": "N", "p": "NP"])

  @Test("a second wish does not wait for the first, and a late effect meets the latest state")
  func interleave() {
    var listener = ScriptedListener(feature)
    var store = FeatureStore([], of: feature, to: &listener)
    store.accept("slow", by: feature, to: &listener)
    store.accept("fast", by: feature, to: &listener)
    let isTaken = store.deliver("c", from: 1, by: feature, to: &listener)
    expect(isTaken)
    expectEqual(store.state, ["a", "b", "c"])
    expectEqual(
      feature.notes.lines,
      [
        "actor slow s0", "open 1 of slow s0", "s1", "post slow a s1", "actor fast s1", "s2", "post fast b s2",
        "s3", "post slow c s3",
      ])
  }

  @Test("two streams of equal actions run beside each other; nothing is cancelled")
  func beside() {
    var store = FeatureStore([], of: feature)
    store.accept("slow", by: feature)
    store.accept("slow", by: feature)
    expectEqual(store.streams.map(\.key), [1, 2])
    expectEqual(store.streams.map(\.state), [[], ["a"]])
    let taken = [
      store.deliver("y", from: 2, by: feature),
      store.deliver("x", from: 1, by: feature),
    ]
    expectEqual(taken, [true, true])
    expectEqual(store.state, ["a", "a", "y", "x"])
    store.accept("slow", by: feature)
    expectEqual(store.streams.map(\.key), [3])
    expectEqual(store.stream(of: 3)?.action, "slow")
    expectNil(store.stream(of: 1))
  }

  @Test("a thousand streams may be open; an action that would open one more is refused, and nothing of it happens")
  func mostStreams() {
    let feature = ScriptedFeature(effects: ["wait": "…", "slow": "a…", "fast": "b"])
    var store = FeatureStore([], of: feature)
    for _ in 0..<FeatureStore<ScriptedFeature>.mostStreams { store.accept("wait", by: feature) }
    let isTaken = store.accept("slow", by: feature)
    expect(!isTaken && store.state == [] && store.streams.count == 1_000)
    store.accept("fast", by: feature)
    store.finish(5)
    let isTakenNow = store.accept("slow", by: feature)
    expect(isTakenNow && store.state == ["b", "a"] && store.streams.last?.key == 1_001)
  }

  @Test("a stream brings effects until its last; then they are dropped")
  func last() {
    var store = FeatureStore([], of: feature)
    store.accept("slow", by: feature)
    let taken = [
      store.deliver("x", from: 1, isLast: false, by: feature),
      store.deliver("y", from: 1, by: feature),
      store.deliver("z", from: 1, by: feature),
      store.deliver("z", from: 7, by: feature),
    ]
    expectEqual(taken, [true, true, false, false])
    expectEqual(store.state, ["a", "x", "y"])
  }

  @Test("a stream may end without an effect")
  func finish() {
    var store = FeatureStore([], of: feature)
    store.accept("slow", by: feature)
    store.finish(1)
    store.finish(1)
    expect(store.streams.isEmpty)
    let isTaken = store.deliver("x", from: 1, by: feature)
    expect(!isTaken)
  }

  @Test("late effects, too, send one action and say one piece of news, in the store's order")
  func afterwards() {
    for (order, news) in [
      (FeatureOrder.recursive, ["news NP s3, now s3", "news N s2, now s3"]),
      (.queued, ["news N s2, now s2", "news NP s3, now s3"]),
    ] {
      var listener = ScriptedListener(feature)
      var store = FeatureStore([], of: feature, order: order, to: &listener)
      store.accept("slow", by: feature, to: &listener)
      feature.notes.lines = []
      store.deliver("z", from: 1, by: feature, to: &listener)
      expectEqual(feature.notes.lines.filter { $0.hasPrefix("news") }, news)
    }
  }

  @Test("stores that differ only in how many streams there were are equal")
  func equality() {
    var store = FeatureStore<Weather>(.unknown, of: Weather())
    let fresh = store
    store.accept(.load, by: Weather())
    expect(store != fresh)
    let asked = store
    store.deliver(.failed, from: 1, by: Weather())
    expectEqual(store, fresh)
    expectEqual(Set([store, fresh]).count, 1)
    store.accept(.load, by: Weather())
    expectEqual(store.streams.map(\.key), [2])
    expectEqual(asked.streams.map(\.key), [1])
  }
}
