import StateMachines

/// Maps the indices in records, which one description of a kind defines, to those in another kind.
///
/// An index outside a list, or a word that the other kind lacks, is an error, so no lookup can fail later.
final class KindTranslation {
  private let stored: KindSchema
  let kind: Kind
  /// Whether all indices are equal.
  private let isSame: Bool
  private let states: [UInt16?]
  private let events: [UInt16?]
  private let timers: [UInt16?]
  private let outputs: [UInt16?]
  private let parameters: [Int?]
  /// Defaults that have changed: a machine keeps the one that it was made with.
  private let oldStandards: [(parameter: Int, value: Value)]

  init(_ stored: KindSchema, to kind: Kind) {
    self.stored = stored
    self.kind = kind
    isSame = stored.hasLists(of: kind.schema)
    func places(_ words: [String], _ list: [String]) -> [UInt16?] {
      let known = Dictionary(zip(list, list.indices), uniquingKeysWith: { first, _ in first })
      return words.map { word in known[word].map { UInt16($0) } }
    }
    states = places(stored.states.map(\.word), kind.states.map(\.word))
    events = places(stored.events.map(\.name), kind.events.map(\.name))
    timers = places(stored.timers.map(\.name), kind.timers.map(\.name))
    outputs = places(stored.outputs.map(\.name), kind.outputs.map(\.name))
    parameters = stored.parameters.map { known in kind.parameters.firstIndex { $0.name == known.name } }
    oldStandards = zip(stored.parameters, parameters).compactMap { known, place in
      guard let place, let standard = known.standard, kind.parameters[place].standard != standard else { return nil }
      return (place, standard)
    }
  }

  func state(_ place: UInt16) throws(SegmentFailure) -> UInt16 {
    try find(place, "state", states) { stored.states[$0].word }
  }

  func event(_ place: UInt16) throws(SegmentFailure) -> UInt16 {
    try find(place, "event", events) { stored.events[$0].name }
  }

  func output(_ place: UInt16) throws(SegmentFailure) -> UInt16 {
    try find(place, "output", outputs) { stored.outputs[$0].name }
  }

  func timer(_ place: UInt16) throws(SegmentFailure) -> UInt16 {
    let now = try find(place, "timer", timers) { stored.timers[$0].name }
    let before = stored.timers[Int(place)]
    let hasKey = kind.timers[Int(now)].key != nil
    guard hasKey == (before.key != nil) else {
      throw .changed(
        kind: kind.name, word: "timer '\(before.name)'", how: hasKey ? "it has a key" : "it has no key any more")
    }
    return now
  }

  /// The arguments of an event, in the event's current form.
  func arguments(of event: UInt16, _ values: [Value]) throws(SegmentFailure) -> [Value] {
    let place = Int(try self.event(event))
    let (before, now) = (stored.events[Int(event)], kind.events[place].arguments)
    // Any data may also be left out altogether.
    if values.isEmpty, kind.events[place].isPlain, before.arguments.allSatisfy({ $0.type == .json }) { return [] }
    guard values.count == before.arguments.count else { throw .damaged("event '\(before.name)' has other arguments") }
    if isSame {
      for (argument, value) in zip(now, values) where !argument.type.admits(value) {
        throw .damaged("event '\(before.name)' has an argument '\(argument.name)' that it cannot have")
      }
      return values
    }
    func changed(_ how: String) -> SegmentFailure {
      .changed(kind: kind.name, word: "event '\(before.name)'", how: how)
    }
    for (argument, value) in zip(before.arguments, values)
    where value != .none && !now.contains(where: { $0.name == argument.name }) {
      throw changed("it takes no '\(argument.name)' any more")
    }
    var fitted: [Value] = []
    for argument in now {
      guard let known = before.arguments.firstIndex(where: { $0.name == argument.name }) else {
        guard argument.type.admits(.none) else { throw changed("it takes '\(argument.name)' too") }
        fitted.append(.none)
        continue
      }
      guard argument.type.admits(values[known]) else { throw changed("its '\(argument.name)' takes other values") }
      fitted.append(values[known])
    }
    return fitted
  }

  /// The data of an output, in the current order.
  func data(of output: UInt16, _ values: [Value]) throws(SegmentFailure) -> [Value] {
    let place = Int(try self.output(output))
    if isSame { return values }
    let (before, now) = (stored.outputs[Int(output)].data.map(\.name), kind.outputs[place].data.map(\.name))
    if before == now { return values }
    guard before.count == values.count, before.sorted() == now.sorted() else {
      let lists = [before, now].map { $0.isEmpty ? "nothing" : $0.joined(separator: ", ") }
      throw .changed(
        kind: kind.name, word: "output '\(stored.outputs[Int(output)].name)'",
        how: "it had \(lists[0]) and has \(lists[1])")
    }
    return now.compactMap { name in before.firstIndex(of: name).map { values[$0] } }
  }

  /// The parameters of a machine, in the current form of `new`.
  func parameters(
    _ values: [(parameter: Int, value: Value)]
  ) throws(SegmentFailure) -> [(parameter: Int, value: Value)] {
    var fitted: [(parameter: Int, value: Value)] = []
    for (place, value) in values {
      let now = try find(place, "parameter", parameters) { stored.parameters[$0].name }
      let name = stored.parameters[place].name
      guard kind.parameters[now].type.admits(value) else {
        if isSame { throw .damaged("parameter '\(name)' has a value that it cannot have") }
        throw .changed(kind: kind.name, word: "parameter '\(name)'", how: "it takes other values")
      }
      fitted.append((now, value))
    }
    if isSame { return values }
    for standard in oldStandards where !fitted.contains(where: { $0.parameter == standard.parameter }) {
      guard kind.parameters[standard.parameter].type.admits(standard.value) else {
        throw .changed(
          kind: kind.name, word: "parameter '\(kind.parameters[standard.parameter].name)'",
          how: "it does not accept its earlier default")
      }
      fitted.append(standard)
    }
    return fitted
  }

  /// The current index for one in a stored list; `word` gives the stored word for messages.
  private func find<Place>(
    _ place: some BinaryInteger, _ list: String, _ places: [Place?], word: (Int) -> String
  ) throws(SegmentFailure) -> Place {
    guard Int(place) < places.count else { throw .damaged("kind \(kind.name) had no \(list) \(place)") }
    guard let now = places[Int(place)] else {
      throw .gone(kind: kind.name, word: "\(list) '\(word(Int(place)))'")
    }
    return now
  }
}
