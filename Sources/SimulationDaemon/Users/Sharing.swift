/// Who besides its owner may use a world.
enum Sharing: String, CaseIterable, Sendable {
  /// Nobody, but the daemon's owner may look.
  case nobody
  /// Everybody may look.
  case read
  /// Everybody may change it.
  case write
}

/// What a user may do in a world.
enum Access: Comparable {
  case nothing, read, write
}

extension HostedWorld {
  /// What a user may do here. The daemon's owner may look at every world.
  func access(of user: UserID) -> Access {
    if owner == user { return .write }
    switch sharing {
    case .nobody: return user == .owner ? .read : .nothing
    case .read: return .read
    case .write: return .write
    }
  }
}
