/// A statement with its parameters, in PostgreSQL's binary formats.
struct Query {
  let text: String
  let parameters: [Parameter]

  init(_ text: String, _ parameters: [Parameter]) {
    self.text = text
    self.parameters = parameters
  }

  init(_ text: String, _ parameters: Parameter...) { self.init(text, parameters) }
}

/// A value for the server: its type and its bytes, nil for NULL.
struct Parameter {
  /// As PostgreSQL numbers its types (`pg_type.dat`).
  enum Kind: UInt32 {
    case bool = 16, blob = 17, number = 20, text = 25, epoch = 2950
    case bools = 1000, blobs = 1001, numbers = 1016, texts = 1009, epochs = 2951

    var ofOne: Kind {
      switch self {
      case .bools, .bool: .bool
      case .blobs, .blob: .blob
      case .numbers, .number: .number
      case .texts, .text: .text
      case .epochs, .epoch: .epoch
      }
    }
  }

  let kind: Kind
  let bytes: [UInt8]?

  private init(_ kind: Kind, _ bytes: [UInt8]?) {
    (self.kind, self.bytes) = (kind, bytes)
  }

  static func number(_ number: Int64?) -> Parameter { Parameter(.number, number.map(Parameter.big)) }
  static func number(_ number: UInt64) -> Parameter { .number(Int64(bitPattern: number)) }
  static func text(_ text: String?) -> Parameter { Parameter(.text, text.map { Array($0.utf8) }) }
  static func bytes(_ bytes: [UInt8]) -> Parameter { Parameter(.blob, bytes) }
  static func bool(_ value: Bool) -> Parameter { Parameter(.bool, [value ? 1 : 0]) }
  static func epoch(_ epoch: Epoch?) -> Parameter {
    Parameter(.epoch, epoch.map { big(Int64(bitPattern: $0.high)) + big(Int64(bitPattern: $0.low)) })
  }

  /// An array without a null, or with some.
  static func array(_ kind: Kind, _ values: [Parameter]) -> Parameter {
    guard !values.isEmpty else { return Parameter(kind, big32(0) + big32(0) + big32(kind.ofOne.rawValue)) }
    var all = big32(1) + big32(values.contains { $0.bytes == nil } ? 1 : 0) + big32(kind.ofOne.rawValue)
    all += big32(UInt32(values.count)) + big32(1)
    all.reserveCapacity(all.count + values.reduce(0) { $0 + 4 + ($1.bytes?.count ?? 0) })
    for value in values {
      precondition(value.kind == kind.ofOne, "an array has values of one type")
      if let bytes = value.bytes {
        all += big32(UInt32(bytes.count))
        all += bytes
      } else {
        all += big32(UInt32.max)
      }
    }
    return Parameter(kind, all)
  }

  private static func big(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
  private static func big32(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

/// A statement's result: rows of binary values.
struct Rows {
  /// What was done, such as `COMMIT`.
  let command: String
  let rows: [Row]
}

/// A row; its columns are numbers (bigint), texts, bytes, epochs (uuid) and truth values.
struct Row {
  let columns: [[UInt8]?]

  func isNull(_ column: Int) -> Bool { columns[column] == nil }

  func number(_ column: Int) -> Int64 {
    Int64(bitPattern: big(columns[column] ?? []))
  }

  func unsigned(_ column: Int) -> UInt64 { UInt64(bitPattern: number(column)) }
  func text(_ column: Int) -> String { String(decoding: columns[column] ?? [], as: UTF8.self) }
  func bytes(_ column: Int) -> [UInt8] { columns[column] ?? [] }
  func bool(_ column: Int) -> Bool { columns[column] == [1] }

  func epoch(_ column: Int) -> Epoch {
    let bytes = columns[column] ?? []
    return Epoch(high: big(bytes.prefix(8)), low: big(bytes.dropFirst(8)))
  }

  private func big(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
