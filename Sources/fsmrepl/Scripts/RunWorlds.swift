internal import Glibc
internal import LineProtocol

/// Worlds that belong to one file each.
struct RunWorlds {
  /// Why there is none to be had, as the daemon says.
  struct Refusal: Error {
    let line: ServerLine

    func failure(of file: String) -> RunFailure {
      RunFailure(
        status: .failed, place: file, line: "", expected: "a world", got: "\(line.code) : \(line.note ?? "")")
    }
  }

  /// The one that was made last, or was about to be when nothing more was heard.
  private(set) var last: String?
  private var count = 0

  /// How many names are tried before giving up.
  private static let mostTries = 100

  /// Makes a virtual world with a name that nobody else has.
  ///
  /// - Parameter ask: Sends a request and gives the last line of its answer.
  /// - Returns: Its name.
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
