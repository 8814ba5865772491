internal import Glibc
internal import UnixHost

/// A connection that sends a volley as fast as the daemon accepts it, and reads all replies.
final class Attacker {
  /// Nil once the connection is closed.
  private var conversation: Conversation?
  let socket: Descriptor
  private let volley: [UInt8]
  private let isAbandoned: Bool
  private var sent = 0
  private var isAtLineStart = true
  /// Requests answered; `failed` of them with a failure.
  private(set) var answered = 0
  private(set) var failed = 0
  /// The text of the first failure.
  private(set) var firstFailure: String?
  private let requests: Int

  /// - Parameters:
  ///   - conversation: An idle connection with no other owner.
  ///   - isAbandoned: Whether it disconnects when it has sent everything.
  init(_ conversation: Conversation, _ volley: String, isAbandoned: Bool) {
    self.conversation = conversation
    socket = conversation.socket
    self.volley = Array(volley.utf8)
    self.isAbandoned = isAbandoned
    requests = self.volley.count { $0 == UInt8(ascii: "\n") }
  }

  var isClosed: Bool { conversation == nil }
  var hasSentAll: Bool { sent == volley.count }
  var isDone: Bool { isClosed || answered >= requests }

  func close() {
    conversation = nil
  }

  /// Sends what fits now.
  func send() {
    while !hasSentAll, !isClosed {
      switch volley.withUnsafeBytes({ socket.send(.init(rebasing: $0[sent...])) }) {
      case .bytes(let count): sent += count
      case .wouldBlock: return
      case .closed, .failed: close()
      }
    }
    if isAbandoned, hasSentAll { close() }
  }

  /// Reads once, and counts the ends of replies.
  func receive(_ buffer: UnsafeMutableRawBufferPointer) {
    guard !isClosed else { return }
    switch socket.read(into: buffer) {
    case .bytes(let count): look(at: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .wouldBlock: return
    case .closed, .failed: close()
    }
  }

  private func look(at bytes: UnsafeRawBufferPointer) {
    // Safety: all offsets lie within `bytes`, whose base exists since something was read.
    var place = 0
    while place < bytes.count {
      if isAtLineStart {
        isAtLineStart = false
        switch bytes[place] {
        case UInt8(ascii: "+"): answered += 1
        case UInt8(ascii: "-"):
          answered += 1
          failed += 1
          if firstFailure == nil {
            firstFailure = String(
              decoding: bytes[place...].prefix { $0 != UInt8(ascii: "\n") }.prefix(160), as: UTF8.self)
          }
        default: break
        }
      }
      guard let end = memchr(bytes.baseAddress! + place, 0x0A, bytes.count - place) else { return }
      place = UnsafeRawPointer(end) - bytes.baseAddress! + 1
      isAtLineStart = true
    }
  }
}
