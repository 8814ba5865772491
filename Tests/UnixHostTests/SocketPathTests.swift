import Glibc
import Testing

@testable import UnixHost

struct SocketPathTests {
  private func resolve(
    option: String? = nil, _ variables: [String: String] = [:]
  ) throws(SocketFailure) -> SocketPath {
    try SocketPath.resolve(option: option, environment: { variables[$0] })
  }

  private let all = ["FSMD_SOCKET": "/v/s", "XDG_RUNTIME_DIR": "/run/me", "TMPDIR": "/t"]

  @Test("the strongest source that is set wins")
  func order() throws {
    #expect(try resolve(option: "o.sock", all) == SocketPath.resolve(option: "o.sock"))
    #expect(try resolve(option: "o.sock", all).path == "o.sock")
    #expect(try resolve(option: "o.sock", all).origin == .option)
    #expect(try resolve(all).path == "/v/s")
    #expect(try resolve(all).origin == .variable)
    let noVariable = try resolve(all.filter { $0.key != "FSMD_SOCKET" })
    #expect(noVariable.path == "/run/me/fsmd/fsmd.sock")
    #expect(noVariable.origin == .runtimeDirectory)
    let onlyTemporary = try resolve(["TMPDIR": "/t"])
    #expect(onlyTemporary.path == "/t/fsmd-\(geteuid())/fsmd.sock")
    #expect(onlyTemporary.origin == .temporaryDirectory)
    #expect(try resolve().path == "/tmp/fsmd-\(geteuid())/fsmd.sock")
  }

  @Test("an empty variable counts as unset, a relative folder too")
  func emptyIsUnset() throws {
    let empty = ["FSMD_SOCKET": "", "XDG_RUNTIME_DIR": "", "TMPDIR": ""]
    #expect(try resolve(empty).path == "/tmp/fsmd-\(geteuid())/fsmd.sock")
    #expect(try resolve(["XDG_RUNTIME_DIR": "here"]).origin == .temporaryDirectory)
  }

  @Test("an empty option is a mistake, not a default")
  func emptyOption() {
    #expect(throws: SocketFailure.emptyPath) { try resolve(option: "", all) }
  }

  @Test("107 bytes are a path, 108 are not")
  func limit() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(try resolve(option: longest).path == longest)
    #expect(throws: SocketFailure.pathTooLong(path: longest + "y", bytes: 108)) {
      try resolve(option: longest + "y")
    }
    #expect(
      "\(SocketFailure.pathTooLong(path: "p", bytes: 108))".contains(
        "108 bytes, more than the limit for Unix sockets, 107"))
  }

  @Test("the folder of a default path is made for this user alone")
  func makesFolder() throws {
    let base = TemporaryFolder()
    let path = try resolve(["XDG_RUNTIME_DIR": base.path])
    try path.prepareDirectory()
    #expect(mode(of: "\(base.path)/fsmd") == 0o700)
    chmod("\(base.path)/fsmd", 0o755)
    try path.prepareDirectory()
    #expect(mode(of: "\(base.path)/fsmd") == 0o700)
  }

  @Test("a link or a file under the folder's name is not taken for the folder")
  func notOurFolder() throws {
    let base = TemporaryFolder()
    let path = try resolve(["XDG_RUNTIME_DIR": base.path])
    symlink("/tmp", "\(base.path)/fsmd")
    #expect(throws: SocketFailure.directoryNotOurs(path: "\(base.path)/fsmd")) { try path.prepareDirectory() }
    unlink("\(base.path)/fsmd")
    close(creat("\(base.path)/fsmd", 0o600))
    #expect(throws: SocketFailure.directoryNotOurs(path: "\(base.path)/fsmd")) { try path.prepareDirectory() }
  }

  @Test("a missing parent is named")
  func missingParent() throws {
    let path = try resolve(["XDG_RUNTIME_DIR": "/nowhere/at-all"])
    #expect(throws: SocketFailure.directory(path: "/nowhere/at-all/fsmd", SystemError(code: ENOENT))) {
      try path.prepareDirectory()
    }
  }

  @Test("a path that somebody named keeps its folder as it is")
  func namedFolder() throws {
    let base = TemporaryFolder()
    try resolve(option: "\(base.path)/new/s").prepareDirectory()
    #expect(mode(of: "\(base.path)/new") == nil)
  }

  @Test("the folder of a path", arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")])
  func directories(path: String, folder: String) {
    #expect(SocketPath.directory(of: path) == folder)
  }
}
