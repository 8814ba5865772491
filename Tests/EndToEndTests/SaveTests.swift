import Testing
import UnixHost

/// `save` in the program.
struct SaveTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
  }

  @Test("a world is saved as a script that plays; answers keep their order, in both forms", arguments: [false, true])
  func saved(isJSON: Bool) throws {
    let session = try place.run(
      ["--private"] + (isJSON ? ["--json"] : []) + [
        "-e", "world new w seed=3", "-e", "use w", "-e", "new shiftKey key", "-e", "send key tap", "-e", "advance 1s",
        "-e", "save \(place.path("w.fsm"))", "-e", "count",
      ])
    #expect(session.code == .exited(0), "\(session.log)")
    let lines = session.output.split(separator: "\n")
    let place = lines.firstIndex { $0.contains("saved") }
    #expect(place == lines.count - 3, "\(session.output)")
    let script = try self.place.text("w.fsm")
    #expect(script.contains("seed 3\nnew shiftKey key\nsend key tap\nat 1s\nexpect key on\n"), "\(script)")
    #expect(try self.place.run("run", "@w.fsm").code == .exited(0))
  }

  @Test("a file that is there is overwritten only if that is asked for, and a file that cannot be made is told")
  func refused() throws {
    try place.write("taken.fsm", "mine")
    let refused = try place.run("--private", "-e", "new power p", "-e", "save \(place.path("taken.fsm"))")
    #expect(refused.code == .exited(3))
    #expect(refused.output.contains("it is there already; 'replace' overwrites it"))
    #expect(try place.text("taken.fsm") == "mine")
    let replaced = try place.run("--private", "-e", "new power p", "-e", "save \(place.path("taken.fsm")) replace")
    #expect(replaced.code == .exited(0))
    #expect(try place.text("taken.fsm").hasPrefix("# World main as of "))
    let absent = try place.run("--private", "-k", "-e", "save \(place.path("no/w.fsm"))", "-e", "list")
    #expect(absent.output.hasSuffix("no/w.fsm: No such file or directory\n+ 0\n"), "\(absent.output)")
    let within = try place.run("--private", "-k", "-e", "begin", "-e", "save \(place.path("w.fsm"))", "-e", "end")
    #expect(within.output.contains("between 'begin' and 'end'"), "\(within.output)")
  }
}
