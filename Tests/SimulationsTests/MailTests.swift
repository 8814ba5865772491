import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct MailTests {
  @Test("smtp: every cell")
  func smtp() {
    let ignored = "ignore | ignore | ignore | ignore | ignore | ignore"
    let refused = "refuse | refuse | refuse | refuse | refuse | refuse"
    Table(
      SMTP.kind,
      """
      state | HELO(c) | EHLO(c) | MAIL(a) | RCPT(b) | AUTH(LOGIN) | AUTH(PLAIN) | line(secret) | line(ann secret) | line(bad) | RSET | NOOP | QUIT | other(x) | accept(1) | sessionTimeout expires
      start | → helo > reply 250 | → helo > reply 250 | ⟲ > reply 503 | ⟲ > reply 503 | ⟲ > reply 503 | ⟲ > reply 503 | ignore | ignore | ignore | ⟲ > reply 250 | ⟲ > reply 250 | → done > reply 221 | ⟲ > reply 500 | refuse | → closed
      helo | ⟲ > reply 250 | ⟲ > reply 250 | → from > reply 250 | ⟲ > reply 503 | → authLoginUser > reply 334 | → authPlain > reply 334 | ignore | ignore | ignore | ⟲ > reply 250 | ⟲ > reply 250 | → done > reply 221 | ⟲ > reply 500 | refuse | → closed
      from | → helo > reply 250 | → helo > reply 250 | ⟲ > reply 503 | → to > reply 250 > handOver  b | ⟲ > reply 503 | ⟲ > reply 503 | ignore | ignore | ignore | → helo > reply 250 | ⟲ > reply 250 | → done > reply 221 | ⟲ > reply 500 | refuse | → closed
      authLoginUser | \(ignored) | → authLoginPassword > reply 334 | → authLoginPassword > reply 334 | → authLoginPassword > reply 334 | ignore | ignore | ignore | ignore | refuse | → closed
      authLoginPassword | \(ignored) | → helo > reply 235 | → helo > reply 235 | → helo > reply 535 | ignore | ignore | ignore | ignore | refuse | → closed
      authPlain | \(ignored) | → helo > reply 235 | → helo > reply 235 | → helo > reply 535 | ignore | ignore | ignore | ignore | refuse | → closed
      to | \(refused) | refuse | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      done | \(refused) | refuse | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      closed | \(refused) | refuse | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      """
    ).check()
  }

  @Test("smtp: a login in two lines, and a message that is handed over with its sender")
  func message() {
    let bench = Bench(SMTP.kind)
    bench.send("EHLO", .text("me"))
    bench.send("AUTH", .text("LOGIN"))
    bench.send("line", .text("ann"))
    expectEqual(bench.send("line", .text("bad")), "moved authLoginPassword helo event=line > reply 535")
    bench.send("AUTH", .text("PLAIN"))
    expectEqual(bench.send("line", .text("ann hush")), "moved authPlain helo event=line > reply 235")
    bench.send("MAIL", .text("a@example.org"))
    expectEqual(
      bench.send("RCPT", .text("b@example.org")),
      "moved from to event=RCPT > reply 250 > handOver a@example.org b@example.org")
    expectNil(bench.nextDue)
  }

  @Test("pop3: every cell")
  func pop3() {
    Table(
      POP3.kind,
      """
      state | USER(user) | PASS(secret) | PASS(bad) | NOOP | QUIT | other(x) | accept(1) | sessionTimeout expires
      start | → user > reply +OK | ⟲ > reply -ERR | ⟲ > reply -ERR | ⟲ > reply +OK | → done > reply +OK | ⟲ > reply -ERR | refuse | → closed
      user | → user > reply +OK | → authenticated > reply +OK | → start > reply -ERR | ⟲ > reply +OK | → done > reply +OK | ⟲ > reply -ERR | refuse | → closed
      authenticated | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      done | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      closed | refuse | refuse | refuse | refuse | refuse | refuse | refuse | –
      """
    ).check()
  }

  @Test("imap: every cell")
  func imap() {
    Table(
      IMAP.kind,
      """
      state | LOGIN(user,secret) | LOGIN(user,bad) | NOOP | LOGOUT | other(x) | accept(1) | sessionTimeout expires
      start | → authenticated > reply OK | ⟲ > reply NO | ⟲ > reply OK | → done > reply OK | ⟲ > reply BAD | refuse | → closed
      authenticated | refuse | refuse | refuse | refuse | refuse | refuse | –
      done | refuse | refuse | refuse | refuse | refuse | refuse | –
      closed | refuse | refuse | refuse | refuse | refuse | refuse | –
      """
    ).check()
  }

  @Test("a session is closed after 60 s, whatever was said meanwhile", arguments: ["smtp", "pop3", "imap"])
  func timeout(name: String) throws {
    guard case .machine(let kind)? = Catalogue.simulations[name] else { return }
    let bench = Bench(kind)
    bench.advance(to: .milliseconds(59_999))
    expect(bench.send("NOOP"), hasPrefix: "stayed start")
    bench.advance(to: .seconds(60))
    expectEqual(bench.lines.last, "60.000 m moved start closed timer=sessionTimeout")
    expectEqual(bench.send("NOOP"), "refused closed event=NOOP : the session is over")
    expectNil(bench.nextDue)
  }

  @Test("a second user of pop3 takes the place of the first, and a bad password leads back")
  func secondUser() {
    let bench = Bench(POP3.kind)
    bench.send("USER", .text("x"))
    bench.send("USER", .text("user"))
    expectEqual(bench.send("PASS", .text("bad")), "moved user start event=PASS > reply -ERR")
    bench.send("USER", .text("user"))
    expectEqual(bench.send("PASS", .text("secret")), "moved user authenticated event=PASS > reply +OK")
  }

  @Test("the proxy has a machine per protocol, and they know nothing of each other")
  func proxy() {
    let members = Composition.proxy.members.map(\.name)
    expectEqual(members, ["http", "smtp", "pop3", "imap", "supervisor", "http-2", "smtp-2", "pop3-2", "imap-2"])
    // A wire leads to or from the supervisor, or from a member to the next one of its protocol.
    for wire in Composition.proxy.wires {
      expect((wire.from == 4) != (wire.to == 4) || wire.to == wire.from + 5)
    }
    let bench = Bench()
    bench.add(.proxy, "p")
    bench.send("line", .text("GET / HTTP/1.1"), to: "p.http")
    bench.send("QUIT", to: "p.smtp")
    bench.advance(.seconds(60))
    expectEqual(
      ["p.http", "p.smtp", "p.pop3", "p.imap"].map { bench.state($0) }, ["closed", "done", "closed", "closed"])
  }
}
