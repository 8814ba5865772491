import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct SupervisorTests {
  /// - Parameter clients: How many members each protocol has.
  private func proxy(clients: Int = 1) -> Bench {
    let bench = Bench()
    bench.add(.proxy.with(["clients": clients]), "p")
    return bench
  }

  @discardableResult
  private func accept(_ port: Int, _ bench: Bench) -> String {
    bench.send("accept", .integer(port), to: "p.supervisor")
  }

  @Test("all pairs")
  func pairs() {
    Table(
      Supervisor.kind,
      """
      state   | accept(80)        | accept(25)             | accept(110)            | accept(143)            | accept(7) | ended(1)
      idle    | → serving(1) > http 1 | → serving(1) > smtp 1 | → serving(1) > pop3 1 | → serving(1) > imap 1 | refuse    | ignore
      serving | refuse            | → serving(2) > smtp 2 | → serving(2) > pop3 2 | → serving(2) > imap 2 | refuse    | → idle
      """
    ).check()
  }

  @Test("a port leads to its member, which is free again when its session is over")
  func sessions() {
    let bench = proxy()
    expectEqual(accept(25, bench), "moved idle serving(1) event=accept > smtp 1")
    expectEqual(accept(25, bench), "refused serving(1) event=accept : smtp is serving another connection")
    expectEqual(accept(7, bench), "refused serving(1) event=accept : there is no listener on port 7")
    accept(110, bench)
    expectEqual(bench.state("p.supervisor"), "serving(2)")
    expectEqual(bench.send("QUIT", to: "p.smtp"), "moved start done event=QUIT > reply 221 > ended 1")
    expectEqual(bench.state("p.supervisor"), "serving(1)")
    accept(25, bench)
    expectEqual(bench.state("p.smtp"), "start")
    bench.send("USER", .text("ann"), to: "p.pop3")
    bench.send("PASS", .text("secret"), to: "p.pop3")
    expectEqual(bench.state("p.supervisor"), "serving(1)")
  }

  @Test("a second client of a port gets a member of its own, and a third one is refused until one has ended")
  func twoClients() {
    let bench = Bench()
    bench.add(.proxy, "p")
    accept(80, bench)
    bench.send("line", .text("GET / HTTP/1.1"), to: "p.http")
    expectEqual(accept(80, bench), "moved serving(1) serving(2) event=accept > http 2")
    expectEqual(bench.state("p.http"), "headers")
    bench.send("line", .text("GET /b HTTP/1.1"), to: "p.http-2")
    expectEqual(bench.state("p.http-2"), "headers")
    expectEqual(accept(80, bench), "refused serving(2) event=accept : all 2 members of http are serving others")
    bench.advance(.seconds(60))
    expectEqual(bench.state("p.supervisor"), "idle")
    expectEqual(accept(80, bench), "moved idle serving(1) event=accept > http 3")
  }

  @Test("members are found by being handed on: somebody who talks to one by himself delays nobody")
  func handedOn() {
    let bench = proxy(clients: 3)
    bench.send("HELO", .text("me"), to: "p.smtp")
    expectEqual(accept(25, bench), "moved idle serving(1) event=accept > smtp 1")
    accept(25, bench)
    expectEqual(["p.smtp", "p.smtp-2", "p.smtp-3"].map { bench.state($0) }, ["helo", "start", "start"])
    // The first is taken, though the supervisor does not know of it, so the third one comes back from the last member.
    expectEqual(accept(25, bench), "moved serving(2) serving(3) event=accept > smtp 3")
    expectEqual(bench.state("p.supervisor"), "serving(2)")
  }

  @Test("the most members of a protocol are sixteen, and each serves", arguments: [1, 2, 16])
  func sizes(clients: Int) {
    let composition = Composition.proxy.with(["clients": clients])
    expect(composition.members.count == 4 * clients + 1 && composition.wires.count == 8 * clients)
    let bench = proxy(clients: clients)
    for _ in 0..<clients { expect(accept(143, bench), hasPrefix: "moved") }
    expect(accept(143, bench), hasPrefix: "refused")
    expect(!Composition.proxy.options[0].type.admits(.integer(17)))
  }

  @Test("a session's time begins when the client comes")
  func times() {
    let bench = proxy()
    bench.advance(.seconds(40))
    for port in [80, 25, 110, 143] { accept(port, bench) }
    bench.advance(.seconds(59))
    expectEqual(bench.state("p.supervisor"), "serving(4)")
    bench.advance(.seconds(1))
    expectEqual(bench.state("p.supervisor"), "idle")
    expect(["p.http", "p.smtp", "p.pop3", "p.imap"].allSatisfy { bench.state($0) == "closed" })
    expectNil(bench.nextDue)
  }

  @Test(
    "a connection that comes while another is served is sent away, and the served one is given back",
    arguments: [("http", 80, "requestLine"), ("smtp", 25, "start"), ("pop3", 110, "start"), ("imap", 143, "start")])
  func served(member: String, port: Int, first: String) {
    let bench = proxy()
    accept(port, bench)
    expectEqual(bench.send("accept", .integer(5), to: "p.\(member)"), "stayed \(first) event=accept > ended 5")
    bench.advance(.seconds(60))
    expect(bench.lines.contains { $0.contains("p.\(member) moved \(first) closed") && $0.hasSuffix(" > ended 1") })
    expectEqual(bench.state("p.supervisor"), "idle")
    accept(port, bench)
    expectEqual(bench.state("p.\(member)"), first)
  }

  @Test("the port numbers of the description are those of the members")
  func ports() {
    let accept = Supervisor.kind.events.first { $0.name == "accept" }
    expectEqual(accept?.about, "a client comes to a port: 80 is http, 25 is smtp, 110 is pop3, 143 is imap")
  }

  @Test("a member that somebody talks to by himself sends the client away")
  func busy() {
    let bench = proxy()
    bench.send("HELO", .text("me"), to: "p.smtp")
    bench.send("line", .text("GET / HTTP/1.1"), to: "p.http")
    bench.send("USER", .text("ann"), to: "p.pop3")
    for port in [80, 25, 110] { accept(port, bench) }
    expectEqual(bench.state("p.supervisor"), "idle")
    expectEqual(["p.http", "p.smtp", "p.pop3"].map { bench.state($0) }, ["headers", "helo", "user"])
  }
}
