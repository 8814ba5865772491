import LineProtocol
import Simulator
import StateMachines

/// What a client says of its own conversation, and asks of the daemon.
extension RequestContext {
  func mode() {
    let form = choice(words.plain[0], "mode", ["text": LineForm.text, "json": .json], otherwise: .text)
    // What stands before the answer is in the old form, so nothing else may come from this request then.
    if let form { self.defer(.changeForm(form)) }
  }

  func quiet() {
    guard let isQuiet = choice(words[0], "quiet", ["on": true, "off": false], otherwise: false)
    else { return }
    session.isQuiet = isQuiet
    succeed()
  }

  func begin() {
    session.batch = Batch()
    succeed()
  }

  func showLimits() {
    for entry in Limits.table {
      line { line in
        line.word(entry.name)
        line.word("\(limits[keyPath: entry.path])")
        line.word(entry.unit)
        if entry.path == \Limits.world.journal { line.key("from", realm.world.firstSequence) }
      }
    }
    succeedWithLines()
  }

  func end() { fail(.usage, "there is no 'begin' for this 'end'") }

  /// `cancel` alone ends what this connection has under way, and that has ended when its line was seen; `cancel N` ends
  /// an activity by its number.
  func cancel() {
    guard let text = words[0] else { return succeed() }
    guard let number = number(text, "activity", in: 0...UInt64.max, otherwise: 0) else { return }
    self.defer(.cancel(number))
  }

  func sync() {
    session.flushNotices(realm.world, mayDrop: true)
    session.tellGap()
    succeed()
  }

  /// Answers, and ends the connection or the daemon.
  func end(with effect: DeferredEffect) {
    succeed()
    self.defer(effect)
  }
}
