internal import CMicroHTTPD

/// The head of a request. Valid only while it is handled: it reads what the library keeps of the connection.
package struct HTTPRequest {
  /// As sent, such as `GET`.
  package let method: String
  /// The path with `%XX` decoded, without the query.
  package let path: String
  private let connection: OpaquePointer

  init(method: String, path: String, connection: OpaquePointer) {
    self.method = method
    self.path = path
    self.connection = connection
  }

  /// All values of a header in order; names are compared without regard to case.
  ///
  /// - Complexity: O(headers).
  package func values(of name: String) -> [String] {
    var search = Search(name: name)
    // Safety: the library calls back before it returns, so the pointer to `search` outlives its use.
    withUnsafeMutablePointer(to: &search) { search in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let search = context?.assumingMemoryBound(to: Search.self), let name else { return .YES }
          guard String(cString: name).lowercased() == search.pointee.name else { return .YES }
          search.pointee.found.append(value.map { String(cString: $0) } ?? "")
          return .YES
        }, search)
    }
    return search.found
  }

  /// Whether a body follows, which may be empty.
  var announcesBody: Bool { !values(of: "Content-Length").isEmpty || !values(of: "Transfer-Encoding").isEmpty }

  private struct Search {
    let name: String
    var found: [String] = []

    init(name: String) {
      self.name = name.lowercased()
    }
  }
}

/// What a handler wants of a request whose head it has seen.
package enum HTTPAnswer {
  /// The answer is known. The server does not read a body that follows, and closes the connection after the
  /// answer.
  case response(HTTPResponse)
  /// The answer depends on the body, of which the server takes so many bytes at most; a longer one is answered with 413.
  case afterBody(atMost: Int, (_ body: [UInt8]) -> HTTPResponse)
}

package struct HTTPResponse {
  package enum Content {
    case none
    case text(String)
    /// Bytes that are valid as long as the process runs.
    case permanent(UnsafeRawBufferPointer)
    /// Written piece by piece, without a length, until the source ends it.
    case stream(HTTPStream)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var content: Content

  package init(status: Int, headers: [(name: String, value: String)] = [], _ content: Content = .none) {
    self.status = status
    self.headers = headers
    self.content = content
  }
}
