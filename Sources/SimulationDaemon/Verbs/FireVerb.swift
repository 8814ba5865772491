import LineProtocol
import Simulator
import StateMachines

/// Fires a timer on request.
extension RequestContext {
  func fire() {
    guard let machine = machine(words.plain[0]) else { return }
    let kind = live.world.kind(of: machine)
    guard let (timer, key) = timer(words.plain[1], of: machine, kind) else { return }
    live.world.fire(machine, timer: timer, key: key)
    if live.world.answer.verdict == .refused {
      refuse(machine, .timer(words.plain[1]))
    } else {
      session.answerInFull(tag, kind.words, in: &live)
    }
  }

  /// A machine's timer from `NAME`, or `NAME(KEY)` for a keyed timer. Writes a failure if the name is unknown, or if a
  /// key is missing or superfluous.
  ///
  /// - Parameter machine: `nil` if it will be made before: then none of its timers run.
  func timer(_ word: String, of machine: MachineID?, _ kind: Kind) -> (timer: Int, key: UInt32)? {
    let (name, key) = TimerText.parts(word)
    let place = kind.timers.firstIndex { $0.name == name }
    if let place {
      let isKeyed = kind.timers[place].key != nil
      if isKeyed, let key, key > 0 { return (place, key) }
      if !isKeyed, key == nil { return (place, 0) }
    }
    let running = machine.map { live.world.runningTimers(of: $0) } ?? []
    // A keyed timer that was armed without a key is fired by its name alone.
    if let place, key == nil, running.contains(where: { $0.timer == place && $0.key == 0 }) { return (place, 0) }
    // For keyed timers list the running ones: the name alone fires none.
    let allowed = kind.timers.indices.flatMap { timer in
      kind.timers[timer].key == nil
        ? [kind.timers[timer].name]
        : running.lazy.filter { $0.timer == timer }.prefix(TimerText.mostListed)
          .map { TimerText.word(kind.timers[timer].name, key: $0.key) }
    }
    let keys = running.filter { $0.timer == place }.map(\.key)
    fail(
      .unknownTimer,
      [("machine", words.plain[0]), ("timer", word), ("allowed", allowed.joined(separator: ","))]
        + (place.map { nearKey(of: kind.timers[$0], keys) } ?? nearTimer(name, key, of: kind)),
      why(word, place, kind, keys))
    return nil
  }

  /// The timer with the name nearest to an unknown one, with the given key if it takes one.
  private func nearTimer(_ name: String, _ key: UInt32?, of kind: Kind) -> [(String, String)] {
    suggestion(name, among: kind.timers.map(\.name)).map { word, near in
      let isKeyed = kind.timers.contains { $0.name == near && $0.key != nil }
      return (word, TimerText.word(near, key: isKeyed ? key ?? 0 : 0))
    }
  }

  /// The likely timer for a name with a superfluous or missing key.
  private func nearKey(of timer: TimerEntry, _ keys: [UInt32]) -> [(String, String)] {
    if timer.key == nil { return [("did-you-mean", timer.name)] }
    return keys.count == 1 ? [("did-you-mean", TimerText.word(timer.name, key: keys[0]))] : []
  }

  /// Why a word names no timer that can be fired.
  private func why(_ word: String, _ place: Int?, _ kind: Kind, _ keys: [UInt32]) -> String {
    guard let place else { return "\(withArticle(kind.name)) has no timer '\(word)'" }
    let name = kind.timers[place].name
    guard let key = kind.timers[place].key else { return "of '\(name)' only one runs at a time; it bears no number" }
    let example = TimerText.word(name, key: keys.first ?? 1)
    let count = keys.isEmpty ? "none runs" : keys.count == 1 ? "one runs" : "\(keys.count) run"
    return "several '\(name)' can run at once; name the \(key) too, as in \(example); \(count) now"
  }
}
