/// A place that breaks a rule.
struct Finding: CustomStringConvertible {
  let path: String
  /// Counted from 1.
  let line: Int
  let what: String

  var description: String { "\(path):\(line): \(what)" }
}

/// A place that breaks a rule and may, with the reason why.
struct Exemption {
  let path: String
  let reason: String
}

extension [Finding] {
  /// What is left when the exempted files are taken out; an exemption that nothing needs is a finding itself.
  func without(_ exemptions: [Exemption]) -> [Finding] {
    let unneeded = exemptions.filter { exemption in !contains { $0.path == exemption.path } }
    return filter { finding in !exemptions.contains { $0.path == finding.path } }
      + unneeded.map { Finding(path: $0.path, line: 1, what: "is exempted but breaks nothing: take it off the list") }
  }

  /// For a test's message: one per line.
  var listing: String { map(\.description).joined(separator: "\n") }
}
