/// Why a socket cannot be used.
package enum SocketFailure: Error, Hashable, Sendable {
  /// No path was given where one is needed.
  case emptyPath
  /// The path is longer than the kernel's address structure holds.
  case pathTooLong(path: String, bytes: Int)
  /// The folder of the path cannot be used.
  case directory(path: String, SystemError)
  /// The folder for the default path belongs to another user, or is not a folder.
  case directoryNotOurs(path: String)
  /// Another process holds the lock on the folder, or on the file beside a group's socket, and does not release it.
  case locked(path: String)
  /// The folder, or the file beside a group's socket, cannot be locked.
  case lock(path: String, SystemError)
  /// Another process accepts connections there; its id, if the kernel says so.
  case inUse(path: String, pid: Int32?)
  /// Something that is not a socket has the name.
  case notASocket(path: String)
  /// A system call failed; `doing` is its purpose.
  case system(doing: String, path: String, SystemError)
  /// No process accepts connections at the path.
  case nobodyListens(path: String)
  /// Another process listens on the port of this machine.
  case portInUse(address: String)
  /// The system knows no group of this name.
  case noSuchGroup(String)
  /// This process is not in the group.
  case notInGroup(String)
  /// Members of the group cannot pass a folder of the path.
  case unreachable(group: String, folder: String, mode: UInt32)
  /// Other users can replace files or folders in a folder of the path.
  case replaceable(folder: String)
  /// A socket for a group is at a default path, which nobody else could find or reach.
  case groupNeedsPath
  /// What the manager of services passed is no Unix socket that listens at a path.
  case notListening(descriptor: Int32)
  /// The group cannot connect to the socket that the manager of services made.
  case notForGroup(path: String, group: String)
  /// The manager of services passed a socket, and another is asked for.
  case passed(path: String, option: String)
  /// The socket for looking has the path of the other socket.
  case samePath(String)
}

extension SocketFailure: CustomStringConvertible {
  /// One line for a person, without a full stop.
  package var description: String {
    switch self {
    case .emptyPath:
      "the socket's path is empty"
    case .pathTooLong(let path, let bytes):
      "the socket's path has \(bytes) bytes, more than the limit for Unix sockets, \(SocketPath.maximumBytes): \(path)"
    case .directory(let path, let error):
      "cannot use the folder \(path): \(error)"
    case .directoryNotOurs(let path):
      "\(path) is not a folder of this user's own; give another socket with --socket"
    case .locked(let path):
      "another process keeps \(path) locked"
    case .lock(let path, let error):
      "cannot lock \(path): \(error)"
    case .inUse(let path, let pid?):
      "a daemon already listens on \(path) (process \(pid))"
    case .inUse(let path, nil):
      "a daemon already listens on \(path)"
    case .notASocket(let path):
      "\(path) exists and is not a socket; it was left alone"
    case .system(let doing, let path, let error):
      "cannot \(doing) \(path): \(error)"
    case .nobodyListens(let path):
      "no daemon listens on \(path)"
    case .portInUse(let address):
      "another program listens on \(address); give another port, or 0 for any that is free"
    case .noSuchGroup(let name):
      "there is no group \(name); 'groupadd' makes one"
    case .notInGroup(let name):
      "this process is not in the group \(name): add its user, who then has to log in again"
    case .unreachable(let group, let folder, let mode):
      "members of the group \(group) cannot reach the socket: \(folder) has mode 0\(String(mode, radix: 8))"
    case .replaceable(let folder):
      "another user could replace the socket, since \(folder) is not only this user's or root's to write"
    case .groupNeedsPath:
      "a socket for a group needs a path that others know: give --socket PATH or set FSMD_SOCKET"
    case .notListening(let descriptor):
      "descriptor \(descriptor), passed by $LISTEN_FDS, is no Unix socket that listens at a path: ListenStream=PATH"
    case .notForGroup(let path, let group):
      "the group \(group) cannot use the socket \(path): SocketGroup=\(group) and SocketMode=0660 in its unit"
    case .passed(let path, let option):
      "the service manager listens on \(path), so there is no \(option)"
    case .samePath(let path):
      "both sockets have the path \(path): --watch-socket needs one of its own"
    }
  }
}
