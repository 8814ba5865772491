import LineProtocol
import Page
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("The live page over HTTP")
struct PageServerTests {
  // MARK: Files

  @Test("the files come with their type, are kept by browsers until they change, and are shown by nobody else")
  func files() throws {
    let host = try PageHost()
    let browser = try host.browser()
    let first = try browser.ask("GET", "/", isLoggedIn: false)
    expect(first.status == 200 && first.body.hasPrefix("<!doctype html>"))
    expectEqual(first.headers["content-type"], "text/html; charset=utf-8")
    expectEqual(first.headers["cache-control"], "no-cache")
    let policy = first.headers["content-security-policy"] ?? ""
    expect(policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
    expectEqual(first.headers["x-content-type-options"], "nosniff")
    expectEqual(first.headers["referrer-policy"], "no-referrer")
    expectEqual(first.headers["cross-origin-resource-policy"], "same-origin")
    expectEqual(first.headers["cross-origin-opener-policy"], "same-origin")
    let tag = try #require(first.headers["etag"])
    let second = try browser.ask("GET", "/", headers: [("If-None-Match", tag)])
    expect(second.status == 304 && second.body.isEmpty && second.headers["etag"] == tag)
    try expectEqual(browser.ask("GET", "/", headers: [("If-None-Match", "\"1\"")]).status, 200)
    let head = try browser.ask("HEAD", "/")
    expect(head.status == 200 && head.headers["content-length"] == "\(first.body.utf8.count)")
  }

  @Test("every file is served as it is", arguments: PageFile.all.keys.sorted())
  func everyFile(path: String) throws {
    let host = try PageHost()
    let file = try #require(PageFile.all[path])
    let answer = try host.browser().ask("GET", path)
    expect(answer.status == 200 && answer.headers["content-length"] == "\(file.bytes.count)")
  }

  @Test("the modules are joined: all of them, with no name twice, and nothing left that imports or exports")
  func joinedModules() throws {
    let modules = LivePage.texts.keys.filter { $0.hasSuffix(".js") }
    expect(modules.count > 20)
    for name in modules {
      expectEqual(LivePage.script.ranges(of: "// MARK: \(name)\n").count, 1, "\(name) is not there once")
      for imported in LivePage.texts[name, default: ""].matches(of: #/(?m)^import .* from "\./(.+)";$/#) {
        expect(
          modules.contains(String(imported.output.1)), "\(name) imports \(imported.output.1), which is not built in")
      }
    }
    var names: Set<Substring> = []
    for line in LivePage.script.split(separator: "\n") {
      expect(!line.hasPrefix("import") && !line.hasPrefix("export"), "\(line)")
      guard let found = line.firstMatch(of: #/^(?:async )?(?:const|let|var|class|function\*?) ([\w$]+)/#) else {
        continue
      }
      expect(names.insert(found.output.1).inserted, "two modules have a \(found.output.1)")
    }
    // Nothing that would end the element of an export's page.
    expect(!LivePage.script.contains("</script") && !LivePage.script.contains("<!--"))
  }

  @Test(
    "what there is not is 404, and another method 405",
    arguments: [
      ("GET", "/index.html", 404), ("GET", "/..%2fetc", 404), ("GET", "//", 404), ("GET", "/requests", 404),
      ("GET", "/stream/x", 404), ("POST", "/", 405), ("DELETE", "/", 405), ("GET", "/login", 405),
      ("POST", "/stream", 405), ("GET", "/requests/1", 405),
    ])
  func others(method: String, path: String, status: Int) throws {
    let host = try PageHost()
    let answer = try host.browser().ask(method, path, body: method == "POST" ? "" : nil)
    expectEqual(answer.status, status)
    expectEqual((answer.headers["allow"] != nil), (status == 405))
    expect(answer.headers["content-security-policy"] != nil)
  }

  // MARK: Access

  @Test("the token gives a cookie that scripts and other sites do not get; another token gives none")
  func login() throws {
    let host = try PageHost()
    let browser = try host.browser()
    let answer = try browser.ask("POST", "/login", body: host.page.access.token, isLoggedIn: false)
    expectEqual(answer.status, 204)
    expectEqual(
      answer.headers["set-cookie"], "fsmd-\(host.port)=\(host.page.access.token); Path=/; HttpOnly; SameSite=Strict")
    for wrong in ["", "x", String(host.page.access.token.dropLast()), host.page.access.token + "\n"] {
      let answer = try browser.ask("POST", "/login", body: wrong, isLoggedIn: false)
      expect(answer.status == 403 && answer.headers["set-cookie"] == nil, "\(wrong)")
    }
    try expectEqual(host.browser().ask("POST", "/login", body: String(repeating: "x", count: 257)).status, 413)
  }

  @Test("without the cookie there is no stream, and nothing is asked")
  func loggedOut() throws {
    let host = try PageHost()
    try expectEqual(host.browser().ask("GET", "/stream", isLoggedIn: false).status, 401)
    let id = try host.browser().openStream()
    try expectEqual(host.browser().ask("POST", "/requests/\(id)", body: "worlds\n", isLoggedIn: false).status, 401)
    let wrong = [("Cookie", "fsmd-\(host.port)=\(String(repeating: "0", count: 32))")]
    try expectEqual(host.browser().ask("GET", "/stream", headers: wrong, isLoggedIn: false).status, 401)
    let otherPort = [("Cookie", "fsmd-1=\(host.page.access.token)")]
    try expectEqual(host.browser().ask("GET", "/stream", headers: otherPort, isLoggedIn: false).status, 401)
  }

  @Test("a name of somebody else (DNS rebinding) and another site's page are turned away, even with the cookie")
  func foreign() throws {
    let host = try PageHost()
    for path in ["/", "/stream", "/nothing"] {
      try expectEqual(host.browser().ask("GET", path, host: "evil.example:\(host.port)").status, 421)
      for origin in ["http://evil.example", "null", "https://127.0.0.1:\(host.port)", "http://127.0.0.1:1"] {
        try expectEqual(host.browser().ask("GET", path, headers: [("Origin", origin)]).status, 403, "\(origin)")
      }
    }
    let own = [("Origin", "http://127.0.0.1:\(host.port)"), ("Sec-Fetch-Site", "same-origin")]
    try expectEqual(host.browser().ask("POST", "/login", headers: own, body: host.page.access.token).status, 204)
    for site in ["cross-site", "same-site"] {
      let answer = try host.browser().ask(
        "POST", "/login", headers: [("Sec-Fetch-Site", site)], body: host.page.access.token)
      expectEqual(answer.status, 403, "\(site)")
    }
    // A link elsewhere may lead here.
    try expectEqual(host.browser().ask("GET", "/", headers: [("Sec-Fetch-Site", "cross-site")]).status, 200)
    let two = try host.browser().ask("GET", "/", headers: [("Host", "evil.example")])
    expect(two.status == 421 || two.status == 400)
  }

  // MARK: Streams

  @Test("a stream begins with its session and the greeting; requests are answered on it, notices come")
  func stream() throws {
    let host = try PageHost(mayControl: true)
    let stream = try host.browser()
    let id = try stream.openStream()
    expect(stream.text, contains: "Content-Type: text/event-stream\r\n")
    expectEqual(stream.events.count, 2)
    expect(stream.events[0], contains: #""session":"\#(id)","control":true,"version":"0.0.0","daemon":""#)
    expect(stream.events[1], hasPrefix: #"{"class":"success","what":"fsmd","protocol":"1""#)
    let answer = try host.browser().ask(
      "POST", "/requests/\(id)", body: "@1 watch *\n@2 new power lamp\n@3 send lamp buttonClick\n")
    expect(answer.status == 204 && answer.body.isEmpty)
    try stream.event(with: #""tag":"3""#)
    expectEqual(
      stream.events.dropFirst(2).map { $0.prefix(29) },
      [
        #"{"class":"success","tag":"1","#, #"{"class":"notice","seq":1,"t":"#, #"{"class":"success","tag":"2","#,
        #"{"class":"notice","seq":2,"t":"#, #"{"class":"success","tag":"3","#,
      ].map { $0.prefix(29) })
  }

  @Test("a request may come in pieces, and a document with its bytes")
  func pieces() throws {
    let host = try PageHost(mayControl: true)
    let stream = try host.browser()
    let id = try stream.openStream()
    let poster = try host.browser()
    for piece in ["@a wor", "lds\n@b define x format=mermaid bytes=30\nstateDiagram-v2\n", "[*] --> a\n a --> b: go\n"]
    {
      try expectEqual(poster.ask("POST", "/requests/\(id)", body: piece).status, 204)
    }
    try stream.event(with: #""tag":"a","lines":1"#)
    try stream.event(with: #""tag":"b""#)
  }

  @Test("without control what changes anything is refused, in words")
  func readOnly() throws {
    let host = try PageHost()
    let stream = try host.browser()
    let id = try stream.openStream()
    expect(stream.events[0], contains: #""control":false"#)
    _ = try host.browser().ask("POST", "/requests/\(id)", body: "@1 new power lamp\n@2 shutdown\n@3 list\n")
    try expect(stream.event(with: #""tag":"1""#), contains: #""code":"READ-ONLY","verb":"new""#)
    try expect(stream.event(with: #""tag":"2""#), contains: #""code":"READ-ONLY","verb":"shutdown""#)
    try expect(stream.event(with: #""tag":"3""#), contains: #""lines":0"#)
    expect(!host.host.service.isShuttingDown)
  }

  @Test("two streams are two sessions, and a third client's changes reach both")
  func several() throws {
    let host = try PageHost()
    let streams = [try host.browser(), try host.browser()]
    for stream in streams {
      let id = try stream.openStream()
      _ = try host.browser().ask("POST", "/requests/\(id)", body: "watch *\n")
      try stream.event(with: "watching")
    }
    let owner = host.host.connect()
    _ = owner.say("new power lamp")
    for stream in streams { try stream.event(with: #""name":"lamp","what":"created""#) }
  }

  @Test("a stream that was away catches up from where it was, no input missing and none twice")
  func reconnects() throws {
    let host = try PageHost()
    let owner = host.host.connect()
    _ = owner.say("new power lamp")
    func watch(_ request: String) throws -> Browser {
      let stream = try host.browser()
      let id = try stream.openStream()
      _ = try host.browser().ask("POST", "/requests/\(id)", body: "@w \(request)\n")
      try stream.event(with: #""tag":"w","#)
      return stream
    }
    do {
      let first = try watch("watch * what=all since=1")
      try first.event(with: #""seq":1,"#)
    }
    _ = owner.say("send lamp buttonClick")
    _ = owner.say("send lamp buttonClick")
    let second = try watch("watch * what=all since=2")
    try second.event(with: #""seq":3,"#)
    expectEqual(second.events.filter { $0.contains(#""seq":2,"#) && $0.contains("notice") }.count, 1)
    expect(!second.events.contains { $0.contains(#""seq":1,"#) && $0.contains("notice") })
  }

  @Test("a browser that leaves ends its session at once")
  func leaves() throws {
    let host = try PageHost()
    var browsers = [try host.browser(), try host.browser()]
    let ids = try browsers.map { try $0.openStream() }
    expectEqual(host.host.service.clients.count, 2)
    browsers.removeLast()
    _ = try host.turns(until: "a session to end") { host.host.service.clients.count == 1 ? true : nil }
    try expectEqual(host.browser().ask("POST", "/requests/\(ids[1])", body: "sync\n").status, 404)
    try expectEqual(host.browser().ask("POST", "/requests/\(ids[0])", body: "sync\n").status, 204)
  }

  @Test("a stream in which nothing happens has a comment after 15 s, and again")
  func heartbeat() throws {
    let host = try PageHost()
    let stream = try host.browser()
    _ = try stream.openStream()
    let before = stream.received.count
    host.pass(14.9)
    stream.receive()
    expectEqual(stream.received.count, before)
    for beat in 1...3 {
      host.pass(beat == 1 ? 0.2 : 15)
      _ = try stream.text(until: "a comment") { $0.ranges(of: "\r\n:\n\n\r\n").count == beat }
    }
  }

  @Test("a session that quits ends its stream, and so does the daemon")
  func ends() throws {
    let host = try PageHost(mayControl: true)
    let (first, second) = (try host.browser(), try host.browser())
    let ids = try [first, second].map { try $0.openStream() }
    _ = try host.browser().ask("POST", "/requests/\(ids[0])", body: "quit\n")
    _ = try first.text(until: "the end of a body") { $0.hasSuffix("\r\n0\r\n\r\n") }
    expectEqual(first.events.last, #"{"class":"flow","what":"bye","reason":"quit"}"#)
    expectEqual(host.host.service.clients.count, 1)
    _ = try host.browser().ask("POST", "/requests/\(ids[1])", body: "shutdown\n")
    try second.event(with: #""what":"bye","reason":"shutdown""#)
    _ = host.page.drain(now: host.host.now)
    _ = try second.text(until: "the end of a body") { $0.hasSuffix("\r\n0\r\n\r\n") }
    try expectEqual(host.browser().ask("GET", "/stream").status, 503)
  }

  @Test("a hundred streams")
  func hundred() throws {
    let host = try PageHost()
    let owner = host.host.connect()
    let streams = try (0..<100).map { _ in try host.browser() }
    for stream in streams {
      let id = try stream.openStream()
      _ = try host.browser().ask("POST", "/requests/\(id)", body: "watch *\n")
    }
    expectEqual(host.host.service.clients.count, 101)
    _ = owner.say("new power lamp")
    for stream in streams { try stream.event(with: #""what":"created""#) }
  }

  @Test("streams count among the clients, and one too many is told so")
  func limit() throws {
    var limits = Limits()
    limits.clients = 2
    let host = try PageHost(limits: limits)
    let streams = [try host.browser(), try host.browser()]
    for stream in streams { _ = try stream.openStream() }
    let third = try host.browser().ask("GET", "/stream")
    expect(third.status == 503 && third.body.contains("2 clients"))
  }

  @Test("a stream that never reads holds little, and loses notices with a gap; others lose none")
  func neverReads() throws {
    let host = try PageHost()
    let (idle, reader) = (try Browser(of: host, receiveBuffer: 4_096), try host.browser())
    for stream in [idle, reader] {
      let id = try stream.openStream()
      _ = try host.browser().ask("POST", "/requests/\(id)", body: "watch *\n")
      try stream.event(with: "watching")
    }
    let owner = host.host.connect()
    _ = owner.say("new power lamp")
    let burst = Array(repeating: "send lamp buttonClick", count: 100).joined(separator: "\n")
    // More than the sockets' buffers hold.
    let bursts = 400
    for _ in 0..<bursts {
      _ = owner.say(burst)
      host.pass(0.05)
      for _ in 0..<6 {
        host.turn()
        reader.receive()
      }
    }
    let sessions = host.host.service.clients.values.filter { $0.session.terms.isSampled }
    let most = sessions.map { $0.session.outbox.storageBytes + $0.session.noticeScratch.storageBytes }.max() ?? 0
    expect(most <= 100 << 10)
    try reader.event(with: "\"seq\":\(bursts * 100 + 1),")
    expect(!reader.text.contains(#""what":"gap""#))
    idle.receive()
    try idle.event(with: #""what":"gap""#)
  }

  // MARK: What does not fit

  @Test("requests that are too long or too many are refused, and the session goes on")
  func tooMuch() throws {
    var limits = Limits()
    limits.definitionBytes = 1_000
    limits.line = 500
    let host = try PageHost(limits: limits, mayControl: true)
    let stream = try host.browser()
    let id = try stream.openStream()
    func post(_ body: String) throws -> Int { try host.browser().ask("POST", "/requests/\(id)", body: body).status }
    try expectEqual(post(String(repeating: "#", count: 2_001)), 413)
    try expectEqual(post(String(repeating: "#", count: 1_990) + "\n"), 204)
    // While the session waits, its next requests do.
    _ = try post("new power lamp\nawait lamp on within=1h\n")
    try expectEqual(post(String(repeating: "#", count: 1_500)), 204)
    try expectEqual(post(String(repeating: "#", count: 600)), 429)
    let chunked = try host.browser().ask(
      "POST", "/requests/\(id)", headers: [("Transfer-Encoding", "chunked")])
    expectEqual(chunked.status, 411)
    try expectEqual(post("\ncancel\n@z sync\n"), 204)
    try stream.event(with: #""tag":"z""#)
  }

  @Test("a body that does not come is given up with its connection, and what it reserved is free again")
  func unfinished() throws {
    var limits = Limits()
    limits.definitionBytes = 1_000
    limits.line = 500
    let host = try PageHost(limits: limits)
    let stream = try host.browser()
    let id = try stream.openStream()
    let slow = try host.browser()
    try slow.send(slow.request("POST", "/requests/\(id)", headers: [("Content-Length", "2000")]))
    _ = try host.turns(until: "a body under way") { () -> Bool? in
      (try? host.browser().ask("POST", "/requests/\(id)", body: "#\n").status) == 429 ? true : nil
    }
    for _ in 0..<31 {
      try slow.send("#")
      host.pass(1)
    }
    try slow.end()
    try expectEqual(host.browser().ask("POST", "/requests/\(id)", body: "#\n").status, 204)
    expect(!stream.isAtEnd)
  }

  @Test("whoever sends slowly is cut off after 30 s, however little was missing")
  func slow() throws {
    let host = try PageHost()
    let slow = try host.browser()
    let text = Array(slow.request("GET", "/").utf8)
    for byte in text.dropLast().prefix(29) {
      try slow.send([byte])
      host.pass(1)
    }
    slow.receive()
    expect(!slow.isAtEnd)
    host.pass(2)
    try slow.end()
    expect(slow.received.isEmpty)
  }

  @Test("when no further connection fits, those that ask nothing make room sooner")
  func full() throws {
    let host = try PageHost(connections: 8)
    let idle = try (0..<20).map { _ in try host.browser() }
    let browser = try host.browser()
    try browser.send(browser.request("GET", "/"))
    for _ in 0..<20 { host.pass(1) }
    try expectEqual(browser.answer().status, 200)
    withExtendedLifetime(idle) {}
  }

  @Test(
    "malformed requests get 400 or nothing, and hurt nobody",
    arguments: [
      "\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "GET /\r\n\r\n",
      "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
      "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
      "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "GET /%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ])
  func malformed(text: String) throws {
    let host = try PageHost()
    let stream = try host.browser()
    let id = try stream.openStream()
    let bad = try host.browser()
    try bad.send(text)
    for _ in 0..<20 { host.turn() }
    bad.receive()
    expect(!bad.text.contains(" 200 ") && !bad.text.contains(" 204 "), "\(bad.text)")
    try expectEqual(host.browser().ask("POST", "/requests/\(id)", body: "@ok sync\n").status, 204)
    try stream.event(with: #""tag":"ok""#)
  }

  @Test("a head that is too long is answered with 431, and a path with 414")
  func longHead() throws {
    let host = try PageHost()
    let long = String(repeating: "x", count: 40_000)
    expect([400, 413, 431].contains(try host.browser().ask("GET", "/", headers: [("X", long)]).status))
    expect([400, 414, 431].contains(try host.browser().ask("GET", "/\(long)").status))
  }

  // MARK: Random requests

  @Test("random requests", arguments: Thorough.rounds(0..<4 as Range<UInt64>))
  func fuzz(seed: UInt64) throws {
    let host = try PageHost(mayControl: true)
    let stream = try host.browser()
    let id = try stream.openStream()
    var random = RandomHTTP(seed: seed, port: host.port, cookie: host.cookie, session: id)
    var browsers: [Browser] = []
    for _ in 0..<Thorough.rounds(1_000, atLeast: 400) {
      if browsers.isEmpty || random.number(below: 3) == 0 { browsers.append(try host.browser()) }
      let browser = browsers[random.number(below: browsers.count)]
      try browser.send(random.bytes())
      browser.receive()
      if browsers.count > 8 || random.number(below: 6) == 0 {
        browsers.remove(at: random.number(below: browsers.count))
      }
      if random.number(below: 50) == 0 { host.pass(Double(random.number(below: 40))) }
    }
    browsers = []
    let after = try host.browser()
    let again = try after.openStream()
    try expectEqual(host.browser().ask("POST", "/requests/\(again)", body: "@ok sync\n").status, 204, "seed \(seed)")
    try after.event(with: #""tag":"ok""#)
  }
}
