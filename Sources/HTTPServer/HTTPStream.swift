internal import CMicroHTTPD
internal import UnixHost

/// Writes the body of a stream on demand.
package protocol HTTPStreamSource: AnyObject {
  /// Writes what there is into a buffer of at least 128 bytes.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> HTTPStream.Filling
  /// The client is gone, or the stream has ended. Called once, and nothing is called after it.
  func streamEnded()
}

/// A response body without an end in sight.
///
/// The server asks the source when the client can take more. Once the source has nothing, the stream rests, at no cost,
/// until ``wake()``.
package final class HTTPStream {
  package enum Filling {
    case bytes(Int)
    /// Nothing now; ``HTTPStream/wake()`` says when there is more.
    case nothing
    /// The body is complete.
    case end
  }

  private let source: any HTTPStreamSource
  // Safety: the library's handle, used only between its first callback for the stream and the one that tells its end.
  private var connection: OpaquePointer?
  private var isResting = false
  /// Whether the client is gone.
  private var isBroken = false

  package init(_ source: any HTTPStreamSource) {
    self.source = source
  }

  /// Has the source asked again, in the server's next run. Does nothing if that is due anyway.
  ///
  /// - Returns: Whether it rested: the server's descriptor does not become readable by this.
  @discardableResult
  package func wake() -> Bool {
    guard isResting, let connection else { return false }
    isResting = false
    MHD_resume_connection(connection)
    return true
  }

  /// The client is gone: the server's next run ends the stream.
  func breakOff() {
    isBroken = true
    wake()
  }

  func begin(on connection: OpaquePointer) {
    self.connection = connection
  }

  func end() {
    guard connection != nil else { return }
    connection = nil
    isResting = false
    source.streamEnded()
  }

  /// Fills the library's buffer, or rests.
  ///
  /// - Returns: A count of bytes, or what the library takes for the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isBroken, let connection else { return Self.brokenOff }
    switch source.fill(buffer) {
    case .bytes(let count): return count
    case .nothing:
      isResting = true
      MHD_suspend_connection(connection)
      return 0
    case .end: return Self.complete
    }
  }

  // The library's MHD_CONTENT_READER_END_OF_STREAM and _WITH_ERROR, macros that are not imported.
  private static let complete = -1
  private static let brokenOff = -2
}
