/// Why a row has no figure.
enum BenchFailure: Error, CustomStringConvertible {
  /// A program could not be started, or did not answer in time.
  case noServer(String)
  /// The connection ended or nothing came in time; the text says what was being waited for.
  case lost(String)
  /// A reply is not what a correct server says: the figure would be worth nothing.
  case wrongReply(to: String, expected: String, got: String)

  var description: String {
    switch self {
    case .noServer(let text), .lost(let text): text
    case .wrongReply(let request, let expected, let got): "\(request): expected \(expected), got \(got)"
    }
  }
}
