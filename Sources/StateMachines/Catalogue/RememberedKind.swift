extension Kind {
  /// Creates a kind that only describes stored data: it has the words of a kind at the time of storing. No machine can
  /// be made of it.
  public convenience init(remembering description: KindDescription) {
    self.init(
      description,
      events: description.events.map {
        EventEntry(name: $0.name, arguments: $0.values.map(ArgumentEntry.init), about: "")
      },
      timers: description.timers.map { TimerEntry(name: $0.name, event: nil, parameter: nil, key: $0.key, about: "") },
      outputs: description.outputs.map {
        OutputEntry(name: $0.name, data: $0.values.map(ArgumentEntry.init), about: "", isTold: $0.isTold)
      },
      parameters: description.parameters.map {
        ParameterEntry(name: $0.name, type: $0.type, standard: $0.standard, example: $0.standard ?? .none, about: "")
      })
  }
}

extension ArgumentEntry {
  fileprivate init(_ datum: KindDescription.Datum) {
    self.init(name: datum.name, type: datum.type, samples: [])
  }
}

/// The machine type of a remembered kind, which has no machines.
enum NoMachine: ErasedMachine {
  static func initialize(
    _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt16 { nobody() }

  static func step(
    _ value: UnsafeMutableRawPointer, event: UnsafeRawPointer, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult { nobody() }

  static func expire(
    _ value: UnsafeMutableRawPointer, timer: UInt8, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult { nobody() }

  static func copy(_ value: UnsafeRawPointer, to other: UnsafeMutableRawPointer) { nobody() }
  static func destroy(_ value: UnsafeMutableRawPointer) { nobody() }
  static func stateIndex(_ value: UnsafeRawPointer) -> UInt16 { nobody() }
  static func stateData(_ value: UnsafeRawPointer) -> String? { nobody() }
  static func statesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool { nobody() }
  static var ownsMemory: Bool { false }
  static func ownedBytes(_ value: UnsafeRawPointer) -> Int { nobody() }
  static func compare(
    _ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, with encoder: ValueEncoder
  ) throws { nobody() }
  static func place(_ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer) -> String? { nobody() }
  static func write(_ value: UnsafeRawPointer, to encoder: ValueEncoder) throws { nobody() }
  static func read(
    _ value: UnsafeMutableRawPointer, _ parameters: UnsafeRawPointer, from decoder: ValueDecoder
  ) throws { nobody() }

  private static func nobody() -> Never { preconditionFailure("a remembered kind has no machines") }
}

/// The operations of a remembered kind. Most of them trap.
///
/// Safety: there are no events, so `plainEvents` is never dereferenced.
// Unchecked: the only stored pointer is to a byte that is never read or written.
final class NoOperations: KindOperations, @unchecked Sendable {
  let plainEvents: UnsafeRawPointer
  var stepTimers: StepTimers { .none }
  var listsAllEvents: Bool { true }

  init() {
    plainEvents = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
  }

  deinit {
    plainEvents.deallocate()
  }

  func makeEvent(_ event: Int, _ arguments: [Value], at storage: UnsafeMutableRawPointer) { nobody() }
  func destroyEvent(at storage: UnsafeMutableRawPointer) { nobody() }
  func written(_ event: UnsafeRawPointer) -> (event: Int, arguments: [Value])? { nobody() }
  func written(parameters: UnsafeRawPointer) -> [(parameter: Int, value: Value)]? { nobody() }
  func makeParameterPool() -> any ParameterPool { TypedParameterPool([], defaults: NoParameters()) }
  func read(_ value: UnsafeRawPointer, at now: Instant, _ parameters: UnsafeRawPointer) -> [Value?] { nobody() }
  func prospects(
    of events: Range<Int>, _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Prospect] { nobody() }
  func samples(_ parameters: UnsafeRawPointer) -> [(choices: [[Value]], areAll: Bool)] { nobody() }
  func values(of parameters: UnsafeRawPointer) -> [Value] { nobody() }

  private func nobody() -> Never { preconditionFailure("a remembered kind has no machines") }
}
