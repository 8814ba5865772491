internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Makes worlds for files, one each, or for a lesson, which needs one after the other.
struct RunWorlds {
  /// Why the daemon refused to make a world.
  struct Refusal: Error {
    let line: ServerLine

    func failure(of file: String) -> RunFailure {
      RunFailure(
        status: .failed, place: file, line: "", expected: "a world", got: "\(line.code) : \(line.note ?? "")")
    }
  }

  /// The world made last. Set before the request, so that it is known even if no answer arrives.
  private(set) var last: String?
  private var count = 0
  private let name: String?
  /// What the names of the worlds begin with, if they have no other.
  private let base: String

  /// How many names are tried before giving up.
  private static let maxTries = 100

  /// - Parameters:
  ///   - name: The name of the worlds, which gets a number only if it is used already; nil numbers all.
  ///   - worker: Which of several players side by side makes them, from 0.
  init(named name: String? = nil, worker: Int = 0) {
    self.name = name
    base = "run-\(getpid())" + (worker > 0 ? "w\(worker)" : "")
  }

  /// Makes a virtual world with an unused name and uses it, so that what a script sends stays in it: nothing of the
  /// script may be sent before the daemon confirms that.
  ///
  /// - Returns: The name of the world.
  mutating func enter(on link: Dialogue, seed: UInt64) throws(Dialogue.Stop) -> Result<String, Refusal> {
    var tries = 0
    var free = name
    while true {
      tries += 1
      if free == nil { count += 1 }
      let name = free ?? "\(name ?? base)-\(count)"
      free = nil
      last = name
      // At once: most of a short script's time is the way there and back.
      link.send("world new \(name) clock=virtual seed=\(seed)\nuse \(name)\n")
      let made = try link.answer().last
      let used = try link.answer().last
      if made.lineClass == .success {
        return used.lineClass == .success ? .success(name) : .failure(Refusal(line: used))
      }
      last = nil
      if made.code != FailureCode.nameTaken.word || tries == Self.maxTries { return .failure(Refusal(line: made)) }
    }
  }
}

extension ScriptPlayer {
  /// How long to wait for answers after Ctrl-C, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000

  /// Cancels what is under way and drops a world, and another one, with a time limit.
  func leave(_ world: String, and other: String? = nil, complain: (ScreenText) -> Void) {
    link.deadline = HostClock.now() + Self.parting
    do throws(Stop) {
      try drain()
      for name in [other, world].compactMap(\.self) { _ = try ask("world drop \(name)") }
    } catch {
      complain("the world \(world) may still exist")
    }
  }
}
