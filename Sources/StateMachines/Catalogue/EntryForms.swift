/// How an event is written down in a catalogue: its name, its arguments, and how it is made of them.
///
/// The name is the name of the case, so it is stated once.
///
/// ```swift
/// .event(.tap, "the key is tapped")
/// .event(Event.character, .character("c"), about: "a letter key is tapped")
/// ```
public struct EventForm<Event: Sendable>: Sendable {
  let name: String
  let arguments: [ArgumentEntry]
  let about: String
  /// The event itself, where it takes no arguments.
  let constant: Event?
  /// An event of this form; `nil` if it stands for any case with data.
  let sample: Event?
  let make: @Sendable ([Value]) -> Event
  /// The arguments of an event of this form's case; `nil` if they are not those of the case in the code.
  let values: @Sendable (Event) -> [Value]?

  /// An event without arguments.
  public static func event(_ constant: Event, _ about: String) -> EventForm {
    EventForm(
      name: EnumCase.word(of: constant), arguments: [], about: about, constant: constant, sample: constant,
      make: { _ in constant },
      values: { _ in [] })
  }

  /// What stands for all events with data, which the caller turns to values and back.
  package static func anyEvent(
    _ name: String, _ arguments: [ArgumentEntry], make: @escaping @Sendable ([Value]) -> Event,
    values: @escaping @Sendable (Event) -> [Value]?
  ) -> EventForm {
    EventForm(name: name, arguments: arguments, about: "", constant: nil, sample: nil, make: make, values: values)
  }

  /// An event with arguments, in the order of its case.
  public static func event<each A: ValueConvertible>(
    _ make: @escaping @Sendable (repeat each A) -> Event, _ argument: repeat Argument<each A>, about: String
  ) -> EventForm {
    let build: @Sendable ([Value]) -> Event = { values in
      var rest = values[...]
      func next<T: ValueConvertible>(_: T.Type) -> T {
        guard let value = rest.popFirst(), let argument = T(value) else {
          preconditionFailure("an event is made only of values that its arguments admit")
        }
        return argument
      }
      return make(repeat next((each A).self))
    }
    var entries: [ArgumentEntry] = []
    repeat entries.append((each argument).entry)
    let sample = build(entries.map { $0.samples[0] })
    let name = EnumCase.word(of: sample)
    return EventForm(
      name: String(name), arguments: entries, about: about, constant: nil, sample: sample, make: build,
      values: { CaseTable.data(of: $0) })
  }

  /// The same event under another name, where the field's own is none that a Swift case may have: `HELO`.
  public func named(_ name: String) -> EventForm {
    EventForm(
      name: name, arguments: arguments, about: about, constant: constant, sample: sample, make: make, values: values)
  }
}

/// An argument of an event, with the Swift type that it has there.
public struct Argument<A: ValueConvertible>: Sendable {
  let entry: ArgumentEntry

  private init(entry: ArgumentEntry) {
    self.entry = entry
  }

  /// - Parameter samples: One value per class of values that the rule treats alike; `nil` takes the type's own.
  init(_ name: String, _ type: ValueType, samples: [A]? = nil) {
    entry = ArgumentEntry(name: name, type: type, samples: samples?.map(\.value))
  }
}

extension Argument where A == String {
  /// - Parameter samples: One text per class of texts that the rule treats alike.
  public static func text(_ name: String, bytes: ClosedRange<Int> = 1...1024, like samples: [String]? = nil) -> Argument
  {
    Argument(name, .text(bytes: bytes), samples: samples)
  }
}

extension Argument where A == Character {
  public static func character(_ name: String, like samples: [Character]? = nil) -> Argument {
    Argument(name, .character, samples: samples)
  }
}

extension Argument where A == Int {
  /// - Parameter samples: One number per class of numbers that the rule treats alike.
  public static func integer(_ name: String, _ range: ClosedRange<Int>, like samples: [Int]? = nil) -> Argument {
    Argument(name, .integer(range), samples: samples)
  }

  /// How many things a list has: none, or some.
  public static func count(_ name: String) -> Argument { .integer(name, 0...1_000_000, like: [0, 5]) }
}

extension Argument where A == Double {
  public static func number(
    _ name: String, _ range: ClosedRange<Double>, unit: String, like samples: [Double]? = nil
  ) -> Argument {
    Argument(name, .number(range, unit: unit), samples: samples)
  }
}

extension Argument where A == Nanoseconds {
  public static func interval(
    _ name: String, _ range: ClosedRange<Nanoseconds> = .zero ... .longest, like samples: [Nanoseconds]? = nil
  ) -> Argument {
    Argument(name, .interval(range), samples: samples)
  }
}

extension Argument where A == Duration {
  public static func duration(
    _ name: String, _ range: ClosedRange<Nanoseconds> = .zero ... .longest, like samples: [Duration]? = nil
  ) -> Argument {
    Argument(name, .interval(range), samples: samples)
  }
}

extension Argument where A == Bool {
  public static func flag(_ name: String) -> Argument { Argument(name, .flag) }
}

extension Argument where A: Choice {
  public static func choice(_ name: String) -> Argument { Argument(name, A.valueType) }
}

extension Argument {
  /// An argument that may be left out.
  public static func optional<Wrapped>(_ wrapped: Argument<Wrapped>) -> Argument where A == Wrapped? {
    Argument(entry: wrapped.entry.optional)
  }
}

/// A Swift type that says by itself which values it has: parameters, readings and data of such types are listed without
/// their ``ValueType``.
public protocol SelfDescribingValue: ValueConvertible {
  static var valueType: ValueType { get }
}

extension Bool: SelfDescribingValue {
  public static var valueType: ValueType { .flag }
}

extension Character: SelfDescribingValue {
  public static var valueType: ValueType { .character }
}

extension Instant: SelfDescribingValue {
  public static var valueType: ValueType { .moment }
}

/// A closed set of words as a Swift `enum` with `String` raw values, for arguments, parameters, data and readings.
public protocol Choice: RawRepresentable<String>, CaseIterable, SelfDescribingValue, Hashable, Sendable, Codable {}

extension Choice {
  /// One of the words.
  public static var valueType: ValueType { .choice(allCases.map(\.rawValue)) }

  public init?(_ value: Value) {
    guard case .text(let word) = value else { return nil }
    self.init(rawValue: word)
  }
  public var value: Value { .text(rawValue) }
}

/// How a parameter is written down in a catalogue. Its default is that of the Swift property.
public struct ParameterForm<Parameters: ParameterSet>: Sendable {
  let name: String
  let type: ValueType
  /// A value to show and to try the kind with, where the parameter has no default and must be given.
  let example: Value?
  let about: String
  let get: @Sendable (Parameters) -> Value
  let set: @Sendable (inout Parameters, Value) -> Void

  public static func parameter<T: ValueConvertible>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ type: ValueType, _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, type, example: nil, about)
  }

  /// A parameter whose Swift type says which values it has: a flag, or one of some words.
  public static func parameter<T: SelfDescribingValue>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, T.valueType, example: nil, about)
  }

  /// A parameter without a default: `new` must give it.
  ///
  /// - Parameter example: What `describe` shows, and what diagrams of the kind are drawn with.
  public static func required<T: ValueConvertible>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ type: ValueType, example: T,
    _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, type, example: example.value, about)
  }

  /// A parameter that the caller turns to a value and back.
  package init(
    _ name: String, _ type: ValueType, get: @escaping @Sendable (Parameters) -> Value,
    set: @escaping @Sendable (inout Parameters, Value) -> Void
  ) {
    self.name = name
    self.type = type
    example = nil
    about = ""
    self.get = get
    self.set = set
  }

  private init<T: ValueConvertible>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ type: ValueType, example: Value?,
    _ about: String
  ) {
    self.name = name
    self.type = type
    self.example = example
    self.about = about
    get = { $0[keyPath: path].value }
    set = { parameters, value in
      guard let value = T(value) else {
        preconditionFailure("a parameter is set only to values that its type admits")
      }
      parameters[keyPath: path] = value
    }
  }
}

/// How a reading is written down in a catalogue: a value derived from state and time, never stored.
public struct ReadingForm<M: _Machine>: Sendable {
  let name: String
  let type: ValueType
  let about: String
  let read: @Sendable (M, Instant, M.Parameters) -> Value?

  /// - Parameter read: `nil` where the machine has no such value now.
  public static func reading(
    _ name: String, _ type: ValueType, _ about: String,
    read: @escaping @Sendable (_ machine: M, _ now: Instant, _ parameters: M.Parameters) -> (any ValueConvertible)?
  ) -> ReadingForm {
    ReadingForm(name: name, type: type, about: about) { read($0, $1, $2)?.value }
  }

  /// - Parameter path: To a property of the machine; `nil` where it has no such value now.
  public static func reading<T: ValueConvertible>(
    _ name: String, _ type: ValueType, _ path: any KeyPath<M, T> & Sendable, _ about: String
  ) -> ReadingForm {
    ReadingForm(name: name, type: type, about: about) { machine, _, _ in
      let value = machine[keyPath: path].value
      return value == .none ? nil : value
    }
  }
}

/// How a timer is written down in a catalogue: the event that it brings, its name, and where its duration comes from.
///
/// An event that no ``EventForm`` lists is brought by its timer alone: nobody can send it.
///
/// ```swift
/// .timer(.burnedOut, after: "burn", "how long it stays lit")
/// .timer(.windowClosed, named: "doubleTap", after: "doubleTap", "in which another tap is the second of two")
/// ```
public struct MachineTimer<Event: Sendable>: Sendable {
  let event: Event
  let name: String
  let parameter: String?
  let key: String?
  let about: String

  /// - Parameters:
  ///   - event: What the timer brings, with the data that it brings each time.
  ///   - name: What is printed, and what `fire` takes; the name of the event's case unless it says otherwise.
  ///   - parameter: The parameter that has its duration; `nil` if that follows from the state.
  ///   - key: What the number is that tells apart several of this name that run at once (`"request"`). Such a timer prints
  ///     as `name(2)`.
  public static func timer(
    _ event: Event, named name: String? = nil, after parameter: String? = nil, keyed key: String? = nil, _ about: String
  ) -> MachineTimer {
    let name = name ?? EnumCase.word(of: event)
    return MachineTimer(event: event, name: name, parameter: parameter, key: key, about: about)
  }
}

/// How an output is written down in a catalogue: its data and what it says, or only that.
///
/// ```swift
/// outputs: {
///   switch $0 {
///   case .charge: .output(("sum", .sum), ("card", .card), about: "the bank is asked for the money")
///   case .receipt: "the receipt is printed"
///   }
/// }
/// ```
public struct OutputForm: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
  let data: [ArgumentEntry]
  let about: String
  let isTold: Bool

  public static func output(_ data: (name: String, type: ValueType)..., about: String) -> OutputForm {
    OutputForm(data: data.map { ArgumentEntry(name: $0.name, type: $0.type, samples: nil) }, about: about)
  }

  /// An output that a rule says with ``Step/tell(_:)``.
  public static func told(_ data: (name: String, type: ValueType)..., about: String) -> OutputForm {
    OutputForm(
      data: data.map { ArgumentEntry(name: $0.name, type: $0.type, samples: nil) }, about: about, isTold: true)
  }

  /// An output without data.
  public init(stringLiteral about: String) {
    self.init(data: [], about: about)
  }

  private init(data: [ArgumentEntry], about: String, isTold: Bool = false) {
    self.data = data
    self.about = about
    self.isTold = isTold
  }
}
