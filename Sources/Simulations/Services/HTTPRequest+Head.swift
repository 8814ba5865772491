import StateMachines

/// Reads the head of a request and counts its body.
extension HTTPRequest {
  func begin(_ line: String, _ step: Step<Self>) -> Reaction<State> {
    guard let head = Head(requestLine: line) else { return fail(400, step) }
    return .move(to: .headers(head))
  }

  func readField(_ line: String, _ head: Head, _ step: Step<Self>) -> Reaction<State> {
    var head = head
    if let status = head.take(field: line) { return fail(status, step) }
    return .stayAs(.headers(head))
  }

  func endHead(_ head: Head, _ step: Step<Self>) -> Reaction<State> {
    let length = head.contentLength ?? 0
    if step.when("body too long", length > step.parameters.maxBody) { return fail(413, step) }
    return step.when("no body", length == 0) ? handle(head.request, step) : .move(to: .body(head.request, left: length))
  }

  func receive(_ count: Int, of left: Int, _ request: Request, _ step: Step<Self>) -> Reaction<State> {
    guard count <= left else { return step.refuse("only \(left) bytes of the body are missing") }
    if step.when("last piece", count == left) { return handle(request, step) }
    step.arm(.bodyTimeout, after: step.parameters.bodyTimeout)
    return .stayAs(.body(request, left: left - count))
  }

  /// Answers a request that is malformed or cannot be served.
  func fail(_ status: Int, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.response(status: status), then: .move(to: .closed))
  }
}

extension HTTPRequest.Head {
  /// `nil` if the line is not a request line: a method in capitals, a URI that begins with a slash (or is `*`), and the
  /// protocol, HTTP/1.0 or HTTP/1.1, with single spaces between.
  init?(requestLine line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ ("A"..."Z").contains($0) }),
      words[1].first == "/" || words[1] == "*", words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
    else { return nil }
    request.method = String(words[0])
    request.uri = String(words[1])
    request.isKeptAlive = words[2] == "HTTP/1.1"
  }

  /// Takes a field. Returns the status with which the request fails, if the field is wrong.
  mutating func take(field line: String) -> Int? {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return 400 }
    let name = line[..<colon]
    let isName = { (character: Character) in
      character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }
    guard !name.isEmpty, name.allSatisfy(isName) else { return 400 }
    let value = line[colon...].dropFirst().trimmed
    switch name.lowercased() {
    case "content-length":
      guard contentLength == nil, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return 400
      }
      contentLength = Int(value) ?? Int.max
    case "transfer-encoding":
      return 501
    case "connection":
      let options = value.lowercased().split(separator: ",").map(\.trimmed)
      if options.contains("close") {
        request.isKeptAlive = false
      } else if options.contains("keep-alive") {
        request.isKeptAlive = true
      }
    case _: break
    }
    return nil
  }
}

extension Substring {
  /// The text without surrounding spaces and tabs.
  fileprivate var trimmed: Substring {
    var rest = drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest
  }
}
