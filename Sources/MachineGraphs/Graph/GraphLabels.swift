import StateMachines

/// Labels of values and inputs in diagrams.
extension Value {
  /// As a request would write it, on one line; long text is shortened.
  var label: String {
    switch self {
    case .none: "nil"
    case .text(let text): Value.shortened(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)".hasSuffix(".0") ? String("\(number)".dropLast(2)) : "\(number)"
    case .flag(let flag): flag ? "on" : "off"
    case .interval(let interval): interval.label
    case .moment(let moment): Nanoseconds(nanoseconds: moment.nanoseconds).label
    }
  }

  private static let longestText = 24

  private static func shortened(_ text: String) -> String {
    if text.isEmpty { return "\"\"" }
    // Blanks that nobody would see have signs.
    let isBlank = text.allSatisfy { $0 == " " }
    let line = String(
      text.map { character in
        switch character {
        case " " where isBlank: "␣"
        case "\t": "⇥"
        case let other where other.isNewline: "↵"
        case let other where other.unicodeScalars.contains { $0.value < 0x20 }: " "
        case let other: other
        }
      })
    return line.count > longestText ? line.prefix(longestText - 1) + "…" : line
  }
}

extension Nanoseconds {
  /// In the largest unit in which it is a whole number, from minutes up; otherwise in decimals: `10m`, `1.5s`, `350ms`.
  var label: String {
    if nanoseconds == 0 { return "0s" }
    let magnitude = Int64(clamping: nanoseconds.magnitude)
    let sign = nanoseconds < 0 ? "-" : ""
    for (name, unit) in [("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000)] as [(_, Int64)]
    where magnitude % unit == 0 {
      return "\(sign)\(magnitude / unit)\(name)"
    }
    for (name, unit) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] as [(_, Int64)] where magnitude >= unit
    {
      let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
      guard rest > 0 else { return "\(sign)\(whole)\(name)" }
      var digits = "\(unit + rest)".dropFirst()
      while digits.last == "0" { digits.removeLast() }
      return "\(sign)\(whole).\(digits)\(name)"
    }
    return "\(sign)\(magnitude)ns"
  }
}

extension StateGraph {
  /// An event with one sample choice, `loadingFinished(0)`, or a timer with its duration, `waiting after 2s`.
  public func label(of input: Int) -> String {
    switch inputs[input] {
    case .event(let event, let arguments):
      kind.events[event].name
        + (arguments.isEmpty ? "" : "(\(StateGraph.sample(arguments, of: kind.events[event])))")
    case .timer(let timer):
      timers[timer].duration.map { "\(kind.timers[timer].name) after \($0.label)" } ?? kind.timers[timer].name
    }
  }

  /// The samples of some inputs, with bars between them.
  func samples(of inputs: [Int]) -> String {
    StateGraph.listed(
      inputs.map { input in
        if case .event(let event, let arguments) = self.inputs[input] {
          StateGraph.sample(arguments, of: kind.events[event])
        } else {
          ""
        }
      })
  }

  /// The arguments of an event. A flag says nothing without its name: `isNextPage: false`.
  static func sample(_ arguments: [Value], of event: EventEntry) -> String {
    var hasNames = false
    let texts = arguments.enumerated().map { place, value in
      guard case .flag(let flag) = value, place < event.arguments.count else { return value.label }
      hasNames = true
      return "\(event.arguments[place].name): \(flag)"
    }
    return texts.joined(separator: hasNames ? ", " : ",")
  }
}
