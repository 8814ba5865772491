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
    case bool = 16, blob = 17, number = 20, text = 25, time = 1184, epoch = 2950, record = 2249
    case blobs = 1001, numbers = 1016, texts = 1009, epochs = 2951
    /// Rows of a table, which the statement names.
    case records = 0

    var ofOne: Kind {
      switch self {
      case .bool: .bool
      case .blobs, .blob: .blob
      case .numbers, .number: .number
      case .texts, .text: .text
      case .epochs, .epoch: .epoch
      case .time: .time
      case .records, .record: .record
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

  /// Of the type of a time.
  static let noTime = Parameter(.time, nil)

  /// A row of a table: all its columns, in order; or null.
  static func record(_ columns: [Parameter]?) -> Parameter {
    guard let columns else { return Parameter(.record, nil) }
    var all = big32(UInt32(columns.count))
    all.reserveCapacity(columns.reduce(4) { $0 + 8 + ($1.bytes?.count ?? 0) })
    for column in columns {
      all += big32(column.kind.rawValue)
      column.append(to: &all)
    }
    return Parameter(.record, all)
  }

  /// An array without a null, or with some.
  static func array(_ kind: Kind, _ values: [Parameter]) -> Parameter {
    guard !values.isEmpty else { return Parameter(kind, big32(0) + big32(0) + big32(kind.ofOne.rawValue)) }
    var all = big32(1) + big32(values.contains { $0.bytes == nil } ? 1 : 0) + big32(kind.ofOne.rawValue)
    all += big32(UInt32(values.count)) + big32(1)
    all.reserveCapacity(all.count + values.reduce(0) { $0 + 4 + ($1.bytes?.count ?? 0) })
    for value in values {
      precondition(value.kind == kind.ofOne, "an array has values of one type")
      value.append(to: &all)
    }
    return Parameter(kind, all)
  }

  /// Its length and bytes, as within an array or a record.
  private func append(to all: inout [UInt8]) {
    all += Parameter.big32(bytes.map { UInt32($0.count) } ?? .max)
    if let bytes { all += bytes }
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

/// A row; its columns are numbers (bigint), arrays of them, texts, bytes, epochs (uuid) and truth values.
struct Row {
  let columns: [[UInt8]?]

  func isNull(_ column: Int) -> Bool { columns[column] == nil }

  func number(_ column: Int) -> Int64 {
    Int64(bitPattern: big(columns[column] ?? []))
  }

  /// An array of numbers, none of them null.
  func numbers(_ column: Int) -> [Int64] {
    // After a header of 20 bytes each number has its length, four bytes, before it.
    let bytes = self.bytes(column)
    return stride(from: 24, to: bytes.count, by: 12).map { Int64(bitPattern: big(bytes[$0..<$0 + 8])) }
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
