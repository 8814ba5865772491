import Foundation
import TestSupport
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
    expectEqual(session.code, .exited(0), "\(session.log)")
    let lines = session.output.split(separator: "\n")
    let place = lines.firstIndex { $0.contains("saved") }
    expectEqual(place, lines.count - 3, "\(session.output)")
    let script = try self.place.text("w.fsm")
    expect(script, contains: "seed 3\nnew shiftKey key\nsend key tap\nat 1s\nexpect key on\n", "\(script)")
    try expectEqual(self.place.run("run", "@w.fsm").code, .exited(0))
  }

  @Test("a file that is there is overwritten only if that is asked for, and a file that cannot be made is told")
  func refused() throws {
    try place.write("taken.fsm", "mine")
    let refused = try place.run("--private", "-e", "new power p", "-e", "save \(place.path("taken.fsm"))")
    expectEqual(refused.code, .exited(3))
    expect(refused.output, contains: "it is there already; 'replace' overwrites it")
    try expectEqual(place.text("taken.fsm"), "mine")
    let replaced = try place.run("--private", "-e", "new power p", "-e", "save \(place.path("taken.fsm")) replace")
    expectEqual(replaced.code, .exited(0))
    try expect(place.text("taken.fsm"), hasPrefix: "# World main as of ")
    let absent = try place.run("--private", "-k", "-e", "save \(place.path("no/w.fsm"))", "-e", "list")
    expect(absent.output, hasSuffix: "no/w.fsm: No such file or directory\n+ 0\n", "\(absent.output)")
    let within = try place.run("--private", "-k", "-e", "begin", "-e", "save \(place.path("w.fsm"))", "-e", "end")
    expect(within.output, contains: "between 'begin' and 'end'", "\(within.output)")
  }

  @Test("a machine is exported with a page that needs nothing from elsewhere, and what cannot be written is told")
  func exported() throws {
    try FileManager.default.createDirectory(atPath: place.path("out"), withIntermediateDirectories: false)
    let session = try place.run(
      "--private", "-e", "world new w", "-e", "use w", "-e", "new phoneCall call", "-e", "new shiftKey key", "-e",
      "send key tap", "-e", "export key \(place.path("out"))", "-e", "export call \(place.path("call"))")
    expectEqual(session.code, .exited(0), "\(session.output)")
    try expect(place.text("out/journal.txt"), contains: " key moved off on event=tap\n")
    try expect(place.text("out/world.fsm"), contains: "\nsend key tap\n")
    try expect(place.text("out/wave.svg"), hasPrefix: "<svg ")
    let page = try place.text("out/index.html")
    expect(page, contains: #""graph key format=json present=no":[{"class":"data","text":"#)
    expect(page, contains: #""wave key from=0 format=json":[{"class":"data","text":"#, "the readings over time")
    expect(
      page.contains(#"{"class":"data","seq":"#)
        && page.contains(#""what":"moved","from":"off","to":"on","event":"tap"}"#))
    expect(!page.contains("call.phone"), "only what was asked for")
    // Nothing of the page is outside of it: no address but those of names and of what is in it.
    for link in page.matches(of: #/(?:href|src)="([^"]*)"/#) {
      expect(link.output.1, hasPrefix: "data:", "\(link.output.1)")
    }
    expectEqual(page.components(separatedBy: "</script>").count, 3)
    let call = try place.text("call/index.html")
    expect(call.contains(#""show call.phone":["#) && call.contains(#""describe callTracker":["#))
    // The same with what Graphviz draws left out.
    let failed = try place.run("--private", "-k", "-e", "export no \(place.path("no"))", "-e", "export key")
    expect(
      failed.output.contains("- UNKNOWN-MACHINE machine=no") && failed.output.contains("- USAGE : export is used as"))
  }

  @Test("what could end the page's script stays a text")
  func markup() throws {
    let session = try place.run(
      "--private", "-e", "world new w", "-e", "use w", "-e", "new shiftKey key", "-e", "send key character \"<\"", "-e",
      "export key \(place.path("out"))")
    expectEqual(session.code, .exited(0), "\(session.output)")
    let page = try place.text("out/index.html")
    expect(page.contains(#""\u003c""#) && !page.contains(#""<""#))
  }
}
