import MachineTesting
import Simulations
import StateMachines
import Synchronization
import TestSupport
import Testing

/// What is recorded while a play is expected to fail; nil otherwise.
private let expectedIssues = Mutex<[Issue]?>(nil)

/// The bench itself: what a row does not say fails, at its line.
@Suite(
  .serialized,
  .compactMapIssues { issue in expectedIssues.withLock { $0?.append(issue) == nil ? issue : nil } })
struct BenchTests {
  /// The one issue of a play: its line, counted from the call's, and its text.
  private func issue(line: Int = #line, of play: () -> Void) -> (line: Int, text: String) {
    expectedIssues.withLock { $0 = [] }
    play()
    let issues = expectedIssues.withLock { $0.take() } ?? []
    expectEqual(issues.count, 1)
    guard let issue = issues.first else { return (0, "") }
    return ((issue.sourceLocation?.line ?? 0) - line, issue.comments.map(\.rawValue).joined())
  }

  @Test("rows say everything: states, outputs, timers and their moments")
  func plays() {
    Bench(ShiftKey.kind).play(
      """
      created       | → off
      tap           | → on + doubleTap 350ms
      advance 200ms |
      tap           | → capsLock - doubleTap
      character a   | stayed > text A
      tap           | → off
      tap           | → on + doubleTap 350ms
      advance 1s    | doubleTap at 550ms stayed
      character b   | → off > text B
      tap           | → on + doubleTap 350ms
      fire doubleTap | stayed
      """)
  }

  @Test("a timer that a row does not mention fails, at the line of the row")
  func unsaid() {
    let issue = issue {
      Bench(ShiftKey.kind).play(
        """
        tap           | → on + doubleTap 350ms
        advance 350ms |
        tap           | → nowhere
        """)
    }
    expectEqual(issue.line, 4)
    expectEqual(issue.text, "advance 350ms, at 0s in on\n  + doubleTap stayed")
  }

  @Test("what differs is shown beside what came")
  func different() {
    let issue = issue {
      Bench(ShiftKey.kind).play(
        """
        tap | → on
        """)
    }
    expectEqual(issue.text, "tap, at 0s in off\n  − → on\n  + → on + doubleTap 350ms")
    let consequence = self.issue {
      let bench = Bench()
      bench.add(.phoneCall, "p")
      bench.play(
        """
        p.tracker phoneTapped 112 | → start > open 112
                                  | p.phone: openTel ignored
        """)
    }
    expectEqual(
      consequence.text,
      "p.tracker phoneTapped 112, at 0s in p.tracker none, p.phone foreground+noAlert+idle\n"
        + "    → start > open 112\n  − p.phone: openTel ignored\n  + p.phone: openTel stayed + alert 100ms")
  }

  @Test(
    "an input that cannot be performed says what could",
    arguments: [
      ("tip |", "shiftKey and knows no event tip, but tap, character"), ("character |", "character takes c"),
      ("tap x |", "tap takes no arguments"), ("advance 1 |", "a number with its unit"),
      ("fire doubleTap |", "these do: none"), ("tap | → on + doubleTap 350ms\ncreated |", "only the first row"),
      ("| → on", "no input in the row"),
    ])
  func mistakes(rows: String, text: String) {
    let issue = issue { Bench(ShiftKey.kind).play(rows) }
    expect(issue.text.contains(text), "\(issue.text)")
  }

  @Test("a parameter, a state or a file that does not exist is an issue, and no machine is made")
  func unknown() {
    expect(issue { _ = Bench(ShiftKey.kind, ["window": .flag(true)]) }.text, contains: "but doubleTap, gestureMode")
    expect(issue { _ = Bench(ShiftKey.kind, ["gestureMode": .integer(1)]) }.text, contains: "cannot be 1")
    expect(issue { _ = Bench(ShiftKey.kind, initial: "up") }.text, contains: "but in off, on, capsLock")
    expect(issue { _ = Table(ShiftKey.kind, in: "Nowhere.swift") }.text, contains: "Nowhere.swift")
  }

  @Test("a wrong cell fails at its line; a cell's note does not matter; a missing row or column is named")
  func tables() {
    let wrong = issue {
      Table(
        Power.kind,
        """
        state | buttonClick   | set(true) | set(false)
        off   | → on; a click | → on      | ignored
        on    | → off         | stayed    | → off
        """
      ).check()
    }
    expect(wrong.line == 6 && wrong.text == "power: on, set(true): ignored, not stayed")
    let missing = Table(Power.kind, "state | buttonClick\noff | → on").mismatches()
    expectEqual(missing, ["power: set has no column", "power: on has no row"])
    let unknown = Table(Power.kind, "state | click\noff, up | → on").mismatches()
    expect(unknown, contains: "power: click is no input, but these are: buttonClick, set")
    expect(unknown, contains: "power: up is no initial state, but these are: off, on")
  }
}
