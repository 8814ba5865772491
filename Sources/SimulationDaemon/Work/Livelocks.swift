import LineProtocol
import Simulator
import StateMachines

/// Reports livelocks and decides which requests fail because of them.
extension RequestContext {
  /// `- LIMIT name=chain …` for a request that moves time.
  func failLivelocked() {
    // Another `await` may have taken the same livelock.
    guard let livelock = live.takeLivelock() ?? live.unannounced else { return }
    session.tell(livelock, live)
    fail(.limit, livelock.facts(live.world, limits.world), livelock.text(live.world))
  }

  /// Answers a request whose input went over a limit. Dropped deliveries and timers that were not armed make the
  /// request fail. A livelock of timers does not: it loses nothing.
  ///
  /// - Parameter mark: Where the request's answer begins in the outbox.
  @inline(never)
  func answerLivelock(from mark: Int) {
    guard let livelock = live.takeLivelock() else { return }
    if livelock.isFailure {
      session.outbox.buffer.truncate(to: mark)
      fail(
        .limit, livelock.facts(live.world, limits.world) + [("seq", "\(live.world.answer.sequence)")],
        livelock.text(live.world))
    }
    session.noticeScratch.removeAll()
    livelock.append(live, session.shown(live.name), limits.world, to: &session.noticeScratch)
    session.outbox.insertNotices(session.noticeScratch.bytes, at: mark)
  }
}

extension Session {
  /// Sends `! livelock world= machine= timer= t=`, or `! limit world= name= value= machine= timer= t=` for a limit
  /// without a chain.
  mutating func tell(_ livelock: WorldCore.Livelock, _ live: borrowing LiveWorld) {
    noticeScratch.removeAll()
    livelock.append(live, shown(live.name), environment.limits.world, to: &noticeScratch)
    append(notices: noticeScratch.bytes)
    wasToldOfLivelock = true
  }
}

extension WorldCore.Livelock {
  /// Whether something was lost for good, so that the causing request fails.
  var isFailure: Bool {
    switch chain {
    case .timers: false
    case .wires, .keyedTimers: true
    }
  }

  /// - Parameter name: The world's name as the reader knows it.
  fileprivate func append(
    _ live: borrowing LiveWorld, _ name: String, _ limits: WorldLimits, to buffer: inout ByteBuffer
  ) {
    buffer.begin(.flow)
    let isChain = if case .keyedTimers = chain { false } else { true }
    if isChain { buffer.word(literal: "livelock") } else { buffer.word(literal: "limit") }
    buffer.key("world", name)
    // `livelock` already implies the name and value of the limit.
    for (key, value) in facts(live.world, limits).dropFirst(isChain ? 2 : 0) { buffer.word(key: key, value) }
    buffer.endLine()
  }

  fileprivate func facts(_ world: borrowing WorldCore, _ limits: WorldLimits) -> [(String, String)] {
    let kind = world.kind(of: machine)
    let limit: (String, Int)
    let what: (String, String)
    switch chain {
    case .timers(let timer, let key):
      limit = ("chain", limits.chain)
      what = ("timer", TimerText.word(kind.timers[Int(timer)].name, key: key))
    case .keyedTimers(let timer, let key):
      limit = ("keyedTimers", limits.keyedTimers)
      what = ("timer", TimerText.word(kind.timers[Int(timer)].name, key: key))
    case .wires(let output, let isLong):
      limit = isLong ? ("wireChain", limits.wireChain) : ("wireDeliveries", limits.wireDeliveries)
      what = ("output", kind.outputs[Int(output)].name)
    }
    return [
      ("name", limit.0), ("value", "\(limit.1)"), ("machine", world.name(of: machine)), what,
      ("t", TimeText.seconds(moment.nanoseconds)),
    ]
  }

  fileprivate func text(_ world: borrowing WorldCore) -> String {
    switch chain {
    case .keyedTimers: "\(world.name(of: machine)) has that many running; this one was not armed"
    case .timers: "timers set each other off at one instant without end; what is still due waits"
    case .wires: "outputs set each other off through wires without end; the rest was not delivered"
    }
  }
}
