import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct HTTPRequestTests {
  private func bench(_ handlers: String = "rewrite,access,content", _ parameters: [String: Value] = [:]) -> Bench {
    var parameters = parameters
    parameters["handlers"] = .text(handlers)
    return Bench(HTTPRequest.kind, parameters)
  }

  /// Sends the head of a request and the results of its handlers. Returns the outputs in order.
  @discardableResult
  private func play(_ bench: Bench, _ head: [String] = ["GET /a HTTP/1.1", ""], _ results: String...) -> String {
    let first = bench.lines.count
    for line in head { bench.send("line", .text(line)) }
    for result in results {
      let words = result.split(separator: " ").map { String($0) }
      let argument = words.dropFirst().first
      switch words[0] {
      case "status": bench.send("status", .integer(argument.flatMap { Int($0) } ?? 0))
      case "uriChanged": bench.send("uriChanged", .text(argument ?? ""))
      default: bench.send(words[0])
      }
    }
    return bench.lines[first...].flatMap { $0.split(separator: " > ").dropFirst() }
      .map { $0.split(separator: " ").last.map { String($0) } ?? "" }.joined(separator: " ")
  }

  @Test("parsing and waiting, all pairs")
  func connection() {
    let refused = ["declined", "ok", "again", "resume"]
    for state in ["requestLine", "headers", "body", "keepAlive", "closed"] {
      for event in refused {
        expect(Bench(HTTPRequest.kind, initial: state).send(event), hasPrefix: "refused", "\(state)")
      }
      expect(Bench(HTTPRequest.kind, initial: state).send("status", .integer(200)), hasPrefix: "refused")
      expect(Bench(HTTPRequest.kind, initial: state).send("uriChanged", .text("/")), hasPrefix: "refused")
    }
    let run = "→ rewrite > phase postRead > phase serverRewrite > phase findConfig > phase rewrite"
    for (state, event, outcome) in [
      ("requestLine", "GET / HTTP/1.1", "moved requestLine headers"), ("requestLine", "", "ignored requestLine"),
      ("requestLine", "get", "moved requestLine closed event=line > response 400"),
      ("headers", "Host: a", "stayed headers"), ("headers", "a b", "moved headers closed event=line > response 400"),
      ("headers", "", "moved headers rewrite event=line\(run.dropFirst("→ rewrite".count))"),
      ("body", "x", "refused body(1)"), ("keepAlive", "GET / HTTP/1.1", "moved keepAlive headers"),
      ("keepAlive", "", "ignored keepAlive"), ("keepAlive", "x", "moved keepAlive closed event=line > response 400"),
      ("closed", "GET / HTTP/1.1", "refused closed"), ("access", "", "refused access"),
      ("access.suspended", "", "refused access.suspended"),
    ] {
      let bench = Bench(HTTPRequest.kind, initial: state)
      expect(bench.send("line", .text(event)), hasPrefix: outcome, "\(state) \(event)")
    }
    for state in HTTPRequest.kind.initialStates where state != "body" {
      expect(Bench(HTTPRequest.kind, initial: state).send("received", .integer(1)), hasPrefix: "refused", "\(state)")
    }
  }

  @Test(
    "what handlers answer, in each phase",
    arguments: [
      ("postRead", "→ findConfig"), ("serverRewrite", "→ findConfig"), ("rewrite", "→ postRewrite"),
      ("preaccess", "→ access"), ("access", "→ postAccess"), ("content", "→ log"),
    ])
  func results(phase: String, next: String) {
    func after(_ event: String, _ arguments: Value..., state: String? = nil) -> String {
      Bench(HTTPRequest.kind, initial: state ?? phase, ["handlers": .text("")]).send(event, arguments)
    }
    // Without handlers every phase passes, and nothing makes a response.
    expect(after("declined"), hasSuffix: " > response 404 > phase log")
    expect(
      after("ok"), hasSuffix: phase == "content" ? "event=ok > response 200 > phase log" : " > response 404 > phase log"
    )
    expectEqual(after("again"), "moved \(phase) \(phase).suspended event=again")
    expectEqual(after("resume"), "refused \(phase) event=resume : a handler is working: send its result")
    expectEqual(after("status", .integer(403)), "moved \(phase) keepAlive event=status > response 403 > phase log")
    let changed = after("uriChanged", .text("/b"))
    switch phase {
    case "rewrite":
      expect(changed, hasPrefix: "moved rewrite keepAlive event=uriChanged > phase postRewrite > phase findConfig")
    case "serverRewrite":
      expect(changed, hasPrefix: "moved serverRewrite keepAlive event=uriChanged > phase findConfig > phase rewrite")
    default: expect(changed, hasPrefix: "refused \(phase)")
    }
    let suspended = "\(phase).suspended"
    expectEqual(after("resume", state: suspended), "moved \(suspended) \(phase) event=resume")
    for event in ["declined", "ok", "again"] {
      expect(after(event, state: suspended), hasPrefix: "refused", "\(event)")
    }
    expect(after("status", .integer(500), state: suspended), hasPrefix: "refused")
    expect(after("uriChanged", .text("/"), state: suspended), hasPrefix: "refused")
  }

  @Test("a GET with one rewrite passes the phases in order, those of rewriting twice")
  func rewrite() {
    let bench = self.bench()
    expectEqual(
      play(bench, ["GET /old HTTP/1.1", "Host: example.org", ""], "uriChanged /new", "declined", "ok", "ok"),
      """
      postRead serverRewrite findConfig rewrite postRewrite findConfig rewrite postRewrite preaccess access \
      postAccess precontent content 200 log
      """)
    expectEqual(bench.state(), "keepAlive")
  }

  @Test("ten changes of the URI are followed, the eleventh is 500 and is logged")
  func loop() {
    let bench = self.bench()
    play(bench)
    for number in 1...10 {
      expectEqual(
        bench.send("uriChanged", .text("/\(number)")),
        "moved rewrite rewrite event=uriChanged > phase postRewrite > phase findConfig > phase rewrite")
      expectEqual(bench.reading("uri"), .text("/\(number)"))
      expectEqual(bench.reading("uriChanges"), .integer(number))
    }
    expectEqual(
      bench.send("uriChanged", .text("/11")),
      "moved rewrite closed event=uriChanged > phase postRewrite > response 500 > phase log")
  }

  @Test("changes of the server's own rewriting are not counted")
  func serverRewrite() {
    let bench = self.bench("serverRewrite,rewrite")
    play(bench, ["GET /a HTTP/1.1", ""], "uriChanged /b")
    expectEqual(bench.state(), "rewrite")
    expectEqual(bench.reading("uri"), .text("/b"))
    expectEqual(bench.reading("uriChanges"), .integer(0))
    expect(bench.send("uriChanged", .text("b")), hasPrefix: "refused")
  }

  @Test("handlers of a phase are asked one after the other")
  func several() {
    let bench = self.bench("preaccess,preaccess,content,content")
    expectEqual(play(bench), "postRead serverRewrite findConfig rewrite postRewrite preaccess")
    expectEqual(bench.reading("handler"), .integer(1))
    expectEqual(bench.send("declined"), "moved preaccess preaccess event=declined")
    expectEqual(bench.reading("handler"), .integer(2))
    bench.send("declined")
    bench.send("declined")
    expectEqual(bench.send("declined"), "moved content keepAlive event=declined > response 404 > phase log")
    // In any phase but content and access, the first `ok` ends the phase.
    play(bench)
    expect(bench.send("ok"), hasPrefix: "moved preaccess content")
    expect(bench.send("ok"), hasSuffix: "response 200 > phase log")
  }

  @Test("access: all must be content, or any")
  func access() {
    func end(_ satisfy: String, _ results: [String]) -> String {
      let bench = self.bench("access,access", ["satisfy": .text(satisfy)])
      play(bench)
      for result in results {
        if let status = Int(result) { bench.send("status", .integer(status)) } else { bench.send(result) }
      }
      return bench.lines.last?.split(separator: " > ").dropLast().last.map { String($0) } ?? ""
    }
    for (satisfy, results, outcome) in [
      ("all", ["ok", "ok"], "response 404"), ("all", ["ok", "403"], "response 403"), ("all", ["403"], "response 403"),
      ("all", ["declined", "declined"], "response 404"), ("any", ["ok"], "response 404"),
      ("any", ["403", "ok"], "response 404"), ("any", ["403", "403"], "response 403"),
      ("any", ["403", "declined"], "response 403"), ("any", ["401", "403"], "response 401"),
      ("any", ["403", "401"], "response 401"), ("any", ["503"], "response 503"),
      ("any", ["declined", "declined"], "response 404"),
    ] {
      expectEqual(end(satisfy, results), outcome, "\(satisfy) \(results)")
    }
    let bench = self.bench("access,access", ["satisfy": .text("any")])
    play(bench)
    expectEqual(bench.send("status", .integer(403)), "moved access access event=status")
    expectEqual(
      bench.send("declined"), "moved access keepAlive event=declined > phase postAccess > response 403 > phase log")
  }

  @Test("a head at 59.9 s is in time, at 60.0 s the timer comes first")
  func headerTimeout() {
    let inTime = bench("content")
    inTime.advance(to: .milliseconds(59_900))
    play(inTime)
    expectEqual(inTime.state(), "content")
    expectNil(inTime.nextDue)
    let late = bench("content")
    late.send("line", .text("GET / HTTP/1.1"))
    late.advance(to: .seconds(60))
    expectEqual(late.lines.last, "60.000 m moved headers closed timer=headerTimeout > response 408")
    expect(late.send("line", .text("")), hasPrefix: "refused closed")
  }

  @Test("a body is waited for piece by piece, each for a time of its own")
  func body() {
    let head = ["POST / HTTP/1.1", "content-length: 10", ""]
    let bench = self.bench("content")
    play(bench, head)
    expectEqual(bench.state(), "body(10)")
    bench.advance(.milliseconds(59_999))
    expectEqual(bench.send("received", .integer(4)), "stayed body(6) event=received")
    expectEqual(
      bench.send("received", .integer(7)), "refused body(6) event=received : only 6 bytes of the body are missing")
    bench.advance(.milliseconds(59_999))
    expect(bench.send("received", .integer(6)), hasPrefix: "moved body(6) content")
    let late = self.bench("content")
    play(late, head)
    late.advance(.seconds(60))
    expectEqual(late.lines.last, "60.000 m moved body(10) closed timer=bodyTimeout > response 408")
  }

  @Test("after a response the connection is kept for 75 s, and each request has a head of its own")
  func keepAlive() {
    let bench = self.bench("content")
    play(bench, ["GET / HTTP/1.1", ""], "ok")
    bench.advance(.milliseconds(74_999))
    bench.send("line", .text("GET /b HTTP/1.1"))
    expectEqual(bench.state(), "headers")
    expectEqual(bench.timers(), ["headerTimeout": .milliseconds(74_999 + 60_000)])
    play(bench, [""], "ok")
    bench.advance(.seconds(75))
    expect(bench.lines.last, hasSuffix: "m moved keepAlive closed timer=keepAlive")
  }

  @Test(
    "whether the connection is kept",
    arguments: [
      (["GET / HTTP/1.1", ""], "keepAlive"), (["GET / HTTP/1.1", "Connection: close", ""], "closed"),
      (["GET / HTTP/1.0", ""], "closed"), (["GET / HTTP/1.0", "connection: Keep-Alive", ""], "keepAlive"),
      (["GET / HTTP/1.1", "Connection: TE , Close", ""], "closed"),
    ])
  func kept(head: [String], state: String) {
    let bench = self.bench("content")
    play(bench, head, "ok")
    expectEqual(bench.state(), state)
  }

  @Test(
    "heads that are wrong or ask too much",
    arguments: [
      (["GET /  HTTP/1.1"], 400), (["GET / HTTP/2"], 400), (["GET a HTTP/1.1"], 400), (["get / HTTP/1.1"], 400),
      (["GET /"], 400), ([" / HTTP/1.1"], 400), (["G / HTTP/1.1", ": x"], 400), (["G / HTTP/1.1", "a b: x"], 400),
      (["G / HTTP/1.1", "Content-Length: x"], 400), (["G / HTTP/1.1", "Content-Length: -1"], 400),
      (["G / HTTP/1.1", "Content-Length:"], 400), (["G / HTTP/1.1", "Content-Length: 1", "Content-Length: 1"], 400),
      (["G / HTTP/1.1", "Transfer-Encoding: chunked"], 501), (["G / HTTP/1.1", "Content-Length: 1048577", ""], 413),
      (["G / HTTP/1.1", "Content-Length: 99999999999999999999", ""], 413),
    ])
  func wrong(head: [String], status: Int) {
    let bench = self.bench("content")
    play(bench, head)
    expectEqual(bench.state(), "closed")
    expect(bench.lines.last, hasSuffix: " > response \(status)", "\(bench.lines)")
    expectNil(bench.nextDue)
  }

  @Test("a body of nothing, and one of as much as may be")
  func bodySizes() {
    for (length, state) in [(0, "content"), (1_048_576, "body(1048576)")] {
      let bench = self.bench("content")
      play(bench, ["POST / HTTP/1.1", "Content-Length: \(length)", ""])
      expectEqual(bench.state(), state)
    }
  }

  @Test("a suspended request delays no other one, and waits as long as it takes")
  func suspended() {
    let bench = Bench()
    for name in ["one", "two"] { bench.add(HTTPRequest.kind, name, ["handlers": .text("content")]) }
    for name in ["one", "two"] {
      bench.send("line", .text("GET / HTTP/1.1"), to: name)
      bench.send("line", .text(""), to: name)
    }
    bench.send("again", to: "one")
    expect(bench.send("ok", to: "two"), hasSuffix: "response 200 > phase log")
    bench.advance(.days(1))
    expectEqual(bench.state("one"), "content.suspended")
    bench.send("resume", to: "one")
    expect(bench.send("ok", to: "one"), hasSuffix: "response 200 > phase log")
  }

  @Test("handlers are phases that take some")
  func handlers() {
    let place = HTTPRequest.kind.parameters.firstIndex { $0.name == "handlers" }!
    let pool = HTTPRequest.kind.makeParameterPool()
    for word in ["findConfig", "log", "x", "access,", "access,,content"] {
      #expect(throws: ParameterConflict.self, "\(word)") { try pool.intern([(place, .text(word))]) }
    }
    #expect(throws: Never.self) { try pool.intern([(place, .text("access,access"))]) }
  }
}
