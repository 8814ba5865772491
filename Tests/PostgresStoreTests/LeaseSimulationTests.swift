import TestSupport
import Testing

@testable import PostgresStore

/// Daemons with leases on a database in memory, as the dice will have it: pauses, lost requests and replies, a database
/// that is away, clocks that differ. The same ``HostLease`` runs under it as in a daemon.
@Suite("Leases, simulated")
struct LeaseSimulationTests {
  @Test("nobody answers from memory about a world that another has; ends are noticed in time; none is taken for ended")
  func schedules() {
    var total = LeaseTally()
    for seed in 0..<Thorough.rounds(20_000, atLeast: 700) {
      let tally = LeaseSimulation(seed: seed).run()
      expect(tally.isGood, "schedule \(seed): \(tally)")
      total.add(tally)
    }
    print(total)
    expect(total.faults > 10_000 && total.taken > 1_000)
  }

  @Test("with a lease counted wrongly, the same schedules find it", arguments: LeaseMistake.allCases)
  func controls(mistake: LeaseMistake) {
    let bad = (0..<2_000).first { !LeaseSimulation(seed: $0, mistake).run().isGood }
    expect(bad != nil, "the schedules do not notice that \(mistake)")
  }

  @Test("a lease is good for its span after the renewal was sent, and not a nanosecond longer")
  func span() {
    var lease = HostLease()
    expectNil(lease.term(at: 0))
    lease.didRenew(sent: 1_000, now: 2_000, others: [:], given: 0)
    expectEqual(lease.term(at: 1_000 + HostLease.span - 1), 1)
    expectNil(lease.term(at: 1_000 + HostLease.span))
    expect(lease.takeNews() && !lease.takeNews())
    lease.didRenew(sent: 3_000, now: 4_000, others: [:], given: 1)
    expect(lease.takeNews(), "a world was given")
    lease.didRenew(sent: 5_000, now: 3_000 + HostLease.span, others: [:], given: 1)
    expectEqual(lease.term(at: 4_000 + HostLease.span), 2, "it was over when the reply came")
  }
}

/// Ways to count a lease wrongly.
enum LeaseMistake: CaseIterable {
  /// From when the reply came.
  case countedFromReply
  /// On a clock that stands still while the machine sleeps.
  case sleepingClock
  /// Without asking whether it is over before an answer.
  case notAsked
  /// Without asking whether it was over since the last one.
  case gapForgotten
}

struct LeaseTally: CustomStringConvertible {
  var faults = 0
  /// Answers from memory about a world that another daemon had taken by then.
  var stale = 0
  /// Worlds whose daemon had ended and that nobody took in time.
  var late = 0
  var taken = 0

  var isGood: Bool { stale == 0 && late == 0 }

  mutating func add(_ other: LeaseTally) {
    faults += other.faults
    stale += other.stale
    late += other.late
    taken += other.taken
  }

  var description: String { "faults \(faults) taken \(taken) stale \(stale) late \(late)" }
}

private final class LeaseSimulation {
  private static let millisecond: UInt64 = 1_000_000

  private final class Daemon {
    let run: Epoch
    var lease = HostLease()
    /// The time that it does not count if its clock sleeps.
    var slept: UInt64 = 0
    /// Until when it stands still.
    var resumes: UInt64 = 0
    var hasEnded = false
    var term: Int?
    var hasToLook = false
    var worlds: Set<Int> = []

    init(_ run: Epoch) { self.run = run }
  }

  private var dice: Dice
  private let mistake: LeaseMistake?
  private var now: UInt64 = 1_000_000_000
  private var daemons: [Daemon] = []
  /// Ends of leases on the clock of the database, and the daemon of each world.
  private var ends: [Epoch: UInt64] = [:]
  private var owners: [Int: Epoch] = [:]
  /// From when on each world has had no daemon that lives.
  private var orphaned: [Int: UInt64] = [:]
  private var awayUntil: UInt64 = 0
  /// When the last disturbance ended.
  private var calmSince: UInt64 = 0
  private var tally = LeaseTally()

  init(seed: Int, _ mistake: LeaseMistake? = nil) {
    dice = Dice(seed: seed)
    self.mistake = mistake
    daemons = (0..<3).map { _ in Daemon(.drawn(using: &dice)) }
  }

  func run() -> LeaseTally {
    for daemon in daemons { renew(daemon) }
    for world in 0..<6 { take(world, daemons[world % 3]) }
    for _ in 0..<600 { step() }
    return tally
  }

  private func step() {
    now += UInt64(dice.number(1...60)) * Self.millisecond
    let daemon = daemons[dice.number(below: daemons.count)]
    switch dice.number(below: 400) {
    case 0 where daemons.count(where: { !$0.hasEnded }) > 1 && !daemon.hasEnded:
      tally.faults += 1
      daemon.hasEnded = true
      for (world, owner) in owners where owner == daemon.run { orphaned[world] = max(now, ends[owner] ?? now) }
    case 1, 2:
      tally.faults += 1
      let pause = UInt64(dice.number(1...9_000)) * Self.millisecond
      daemon.resumes = now + pause
      if dice.once(in: 2) { daemon.slept += pause }
    case 3:
      tally.faults += 1
      awayUntil = now + UInt64(dice.number(1...9_000)) * Self.millisecond
    case _: break
    }
    for daemon in daemons where !daemon.hasEnded && now >= daemon.resumes { act(daemon) }
    judgeLateness()
  }

  private func clock(_ daemon: Daemon) -> UInt64 { now - (mistake == .sleepingClock ? daemon.slept : 0) }

  private func act(_ daemon: Daemon) {
    if clock(daemon) >= daemon.lease.nextRenewal { renew(daemon) }
    // A daemon that is paused here answers when it goes on.
    guard now >= daemon.resumes else { return }
    let term = daemon.lease.term(at: clock(daemon))
    if mistake != .notAsked, term == nil || term != daemon.term && mistake != .gapForgotten { daemon.worlds = [] }
    daemon.term = term
    if mistake != .notAsked, term == nil { return }
    for world in daemon.worlds where owners[world] != daemon.run { tally.stale += 1 }
    if daemon.lease.takeNews() { daemon.hasToLook = true }
    if daemon.hasToLook, now >= awayUntil {
      daemon.hasToLook = false
      for world in owners.keys.sorted() where isFree(world, for: daemon) { take(world, daemon) }
    }
  }

  private func isFree(_ world: Int, for daemon: Daemon) -> Bool {
    guard let owner = owners[world] else { return true }
    return owner == daemon.run ? !daemon.worlds.contains(world) : now >= ends[owner] ?? 0
  }

  private func take(_ world: Int, _ daemon: Daemon) {
    if owners[world] != daemon.run { tally.taken += 1 }
    owners[world] = daemon.run
    daemon.worlds.insert(world)
    orphaned[world] = nil
  }

  private func renew(_ daemon: Daemon) {
    let sent = clock(daemon)
    if now < awayUntil || dice.once(in: 30) {
      tally.faults += 1
      calmSince = now
      return daemon.lease.didFail(now: sent)
    }
    ends[daemon.run] = now + HostLease.span
    var others: [Epoch: UInt64] = [:]
    for (run, end) in ends where run != daemon.run && end > now { others[run] = end - now }
    // The reply is late, or lost.
    now += UInt64(dice.number(0...1_500)) * Self.millisecond / (dice.once(in: 10) ? 1 : 100)
    if dice.once(in: 30) {
      tally.faults += 1
      calmSince = now
      return daemon.lease.didFail(now: clock(daemon))
    }
    let counted = mistake == .countedFromReply ? clock(daemon) : sent
    daemon.lease.didRenew(sent: counted, now: clock(daemon), others: others, given: 0)
  }

  /// A world of a daemon that has ended is taken soon after the end of its lease, if nothing disturbs the others.
  private func judgeLateness() {
    let living = daemons.filter { !$0.hasEnded }
    if now < awayUntil || living.contains(where: { now < $0.resumes || $0.lease.term(at: now) == nil }) {
      calmSince = now
    }
    // A renewal, a wait for others that come back, and a slow reply.
    let most = 2 * HostLease.span / 3 + 1_500 * Self.millisecond
    for (world, since) in orphaned where now > max(since, calmSince) + most {
      tally.late += 1
      orphaned[world] = nil
    }
  }
}
