/// The words of a kind, to which stored bytes refer by index.
///
/// It is stored beside those bytes, so that a later release with different lists can resolve each index.
public struct KindDescription: Hashable, Sendable {
  /// The kind's name in stored bytes.
  public let name: String
  public let version: Int
  /// The words of the states.
  public let states: [String]
  /// Whether a state's data are its word; see ``StateWithData/isNamedByData``.
  public let hasStatesNamedByData: Bool
  public let events: [Entry]
  public let timers: [Timer]
  public let outputs: [Output]
  public let parameters: [Parameter]

  /// An event with its arguments.
  public struct Entry: Hashable, Sendable {
    public let name: String
    public let values: [Datum]
  }

  /// An output with its data.
  public struct Output: Hashable, Sendable {
    public let name: String
    public let values: [Datum]
    /// Whether only watchers of everything get it; see ``OutputForm/told(_:about:)``.
    public let isTold: Bool
  }

  public struct Datum: Hashable, Sendable {
    public let name: String
    public let type: ValueType
  }

  public struct Timer: Hashable, Sendable {
    public let name: String
    /// The name of its key; `nil` for a timer without a key.
    public let key: String?
  }

  public struct Parameter: Hashable, Sendable {
    public let name: String
    public let type: ValueType
    /// The default value; `nil` if `new` must give one.
    public let standard: Value?
  }

  public init(_ kind: Kind) {
    name = kind.key
    version = kind.version
    states = kind.states.map(\.word)
    hasStatesNamedByData = kind.hasStatesNamedByData
    events = kind.events.map { Entry(name: $0.name, values: $0.arguments.map(Datum.init)) }
    timers = kind.timers.map { Timer(name: $0.name, key: $0.key) }
    outputs = kind.outputs.map {
      Output(name: $0.name, values: $0.data.map(Datum.init), isTold: $0.isTold)
    }
    parameters = kind.parameters.map { Parameter(name: $0.name, type: $0.type, standard: $0.standard) }
  }

  /// Describes a kind of which only the name is known.
  public init(name: String) {
    self.name = name
    version = 0
    hasStatesNamedByData = false
    (states, events, timers, outputs, parameters) = ([], [], [], [], [])
  }
}

extension KindDescription.Datum {
  fileprivate init(_ entry: ArgumentEntry) {
    name = entry.name
    type = entry.type
  }
}

// MARK: Encoding

extension KindDescription {
  /// Format 1 did not say which outputs are told: none was. Format 3 is format 2 for states that are named by their data.
  private static let formats: ClosedRange<UInt64> = 1...3

  /// The encoded description. Equal descriptions have equal bytes.
  public var bytes: [UInt8] {
    let encoder = ValueEncoder()
    encoder.number(hasStatesNamedByData ? 3 : 2)
    encoder.text(name)
    encoder.count(version)
    encoder.list(states) { encoder.text($0) }
    encoder.list(events) {
      encoder.text($0.name)
      encoder.data($0.values)
    }
    encoder.list(timers) {
      encoder.text($0.name)
      encoder.flag($0.key != nil)
      if let key = $0.key { encoder.text(key) }
    }
    encoder.list(outputs) {
      encoder.text($0.name)
      encoder.data($0.values)
      encoder.flag($0.isTold)
    }
    encoder.list(parameters) {
      encoder.text($0.name)
      $0.type.encode(to: encoder)
      encoder.flag($0.standard != nil)
      if let standard = $0.standard { encoder.value(standard) }
    }
    return encoder.bytes
  }

  /// Decodes a description.
  ///
  /// - Throws: ``StorageFailure`` if the bytes are not a description.
  public init(_ bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { bytes in
      let decoder = ValueDecoder(bytes)
      let description = try KindDescription(from: decoder)
      guard decoder.left == 0 else { throw StorageFailure.damaged("there are bytes left over") }
      return description
    }
  }

  private init(from decoder: ValueDecoder) throws {
    let format = try decoder.number()
    guard Self.formats.contains(format) else { throw StorageFailure.damaged("the list is of another format") }
    name = try decoder.text()
    version = try decoder.number(as: Int.self)
    hasStatesNamedByData = format == 3
    states = try decoder.list { try decoder.text() }
    events = try decoder.list { Entry(name: try decoder.text(), values: try decoder.data()) }
    timers = try decoder.list { Timer(name: try decoder.text(), key: try decoder.flag() ? try decoder.text() : nil) }
    outputs = try decoder.list {
      Output(name: try decoder.text(), values: try decoder.data(), isTold: format > 1 ? try decoder.flag() : false)
    }
    parameters = try decoder.list {
      Parameter(
        name: try decoder.text(), type: try ValueType(from: decoder),
        standard: try decoder.flag() ? try decoder.value() : nil)
    }
    guard max(states.count, events.count, outputs.count) <= Kind.mostWords, timers.count <= Kind.mostTimers else {
      throw StorageFailure.damaged("a list is too long")
    }
    let words = states + events.map(\.name) + outputs.map(\.name) + timers.map(\.name) + parameters.map(\.name)
    guard !words.contains("") else { throw StorageFailure.damaged("a word is empty") }
  }
}

extension ValueType {
  fileprivate func encode(to encoder: ValueEncoder) {
    switch self {
    case .text(let bytes):
      encoder.byte(0)
      encoder.signed(Int64(bytes.lowerBound))
      encoder.signed(Int64(bytes.upperBound))
    case .character: encoder.byte(1)
    case .choice(let words):
      encoder.byte(2)
      encoder.list(words) { encoder.text($0) }
    case .integer(let range):
      encoder.byte(3)
      encoder.signed(Int64(range.lowerBound))
      encoder.signed(Int64(range.upperBound))
    case .number(let range, let unit):
      encoder.byte(4)
      encoder.word(range.lowerBound.bitPattern)
      encoder.word(range.upperBound.bitPattern)
      encoder.text(unit)
    case .flag: encoder.byte(5)
    case .interval(let range):
      encoder.byte(6)
      encoder.signed(range.lowerBound.nanoseconds)
      encoder.signed(range.upperBound.nanoseconds)
    case .moment: encoder.byte(7)
    case .optional(let type):
      encoder.byte(8)
      type.encode(to: encoder)
    case .json: encoder.byte(9)
    }
  }

  fileprivate init(from decoder: ValueDecoder, depth: Int = 0) throws {
    func range<T: Comparable>(_ lower: T, _ upper: T) throws -> ClosedRange<T> {
      guard lower <= upper else { throw StorageFailure.damaged("a range ends before it begins") }
      return lower...upper
    }
    switch try decoder.byte() {
    case 0: self = .text(bytes: try range(Int(try decoder.signed()), Int(try decoder.signed())))
    case 1: self = .character
    case 2: self = .choice(try decoder.list { try decoder.text() })
    case 3: self = .integer(try range(Int(try decoder.signed()), Int(try decoder.signed())))
    case 4:
      let bounds = (Double(bitPattern: try decoder.word()), Double(bitPattern: try decoder.word()))
      self = .number(try range(bounds.0, bounds.1), unit: try decoder.text())
    case 5: self = .flag
    case 6:
      let bounds = (Nanoseconds(nanoseconds: try decoder.signed()), Nanoseconds(nanoseconds: try decoder.signed()))
      self = .interval(try range(bounds.0, bounds.1))
    case 7: self = .moment
    case 8:
      guard depth < 8 else { throw StorageFailure.tooDeep }
      self = .optional(try ValueType(from: decoder, depth: depth + 1))
    case 9: self = .json
    case let other: throw StorageFailure.damaged("there are no types of class \(other)")
    }
  }
}

extension ValueEncoder {
  fileprivate func data(_ values: [KindDescription.Datum]) {
    list(values) {
      text($0.name)
      $0.type.encode(to: self)
    }
  }

  fileprivate func list<T>(_ elements: [T], _ write: (T) -> Void) {
    count(elements.count)
    for element in elements { write(element) }
  }
}

extension ValueDecoder {
  fileprivate func data() throws -> [KindDescription.Datum] {
    try list { KindDescription.Datum(name: try text(), type: try ValueType(from: self)) }
  }

  fileprivate func list<T>(_ read: () throws -> T) throws -> [T] {
    var elements: [T] = []
    for _ in 0..<(try count()) { elements.append(try read()) }
    return elements
  }
}
