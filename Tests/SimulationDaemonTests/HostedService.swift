import LineProtocol
import Simulations
import Simulator
import StateMachines
import Testing

@testable import SimulationDaemon

/// A ``Service`` with a host clock of the test, driven in rounds as the daemon drives it, without a descriptor.
final class HostedService {
  let service: Service
  /// The host clock, in nanoseconds; it moves only when the test says so.
  private(set) var now: UInt64
  /// How much more the host's clock shows, in nanoseconds since 1970; worlds keep no time of day if it is nil.
  var wallAhead: Int64?
  /// By number; a guest keeps its host alive, not the other way round.
  private var guests: [UInt32: WeakGuest] = [:]

  /// Called with each client that may have new output.
  var onOutput: (Service.Client) -> Void = { _ in }

  private struct WeakGuest {
    weak var guest: Guest?
  }

  /// The kinds available to the tests: all simulations, and two with features that these lack.
  static let catalogue: Catalogue = {
    var catalogue = Catalogue.simulations
    catalogue.add(.machine(Till.kind))
    catalogue.add(.machine(Ticker.kind))
    return catalogue
  }()

  /// Kinds are explored once for all tests, but for those that look on.
  static let explored = Graphs(most: 1_000)

  /// - Parameters:
  ///   - others: Kinds for some tests only.
  ///   - workers: By default all work is done at once; a test may pass threads for it.
  ///   - users: The names of other users, if they may connect.
  ///   - persistence: Made from the catalogue if worlds can be durable.
  init(
    limits: Limits = Limits(), now: UInt64 = 7_000_000_000, with others: [CatalogueEntry] = [],
    library: KindLibrary = KindLibrary(), graphs: Graphs = HostedService.explored, workers: Workers = Workers(),
    users: [UInt32: String] = [:],
    persistence: (Catalogue) -> Persistence? = { _ in nil }
  ) {
    self.now = now
    var catalogue = HostedService.catalogue
    for entry in others { catalogue.add(entry) }
    service = Service(
      catalogue: catalogue, library: library, limits: limits, version: "0.0.0",
      stores: Stores(persistence(catalogue)), workers: workers, graphs: graphs, hasUsers: !users.isEmpty,
      names: UserNames(owner: HostedService.ownerID), host: now)
    // What came together is one turn, and no request is slow, on busy machines too.
    service.longestTurn = 60_000_000_000
    service.slowRequest = 60_000_000_000
    service.environment.names.learn("teacher", of: .owner)
    for (uid, name) in users { service.environment.names.learn(name, of: .other(uid)) }
  }

  /// The number of the user that the daemon belongs to, whose name is `teacher`.
  static let ownerID: UInt32 = 1_000

  /// A new client, after its greeting.
  func connect(_ terms: SessionTerms = SessionTerms()) -> Guest {
    let guest = Guest(service.open(terms), of: self)
    guests[guest.client.number] = WeakGuest(guest: guest)
    guest.collect()
    _ = guest.bytes()
    return guest
  }

  /// A new client of another user, after its greeting; nil if it was refused.
  func connect(as uid: UInt32, mayChange: Bool = true) -> Guest? {
    let user = UserID.other(uid)
    if service.refusal(of: user) != nil { return nil }
    var isWelcome = false
    round { service.welcome(user, mayChange: mayChange) { isWelcome = $0 == nil } }
    settle()
    return isWelcome ? connect(SessionTerms(user: user, mayChange: mayChange)) : nil
  }

  /// A client in its own virtual world, which is made if there is none with this name.
  func connect(toWorld name: String) -> Guest {
    let guest = connect()
    _ = guest.say("world new \(name)")
    _ = guest.say("use \(name)")
    return guest
  }

  // MARK: Rounds

  /// One round, as the daemon does it: `body` delivers the input, then all output is written.
  func round(_ body: () -> Void = {}) {
    service.beginRound(host: now, wall: wallAhead.map { Int64(now) + $0 })
    body()
    service.workOn()
    service.endRound()
    for client in service.takeDirty() {
      onOutput(client)
      guard let guest = guests[client.number]?.guest, guest.isReading else { continue }
      guest.collect()
    }
  }

  /// Rounds until there is nothing to do, at the current host time, or slightly later for a world that is behind.
  func settle() {
    var rounds = 0
    while service.needsTurn {
      if guests.values.contains(where: { $0.guest?.client.hosted.home?.live.isBehind ?? false }) { now += 1 }
      round { service.passTime() }
      rounds += 1
      precondition(rounds < 1_000_000, "the service never comes to rest")
    }
  }

  /// Several guests' requests that arrive in one round, in this order.
  func together(_ requests: (guest: Guest, text: String)...) {
    round {
      for (guest, text) in requests { guest.arrive(text + "\n") }
    }
    settle()
  }

  /// Lets the host's time pass, with a round at every moment that the service asks for.
  func passTime(_ seconds: Double) {
    let target = now + UInt64(seconds * 1e9)
    while let wake = service.nextWake(), wake <= target {
      // A world that has not finished what was due continues when the host's time has moved.
      now = wake > now ? wake : now + 1
      round { service.passTime() }
      settle()
    }
    late(until: target)
  }

  /// Lets the host's time pass without a round on the way: the daemon was kept from running.
  func passTimeLate(_ nanoseconds: UInt64) { late(until: now + nanoseconds) }

  /// Lets the host's time pass until the next round, which a client's input begins.
  func passTimeWithoutRound(_ nanoseconds: UInt64) { now += nanoseconds }

  private func late(until target: UInt64) {
    now = target
    round { service.passTime() }
    settle()
  }
}

/// One client of a ``HostedService``.
final class Guest {
  let client: Service.Client
  private let host: HostedService
  private var received: [UInt8] = []
  /// Whether it reads its output; if not, its outbox fills up.
  var isReading = true

  init(_ client: Service.Client, of host: HostedService) {
    self.client = client
    self.host = host
  }

  /// Sends lines, and returns all lines received until the service is idle, including earlier ones.
  func say(_ text: String) -> [String] {
    host.round { arrive(text + "\n") }
    host.settle()
    return lines()
  }

  /// Sends lines, one request after the other, and returns all lines received.
  func play(_ requests: String...) -> [String] { requests.flatMap { say($0) } }

  /// Delivers its input, within a round.
  func arrive(_ text: String) { arrive(Array(text.utf8)) }

  func arrive(_ bytes: [UInt8]) {
    var rest = bytes[...]
    // The daemon reads a chunk at a time too.
    while !rest.isEmpty {
      let piece = rest.prefix(32 << 10)
      let room = client.session.input.room(atLeast: piece.count)
      room.copyBytes(from: piece)
      client.session.input.didFill(piece.count)
      rest = rest.dropFirst(piece.count)
      host.service.receive(client)
    }
  }

  /// Closes its sending side.
  func finish() -> [String] {
    host.round { host.service.inputEnded(client) }
    host.settle()
    return lines()
  }

  /// Reads its output.
  func collect() {
    while client.session.outbox.hasUnwritten {
      received.append(contentsOf: client.session.outbox.unwritten)
      client.session.outbox.didWrite(client.session.outbox.unwritten.count)
      host.service.didWrite(client)
    }
  }

  /// The bytes received since the last call.
  func bytes() -> [UInt8] {
    defer { received = [] }
    return received
  }

  /// The lines received since the last call.
  func lines() -> [String] {
    let bytes = bytes()
    var (lines, start): ([String], Int) = ([], 0)
    for place in bytes.indices where bytes[place] == 0x0A {
      if start < place { lines.append(String(decoding: bytes[start..<place], as: UTF8.self)) }
      start = place + 1
    }
    if start < bytes.count { lines.append(String(decoding: bytes[start...], as: UTF8.self)) }
    lines.forEach(Self.checkKeys)
    return lines
  }

  /// A key that ends a reply must be among those that scripts know.
  private static func checkKeys(_ line: String) {
    // Most lines are data.
    guard line.utf8.first != 0x2E, line.hasPrefix("+ ") || line.hasPrefix("- "), line.utf8.contains(0x3D),
      let reply = ServerLine(line)
    else { return }
    for field in reply.fields where !ReplyShape.endKeys.contains(field.key) {
      Issue.record("'\(field.key)=' is not among the keys of replies: \(line)")
    }
  }

  /// Whether it waits for the end of a request, or for the daemon to take its input.
  var isBusy: Bool { !client.session.activity.isNone || client.session.isHeldUp }

  /// Violated invariants of its world, in words.
  func violations() -> [String] { client.hosted.live.world.checkInvariants() }
}

extension HostedWorld {
  /// The world, which is home between rounds unless there are workers.
  var live: LiveWorld {
    _read {
      guard let home else { preconditionFailure("the world \(name) is with a worker") }
      yield home.live
    }
    _modify {
      guard let home else { preconditionFailure("the world \(name) is with a worker") }
      yield &home.live
    }
  }

  /// The last input that clients may have been told of.
  var head: UInt64 { head(live) }
}
