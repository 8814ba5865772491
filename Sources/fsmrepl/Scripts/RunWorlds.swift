internal import Glibc
internal import LineProtocol

/// Makes worlds for files, one each.
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

  /// How many names are tried before giving up.
  private static let mostTries = 100

  /// Makes a virtual world with an unused name.
  ///
  /// - Parameter ask: Sends a request and returns the last line of its answer.
  /// - Returns: The name of the world.
  mutating func make(
    seed: UInt64 = 0, ask: (String) throws(RunLink.Stop) -> ServerLine
  ) throws(RunLink.Stop) -> Result<String, Refusal> {
    var tries = 0
    while true {
      count += 1
      tries += 1
      let name = "run-\(getpid())-\(count)"
      last = name
      let made = try ask("world new \(name) clock=virtual seed=\(seed)")
      if made.lineClass == .success { return .success(name) }
      last = nil
      if made.code != FailureCode.nameTaken.word || tries == Self.mostTries { return .failure(Refusal(line: made)) }
    }
  }
}
