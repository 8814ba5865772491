internal import UnixHost

/// One line of the table: what was measured, compared with what, and its targets.
struct Row {
  let ours: Figure
  /// Nil if nothing comparable exists.
  var peer: Peer?
  let targets: [Target]
  /// What a reader must know to trust the figure.
  var remark: String?

  struct Peer {
    let name: String
    let figure: Figure
    /// Ours divided by the peer's, the median over the rounds.
    let ratio: Double
  }

  enum Target {
    case ratioAtLeast(Double)
    case ratioAtMost(Double)
    case atLeast(Figure)
    case atMost(Figure)
    /// A condition checked besides the figures, in words.
    case holds(String, Bool)

    var text: String {
      switch self {
      case .ratioAtLeast(let least): "≥ \(threeDigits(least)) ×"
      case .ratioAtMost(let most): "≤ \(threeDigits(most)) ×"
      case .atLeast(let least): "≥ \(least.text)"
      case .atMost(let most): "≤ \(most.text)"
      case .holds(let text, let isTrue): isTrue ? text : "\(text) (no)"
      }
    }

    func isMet(by row: Row) -> Bool {
      switch self {
      case .ratioAtLeast(let least): row.peer.map { $0.ratio >= least } ?? false
      case .ratioAtMost(let most): row.peer.map { $0.ratio <= most } ?? false
      case .atLeast(let least): row.ours.value >= least.value
      case .atMost(let most): row.ours.value <= most.value
      case .holds(_, let isTrue): isTrue
      }
    }
  }

  var isMet: Bool { targets.allSatisfy { $0.isMet(by: self) } }
}

extension Row {
  /// - Parameter peer: The name of what was measured in turn with ours.
  init(_ pairing: Pairing, _ unit: Figure.Unit, beside peer: String, targets: [Target], remark: String? = nil) {
    self.init(
      ours: Figure(value: pairing.ours, unit: unit),
      peer: Peer(name: peer, figure: Figure(value: pairing.peer, unit: unit), ratio: pairing.ratio), targets: targets,
      remark: remark)
  }
}

/// Prints the table, each row once it is measured.
struct Table {
  private static let widths = [46, 11, 34, 7, 21, 4]

  func begin() {
    write(["what", "fsmd", "peer", "ratio", "target", "met"])
    Descriptor.standardOutput.writeAll(String(repeating: "-", count: Self.widths.reduce(5, +)) + "\n")
  }

  func add(_ row: Row, what: String) {
    write([
      what, row.ours.text, row.peer.map { "\($0.name) \($0.figure.text)" } ?? "",
      row.peer.map { threeDigits($0.ratio) } ?? "", row.targets.map(\.text).joined(separator: ", "),
      row.targets.isEmpty ? "" : row.isMet ? "yes" : "NO",
    ])
    if let remark = row.remark { Descriptor.standardOutput.writeAll("    \(remark)\n") }
  }

  func addFailure(_ error: any Error, what: String) {
    write([what, "failed"])
    Descriptor.standardOutput.writeAll("    \(error)\n")
  }

  /// A row that cannot be measured here, which is no failure.
  func addOmission(_ why: String, what: String) {
    write([what, "not here"])
    Descriptor.standardOutput.writeAll("    \(why)\n")
  }

  private func write(_ cells: [String]) {
    let padded = zip(cells, Self.widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }
    var line = padded.joined(separator: " ")
    while line.last == " " { line.removeLast() }
    Descriptor.standardOutput.writeAll(line + "\n")
  }
}
