import LineProtocol
import Simulator
import StateMachines

/// Parses the words of a request. Each function writes a failure and returns nil if a word does not fit.
extension RequestContext {
  /// A machine by its name, if there is one.
  func machineIfAny(_ name: String) -> MachineID? {
    var text = name
    return text.withUTF8 { live.world.find(UnsafeRawBufferPointer($0)) }
  }

  /// A machine by its name.
  func machine(_ name: String) -> MachineID? {
    if let machine = machineIfAny(name) { return machine }
    if let members = live.world.members(of: name) {
      let names = members.map { live.world.name(of: $0) }
      fail(
        .unknownMachine, [("machine", name), ("did-you-mean", names[0])],
        "'\(name)' is composed; its machines are \(names.joined(separator: ", "))")
      return nil
    }
    guard session.hasReader else {
      fail(.unknownMachine, [("machine", name)], "there is no such machine")
      return nil
    }
    fail(
      .unknownMachine, [("machine", name)] + suggestion(name, among: live.world.someNames(Nearest.candidates)),
      "there is no machine '\(name)' in world \(session.shown(live.name))")
    return nil
  }

  /// A kind by its name.
  func kind(_ name: String) -> CatalogueEntry? {
    if let entry = entry(named: name) { return entry }
    fail(
      .unknownKind, [("kind", name)] + suggestion(name, among: catalogue.entries.lazy.map(\.name)),
      "there is no kind '\(name)'; 'kinds' lists them")
    return nil
  }

  /// A valid name for a new machine or world.
  func newName(_ name: String) -> String? {
    var text = name
    if text.withUTF8({ TextRules.isName(UnsafeRawBufferPointer($0), longest: limits.name) }) { return name }
    failArgument(
      "name", name, allowed: "1 to \(limits.name) of A-Z a-z 0-9 . _ -, first a letter", "'\(name)' cannot be a name")
    return nil
  }

  /// A number within a range; `otherwise` if there is no text.
  func number(_ text: String?, _ argument: String, in range: ClosedRange<UInt64>, otherwise: UInt64) -> UInt64? {
    guard let text else { return otherwise }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number) {
      return number
    }
    failArgument(
      argument, text, allowed: "\(range.lowerBound)..\(range.upperBound)",
      "\(argument) is a whole number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// A duration in nanoseconds.
  func duration(_ text: String, _ argument: String) -> Int64? {
    if let nanoseconds = TimeText.duration(text) { return nanoseconds }
    failArgument(
      argument, text, allowed: TimeText.durationForm,
      // A time may be longer.
      TimeText.time(text) != nil
        ? "'\(text)' is longer than any duration"
        : TimeText.isTooFine(text)
          ? "a duration is whole nanoseconds, and '\(text)' is not" : "'\(text)' is no duration")
    return nil
  }

  /// A moment of world time.
  func time(_ text: String, _ argument: String = "time") -> Instant? {
    if let nanoseconds = TimeText.time(text) { return Instant(nanoseconds: nanoseconds) }
    failArgument(
      argument, text, allowed: TimeText.timeForm,
      TimeText.isTooFine(text) ? "a time is whole nanoseconds, and '\(text)' is not" : "'\(text)' is no time")
    return nil
  }

  /// A state of a kind.
  func query(_ word: String, _ kind: Kind) -> StateQuery? {
    if let query = StateQuery(word, of: kind) { return query }
    // The states of single regions: all their combinations would be too many to read.
    let states = kind.states.flatMap { $0.word.split(separator: "+").map(String.init) }.distinct
    failArgument(
      "state", word, among: states, near: states + kind.states.map(\.word),
      "\(withArticle(kind.name)) has no state '\(word)'")
    return nil
  }

  /// A pattern; no text matches all. It fails if the pattern is too long.
  func pattern(_ text: String?) -> NamePattern? {
    guard let text else { return .all }
    let bytes = text.utf8.count
    guard bytes > NamePattern.maxBytes else { return NamePattern(text.utf8) }
    failArgument(
      "pattern", "\(bytes) bytes", allowed: "at most \(NamePattern.maxBytes) bytes",
      "a pattern has at most \(NamePattern.maxBytes) bytes")
    return nil
  }

  /// One of a few words; `otherwise` if there is no text.
  func choice<Choice>(_ text: String?, _ argument: String, _ choices: KeyValuePairs<String, Choice>, otherwise: Choice)
    -> Choice?
  {
    guard let text else { return otherwise }
    if let found = choices.first(where: { $0.key == text }) { return found.value }
    let allowed = choices.map(\.key).joined(separator: ",")
    failArgument(argument, text, allowed: allowed, "\(argument) is one of \(allowed)")
    return nil
  }
}

extension RequestContext {
  /// Writes that nothing here has a key.
  ///
  /// - Parameters:
  ///   - names: What is suggested instead of the key, if it is near.
  ///   - mayNumber: Whether `id=` would number the request of a client with a name.
  func fail(
    key: String, _ value: String, allowed: [String], among names: [String], mayNumber: Bool = true, _ why: String
  ) {
    let hint =
      key == "id" && mayNumber && session.client == nil ? "; 'client NAME' comes first, so that id= numbers it" : ""
    fail(
      .badArgument,
      [("argument", key), ("got", value), ("allowed", allowed.joined(separator: ","))] + suggestion(key, among: names),
      why + hint)
  }
}

/// `did-you-mean=` with the nearest candidate, if one is near.
func suggestion(_ word: String, among candidates: some Sequence<String>) -> [(String, String)] {
  Nearest.match(word, among: candidates).map { [("did-you-mean", $0)] } ?? []
}

/// `did-you-mean=` with the nearest name of all kinds, in alphabetical order, if one is near.
///
/// - Parameter names: In any order, with repetitions. Only the first ones are looked at.
func suggestion(_ word: String, amongAll names: some Sequence<String>) -> [(String, String)] {
  suggestion(word, among: Set(names.prefix(4 * Nearest.candidates)).sorted())
}
