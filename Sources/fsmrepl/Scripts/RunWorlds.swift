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

  /// Makes a virtual world with an unused name.
  ///
  /// - Returns: The name of the world.
  mutating func make(on link: Dialogue, seed: UInt64 = 0) throws(Dialogue.Stop) -> Result<String, Refusal> {
    var tries = 0
    var free = name
    while true {
      tries += 1
      if free == nil { count += 1 }
      let name = free ?? "\(name ?? base)-\(count)"
      free = nil
      last = name
      let made = try link.final("world new \(name) clock=virtual seed=\(seed)")
      if made.lineClass == .success { return .success(name) }
      last = nil
      if made.code != FailureCode.nameTaken.word || tries == Self.maxTries { return .failure(Refusal(line: made)) }
    }
  }

  /// Makes a world and uses it, so that what a script sends stays in it.
  mutating func enter(on link: Dialogue, seed: UInt64) throws(Dialogue.Stop) -> Result<String, Refusal> {
    let made = try make(on: link, seed: seed)
    guard case .success(let name) = made else { return made }
    // Nothing of the script may be sent before the daemon confirms that we are in this world.
    let used = try link.final("use \(name)")
    return used.lineClass == .success ? made : .failure(Refusal(line: used))
  }
}

extension ScriptPlayer {
  /// How long to wait for answers after Ctrl-C, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000

  /// Cancels what is under way and drops a world, and another one, with a time limit.
  func leave(_ world: String, and other: String? = nil, complain: (ScreenText) -> Void) {
    patience = HostClock.now() + Self.parting
    do throws(Stop) {
      try drain()
      for name in [other, world].compactMap(\.self) { _ = try ask("world drop \(name)") }
    } catch {
      complain("the world \(world) may still exist")
    }
  }
}
