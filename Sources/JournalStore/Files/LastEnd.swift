/// How the previous daemon with this store ended.
package enum LastEnd: Hashable, Sendable {
  /// It closed the store.
  case inOrder
  /// It was killed, or crashed.
  case cutShort
  /// The system went down or was restarted while it ran.
  case withSystem
}

extension LastEnd: CustomStringConvertible {
  /// A part of a sentence about the previous daemon.
  package var description: String {
    switch self {
    case .inOrder: "ended in order"
    case .cutShort: "was killed or crashed"
    case .withSystem: "ended with the system, not in order"
    }
  }
}
