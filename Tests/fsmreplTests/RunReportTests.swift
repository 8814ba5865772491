import Scripts
import LineProtocol
import Foundation
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

struct RunReportTests {
  private static func results() -> [RunResult] {
    var passed = RunResult(name: "a/b.fsm")
    passed.ending = .passed
    passed.steps = 1
    passed.duration = 1_500_000
    var failed = RunResult(name: "a/<c> & \"d\".fsm")
    failed.ending = .failed(
      RunFailure(
        status: .expectation, place: "c.fsm:1", line: "send k tap => on", expected: "on", got: "it's <off>\u{1}",
        journal: ["1 0.000 k created x \"a b\""]))
    var refused = RunResult(name: "#x.fsm")
    refused.ending = .failed(
      RunFailure(status: .failed, place: "x.fsm:2", line: "x", expected: "ok", got: "refused"))
    return [passed, failed, refused, RunResult(name: "late.fsm")]
  }

  @Test("for people: a line each, how long only where it is wanted, and a sum")
  func people() {
    let report = RunReport(format: .people(.bare, showsDuration: true))
    expectEqual(report.beginning(4), "")
    let results = Self.results()
    expectEqual(report.text(of: results[0], number: 1), "ok      a/b.fsm  0.000 s, 1 step, 0 expectations, 1.5 ms\n")
    expectEqual(report.text(of: results[3], number: 4), "")
    expectEqual(report.ending(results), "1 of 4 passed, 1 not run\n")
    expectEqual(report.ending([results[0]]), "")
  }

  @Test("TAP escapes what means something to it")
  func tap() {
    let report = RunReport(format: .tap)
    expect(report.text(of: Self.results()[2], number: 3).text, hasPrefix: "not ok 3 - \\#x.fsm\n  ---\n")
    expect(report.text(of: Self.results()[1], number: 2).text, contains: "\n  got: 'it''s <off>\\u{1}'\n")
    expectEqual(report.stopping("interrupted"), "Bail out! interrupted\n")
  }

  @Test("what was done of a file stays when its next test is interrupted")
  func stopped() throws {
    let folder = try TemporaryFolder()
    let (junit, output) = ("\(folder.path)/j.xml", try UnixHost.Pipe())
    let tests = ["one", "two", "three"].map { title in
      var result = RunResult(name: "a.fsm")
      result.title = title
      return result
    }
    var done = tests[0]
    done.ending = .passed
    let client = Client(endpoint: Endpoint(try SocketPath.resolve(option: "\(folder.path)/none")))
    let run = FileRun(
      subject: .scripts, isTAP: false, junit: junit, keepsGoing: false, style: .bare, client: client,
      output: output.writing)
    let code = run.run([tests]) { take throws(Dialogue.Stop) in
      try expect(!take(0, .stopped([done], .lost)))
      throw .lost
    }
    output.writing.close()
    expectEqual(code, .noConnection)
    let text = String(decoding: try output.reading.readToEnd(atMost: 1 << 16) {}, as: UTF8.self)
    expect(text, contains: "ok      a.fsm:one  ")
    expect(text, hasSuffix: "1 of 3 passed, the connection to the daemon was lost in a.fsm:two, 1 not run\n")
    let report = try String(contentsOfFile: junit, encoding: .utf8)
    expect(report, contains: #"tests="3" failures="0" errors="1" skipped="1""#)
  }

  @Test("JUnit is well-formed, and counts failures, errors and what was skipped")
  func junit() {
    let text = RunReport(format: .tap).junit(Self.results())
    expect(text, contains: #"tests="4" failures="1" errors="1" skipped="1" time="0.001""#, "\(text)")
    expect(text, contains: #"<testcase classname="a" name="b.fsm" assertions="0" time="0.001"/>"#, "\(text)")
    expect(text, contains: "name=\"&lt;c&gt; &amp; &quot;d&quot;.fsm\"", "\(text)")
    expect(!text.contains("\u{1}"))
    var open: [Substring] = []
    for match in text.matches(of: #/<(/?)([a-z]+)((?:\s+[a-z]+="[^"<]*")*)\s*(/?)>/#) {
      if match.output.1 == "/" {
        expectEqual(open.popLast(), match.output.2)
      } else if match.output.4.isEmpty {
        open.append(match.output.2)
      }
    }
    expect(open.isEmpty)
    let rest = text.replacing(#/<\?xml [^>]*\?>|<[^<>]*>|&(?:lt|gt|amp|quot|#10|#9);/#, with: "")
    expect(!rest.contains("<") && !rest.contains(">") && !rest.contains("&"), "\(rest)")
  }
}

struct ShownMachineTests {
  private let shown = ShownMachine(
    [
      ". state list(5)", ". reading temperature 4.000 °C", ". reading note \"a b\"",
      ". timer a(1,2) due=1.000 left=1.000",
      ". allowed x y",
    ].compactMap { ServerLine($0) })

  @Test("what show says is taken apart")
  func parts() {
    expectEqual(shown.state, "list(5)")
    expectEqual(shown.timers, ["a(1,2)"])
  }

  @Test("readings are compared as numbers where they are")
  func readings() {
    expectNil(shown.difference("temperature", .number(4, tolerance: 0)))
    expectNil(shown.difference("temperature", .number(4.05, tolerance: 0.05)))
    expectEqual(shown.difference("temperature", .seconds(4, tolerance: 1))?.expected, "temperature 4 ±1 s")
    expectEqual(shown.difference("temperature", .number(4.05, tolerance: 0.04))?.expected, "temperature 4.05 ±0.04")
    expectNil(shown.difference("note", .text("a b")))
    expectEqual(shown.difference("note", .number(1, tolerance: 0))?.got, "note \"a b\"")
    expectNil(shown.difference("none", .none))
    expectEqual(shown.difference("none", .number(1, tolerance: 0))?.got, "no reading 'none'; it has temperature, note")
    expectEqual(shown.difference("note", .none)?.expected, "no reading 'note'")
  }

  @Test(
    "the state that a notice speaks of",
    arguments: [
      ("1 0.000 k created kind on", "on"), ("1 0.000 k moved off on event=e", "on"), ("1 0.000 k stayed on", "on"),
      ("1 0.000 k ignored on", "on"), ("1 0.000 k output on x y", nil), ("1 0.000 k armed on due=1", nil),
    ])
  func states(notice: String, state: String?) {
    expectEqual(
      ShownMachine.state(in: notice.split(separator: " ").filter { !$0.contains("=") }.map(String.init)), state)
  }

  @Test("outputs count at the moment of the last only")
  func outputs() {
    var outputs = RunOutputs(keepsAll: true)
    outputs.take("o", of: "k", at: "1.000", by: 1)
    outputs.take("o", of: "k", at: "2.000", by: 2)
    outputs.take("p", of: "k", at: "2.000", by: 3)
    expect(outputs.has("o", of: "k", at: "2.000") && !outputs.has("o", of: "k", at: "1.000"))
    expect(outputs.last("o", of: "k") == 2 && outputs.last("o", of: "x") == 0)
    expectEqual(outputs.text(of: "k", at: "2.000"), "output o,p")
    expectEqual(outputs.text(of: "k", at: "3.000"), "last o at 2.000, p at 2.000")
    outputs.forget(from: 2)
    expect(outputs.has("o", of: "k", at: "1.000") && outputs.last("p", of: "k") == 0)
    outputs.forget(from: 1)
    expectEqual(outputs.text(of: "k", at: "1.000"), "no output of k")
    outputs = RunOutputs(keepsAll: false)
    for number: UInt64 in 1...3 { outputs.take("o", of: "k", at: "\(number).000", by: number) }
    expect(outputs.last("o", of: "k") == 3 && outputs.has("o", of: "k", at: "3.000"))
    outputs.forget(from: 3)
    expectEqual(outputs.last("o", of: "k"), 0, "only the last is kept where the world does not go back")
  }
}
