/// What a kind says of its machines: the words of their states, events, timers and outputs with their data, their
/// readings and parameters. An author's forms make it, `describe` prints it, and a store keeps of it what gives a meaning
/// to the indices in stored bytes, so that a later release with other lists can resolve them.
public struct KindSchema: Sendable {
  /// The kind's name in stored bytes: see ``KindDocument/key(of:definedBy:)``.
  public let key: String
  /// Increased when a change makes stored machines of earlier versions unreadable.
  public let version: Int
  public let states: [StateEntry]
  /// Whether a state's data are its word: see ``StateWithData/isNamedByData``.
  public let hasStatesNamedByData: Bool
  public let events: [EventEntry]
  public let timers: [TimerEntry]
  public let outputs: [OutputEntry]
  /// Not stored: a reading is computed anew.
  public let readings: [ReadingEntry]
  public let parameters: [ParameterEntry]

  init(
    key: String, version: Int, states: [StateEntry], areNamedByData: Bool, events: [EventEntry], timers: [TimerEntry],
    outputs: [OutputEntry], readings: [ReadingEntry], parameters: [ParameterEntry]
  ) {
    precondition(
      max(states.count, events.count, outputs.count) <= Kind.mostWords,
      "\(key) has more than \(Kind.mostWords) states, events or outputs")
    precondition(timers.count <= Kind.mostTimers, "\(key) has more than \(Kind.mostTimers) timers")
    self.key = key
    self.version = version
    self.states = states
    hasStatesNamedByData = areNamedByData
    self.events = events
    self.timers = timers
    self.outputs = outputs
    self.readings = readings
    self.parameters = parameters
  }

  /// The schema of a kind of which only the name is known.
  public init(key: String) {
    self.init(
      key: key, version: 0, states: [], areNamedByData: false, events: [], timers: [], outputs: [], readings: [],
      parameters: [])
  }
}

public struct StateEntry: Hashable, Sendable {
  public let word: String
  public let about: String

  package init(word: String, about: String) {
    self.word = word
    self.about = about
  }

  /// Whether the state has no name but its data: `state(active)`, for which requests may also write `active`.
  public var isNameless: Bool { word == "state" }
}

public struct ArgumentEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  /// Values for dry runs.
  public let samples: [Value]
  /// Whether the rule treats every value as it does one of the samples. If not, diagrams are partial for this event.
  public let isSampledFully: Bool

  /// - Parameter isSampledFully: Whether the author says so of `samples`; of a type's own samples the type knows.
  package init(name: String, type: ValueType, samples: [Value]?, isSampledFully: Bool = false) {
    self.name = name
    self.type = type
    self.samples = samples ?? type.samples
    self.isSampledFully = isSampledFully || type.isEnumerated(by: self.samples)
  }

  /// The same argument made optional.
  var optional: ArgumentEntry {
    ArgumentEntry(
      name: name, type: .optional(type), samples: [.none] + samples, isSampledFully: isSampledFully)
  }
}

public struct EventEntry: Hashable, Sendable {
  public let name: String
  public let arguments: [ArgumentEntry]
  public let about: String
  /// The words that it is named after, for which it can be sent as well; `nil` if it has its name from a program.
  package var text: String?

  /// Whether it can be sent without arguments.
  public var isPlain: Bool { arguments.isEmpty || takesAnything }

  /// Whether its only argument is any data, or none.
  package var takesAnything: Bool { arguments.count == 1 && arguments[0].type == .json }
}

public struct TimerEntry: Hashable, Sendable {
  public let name: String
  /// The name of the event that the timer brings; `nil` in a kind that was read from a store.
  package let event: String?
  /// The parameter with the timer's duration; `nil` if the state determines the duration.
  public let parameter: String?
  /// The name of the key that distinguishes several running timers with this name; `nil` if only one can run.
  public let key: String?
  public let about: String

  package init(name: String, event: String?, parameter: String?, key: String?, about: String) {
    self.name = name
    self.event = event
    self.parameter = parameter
    self.key = key
    self.about = about
  }
}

public struct OutputEntry: Hashable, Sendable {
  public let name: String
  public let data: [ArgumentEntry]
  public let about: String
  /// Whether only watchers of everything get it.
  public let isTold: Bool

  package init(name: String, data: [ArgumentEntry], about: String, isTold: Bool) {
    self.name = name
    self.data = data
    self.about = about
    self.isTold = isTold
  }
}

public struct ReadingEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  public let about: String
}

public struct ParameterEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  /// The default value; `nil` if `new` must give one.
  public let standard: Value?
  /// The default value, or an example if there is none.
  public let example: Value
  public let about: String
}

// MARK: Encoding

extension KindSchema {
  /// Raised when the layout changes.
  private static let format: UInt64 = 4

  /// What a store keeps: the words, the types of their data and the defaults. Schemas that differ only in sentences,
  /// samples or readings have equal bytes.
  public var bytes: [UInt8] {
    let encoder = ValueEncoder()
    encoder.number(Self.format)
    encoder.text(key)
    encoder.count(version)
    writeLists(to: encoder)
    return encoder.bytes
  }

  /// Whether the indices of words, and their data, are equal.
  package func hasLists(of other: KindSchema) -> Bool {
    func bytes(of schema: KindSchema) -> [UInt8] {
      let encoder = ValueEncoder()
      schema.writeLists(to: encoder)
      return encoder.bytes
    }
    return bytes(of: self) == bytes(of: other)
  }

  private func writeLists(to encoder: ValueEncoder) {
    encoder.flag(hasStatesNamedByData)
    encoder.list(states) { encoder.text($0.word) }
    encoder.list(events) {
      encoder.text($0.name)
      encoder.data($0.arguments)
    }
    encoder.list(timers) {
      encoder.text($0.name)
      encoder.flag($0.key != nil)
      if let key = $0.key { encoder.text(key) }
    }
    encoder.list(outputs) {
      encoder.text($0.name)
      encoder.data($0.data)
      encoder.flag($0.isTold)
    }
    encoder.list(parameters) {
      encoder.text($0.name)
      $0.type.encode(to: encoder)
      encoder.flag($0.standard != nil)
      if let standard = $0.standard { encoder.value(standard) }
    }
  }

  /// Decodes what a store keeps. It has no sentences, samples or readings.
  ///
  /// - Throws: ``StorageFailure`` if the bytes are not a schema.
  public init(_ bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { bytes in
      let decoder = ValueDecoder(bytes)
      let schema = try KindSchema(from: decoder)
      guard decoder.left == 0 else { throw StorageFailure.damaged("there are bytes left over") }
      return schema
    }
  }

  private init(from decoder: ValueDecoder) throws {
    guard try decoder.number() == Self.format else { throw StorageFailure.damaged("the list is of another format") }
    let key = try decoder.text()
    let version = try decoder.number(as: Int.self)
    let areNamedByData = try decoder.flag()
    let states = try decoder.list { StateEntry(word: try decoder.text(), about: "") }
    let events = try decoder.list { EventEntry(name: try decoder.text(), arguments: try decoder.data(), about: "") }
    let timers = try decoder.list {
      TimerEntry(
        name: try decoder.text(), event: nil, parameter: nil, key: try decoder.flag() ? try decoder.text() : nil,
        about: "")
    }
    let outputs = try decoder.list {
      OutputEntry(
        name: try decoder.text(), data: try decoder.data(), about: "",
        isTold: try decoder.flag())
    }
    let parameters = try decoder.list {
      let (name, type) = (try decoder.text(), try ValueType(from: decoder))
      let standard = try decoder.flag() ? try decoder.value() : nil
      return ParameterEntry(name: name, type: type, standard: standard, example: standard ?? .none, about: "")
    }
    guard max(states.count, events.count, outputs.count) <= Kind.mostWords, timers.count <= Kind.mostTimers else {
      throw StorageFailure.damaged("a list is too long")
    }
    let words =
      states.map(\.word) + events.map(\.name) + outputs.map(\.name) + timers.map(\.name) + parameters.map(\.name)
    guard !words.contains("") else { throw StorageFailure.damaged("a word is empty") }
    self.init(
      key: key, version: version, states: states, areNamedByData: areNamedByData, events: events, timers: timers,
      outputs: outputs, readings: [], parameters: parameters)
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
  fileprivate func data(_ values: [ArgumentEntry]) {
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
  fileprivate func data() throws -> [ArgumentEntry] {
    try list { ArgumentEntry(name: try text(), type: try ValueType(from: self), samples: []) }
  }

  fileprivate func list<T>(_ read: () throws -> T) throws -> [T] {
    var elements: [T] = []
    for _ in 0..<(try count()) { elements.append(try read()) }
    return elements
  }
}
