@testable import MachineForms
import Simulations
import StateMachines
import TestSupport
import Testing

/// Tests the pagination's reducer and actor without a machine.
struct PaginationFeatureTests {
  private typealias State = PaginationFeature.State
  private typealias Effect = PaginationFeature.Effect

  private static let items = PaginationFeature.Items(elements: 20, nextPageIndex: 1)
  private static let more = PaginationFeature.Items(elements: 40, nextPageIndex: 2)
  private static let contents: [State] = [
    .content(items, nil), .content(items, .refreshing), .content(items, .nextPageLoading),
    .content(items, .nextPageLoadingError("old")),
  ]
  private static let others: [State] = [.initial, .loading, .error("old")]

  @Test("every effect on every state")
  func reducer() {
    let feature = PaginationFeature()
    for state in Self.contents + Self.others {
      expectEqual(feature.reducer(state, .itemsLoadingDidStart(isNextPage: false)), .loading)
      expectEqual(feature.reducer(state, .itemsDidLoad(Self.more)), .content(Self.more, nil))
      expectEqual(feature.reducer(state, .itemsLoadingDidFail("e", isPaginationError: false)), .error("e"))
    }
    for state in Self.contents {
      expectEqual(
        feature.reducer(state, .itemsLoadingDidStart(isNextPage: true)), .content(Self.items, .nextPageLoading))
      expectEqual(feature.reducer(state, .itemsRefreshingDidStart), .content(Self.items, .refreshing))
      expectEqual(
        feature.reducer(state, .itemsLoadingDidFail("e", isPaginationError: true)),
        .content(Self.items, .nextPageLoadingError("e")))
    }
    for state in Self.others {
      expectEqual(feature.reducer(state, .itemsLoadingDidStart(isNextPage: true)), state)
      expectEqual(feature.reducer(state, .itemsRefreshingDidStart), .loading)
      expectEqual(feature.reducer(state, .itemsLoadingDidFail("e", isPaginationError: true)), state)
    }
  }

  @Test("with keepOnRefreshError items are kept where there are any")
  func keeping() {
    let feature = PaginationFeature(keepsOnRefreshError: true)
    let failure = Effect.itemsLoadingDidFail("e", isPaginationError: false)
    for state in Self.contents { expectEqual(feature.reducer(state, failure), .content(Self.items, nil)) }
    for state in Self.others { expectEqual(feature.reducer(state, failure), .error("e")) }
  }

  @Test("a wish that is refused has no effects, one that is taken has one now and one later")
  func actor() {
    let feature = PaginationFeature()
    for state in Self.contents + Self.others {
      for wish in [PaginationFeature.Wish.load(isNextPage: false), .load(isNextPage: true), .refresh] {
        var effects = Effects<Effect>()
        feature.actor(state, wish, &effects)
        let isTaken = feature.refusal(of: wish, in: state) == nil
        expectEqual(effects.isOpen, isTaken)
        expectEqual(effects.immediate.count, (isTaken ? 1 : 0))
      }
    }
  }

  @Test("the items are those of the moment of the wish, with the page behind them")
  func merging() {
    let feature = PaginationFeature()
    var store = FeatureStore(.content(Self.items, nil), of: feature)
    store.accept(.load(isNextPage: true), by: feature)
    expectEqual(store.state, .content(Self.items, .nextPageLoading))
    expectEqual(feature.page(of: store.streams[0]), 1)
    expectEqual(feature.merged(store.streams[0], count: 20, isLast: false), Self.more)
    expectEqual(feature.merged(store.streams[0], count: 5, isLast: true), .init(elements: 25, nextPageIndex: nil))
    store = FeatureStore(.content(Self.items, nil), of: feature)
    store.accept(.refresh, by: feature)
    expectEqual(feature.page(of: store.streams[0]), 0)
    expectEqual(feature.merged(store.streams[0], count: 20, isLast: false), Self.items)
  }

  @Test("no number of elements ends the program")
  func mergingTheMost() {
    let feature = PaginationFeature()
    var store = FeatureStore(.content(.init(elements: .max, nextPageIndex: 1), nil), of: feature)
    store.accept(.load(isNextPage: true), by: feature)
    expectEqual(feature.merged(store.streams[0], count: 1, isLast: true), .init(elements: .max, nextPageIndex: nil))
  }
}
