/// A mistake in a document, or something that is legal and surely wrong.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
  public enum Severity: String, Hashable, Sendable {
    /// The document has no definition.
    case error
    /// The definition does what the document says, which is hardly what was meant.
    case warning
    /// What a diagram does not say and was read from it nevertheless.
    case note
  }

  public var severity: Severity
  /// The resource that has the mistake; `nil` for the document itself.
  public var resource: String?
  /// Counted from 1.
  public var line: Int
  /// In characters, counted from 1.
  public var column: Int
  /// One sentence: what was found, what was expected, and what may have been meant.
  public var message: String
  /// What can stand instead, from this place to the end of the line: it was read there, and is no mistake. `nil` if there
  /// is no proposal.
  public var write: String?

  public var description: String {
    "\(resource.map { "\($0):" } ?? "")\(line):\(column) \(severity.rawValue) : \(message)"
  }
}

/// Asks from time to time whether the reading of a document goes on. What an interrupted one results in means nothing.
final class ReadingPace {
  private let goesOn: () -> Bool
  private var count = 0
  private(set) var isInterrupted = false

  /// How many elements, states or lines are read between two questions.
  private static var stretch: Int { 64 }

  init(_ goesOn: @escaping () -> Bool) {
    self.goesOn = goesOn
  }

  /// To be called for each element, state or line.
  func mayGoOn() -> Bool {
    count += 1
    if count % Self.stretch == 0, !isInterrupted { isInterrupted = !goesOn() }
    return !isInterrupted
  }

  /// Ends the reading of a document that has a mistake for which it is not worth reading further.
  func stop() { isInterrupted = true }
}

/// How much a document may be.
public struct DocumentLimits: Hashable, Sendable {
  /// Bytes of a document and of each resource.
  public var bytes = 4 << 20
  /// Errors that are told. Of warnings and notes ``findings`` are.
  public var errors = 1_000
  /// Bytes of a line of a diagram, whose words are read together, and of a text of JSON.
  public var line = 64 << 10
  /// The depth of nested elements.
  public var depth = 250
  /// Elements and texts of one document.
  public var nodes = 500_000
  /// Bytes of text and attributes that entities can expand to, beyond which their size is limited to ten times that of
  /// the document.
  public var entityBytes = 64 << 10
  /// Findings that are told; the rest is counted.
  public var findings = 100

  public init() {}
}
