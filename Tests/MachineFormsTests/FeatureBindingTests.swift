import MachineForms
import StateMachines
import TestSupport
import Testing

/// Two features that know nothing of each other, bound by a listener: news of one are wishes of the other.
struct FeatureBindingTests {
  private struct Binding: FeatureListener {
    typealias Subject = Weather
    var toasts = FeatureStore([], of: ScriptedFeature())
    let feature = ScriptedFeature(effects: ["no connection": "t"])

    mutating func hear(news: Weather.News, from store: inout FeatureStore<Weather>, _ weather: Weather) {
      if let wish = wish(for: news) { toasts.accept(wish, by: feature) }
    }

    private func wish(for news: Weather.News) -> String? {
      switch news {
      case .toast(let text): text == "cancelled" ? nil : text
      }
    }
  }

  @Test("news become wishes, and those that mean nothing are dropped")
  func bound() {
    var binding = Binding()
    var weather = FeatureStore(.unknown, of: Weather())
    weather.accept(.load, by: Weather(), to: &binding)
    expectEqual(binding.toasts.state, [])
    weather.deliver(.failed, from: 1, by: Weather(), to: &binding)
    expectEqual(binding.toasts.state, ["t"])
    var store = FeatureStore(.unknown, of: Weather())
    binding.hear(news: .toast("cancelled"), from: &store, Weather())
    expectEqual(binding.toasts.state, ["t"])
  }

  @Test("an outside stream of wishes is bound by handing them in, in their order")
  func stream() {
    let feature = ScriptedFeature(effects: ["a": "1", "b": "2"])
    var store = FeatureStore([], of: feature)
    for wish in ["a", "b", "a"] { store.accept(wish, by: feature) }
    expectEqual(store.state, ["1", "2", "1"])
  }
}
