/// The forms in which the daemon writes its lines.
package enum LineForm: String, CaseIterable, Sendable {
  case text
  /// Objects in which each word is a member, by ``ReplyShape``. `Docs/Json.md` describes them.
  case json
}

/// The names of classes in the JSON form of a line, and the types of the values of its keys.
enum JSONMembers {
  /// The JSON type of the value of a `key=value` word.
  enum ValueForm {
    case text
    /// A number if it is written as JSON writes one; otherwise text.
    case number
    /// Words separated by commas.
    case list
  }

  static func name(of lineClass: LineClass) -> StaticString {
    switch lineClass {
    case .success: "success"
    case .failure: "failure"
    case .data: "data"
    case .notice: "notice"
    case .flow: "flow"
    }
  }

  /// Whether a line of data with this first word has keys that a kind defines: those of its event or output.
  static func namesArguments(_ word: UnsafeRawBufferPointer) -> Bool {
    word.equals("event") || word.equals("output") || word.equals("told")
  }

  static func form(of key: UnsafeRawBufferPointer) -> ValueForm {
    guard key.count < formsByLength.count else { return .text }
    for entry in formsByLength[key.count] where key.equals(entry.key) { return entry.form }
    return .text
  }

  /// The keys whose values are not text.
  static let forms: [(key: StaticString, form: ValueForm)] = [
    ("t", .number), ("seq", .number), ("due", .number), ("left", .number),
    ("moved", .number), ("stayed", .number), ("ignored", .number), ("refused", .number), ("fired", .number),
    ("from", .number), ("to", .number), ("since", .number), ("undone", .number), ("restarted", .number),
    ("batch", .number), ("index", .number), ("client", .number), ("idle", .number),
    ("value", .number), ("limit", .number), ("speed", .number), ("version", .number),
    ("members", .number), ("machines", .number), ("states", .number), ("events", .number), ("timers", .number),
    ("unreachable", .number), ("impossible", .number),
    ("allowed", .list), ("ignores", .list), ("outputs", .list), ("way", .list), ("lacks", .list),
    ("effect", .list), ("into", .list),
  ]

  private static let formsByLength: [[(key: StaticString, form: ValueForm)]] = {
    let longest = forms.map(\.key.utf8CodeUnitCount).max() ?? 0
    return (0...longest).map { length in forms.filter { $0.key.utf8CodeUnitCount == length } }
  }()
}

extension UnsafeRawBufferPointer {
  /// Compared byte by byte.
  func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for place in 0..<count where self[place] != text.utf8Start[place] { return false }
    return true
  }

  /// Whether it is a number as JSON writes one, without an exponent.
  var isJSONNumber: Bool {
    var place = first == 0x2D ? 1 : 0
    let start = place
    while place < count, self[place].isDigit { place += 1 }
    guard place > start, place == start + 1 || self[start] != 0x30 else { return false }
    guard place < count else { return true }
    guard self[place] == 0x2E, place + 1 < count else { return false }
    return self[(place + 1)...].allSatisfy(\.isDigit)
  }
}

extension UInt8 {
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
