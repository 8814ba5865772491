import MachineForms
import StateMachines

/// The weather outside, asked of a service.
struct Weather: Feature {
  enum State: Hashable, Sendable { case unknown, loading, known(degrees: Int) }
  enum Wish: Hashable, Sendable { case load }
  enum Effect: Hashable, Sendable { case started, loaded(degrees: Int), failed }
  enum News: Hashable, Sendable { case toast(String) }

  func actor(_ state: State, _ wish: Wish, _ effects: inout Effects<Effect>) {
    if state == .loading { return }  // No effect: the wish is refused.
    effects.emit(.started)
    effects.later()  // Whoever asks the service brings the rest with `deliver`.
  }

  func reducer(_ state: State, _ effect: Effect) -> State {
    switch effect {
    case .started: .loading
    case .loaded(let degrees): .known(degrees: degrees)
    case .failed: .unknown
    }
  }

  func newsPublisher(_ wish: Wish, _ effect: Effect, _ state: State) -> News? {
    effect == .failed ? .toast("no connection") : nil
  }
}

/// Asks for the weather, and brings what the service says.
func loadWeather() -> Weather.State {
  var weather = FeatureStore(.unknown, of: Weather())
  weather.accept(.load, by: Weather())
  let request = weather.streams[0].key
  weather.deliver(.loaded(degrees: 21), from: request, by: Weather())
  return weather.state  // .known(degrees: 21)
}
