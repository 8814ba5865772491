import Glibc
import TestSupport
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
    try expectEqual(resolve(option: "o.sock", all), SocketPath.resolve(option: "o.sock"))
    try expectEqual(resolve(option: "o.sock", all).path, "o.sock")
    try expectEqual(resolve(option: "o.sock", all).origin, .option)
    try expectEqual(resolve(all).path, "/v/s")
    try expectEqual(resolve(all).origin, .variable)
    let noVariable = try resolve(all.filter { $0.key != "FSMD_SOCKET" })
    expectEqual(noVariable.path, "/run/me/fsmd/fsmd.sock")
    expectEqual(noVariable.origin, .runtimeDirectory)
    let onlyTemporary = try resolve(["TMPDIR": "/t"])
    expectEqual(onlyTemporary.path, "/t/fsmd-\(geteuid())/fsmd.sock")
    expectEqual(onlyTemporary.origin, .temporaryDirectory)
    try expectEqual(resolve().path, "/tmp/fsmd-\(geteuid())/fsmd.sock")
  }

  @Test("an empty variable counts as unset, a relative folder too")
  func emptyIsUnset() throws {
    let empty = ["FSMD_SOCKET": "", "XDG_RUNTIME_DIR": "", "TMPDIR": ""]
    try expectEqual(resolve(empty).path, "/tmp/fsmd-\(geteuid())/fsmd.sock")
    try expectEqual(resolve(["XDG_RUNTIME_DIR": "here"]).origin, .temporaryDirectory)
  }

  @Test("an empty option is a mistake, not a default")
  func emptyOption() {
    #expect(throws: SocketFailure.emptyPath) { try resolve(option: "", all) }
  }

  @Test("107 bytes are a path, 108 are not")
  func limit() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    try expectEqual(resolve(option: longest).path, longest)
    #expect(throws: SocketFailure.pathTooLong(path: longest + "y", bytes: 108)) {
      try resolve(option: longest + "y")
    }
    expect(
      "\(SocketFailure.pathTooLong(path: "p", bytes: 108))",
      contains: "108 bytes, more than the limit for Unix sockets, 107")
  }

  @Test("the folder of a default path is made for this user alone")
  func makesFolder() throws {
    let base = TemporaryFolder.inMemory()
    let path = try resolve(["XDG_RUNTIME_DIR": base.path])
    try path.prepareDirectory()
    expectEqual(mode(of: "\(base.path)/fsmd"), 0o700)
    chmod("\(base.path)/fsmd", 0o755)
    try path.prepareDirectory()
    expectEqual(mode(of: "\(base.path)/fsmd"), 0o700)
  }

  @Test("a link or a file under the folder's name is not taken for the folder")
  func notOurFolder() throws {
    let base = TemporaryFolder.inMemory()
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
    let base = TemporaryFolder.inMemory()
    try resolve(option: "\(base.path)/new/s").prepareDirectory()
    expectNil(mode(of: "\(base.path)/new"))
  }

  @Test("the folder of a path", arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")])
  func directories(path: String, folder: String) {
    expectEqual(SocketPath.directory(of: path), folder)
  }
}
