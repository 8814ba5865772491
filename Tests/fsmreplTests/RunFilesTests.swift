import Glibc
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// Which files a script may name, and which may be written to.
struct RunFilesTests {
  private struct Folder {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws {
      folder = try TemporaryFolder()
    }

    func write(_ text: String, to name: String) {
      let file = Descriptor(rawValue: open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
      file.writeAll(text)
      file.close()
    }

    func mistakes(_ paths: [String]) -> [String] {
      RunFiles.scripts(paths).flatMap(\.mistakes).map { $0.replacing(path, with: "@") }
    }
  }

  @Test(
    "a file is chosen by its path, its name or a pattern of either",
    arguments: [("s.fsm", true), ("s*", true), ("*/s.fsm", true), ("s.fsm:one", true), ("t.fsm", false), ("s", false)])
  func only(pattern: String, isChosen: Bool) throws {
    let folder = try Folder()
    folder.write("case one\nnew power p\n", to: "s.fsm")
    var options = RunOptions(files: [])
    options.only = [pattern]
    let reading = try #require(RunFiles.scripts(["\(folder.path)/s.fsm"]).first)
    expectEqual(RunFile(reading, options) != nil, isChosen)
    options.only = ["\(folder.path)/s.fsm"]
    expect(RunFile(reading, options) != nil)
  }

  @Test("an include of a pipe, a device or a folder does not wait, and says what it is")
  func noFiles() throws {
    let folder = try Folder()
    mkfifo("\(folder.path)/pipe.fsm", 0o600)
    folder.write("include pipe.fsm", to: "s.fsm")
    expectEqual(
      folder.mistakes(["\(folder.path)/s.fsm"]),
      [
        "@/s.fsm:1:9: cannot read '@/pipe.fsm': it is a pipe, not a regular file"
      ])
    expectEqual(
      folder.mistakes([folder.path]).first, "fsmrepl: cannot read @/pipe.fsm: it is a pipe, not a regular file")
    unlink("\(folder.path)/pipe.fsm")
    mkdir("\(folder.path)/folder.fsm", 0o700)
    folder.write("include folder.fsm", to: "s.fsm")
    expectEqual(
      folder.mistakes(["\(folder.path)/s.fsm"]),
      [
        "@/s.fsm:1:9: cannot read '@/folder.fsm': it is a folder, not a regular file"
      ])
  }

  @Test("JSON that is no machine is passed over in a folder, and read where it is named")
  func otherJSON() throws {
    let folder = try Folder()
    folder.write("{\"initial\": ", to: "door.json")
    folder.write("list", to: "s.fsm")
    func names(_ path: String) -> [String] {
      RunFiles.scripts([path], checking: .asLoaded).map { $0.name.replacing(folder.path, with: "@") }
    }
    expectEqual(names(folder.path), ["@/s.fsm"])
    expectEqual(names("\(folder.path)/door.json"), ["@/door.json"])
  }

  @Test("a file whose name is not UTF-8 is told, not passed over")
  func strangeNames() throws {
    let folder = try Folder()
    let name = Array("\(folder.path)/".utf8) + [0xE9] + Array(".fsm".utf8)
    let bytes = name.map(CChar.init(bitPattern:)) + [0]
    let file = open(bytes, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    Descriptor(rawValue: file).close()
    expectEqual(folder.mistakes([folder.path]), ["fsmrepl: cannot read @/\u{FFFD}.fsm: its name is not UTF-8"])
    unlink(bytes)
  }

  @Test("a link to what is no script is not read, so that nothing of it stands in a message")
  func links() throws {
    let folder = try Folder()
    folder.write("root:$6$secret", to: "secret")
    symlink("secret", "\(folder.path)/link.fsm")
    folder.write("include link.fsm", to: "s.fsm")
    let why = "it is a link to a file whose name does not end with .fsm"
    expectEqual(folder.mistakes(["\(folder.path)/s.fsm"]), ["@/s.fsm:1:9: cannot read '@/link.fsm': \(why)"])
    expectEqual(folder.mistakes([folder.path]).first, "fsmrepl: cannot read @/link.fsm: \(why)")
    unlink("\(folder.path)/link.fsm")
    folder.write("list", to: "good.fsm")
    symlink("good.fsm", "\(folder.path)/link.fsm")
    expectEqual(folder.mistakes([folder.path]), [])
  }

  @Test("a recording in a pipe or a device does not wait", arguments: ["pipe", "/dev/null", "/dev/tty"])
  func recording(name: String) throws {
    let folder = try Folder()
    let path = name == "pipe" ? "\(folder.path)/pipe.fsm" : name
    if name == "pipe" { mkfifo(path, 0o600) }
    #expect {
      _ = try Recording(path)
    } throws: {
      "\($0)"
        == "cannot record in \(path): it is a \(name == "pipe" ? name : "device"), not a regular file"
    }
  }
}
