/// Why a row has no figure.
enum BenchFailure: Error, CustomStringConvertible {
  /// A program could not be started, or did not answer in time.
  case noServer(String)
  /// The connection ended or timed out; the text says what was expected.
  case lost(String)
  /// A reply is not that of a correct server, so the figure would be meaningless.
  case wrongReply(to: String, expected: String, got: String)
  /// What the row needs is not on this machine, and nobody has to have it.
  case notHere(String)

  var description: String {
    switch self {
    case .noServer(let text), .lost(let text), .notHere(let text): text
    case .wrongReply(let request, let expected, let got): "\(request): expected \(expected), got \(got)"
    }
  }
}
