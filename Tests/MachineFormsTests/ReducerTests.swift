import MachineForms
import StateMachines
import TestSupport
import Testing

struct ReducerTests {
  /// The counter of the reducer's description.
  private struct Counting: Reducer {
    enum Wish { case increase, decrease, leave }

    func reduce(_ state: Int, _ wish: Wish) -> Int {
      switch wish {
      case .increase: state + 1
      case .decrease: state - 1
      case .leave: state
      }
    }
  }

  /// The same counter as a feature: its actor passes each wish on.
  private struct CountingFeature: Feature {
    typealias State = Int
    typealias Wish = Counting.Wish

    func reducer(_ state: Int, _ effect: Counting.Wish) -> Int { Counting().reduce(state, effect) }
  }

  private struct Emissions: FeatureListener {
    typealias Subject = CountingFeature
    var states: [Int] = []
    mutating func hear(state: Int) { states.append(state) }
  }

  @Test("one emission on subscription, and one for each wish")
  func emissions() {
    var states: [Int] = []
    var store = ReducerStore(0, of: Counting.self)
    store.subscribe { states.append($0) }
    for _ in 0..<3 { store.accept(.increase, by: Counting()) { states.append($0) } }
    expectEqual(states, [0, 1, 2, 3])
    store.accept(.decrease, by: Counting()) { states.append($0) }
    expectEqual(store.state, 2)
  }

  @Test("an equal state is emitted all the same")
  func equal() {
    var states: [Int] = []
    var store = ReducerStore(7, of: Counting.self)
    store.accept(.leave, by: Counting()) { states.append($0) }
    store.accept(.leave, by: Counting()) { states.append($0) }
    expectEqual(states, [7, 7])
  }

  @Test("whoever comes late is told the present state, once")
  func late() {
    var store = ReducerStore(0, of: Counting.self)
    store.accept(.increase, by: Counting())
    store.accept(.increase, by: Counting())
    var states: [Int] = []
    store.subscribe { states.append($0) }
    expectEqual(states, [2])
  }

  @Test("a copy goes its own way")
  func copies() {
    var store = ReducerStore(0, of: Counting.self)
    let copy = store
    store.accept(.increase, by: Counting())
    expect((store.state, copy.state) == (1, 0))
    expect(store != copy)
  }

  @Test("a feature without an actor of its own is its reducer")
  func passThrough() {
    var listener = Emissions()
    var store = FeatureStore(0, of: CountingFeature())
    for wish in [Counting.Wish.increase, .increase, .leave, .decrease] {
      let isTaken = store.accept(wish, by: CountingFeature(), to: &listener)
      expect(isTaken)
    }
    expectEqual(listener.states, [1, 2, 2, 1])
  }
}
