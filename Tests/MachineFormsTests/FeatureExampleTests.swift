import MachineForms
import StateMachines
import TestSupport
import Testing

/// The example of the description of `Feature`, which stands there as it does in `FeatureExample.swift`.
struct FeatureExampleTests {
  private struct Toasts: FeatureListener {
    typealias Subject = Weather
    var heard: [Weather.News] = []

    mutating func hear(news: Weather.News, from store: inout FeatureStore<Weather>, _ feature: Weather) {
      heard.append(news)
    }
  }

  @Test("what the service says is known")
  func load() {
    expectEqual(loadWeather(), .known(degrees: 21))
  }

  @Test("a second wish while one is on its way is refused, a failure is said once")
  func failure() {
    var toasts = Toasts()
    var weather = FeatureStore(.unknown, of: Weather())
    let taken = [
      weather.accept(.load, by: Weather(), to: &toasts),
      weather.accept(.load, by: Weather(), to: &toasts),
    ]
    expectEqual(taken, [true, false])
    expectEqual(weather.streams.map(\.key), [1])
    let isTaken = weather.deliver(.failed, from: 1, by: Weather(), to: &toasts)
    expect(isTaken)
    expectEqual(weather.state, .unknown)
    expectEqual(toasts.heard, [.toast("no connection")])
  }

  @Test("an actor can be tried by itself")
  func actor() {
    var effects = Effects<Weather.Effect>()
    Weather().actor(.unknown, .load, &effects)
    expectEqual(effects.immediate, [.started])
    expect(effects.isOpen)
    effects = Effects()
    Weather().actor(.loading, .load, &effects)
    expectEqual(effects.immediate, [])
    expect(!effects.isOpen)
  }
}
