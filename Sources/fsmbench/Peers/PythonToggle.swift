internal import UnixHost

/// The toggle in python-statemachine, the package of PyPI for statecharts, stepped in a process of its own.
enum PythonToggle {
  static let name = "python-statemachine"

  /// Gets a number of nanoseconds, steps for so long, and prints steps per second.
  private static let program = """
    import sys, time
    from statemachine import State, StateMachine

    class Toggle(StateMachine):
        off = State(initial=True)
        on = State()
        press = off.to(on) | on.to(off)

    machine = Toggle()
    span = int(sys.argv[1]) / 1e9
    steps = 0
    begin = time.perf_counter()
    while (taken := time.perf_counter() - begin) < span:
        for _ in range(100):
            machine.send("press")
        steps += 100
    machine.send("press")
    assert machine.on.is_active
    print(round(steps / taken))
    """

  /// Steps per second.
  ///
  /// - Throws: ``BenchFailure/notHere(_:)`` if Python or the package is not there.
  static func rate(for nanoseconds: UInt64) throws -> Double {
    let pipe = try Pipe()
    let silence = try Pipe()
    defer {
      pipe.reading.close()
      silence.reading.close()
    }
    let child: Child
    do {
      defer {
        pipe.writing.close()
        silence.writing.close()
      }
      child = try Child.spawn(
        "python3", ["-W", "ignore", "-c", program, "\(nanoseconds)"], output: pipe.writing, error: silence.writing)
    } catch {
      throw BenchFailure.notHere("python3 cannot be started: \(error)")
    }
    let text = read(pipe.reading)
    guard child.waitForEnding() == .exited(0) else {
      throw BenchFailure.notHere(
        "\(name) cannot run; 'make bench' installs it with pip, which needs the network")
    }
    guard let rate = Double(text.filter { !$0.isWhitespace }), rate > 0 else {
      throw BenchFailure.wrongReply(to: name, expected: "a number", got: text)
    }
    return rate
  }

  private static func read(_ descriptor: Descriptor) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while case .bytes(let count) = buffer.withUnsafeMutableBytes({ descriptor.read(into: $0) }), count > 0 {
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
