import LineProtocol
import Simulator
import StateMachines
import Statecharts

/// Requests about the session and the daemon.
extension RequestContext {
  func mode() {
    let form = choice(words.plain[0], "mode", ["text": LineForm.text, "json": .json], otherwise: .text)
    // The answer has the new form and earlier output the old one, so this handler writes nothing.
    if let form { self.defer(.changeForm(form)) }
  }

  func quiet() {
    guard let isQuiet = choice(words[0], "quiet", ["on": true, "off": false], otherwise: false)
    else { return }
    session.isQuiet = isQuiet
    succeed()
  }

  func begin() {
    if let word = words[0], word != "strict" { return failUsage(Verb.begin.entry) }
    session.batch = Batch(check: words[0] == nil ? nil : BatchCheck())
    succeed()
  }

  func showLimits() {
    for entry in Limits.table + (environment.hasUsers ? Limits.ofUsers : []) {
      line { line in
        line.word(entry.name)
        line.word("\(limits[keyPath: entry.path])")
        line.word(entry.unit)
        if entry.path == \Limits.world.journal { line.key("from", live.world.firstSequence) }
      }
    }
    for limit in Limits.fixed {
      line { line in
        line.word(limit.name)
        line.word("\(limit.value)")
        line.word(limit.unit)
      }
    }
    succeedWithLines()
  }

  func end() { fail(.usage, "there is no 'begin' for this 'end'") }

  func discard() { fail(.usage, "there is no 'begin' for this 'discard'") }

  /// `cancel` alone just succeeds: its line gets here only after this connection's activity has ended. `cancel N` ends
  /// an activity by its number.
  func cancel() {
    guard let text = words[0] else { return succeed() }
    guard let number = number(text, "activity", in: 0...UInt64.max, otherwise: 0) else { return }
    self.defer(.cancel(number))
  }

  func sync() {
    session.flushNotices(live.world, mayDrop: true)
    session.tellGap()
    succeed()
  }

  func shutdown() {
    guard session.terms.user == .owner else {
      return fail(
        .notOwner, [("verb", "shutdown"), ("owner", environment.names.name(of: .owner))],
        "only the owner of the daemon may end it")
    }
    end(with: .shutdown)
  }

  /// Answers, then ends the connection or the daemon.
  func end(with effect: DeferredEffect) {
    succeed()
    self.defer(effect)
  }
}
