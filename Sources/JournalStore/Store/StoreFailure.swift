/// Why a store call failed. Nothing was stored, unless it is `unknown` or `gone`.
package enum StoreFailure: Error, Hashable, Sendable {
  /// Another writer has taken the world since; `by` is that writer, unless the lease was released.
  case fenced(world: String, by: WorldHolder?)
  /// The world's head differs from the writer's, who must take the world again.
  case outOfStep(world: String, expected: UInt64, found: UInt64)
  /// The store went back in time: of a world, inputs that were stored are gone, from `from` on; nil if that is not known.
  case lost(world: String, from: UInt64?)
  case noSuchWorld(String)
  case worldExists(String)
  /// A commit failed, and it is not known whether the transaction is stored.
  case unknown(path: String, reason: String)
  case full(path: String)
  case readOnly(path: String)
  /// Another daemon has the store; or, without a holder, another program has locked the database.
  case locked(path: String, by: StoreWriter?)
  case damaged(Damage)
  /// It was written by a release with another schema.
  case otherSchema(path: String, found: Int, known: Int)
  /// There is no store to read.
  case absent(path: String)
  /// A file was moved, removed or replaced while the store was open. Whether it contains the last round is not known.
  case gone(path: String)
  case cannotOpen(path: String, reason: String)
  case other(path: String, reason: String)
}

/// Damaged data and its location.
package struct Damage: Error, Hashable, Sendable {
  package let path: String
  package let world: String?
  /// The first damaged input; nil if a repair cannot help.
  package let sequence: UInt64?
  /// The finding, for people.
  package let finding: String

  package init(_ path: String, world: String? = nil, at sequence: UInt64? = nil, _ finding: String) {
    self.path = path
    self.world = world
    self.sequence = sequence
    self.finding = finding
  }
}

extension Damage: CustomStringConvertible {
  package var description: String {
    let place = [world.map { "world \($0)" }, sequence.map { "input \($0)" }].compactMap(\.self)
    return "\(path) is damaged\(place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"): \(finding)"
  }
}

extension StoreFailure: CustomStringConvertible {
  /// One line for a person, without a full stop: the finding, the file, and what to do.
  package var description: String {
    switch self {
    case .fenced(let world, let holder?) where holder.lease == .others:
      "\(holder.writer) has world \(world)"
    case .fenced(let world, let holder?):
      "world \(world) was taken by \(holder.writer); this daemon no longer writes it"
    case .fenced(let world, nil):
      "world \(world) was taken or removed by another daemon; this one no longer writes it"
    case .outOfStep(let world, let expected, let found):
      "world \(world) ends with input \(found) in the store, not with \(expected); it has to be read again"
    case .lost(let world, let from):
      "the store has lost inputs of world \(world) that were stored, \(from.map { "from \($0) on" } ?? "how many is not known"); "
        + "it was restored, or a standby without them has taken over"
    case .noSuchWorld(let world):
      "the store has no world \(world)"
    case .worldExists(let world):
      "the store has a world \(world) already"
    case .unknown(let path, let reason):
      "\(path): the commit failed (\(reason)); reading the world again shows whether it is stored"
    case .full(let path):
      "no room on the disk for \(path); free some, and try again"
    case .readOnly(let path):
      "\(path) is read-only; change its permissions, or store nothing with --ephemeral"
    case .locked(let path, let writer?):
      "\(path) belongs to \(writer); use that one, give another $XDG_STATE_HOME, or store nothing with --ephemeral"
    case .locked(let path, nil):
      "\(path) is locked by another program; close it, and try again"
    case .damaged(let damage) where damage.world != nil && damage.sequence != nil:
      "\(damage); it was left as it is, and the command 'repair' says what can be saved of that world"
    case .damaged(let damage):
      "\(damage); it was left as it is: move it away to start anew, or restore a backup and remove the files beside it"
    case .otherSchema(let path, let found, let known):
      "\(path) has schema \(found), and this release knows \(known) alone; "
        + (found > known ? "use a later release" : "use the release that wrote it, or move it away to start anew")
        + "; the file was left unchanged"
    case .absent(let path):
      "there is no \(path): no durable world was ever stored there"
    case .gone(let path):
      "\(path) was moved, removed or replaced while it was in use, and nothing can be stored there; "
        + "put it back where it was, or end the daemon and start it again"
    case .cannotOpen(let path, let reason):
      "cannot open \(path): \(reason)"
    case .other(let path, let reason):
      "\(path): \(reason)"
    }
  }
}

extension StoreWriter: CustomStringConvertible {
  package var description: String {
    if let name { return "the daemon \(name)" }
    return socket.isEmpty ? "the daemon with process \(process)" : "the daemon on \(socket) (process \(process))"
  }
}
