/// How the daemon came to its end that had a store before.
package enum LastEnd: Hashable, Sendable {
  /// It closed the store.
  case inOrder
  /// It was killed, or ended by a defect.
  case cutShort
  /// The system went down, or was started anew, while it ran.
  case withSystem
}

extension LastEnd: CustomStringConvertible {
  /// A part of a sentence about the daemon before.
  package var description: String {
    switch self {
    case .inOrder: "ended in order"
    case .cutShort: "was killed or crashed"
    case .withSystem: "ended with the system, not in order"
    }
  }
}
