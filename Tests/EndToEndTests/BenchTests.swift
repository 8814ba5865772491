import Foundation
import TestSupport
import Testing
import UnixHost

/// `fsmrepl run` as a tester uses it: cases, values, selection, several files at once, coverage.
struct BenchTests {
  typealias Run = ScriptsTests.Run

  private func run(_ files: [String: String], _ arguments: String...) throws -> Run {
    try ScriptsTests().run(files, options: arguments)
  }

  private static let cases = """
    new shiftKey key
    send key tap
    case "at 349 ms"
    at 349ms send key tap => capsLock
    case "at 350 ms"
    at 350ms send key tap => capsLock
    case last
    expect? key off
    expect? key timers none
    send key tap => capsLock

    """

  @Test("each case has a fresh world behind the set-up; all run; TAP and JUnit have an entry for each")
  func cases() throws {
    let run = try run(["c.fsm": Self.cases, "d.fsm": "list"], "--tap", "--junit", "@j.xml", "@c.fsm", "@d.fsm")
    expectEqual(run.code, .exited(4))
    let lines = run.output.split(separator: "\n").filter {
      $0.hasPrefix("ok") || $0.hasPrefix("not ok") || $0.hasPrefix("1..")
    }
    expectEqual(
      lines,
      [
        "1..4", "ok 1 - c.fsm:at 349 ms", "not ok 2 - c.fsm:at 350 ms", "not ok 3 - c.fsm:last",
        "ok 4 - d.fsm # SKIP not run after a failure",
      ])
    // Both soft failures of the last case, and none of the line after them.
    expect(run.output.contains("at: 'c.fsm:8:13'") && run.output.contains("    - 'c.fsm:9:20: expected timers none"))
    try expect(
      self.run(["c.fsm": Self.cases], "@c.fsm", "--only", "*:last").output, contains: "armed doubleTap due=0.350\n")
    let folder = try TemporaryFolder()
    let xml = "\(folder.path)/j.xml"
    _ = try self.run(["c.fsm": Self.cases], "@c.fsm", "--junit", xml)
    let report = try String(contentsOfFile: xml, encoding: .utf8)
    expect(report.contains("c.fsm\" name=\"at 350 ms\"") && report.contains("tests=\"3\" failures=\"2\""))
  }

  @Test("each mistake stands under its case, one of the set-up under the first; the others are not played")
  func mistakesOfCases() throws {
    let text = """
      new shiftKey key colour=red
      case good
      send key tap => on
      case wrong
      send key tpa
      expect key onn
      case "wrong, too"
      fire key tap
      case last
      send key tap
      """
    let files = ["c.fsm": text.replacing(" colour=red", with: ""), "d.fsm": text]
    let run = try run(files, "-k", "@c.fsm", "@d.fsm", "--tap")
    expectEqual(run.code, .exited(3))
    let skip = "# SKIP not run after a failure"
    let lines = run.output.split(separator: "\n").filter { line in
      ["ok", "not ok", "  at: ", "    - 'c.fsm"].contains { line.hasPrefix($0) }
    }
    expectEqual(
      lines.map { $0.prefix { $0 != "," } },
      [
        "ok 1 - c.fsm:good \(skip)", "not ok 2 - c.fsm:wrong", "  at: 'c.fsm:5:10'", "    - 'c.fsm:6:12: expected ok",
        "not ok 3 - c.fsm:wrong", "  at: 'c.fsm:8:10'", "ok 4 - c.fsm:last \(skip)", "not ok 5 - d.fsm:good",
        "  at: 'd.fsm:1:18'", "ok 6 - d.fsm:wrong \(skip)", "ok 7 - d.fsm:wrong", "ok 8 - d.fsm:last \(skip)",
      ])
    // A check has one entry for each file.
    let check = try self.run(files, "--check", "@c.fsm").output
    expectEqual(check.split(separator: "\n").count { $0.hasPrefix("  c.fsm:") }, 3)
  }

  @Test("values from outside, and where an included file failed, as played")
  func values() throws {
    let files = [
      "main.fsm": "new shiftKey key\nsend key tap\ninclude _wait.fsm d=350ms",
      "_wait.fsm": "let d = 1ms\nlet s = capsLock\nafter $d send key tap => $s",
    ]
    let run = try run(files, "@main.fsm")
    expectEqual(run.code, .exited(4))
    expect(
      run.output,
      contains: """
          _wait.fsm:3:26: after $d send key tap => $s
            included by main.fsm:3: include _wait.fsm d=350ms
            played    after 350ms send key tap => capsLock

        """)
    try expectEqual(self.run(files, "--let", "s=off", "@main.fsm").code, .exited(0))
    let unused = try self.run(files, "--let", "x=off", "@main.fsm")
    expect(unused.code == .exited(1) && unused.log == "fsmrepl: no script uses '$x', to which --let gives a value\n")
  }

  @Test("a folder leaves out what others include and what begins with '_'; with -k a wrong file fails alone")
  func folders() throws {
    let files = [
      "t/a.fsm": "include part.fsm", "t/part.fsm": "new shiftKey $undefined", "t/_b.fsm": "nonsense",
      "t/bad.fsm": "new shiftKey k\nsnd k tap", "t/good.fsm": "new shiftKey k", "t/x.fsm": "include y.fsm",
      "t/y.fsm": "include x.fsm",
    ]
    let listed = try run(["t/a.fsm": "case one\ncase two", "t/b.fsm": "list", "t/_c.fsm": ""], "--list", "@t")
    expect(listed.output == "t/a.fsm:one\nt/a.fsm:two\nt/b.fsm\n" && listed.code == .exited(0))
    let run = try run(files, "-k", "@t")
    expectEqual(run.code, .exited(1))
    let heads = run.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix(20) }
    expectEqual(
      heads,
      [
        "not ok  t/a.fsm", "not ok  t/bad.fsm", "ok      t/good.fsm  ", "not ok  t/x.fsm", "not ok  t/y.fsm",
        "1 of 5 passed",
      ])
  }

  @Test("files side by side: the same report as one after the other, also after a failure")
  func jobs() throws {
    var files: [String: String] = [:]
    for number in 10..<30 {
      files["f\(number).fsm"] =
        "new shiftKey key\ncase a\nsend key tap => on\ncase b\nafter \(number)ms send key tap\n"
        + (number == 25 ? "expect key off\n" : "")
    }
    let names = files.keys.sorted().map { "@\($0)" }
    for options in [["-k"], []] {
      let one = try ScriptsTests().run(files, options: options + names)
      let four = try ScriptsTests().run(files, options: options + ["-j", "4"] + names)
      expect(one.code == .exited(4) && four.code == .exited(4))
      // A world has the name of its worker in no report.
      expect(one.output == four.output && four.log == "")
    }
  }

  @Test("--repeat plays with one seed after the other, and says which")
  func repeats() throws {
    let run = try run(["a.fsm": "seed 5\nnew shiftKey k\ncase x\nsend k tap"], "--repeat", "2", "@a.fsm")
    expectEqual(
      run.output,
      "ok      a.fsm:x seed=5  0.000 s, 2 steps, 0 expectations\nok      a.fsm:x seed=6  0.000 s, 2 steps, 0 expectations\n2 of 2 passed\n"
    )
  }

  @Test("a warning fails its script, if that is wanted")
  func warnings() throws {
    let text = "define d format=mermaid\nstateDiagram-v2\n[*] --> a\nb --> c: go\nenddefine\nnew d m\n"
    try expectEqual(run(["w.fsm": text], "@w.fsm").code, .exited(0))
    let run = try run(["w.fsm": text], "--warnings-fail", "@w.fsm")
    expect(run.code == .exited(3) && run.output.contains("expected  no warning"))
  }

  @Test("coverage of all scripts together, as JSON, as a gate, and as a page")
  func coverage() throws {
    let folder = try TemporaryFolder()
    let files = [
      "a.fsm": "new shiftKey key\ncase a\nsend key tap\ncase b\nsend key tap\nsend key tap",
      "b.fsm": "new shiftKey key\nsend key tap\nsend key character a\nexpect coverage key >= 40%",
    ]
    let written = try run(files, "@a.fsm", "@b.fsm", "--coverage", "-")
    expectEqual(written.code, .exited(0))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(written.output.utf8)) as? [String: Any])
    let kind = try #require((json["kinds"] as? [[String: Any]])?.first)
    let moves = try #require(kind["transitions"] as? [String: Any])
    expect(kind["kind"] as? String == "shiftKey" && moves["reached"] as? Int == 3 && moves["all"] as? Int == 5)
    // Neither script alone has both outcomes of a tap: the late one is left.
    expectEqual(moves["untried"] as? [String], ["on off event=tap", "capsLock off event=tap"])
    expectEqual((kind["guards"] as? [String: Any])?["untried"] as? [String], ["on event=tap lacks=off"])
    try expectEqual(run(files, "@a.fsm", "@b.fsm", "--at-least", "60%").code, .exited(0))
    let low = try run(files, "@a.fsm", "@b.fsm", "--at-least", "61%", "--coverage", "\(folder.path)/cov/")
    expectEqual(low.code, .exited(4))
    expectEqual(
      low.log, "fsmrepl: too little is covered: shiftKey: 60% of the transitions (3 of 5), which is below 61%\n")
    let page = try String(contentsOfFile: "\(folder.path)/cov/index.html", encoding: .utf8)
    expect(page.contains("shiftKey.svg") && page.contains("<td class=\"low\">3/5</td>"))
    let picture = try String(contentsOfFile: "\(folder.path)/cov/shiftKey.svg", encoding: .utf8)
    let marked = picture.matches(of: /#(a\d) path/).map { "\($0.1)" }
    expectEqual(Set(marked), ["a3", "a4"], "the late tap, and the tap that ends capsLock")
    try expectEqual(run(["e.fsm": "list"], "@e.fsm", "--at-least", "0%").code, .exited(4))
  }
}
