internal import Glibc
internal import UnixHost

/// A daemon under attack, with a client of another world besides the attackers, and a client of another daemon as
/// control.
///
/// One thread runs all of it and serves the pings first: both clients share the cost of this process equally.
final class Siege {
  let victim: Ping
  let control: Ping
  private(set) var attackers: [Attacker] = []
  private let poller: Poller
  /// Safety: owned by this object and freed with it.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  private static let victimToken: UInt32 = 0
  private static let controlToken: UInt32 = 1
  private static let firstToken: UInt32 = 2

  init(victim: Conversation, control: Conversation) throws {
    self.victim = Ping(victim)
    self.control = Ping(control)
    poller = try Poller()
    try poller.add(victim.socket, token: Self.victimToken, interest: .readable)
    try poller.add(control.socket, token: Self.controlToken, interest: .readable)
  }

  deinit { buffer.deallocate() }

  var isOver: Bool { attackers.allSatisfy(\.isDone) }

  /// Starts attackers in place of earlier ones.
  ///
  /// - Parameters:
  ///   - conversations: Connections with no other owner.
  ///   - isAbandoned: Whether they disconnect when they have sent everything.
  func attack(on conversations: consuming [Conversation], _ volleys: [String], isAbandoned: Bool) throws {
    for attacker in attackers { attacker.close() }
    attackers = zip(conversations, volleys).map { Attacker($0, $1, isAbandoned: isAbandoned) }
    for (index, attacker) in attackers.enumerated() {
      try poller.add(attacker.socket, token: Self.firstToken + UInt32(index), interest: [.readable, .writable])
    }
  }

  /// Pings both daemons for a time.
  ///
  /// - Parameter isEnough: Polled; true ends it early.
  func ping(nanoseconds: UInt64, until isEnough: () -> Bool = { false }) throws {
    let begin = HostClock.now()
    var next = begin
    while true {
      let now = HostClock.now()
      if now - begin >= nanoseconds || isEnough() { return }
      if now >= next {
        try victim.begin()
        try control.begin()
        // A tick that this process missed by sleeping is left out.
        next = max(next + Ping.period, now)
      }
      try wait(nanoseconds: next > now ? next - now : 1)
    }
  }

  /// Waits until all pings are answered; after the timeout the rest counts as answered.
  func settle(nanoseconds: UInt64) throws {
    let begin = HostClock.now()
    while !victim.isIdle || !control.isIdle {
      if HostClock.now() - begin > nanoseconds {
        victim.giveUp()
        control.giveUp()
        return
      }
      try wait(nanoseconds: 1_000_000)
    }
  }

  /// Terminates a server during the attack, as an administrator does.
  ///
  /// - Returns: How long that took in seconds; nil if it did not end within `patience`.
  func terminate(_ server: Server, patience: UInt64) -> Double? {
    // Its disconnect must not count as a failure.
    poller.remove(victim.conversation.socket)
    let begin = HostClock.now()
    server.terminate()
    while HostClock.now() - begin < patience {
      if server.hasEnded { return Double(HostClock.now() - begin) / 1e9 }
      for event in poller.wait(nanoseconds: 500_000) where event.token >= Self.firstToken { serve(event) }
    }
    server.kill()
    return nil
  }

  /// Counts both greetings as the first answers.
  func awaitGreetings() {
    victim.awaitLine()
    control.awaitLine()
  }

  private func wait(nanoseconds: UInt64) throws {
    let events = poller.wait(nanoseconds: nanoseconds)
    for event in events where event.token == Self.victimToken { try victim.receive() }
    for event in events where event.token == Self.controlToken { try control.receive() }
    for event in events where event.token >= Self.firstToken { serve(event) }
  }

  private func serve(_ event: Poller.Event) {
    let attacker = attackers[Int(event.token - Self.firstToken)]
    if event.isWritable, !attacker.hasSentAll {
      attacker.send()
      if attacker.hasSentAll, !attacker.isClosed {
        try? poller.modify(attacker.socket, token: event.token, interest: .readable)
      }
    }
    attacker.receive(buffer)
  }
}
