internal import CSystem
internal import Glibc

/// The Unix group whose members may connect to a socket.
package struct SocketGroup: Hashable, Sendable {
  package let name: String
  package let id: UInt32

  /// Looks a group up.
  ///
  /// - Throws: `noSuchGroup`; `notInGroup` if this process cannot give files to it.
  package init(named name: String) throws(SocketFailure) {
    guard let id = Accounts.group(named: name) else { throw .noSuchGroup(name) }
    guard Accounts.isMember(of: id) else { throw .notInGroup(name) }
    self.name = name
    self.id = id
  }

  init(name: String, id: UInt32) {
    self.name = name
    self.id = id
  }

  /// Checks that members of the group can reach a socket and that only this user and root can replace it.
  ///
  /// It looks at each folder of the path, as it is written and with links followed: whoever owns the folder of a link can
  /// replace the link. A folder with an access control list counts as reachable, since its mode does not say who may
  /// pass.
  ///
  /// - Throws: `unreachable`, `replaceable`, or `directory` for a folder that is missing.
  func checkFolders(of path: String) throws(SocketFailure) {
    let folder = SocketPath.directory(of: path)
    guard let real = realpath(folder, nil) else { throw .directory(path: folder, .last) }
    defer { free(real) }
    try checkFolders(from: String(cString: real))
    if folder != String(cString: real) { try checkFolders(from: folder) }
  }

  private func checkFolders(from last: String) throws(SocketFailure) {
    var name = last
    while true {
      var found = stat()
      guard stat(name, &found) == 0 else { throw .directory(path: name, .last) }
      let mode = found.st_mode & 0o7777
      let passes = found.st_gid == id ? mode & 0o010 != 0 : mode & 0o001 != 0
      guard passes || getxattr(name, "system.posix_acl_access", nil, 0) > 0 else {
        throw .unreachable(group: self.name, folder: name, mode: UInt32(mode))
      }
      // In a sticky folder like /tmp only its owner can remove a file.
      let isOurs = found.st_uid == geteuid() || found.st_uid == 0
      guard isOurs, mode & 0o022 == 0 || mode & 0o1000 != 0 else {
        throw .replaceable(folder: name)
      }
      if name == "/" || name == "." { return }
      name = SocketPath.directory(of: name)
    }
  }
}
