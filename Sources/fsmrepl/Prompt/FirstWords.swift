internal import LineProtocol

/// A line whose words are no request, though they are names of events and machines.
struct FirstWords {
  private var machine: (name: String, kind: String)?
  private var event: String?
  /// The events of the machine.
  private var events: [String] = []
  /// Whether the machine was named.
  private var isNamed = false

  /// How many machines are looked at, and how many kinds.
  static let maxMachines = 200
  private static let maxKinds = 20
  private static let maxEvents = 12

  /// The kinds of some machines, from the answer to `list`.
  static func kinds(of machines: [ServerLine]) -> [String] {
    Array(Set(machines.filter { $0.words.count > 1 }.map { $0.words[1] }).sorted().prefix(maxKinds))
  }

  /// - Parameters:
  ///   - machines: The answer to `list`.
  ///   - descriptions: The answers to `describe`, by kind.
  init(_ words: [String], _ machines: [ServerLine], _ descriptions: [String: [ServerLine]]) {
    let all = machines.filter { $0.words.count > 1 }.map { (name: $0.words[0], kind: $0.words[1]) }
    func event(of kind: String) -> String? {
      let events = CatalogueRow.all("event", in: descriptions[kind]).map(\.name)
      return words.lazy.compactMap { word in events.first { $0.lowercased() == word.lowercased() } }.first
    }
    let named = words.lazy.compactMap { word in all.first { $0.name == word } }.first
    isNamed = named != nil
    machine = named ?? all.first { event(of: $0.kind) != nil }
    self.event = machine.flatMap { event(of: $0.kind) }
    if let kind = machine?.kind { events = CatalogueRow.all("event", in: descriptions[kind]).map(\.name) }
  }

  /// What to type instead; `nil` if the words name nothing.
  ///
  /// - Parameter isRequest: Whether the line is a request of some machine already.
  func hint(isRequest: Bool, _ style: Style) -> ScreenText? {
    guard let machine else { return nil }
    let name = style(.name, machine.name)
    if let event {
      return "'\(event)' is an event of \(name): \(style(.good, "send \(machine.name) \(event)"))"
    }
    guard isNamed else { return nil }
    if isRequest {
      let more = events.count > Self.maxEvents ? ", …" : ""
      return events.isEmpty ? nil : "\(name) has: \(events.prefix(Self.maxEvents).joined(separator: ", "))\(more)"
    }
    let (show, send) = ("show \(machine.name)", "send \(machine.name) EVENT")
    return "\(name) is a machine: '\(show)' prints its state, '\(send)' sends it an event"
  }
}
