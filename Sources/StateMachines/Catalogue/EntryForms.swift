/// Describes an event in a catalogue: its name, its arguments, and how to make it from them.
///
/// The name is taken from the case, so it is written once.
///
/// ```swift
/// .event(.tap, "the key is tapped")
/// .event(Event.character, .character("c"), about: "a letter key is tapped")
/// ```
public struct EventForm<Event: Sendable>: Sendable {
  let name: String
  /// The words that it is named after; `nil` if it has its name from a program.
  var text: String?
  let arguments: [ArgumentEntry]
  let about: String
  /// The event itself, if it can be sent without arguments.
  let constant: Event?
  /// An event of this form; `nil` if the form describes any case with data.
  let sample: Event?
  let make: @Sendable ([Value]) -> Event
  /// Gets the arguments of an event of this form's case; `nil` if the case's data cannot be converted.
  let values: @Sendable (Event) -> [Value]?

  var entry: EventEntry { EventEntry(name: name, arguments: arguments, about: about, text: text) }

  /// Describes an event without arguments.
  public static func event(_ constant: Event, _ about: String) -> EventForm {
    EventForm(
      name: caseName(of: constant), arguments: [], about: about, constant: constant, sample: constant,
      make: { _ in constant },
      values: { _ in [] })
  }

  /// Describes all events with data by one form, with conversions that the caller provides.
  package static func anyEvent(
    _ name: String, _ arguments: [ArgumentEntry], about: String = "", make: @escaping @Sendable ([Value]) -> Event,
    values: @escaping @Sendable (Event) -> [Value]?
  ) -> EventForm {
    EventForm(name: name, arguments: arguments, about: about, constant: nil, sample: nil, make: make, values: values)
  }

  /// Describes an event with any data: one argument of ``ValueType/json``, which may be left out.
  ///
  /// - Parameters:
  ///   - constant: The event without data.
  ///   - text: The words that the event is named after, which name it as well.
  ///   - samples: Data to try it with; `nil` for those of the type.
  ///   - isSampledFully: Whether the data do not matter.
  ///   - make: The event with the text of its data.
  package static func open(
    _ name: String, _ about: String, text: String?, samples: [Value]?, isSampledFully: Bool, constant: Event,
    make: @escaping @Sendable (String) -> Event
  ) -> EventForm {
    EventForm(
      name: name, text: text,
      arguments: [ArgumentEntry(name: "data", type: .json, samples: samples, isSampledFully: isSampledFully)],
      about: about,
      constant: constant, sample: constant,
      make: { values in
        if case .text(let text)? = values.first { make(text) } else { constant }
      },
      values: { _ in nil })
  }

  /// Describes an event with arguments, in the order of its case.
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
    let readers = EnumCase.number(of: sample).flatMap { DataReader.readers(ofCase: $0, of: Event.self) }
    return EventForm(
      name: caseName(of: sample), arguments: entries, about: about, constant: nil, sample: sample, make: build,
      values: { event in readers.map { DataReader.read($0, from: event) } })
  }

  /// The same event under another name, for names that no Swift case can have, such as `HELO`.
  public func named(_ name: String) -> EventForm {
    EventForm(
      name: name, arguments: arguments, about: about, constant: constant, sample: sample, make: make, values: values)
  }
}

/// An argument of an event, with its Swift type.
public struct Argument<A: ValueConvertible>: Sendable {
  let entry: ArgumentEntry

  private init(entry: ArgumentEntry) {
    self.entry = entry
  }

  /// - Parameters:
  ///   - samples: One value per class of values that the rule treats alike; `nil` takes the type's samples.
  ///   - examples: Values to try if there are no such classes; diagrams are partial for the event then.
  init(_ name: String, _ type: ValueType, samples: [A]? = nil, examples: [A]? = nil) {
    entry = ArgumentEntry(
      name: name, type: type, samples: (samples ?? examples)?.map(\.value), isSampledFully: samples != nil)
  }
}

/// Events for dry runs of machines with certain parameters.
public struct EventSamples<Event: Sendable>: Sendable {
  let events: [Event]
  let areAll: Bool

  /// - Parameter areAll: Whether the rule treats every other event of the same names as it does one of these. If not,
  ///   diagrams are partial for them.
  public init(_ events: [Event] = [], areAll: Bool = false) {
    self.events = events
    self.areAll = areAll
  }
}

extension Argument where A == String {
  /// - Parameters:
  ///   - samples: One text per class of texts that the rule treats alike.
  ///   - examples: Texts to try if there are no such classes; diagrams are partial for the event then.
  public static func text(
    _ name: String, bytes: ClosedRange<Int> = 1...1024, like samples: [String]? = nil, suchAs examples: [String]? = nil
  ) -> Argument {
    Argument(name, .text(bytes: bytes), samples: samples, examples: examples)
  }
}

extension Argument where A == Character {
  public static func character(
    _ name: String, like samples: [Character]? = nil, suchAs examples: [Character]? = nil
  ) -> Argument {
    Argument(name, .character, samples: samples, examples: examples)
  }
}

extension Argument where A == Int {
  /// A whole number.
  ///
  /// - Parameters:
  ///   - name: The argument's name, for descriptions.
  ///   - range: The allowed numbers.
  ///   - samples: One number per class of numbers that the rule treats alike; `nil` for the ends of the range.
  public static func integer(_ name: String, _ range: ClosedRange<Int>, like samples: [Int]? = nil) -> Argument {
    Argument(name, .integer(range), samples: samples)
  }

  /// The number of elements of a list. The samples are an empty and a non-empty one.
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
  /// An argument that may be omitted.
  public static func optional<Wrapped>(_ wrapped: Argument<Wrapped>) -> Argument where A == Wrapped? {
    Argument(entry: wrapped.entry.optional)
  }
}

/// A Swift type that provides its own ``ValueType``, so that parameters, readings and data need not state it.
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
  public static var valueType: ValueType { .choice(allCases.map { $0.rawValue }) }

  public init?(_ value: Value) {
    guard case .text(let word) = value else { return nil }
    self.init(rawValue: word)
  }
  public var value: Value { .text(rawValue) }
}

/// Describes a parameter in a catalogue. Its default is the default of the Swift property.
public struct ParameterForm<Parameters: ParameterSet>: Sendable {
  let name: String
  let type: ValueType
  /// An example value for descriptions and dry runs, if the parameter has no default.
  let example: Value?
  let about: String
  let get: @Sendable (Parameters) -> Value
  let set: @Sendable (inout Parameters, Value) -> Void

  /// - Parameter defaults: The values of parameters without an example.
  func entry(_ defaults: Parameters) -> ParameterEntry {
    let standard = get(defaults)
    return ParameterEntry(
      name: name, type: type, standard: example == nil ? standard : nil, example: example ?? standard, about: about)
  }

  public static func parameter<T: ValueConvertible>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ type: ValueType, _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, type, example: nil, about)
  }

  /// Describes a parameter whose Swift type provides its values: a flag, or one of several words.
  public static func parameter<T: SelfDescribingValue>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, T.valueType, example: nil, about)
  }

  /// Describes a parameter without a default: `new` must give it.
  ///
  /// - Parameters:
  ///   - name: The name that `new` takes.
  ///   - path: The property of the parameter set.
  ///   - type: The allowed values.
  ///   - example: The value that `describe` shows, and with which diagrams of the kind are drawn.
  ///   - about: What the parameter means.
  public static func required<T: ValueConvertible>(
    _ name: String, _ path: any WritableKeyPath<Parameters, T> & Sendable, _ type: ValueType, example: T,
    _ about: String
  ) -> ParameterForm {
    ParameterForm(name, path, type, example: example.value, about)
  }

  /// Describes a parameter with conversions that the caller provides.
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

/// Describes a reading in a catalogue: a value derived from state and time, never stored.
public struct ReadingForm<M: _Machine>: Sendable {
  let name: String
  let type: ValueType
  let about: String
  let read: @Sendable (M, Instant, M.Parameters) -> Value?

  var entry: ReadingEntry { ReadingEntry(name: name, type: type, about: about) }

  /// Describes a reading by a function.
  ///
  /// - Parameters:
  ///   - name: The reading's name.
  ///   - type: The type, range and unit.
  ///   - about: What the reading means.
  ///   - read: Returns `nil` if the machine does not have this value now.
  public static func reading(
    _ name: String, _ type: ValueType, _ about: String,
    read: @escaping @Sendable (_ machine: M, _ now: Instant, _ parameters: M.Parameters) -> (any ValueConvertible)?
  ) -> ReadingForm {
    ReadingForm(name: name, type: type, about: about) { read($0, $1, $2)?.value }
  }

  /// Describes a reading by a property of the machine.
  ///
  /// - Parameters:
  ///   - name: The reading's name.
  ///   - type: The type, range and unit.
  ///   - path: The property; `nil` if the machine does not have this value now.
  ///   - about: What the reading means.
  public static func reading<T: ValueConvertible>(
    _ name: String, _ type: ValueType, _ path: any KeyPath<M, T> & Sendable, _ about: String
  ) -> ReadingForm {
    ReadingForm(name: name, type: type, about: about) { machine, _, _ in
      let value = machine[keyPath: path].value
      return value == .none ? nil : value
    }
  }
}

/// Describes a timer in a catalogue: its event, its name, and the source of its duration.
///
/// An event that no ``EventForm`` lists can only come from its timer; it cannot be sent.
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
  ///   - event: The timer's event, with the data that it always carries.
  ///   - name: The name that is printed and that `fire` takes; by default the name of the event's case.
  ///   - parameter: The parameter with the duration; `nil` if the state determines the duration.
  ///   - key: The name of the key that distinguishes several running timers with this name (`"request"`). Such a timer
  ///     prints as `name(2)`.
  ///   - about: What the timer is for, or how long it runs.
  public static func timer(
    _ event: Event, named name: String? = nil, after parameter: String? = nil, keyed key: String? = nil, _ about: String
  ) -> MachineTimer {
    let name = name ?? caseName(of: event)
    return MachineTimer(event: event, name: name, parameter: parameter, key: key, about: about)
  }
}

/// Describes an output in a catalogue: its data and description, or only a description.
///
/// An output is for wires, replies and all watchers, or it is *told*: about the machine's internals, for watchers of
/// everything. A rule emits both with ``Step/emit(_:)``.
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

  /// Describes an output about the machine's internals, for watchers of everything. No wire and no reply carries it.
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
