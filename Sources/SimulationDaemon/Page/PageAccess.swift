import HTTPServer
import UnixHost

/// Who may use the page: checks of a request's head, as values.
struct PageAccess {
  let address: InternetAddress
  /// 128 bits from the system's random source, in hexadecimal digits.
  let token: String

  init(address: InternetAddress, token: String = PageAccess.randomDigits(count: PageToken.digits)) {
    self.address = address
    self.token = token
  }

  static func randomDigits(count: Int) -> String {
    var source = SystemRandomNumberGenerator()
    return String((0..<count).map { _ in Array("0123456789abcdef")[Int.random(in: 0..<16, using: &source)] })
  }

  /// The link that opens the page. What follows `#` stays in the browser.
  var link: String { "http://\(linkHost)/#\(token)" }

  /// A wildcard is no address that a browser could go to.
  private var linkHost: String {
    guard address.host.isWildcard else { return "\(address)" }
    if case .v6 = address.host { return "[::1]:\(address.port)" }
    return "127.0.0.1:\(address.port)"
  }

  /// Cookies are sent to all ports of a host, so the name has the port.
  private var cookieName: String { "fsmd-\(address.port)" }

  /// A status other than 200 if the request comes from where no page of this daemon is.
  ///
  /// A page of somebody else can send requests here, and by a name of its own (DNS rebinding) read the answers. Browsers
  /// say in `Host`, `Origin` and `Sec-Fetch-Site` where a request comes from.
  func refusal(of request: HTTPRequest) -> (status: Int, reason: String)? {
    let hosts = request.values(of: "Host")
    guard hosts.count == 1, isOurs(host: hosts[0]) else { return (421, "this is no address of this daemon\n") }
    guard request.values(of: "Origin").allSatisfy({ $0 == "http://\(hosts[0])" }),
      request.values(of: "Sec-Fetch-Site").allSatisfy({ $0 == "same-origin" || $0 == "none" || request.path == "/" })
    else { return (403, "this request comes from another page\n") }
    return nil
  }

  /// Whether a `Host` header has an address that the daemon listens on.
  func isOurs(host text: String) -> Bool {
    // A browser leaves port 80 out.
    let hasPort = text.contains(":") && text.last != "]"
    guard let found = InternetAddress(hasPort ? text : "\(text):80"), found.port == address.port else { return false }
    if address.host.isWildcard || found.host == address.host { return true }
    return address.host.isLoopback && found.host.isLoopback
  }

  /// Whether a request has the token in its cookie.
  func isLoggedIn(_ request: HTTPRequest) -> Bool {
    let prefix = "\(cookieName)="
    return request.values(of: "Cookie").contains { header in
      header.split(separator: ";").contains { cookie in
        let cookie = cookie.drop { $0 == " " }
        return cookie.hasPrefix(prefix) && isToken(cookie.dropFirst(prefix.count).utf8)
      }
    }
  }

  /// Compares in a time that does not depend on where a difference is.
  func isToken(_ text: some Collection<UInt8>) -> Bool {
    let expected = token.utf8
    guard text.count == expected.count else { return false }
    return zip(text, expected).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }

  var cookie: String { "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" }
}
