// Data that are worth trying: what guards ask the data of an event for.

extension Compiler {
  /// The samples of one event, at most.
  private static var mostSamples: Int { 12 }

  /// Notes for each event the data that the guards of its transitions compare with constants.
  mutating func noteSamples() {
    guard chart.symbols.usesEvent else { return }
    for transition in chart.transitions where transition.condition != Chart.none && pace.mayGoOn() {
      guard case .form(let expression) = chart.expressions[Int(transition.condition)] else { continue }
      let samples = samples(askedBy: expression.code)
      if samples.isEmpty { continue }
      // What a transition without an event asks, every event can answer.
      var names = transition.descriptors.isEmpty ? [""] : []
      for place in transition.descriptors {
        switch chart.descriptors[Int(place)] {
        case .any: names.append("")
        case .name(let number): names.append(chart.events.names[Int(number)])
        }
      }
      for name in names {
        var known = chart.eventData[name] ?? []
        for sample in samples where known.count < Self.mostSamples && !known.contains(sample) { known.append(sample) }
        chart.eventData[name] = known
      }
    }
  }

  /// Objects of data, as JSON: one for each comparison, and one for which all of them are true, as far as that goes.
  private func samples(askedBy code: Code) -> [String] {
    var members: [(key: String, values: [String])] = []
    var compared: Set<Int> = []
    for node in code.nodes {
      guard case .binary(let operation, let left, let right) = node else { continue }
      for (place, other, isLeft) in [(Int(left), Int(right), true), (Int(right), Int(left), false)] {
        guard let key = Self.eventMember(place, in: code) else { continue }
        compared.insert(place)
        guard case .constant(let number) = code.nodes[other] else {
          members.append((key, ["1000", "-1000"]))
          continue
        }
        let value = code.constants[number]
        guard case .number(let limit) = value else {
          members.append((key, [ChartData.word(of: value)]))
          continue
        }
        let isLess = operation == .less || operation == .lessOrEqual
        let isMore = operation == .greater || operation == .greaterOrEqual
        let inside = isLess || isMore ? limit + (isLess == isLeft ? -1 : 1) : limit
        members.append((key, [inside, limit, 2 * limit - inside].map { ChartData.word(of: .number($0)) }))
      }
    }
    for node in code.nodes {
      switch node {
      case .call(let callee, let list):
        guard case .member(let object, let name) = code.nodes[Int(callee)],
          case .string("includes") = code.constants[name]
        else { continue }
        for argument in code.lists[list.range] {
          guard let key = Self.eventMember(Int(argument), in: code) else { continue }
          compared.insert(Int(argument))
          members.append((key, Array((constants(in: Int(object), of: code).elements + ["other"]).prefix(4))))
        }
      case .element(let object, let index):
        guard let key = Self.eventMember(Int(index), in: code) else { continue }
        compared.insert(Int(index))
        let keys = constants(in: Int(object), of: code).keys
        if !keys.isEmpty { members.append((key, Array(keys.prefix(4)))) }
      case _: break
      }
    }
    for place in code.nodes.indices where !compared.contains(place) {
      if let key = Self.eventMember(place, in: code) { members.append((key, ["true"])) }
    }
    var all: [(key: String, text: String)] = []
    for (key, values) in members where !all.contains(where: { $0.key == key }) { all.append((key, values[0])) }
    let joint = all.count > 1 ? [ChartData.text(of: all)] : []
    var samples: [String] = []
    let single = members.flatMap { member in member.values.map { ChartData.text(of: [(member.key, $0)]) } }
    for case let text? in joint + single where !samples.contains(text) { samples.append(text) }
    return samples
  }

  /// The constants of a list or an object, which may be those that a variable begins as.
  private func constants(in place: Int, of code: Code) -> (elements: [String], keys: [String]) {
    switch code.nodes[place] {
    case .array(let list): return (constants(code.lists[list.range], of: code), [])
    case .object(let list):
      let places = code.lists[list.range]
      return (
        [], constants(stride(from: 0, to: places.count, by: 2).map { places[places.startIndex + $0] }[...], of: code)
      )
    case .variable(let slot):
      guard case .expression(let number)? = chart.data.first(where: { Int($0.slot) == slot })?.value,
        case .form(let value) = chart.expressions[Int(number)]
      else { return ([], []) }
      // A variable that begins as another one is not followed.
      if case .variable = value.code.nodes[Int(value.code.root)] { return ([], []) }
      return constants(in: Int(value.code.root), of: value.code)
    case _: return ([], [])
    }
  }

  private func constants(_ places: ArraySlice<Code.Place>, of code: Code) -> [String] {
    places.compactMap { place in
      guard case .constant(let number) = code.nodes[Int(place)] else { return nil }
      return ChartData.word(of: code.constants[number])
    }
  }

  /// The key of `_event.data.key`.
  private static func eventMember(_ place: Int, in code: Code) -> String? {
    guard case .member(let object, let key) = code.nodes[place], case .string(let name) = code.constants[key],
      case .member(let event, let data) = code.nodes[Int(object)], case .system(.event) = code.nodes[Int(event)],
      case .string("data") = code.constants[data]
    else { return nil }
    return name
  }
}
