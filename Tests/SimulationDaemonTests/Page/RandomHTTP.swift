import TestSupport

/// Requests of HTTP that are right, nearly right and wrong, the same for a seed.
struct RandomHTTP {
  private var state: UInt64
  private let port: UInt16
  private let cookie: String
  private let session: String

  init(seed: UInt64, port: UInt16, cookie: String, session: String) {
    state = Thorough.seed(seed) | 1
    self.port = port
    self.cookie = cookie
    self.session = session
  }

  mutating func number(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
  }

  private mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

  /// What is sent next on some connection: requests, or a piece of one, with mistakes now and then.
  mutating func bytes() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0...number(below: 3) { bytes += Array(request().utf8) }
    for _ in 0..<one(of: [0, 0, 0, 1, 1, 3, 20]) where !bytes.isEmpty {
      let place = number(below: bytes.count)
      switch number(below: 4) {
      case 0: bytes[place] = UInt8(number(below: 256))
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8(number(below: 256)), at: place)
      case _: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  private mutating func request() -> String {
    let method = one(of: ["GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "get", "", "GET GET"])
    let path = one(of: [
      "/", "/stream", "/login", "/requests/\(session)", "/requests/", "/requests/0", "/x", "*", "", "/%2e%2e/", "/?a=b",
      "http://127.0.0.1:\(port)/", "/" + String(repeating: "a", count: number(below: 20_000)),
    ])
    let body = self.body()
    var lines = [one(of: ["\(method) \(path) HTTP/1.1", "\(method) \(path) HTTP/1.0", "\(method) \(path)"])]
    for _ in 0..<number(below: 8) {
      lines.append(
        one(of: [
          "Host: 127.0.0.1:\(port)", "Host: localhost:\(port)", "Host: evil", "Cookie: \(cookie)", "Cookie: \(cookie)x",
          "Cookie: ;;=;=", "Origin: http://127.0.0.1:\(port)", "Origin: null", "Sec-Fetch-Site: same-origin",
          "Content-Length: \(body.utf8.count)", "Content-Length: \(number(below: 100))", "Content-Length: 5000000000",
          "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close", "Connection: upgrade",
          "If-None-Match: *", " folded", "X: " + String(repeating: "y", count: number(below: 3_000)), ":",
          "\u{7f}: \u{1}",
        ]))
    }
    return lines.joined(separator: one(of: ["\r\n", "\r\n", "\r\n", "\n"])) + "\r\n\r\n" + body
  }

  private mutating func body() -> String {
    one(of: [
      "", "worlds\n", "@a list\n@b watch *\nnew power p\n", "send p buttonClick\n",
      "define x format=scxml bytes=10\n1234",
      "begin\nnew power q\nend\n", "use nowhere\n", "\u{0}\n", String(repeating: "x", count: number(below: 70_000)),
      "5\r\nlist\n\r\n0\r\n\r\n", "await p on within=1s\n", "undo\n", "world new w\nuse w\n",
    ])
  }
}
