/// One data item that enters or leaves a machine: an event's argument, a parameter, an output's datum or a reading.
public enum Value: Hashable, Sendable, Codable {
  /// An optional argument that was left out.
  case none
  case text(String)
  case integer(Int)
  /// A finite number in the unit that its ``ValueType`` names.
  case number(Double)
  case flag(Bool)
  case interval(Nanoseconds)
  case moment(Instant)
}

/// The type of an argument, a parameter or a datum, with its unit and range.
public indirect enum ValueType: Hashable, Sendable {
  /// A text, with the allowed number of bytes of UTF-8.
  case text(bytes: ClosedRange<Int>)
  /// One user-perceived character (an extended grapheme cluster) of at most ``longestCharacter`` bytes.
  case character
  /// One of these words.
  case choice([String])
  case integer(ClosedRange<Int>)
  /// A finite number in `unit` (for example `"°C"`; empty for a number without unit).
  case number(ClosedRange<Double>, unit: String)
  case flag
  case interval(ClosedRange<Nanoseconds>)
  /// A moment of world time; only in outputs and readings.
  case moment
  /// A value of `type`, or none.
  case optional(ValueType)
  /// Any value of JSON as its text, or none. A request gives an object's members as `key=value`.
  case json

  /// The unit of its values in a reading, where times are in seconds; empty if there is none.
  package var unit: String {
    switch self {
    case .number(_, let unit): unit
    case .interval, .moment: "s"
    case .optional(let wrapped): wrapped.unit
    case .text, .character, .choice, .integer, .flag, .json: ""
    }
  }

  /// Whether `value` is of this type and within its range.
  public func admits(_ value: Value) -> Bool {
    switch (self, value) {
    case (.optional, .none), (.json, .none), (.json, .text): true
    case (.optional(let type), _): type.admits(value)
    case (.text(let bytes), .text(let text)): bytes.contains(text.utf8.count)
    case (.character, .text(let text)): text.utf8.count <= ValueType.longestCharacter && text.count == 1
    case (.choice(let words), .text(let text)): words.contains(text)
    case (.integer(let range), .integer(let number)): range.contains(number)
    case (.number(let range, unit: _), .number(let number)): range.contains(number)
    case (.flag, .flag), (.moment, .moment): true
    case (.interval(let range), .interval(let interval)): range.contains(interval)
    case (.text, _), (.character, _), (.choice, _), (.integer, _), (.number, _), (.flag, _), (.interval, _),
      (.moment, _), (.json, _):
      false
    }
  }

  /// Whether both types admit some common value. Units do not matter.
  package func overlaps(_ other: ValueType) -> Bool {
    switch (self, other) {
    case (.optional, .optional), (.character, .character), (.flag, .flag), (.moment, .moment), (.json, .json): true
    case (.optional(let type), let other), (let other, .optional(let type)): type.overlaps(other)
    case (.choice(let words), let other), (let other, .choice(let words)): words.contains { other.admits(.text($0)) }
    case (.text(let bytes), .text(let others)): bytes.overlaps(others)
    case (.json, .text), (.text, .json): true
    case (.text(let bytes), .character), (.character, .text(let bytes)):
      bytes.overlaps(1...ValueType.longestCharacter)
    case (.integer(let range), .integer(let other)): range.overlaps(other)
    case (.number(let range, unit: _), .number(let other, unit: _)): range.overlaps(other)
    case (.interval(let range), .interval(let other)): range.overlaps(other)
    case (.text, _), (.character, _), (.integer, _), (.number, _), (.flag, _), (.interval, _), (.moment, _), (.json, _):
      false
    }
  }

  /// The maximal bytes of UTF-8 in one character. The longest emoji has 35.
  public static let longestCharacter = 64

  /// A few representative values: the ends of a range, both flags, every choice.
  ///
  /// A dry run sends them to a machine to find out which events are possible in its state.
  public var samples: [Value] {
    switch self {
    case .text(let bytes): [.text(String(repeating: "x", count: max(1, bytes.lowerBound)))]
    case .character: [.text("a")]
    case .choice(let words): words.map(Value.text)
    case .integer(let range):
      Array(Set([range.lowerBound, min(max(1, range.lowerBound), range.upperBound), range.upperBound]))
        .sorted().map(Value.integer)
    case .number(let range, unit: _): [.number(range.lowerBound), .number(range.upperBound)]
    case .flag: [.flag(false), .flag(true)]
    case .interval(let range): [.interval(range.lowerBound), .interval(range.upperBound)]
    case .moment: [.moment(.beginning)]
    case .optional(let type): [.none] + type.samples
    case .json: [.none]
    }
  }

  /// Whether the type has no other values than these.
  func isEnumerated(by values: [Value]) -> Bool {
    switch self {
    case .flag: Set(values).isSuperset(of: [.flag(false), .flag(true)])
    case .choice(let words): Set(values).isSuperset(of: words.map(Value.text))
    case .integer(let range):
      // The size less one, which cannot overflow.
      UInt(bitPattern: range.upperBound &- range.lowerBound) < UInt(values.count)
        && range.allSatisfy { values.contains(.integer($0)) }
    case .optional(let type): values.contains(.none) && type.isEnumerated(by: values)
    case .text, .character, .number, .interval, .moment, .json: false
    }
  }
}

/// A Swift type that converts to and from one case of ``Value``, so that rules use Swift's own types.
public protocol ValueConvertible: SendableMetatype {
  init?(_ value: Value)
  var value: Value { get }
}

extension String: ValueConvertible {
  public init?(_ value: Value) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
  public var value: Value { .text(self) }
}

extension Character: ValueConvertible {
  public init?(_ value: Value) {
    guard case .text(let text) = value, text.count == 1, let character = text.first else { return nil }
    self = character
  }
  public var value: Value { .text(String(self)) }
}

extension Int: ValueConvertible {
  public init?(_ value: Value) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
  public var value: Value { .integer(self) }
}

extension Double: ValueConvertible {
  public init?(_ value: Value) {
    guard case .number(let number) = value else { return nil }
    self = number
  }
  public var value: Value { .number(self) }
}

extension Bool: ValueConvertible {
  public init?(_ value: Value) {
    guard case .flag(let flag) = value else { return nil }
    self = flag
  }
  public var value: Value { .flag(self) }
}

extension Nanoseconds: ValueConvertible {
  public init?(_ value: Value) {
    guard case .interval(let interval) = value else { return nil }
    self = interval
  }
  public var value: Value { .interval(self) }
}

extension Duration: ValueConvertible {
  public init?(_ value: Value) {
    guard case .interval(let interval) = value else { return nil }
    self.init(interval)
  }
  public var value: Value { .interval(Nanoseconds(self)) }
}

extension Instant: ValueConvertible {
  public init?(_ value: Value) {
    guard case .moment(let moment) = value else { return nil }
    self = moment
  }
  public var value: Value { .moment(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  public init?(_ value: Value) {
    if case .none = value {
      self = Self.none
    } else if let wrapped = Wrapped(value) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }
  public var value: Value { self?.value ?? .none }
}
