import TestSupport
import Testing
import UnixHost

/// Scripts that go back in time.
extension ScriptsTests {
  @Test("undo and goto: times, outputs and what is never to be count as if what was undone had never been")
  func goingBack() throws {
    let good = """
      new shiftKey key
      never key capsLock
      at 1s     send key character a   => stayed off outputs=text
      expect output key text
      undo                             => ok t=1s
      send key tap                     => on
      # Nothing of that is to be seen any more.
      at 3s
      goto 2s                          => ok t=2.000
      expect key on
      goto 0                           => ok t=0s
      expect key timers none
      at 1s     send key tap           => moved off on
      after 350ms
      undo 2                           => ok t=0
      undo                             => refused BAD-ARGUMENT
      send key tap                     => refused UNKNOWN-MACHINE
      repeat 3
        new shiftKey key
        after 1s  send key tap  => on
        undo 2
      end

      """
    let run = try run(["a.fsm": good], "@a.fsm")
    expectEqual(run.output, "ok      a.fsm  0.000 s, 30 steps, 16 expectations\n", "\(run.output)")
    expectEqual(run.code, .exited(0))
    let pace = try self.run(["a.fsm": good], "--real", "--speed", "1000000", "@a.fsm")
    expectEqual(pace.code, .exited(0), "\(pace.output)")
  }

  @Test(
    "what going back makes wrong is told at the line that went back, or at what was expected behind it",
    arguments: [
      (
        "send key tap\nsend key tap\nnever key on\nundo", "s.fsm:5:1: undo", "never key on (s.fsm:4)",
        "key in on at 0.000"
      ),
      (
        "at 1s send key character a\nundo\nexpect output key text", "s.fsm:4:19: expect output key text",
        "output text of key at 1.000", "no output of key"
      ),
      (
        "send key character a\nat 1s send key character b\nundo\nexpect output key text",
        "s.fsm:5:19: expect output key text", "output text of key at 1.000", "last text at 0.000"
      ),
      ("after 2s\ngoto 1s\nat 500ms", "s.fsm:4:4: at 500ms", "ok", "refused BAD-ARGUMENT : "),
      ("goto 1s", "s.fsm:2:6: goto 1s", "ok", "refused BAD-ARGUMENT : it is only 0.000; 'advance until' moves time on"),
    ])
  func wrongBack(lines: String, place: String, expected: String, got: String) throws {
    let run = try run(["s.fsm": "new shiftKey key\n\(lines)\nlist\n"], "@s.fsm")
    let shown = run.output.split(separator: "\n")
    try #require(shown.count > 3, "\(run.output)")
    expectEqual(shown[1], "  \(place)")
    expectEqual(shown[2], "    expected  \(expected)")
    expect(shown[3], hasPrefix: "    got       \(got)", "\(run.output)")
  }
}
