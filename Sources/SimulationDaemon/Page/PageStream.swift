import HTTPServer
import LineProtocol
import UnixHost

/// A session of the daemon whose lines go to a browser as server-sent events.
final class PageStream: HTTPStreamSource {
  let id: String
  let client: Service.Client
  /// Bytes of request bodies that are being received.
  private(set) var bytesUnderWay = 0
  /// When the next byte is due: only writing shows that a reader has gone.
  private(set) var beatAt: UInt64
  private unowned let page: PageServer
  private var stream: HTTPStream?
  /// What comes before the first line.
  private var opening: ArraySlice<UInt8>
  private var framing = EventFraming()

  /// How long nothing is written, in nanoseconds: 15 s.
  static let silence: UInt64 = 15_000_000_000

  init(id: String, _ client: Service.Client, opening: String, of page: PageServer, now: UInt64) {
    self.id = id
    self.client = client
    self.opening = Array(opening.utf8)[...]
    self.page = page
    beatAt = now &+ PageStream.silence
  }

  /// The body of the answer that carries this stream; made once.
  func open() -> HTTPStream {
    let stream = HTTPStream(self)
    self.stream = stream
    return stream
  }

  /// Writes what is new, in the server's next run.
  ///
  /// - Returns: Whether it rested until now.
  func wake() -> Bool { stream?.wake() ?? false }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> HTTPStream.Filling {
    var written = 0
    if !opening.isEmpty {
      written = min(opening.count, buffer.count)
      buffer.copyBytes(from: opening.prefix(written))
      opening = opening.dropFirst(written)
    }
    while opening.isEmpty, client.session.outbox.hasUnwritten, buffer.count - written >= EventFraming.leastRoom {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[written...])
      let (read, count) = framing.frame(client.session.outbox.unwritten, into: room)
      client.session.outbox.didWrite(read)
      written += count
    }
    if written == 0 {
      if client.session.life == .ended, client.session.outbox.isEmpty { return .end }
      guard page.now >= beatAt, framing.isBetweenEvents else { return .nothing }
      // A comment, which browsers skip.
      buffer.copyBytes(from: ":\n\n".utf8)
      written = 3
    } else {
      page.service.didWrite(client)
      if client.session.outbox.isEmpty { client.session.input.shrinkIfEmpty() }
    }
    beatAt = page.now &+ PageStream.silence
    return .bytes(written)
  }

  func streamEnded() {
    stream = nil
    page.close(self)
  }

  /// Counts a body until it was received, or its connection is gone.
  final class Allowance {
    private let bytes: Int
    private let stream: PageStream

    init(_ bytes: Int, of stream: PageStream) {
      self.bytes = bytes
      self.stream = stream
      stream.bytesUnderWay += bytes
    }

    deinit { stream.bytesUnderWay -= bytes }
  }
}
