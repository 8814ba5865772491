extension TimeText {
  /// A time or duration as people say it, from one in seconds as replies print it: `43.5s`, `00:05:43.5`,
  /// `1d 00:05:43.5`.
  ///
  /// Cut to milliseconds, so that no time is shown that has not come yet; less than one is in microseconds or
  /// nanoseconds. ``time(ofPeople:)`` reads it.
  ///
  /// - Returns: `nil` for a text that is no time.
  package static func people(_ seconds: String) -> String? {
    guard let nanoseconds = time(seconds) else { return nil }
    let (milliseconds, below) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if milliseconds == 0 { return written(below) }
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    var fraction = rest == 0 ? "" : ".\(padded(rest, to: 3))"
    while fraction.last == "0" { fraction.removeLast() }
    if whole < 60 { return "\(whole)\(fraction)s" }
    let (days, ofDay) = whole.quotientAndRemainder(dividingBy: 86_400)
    let parts = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60].map { padded($0, to: 2) }
    return "\(days > 0 ? "\(days)d " : "")\(parts.joined(separator: ":"))\(fraction)"
  }

  /// A time as people write it, in nanoseconds: one number with a unit (`350ms`, `3 hours`), several (`5m 43s`), seconds,
  /// or the form of ``people(_:)``.
  ///
  /// - Returns: `nil` for a text that is no time.
  package static func time(ofPeople text: String) -> Int64? {
    if text.contains(":") { return onAClock(text) }
    let text = text.filter { $0 != " " }
    if let one = time(text) { return one }
    var total: Int64 = 0
    var number = ""
    var unit = ""
    func isDigit(_ character: Character) -> Bool { character.isASCII && (character.isNumber || character == ".") }
    for character in text + "0" {
      if isDigit(character), !unit.isEmpty {
        guard let part = time(number + (unitsInWords[unit] ?? unit)), total <= latest - part else { return nil }
        total += part
        (number, unit) = ("", "")
      }
      if isDigit(character) { number.append(character) } else { unit.append(character) }
    }
    return number == "0" && unit.isEmpty && !text.isEmpty ? total : nil
  }

  private static let unitsInWords = [
    "millisecond": "ms", "milliseconds": "ms", "sec": "s", "second": "s", "seconds": "s", "min": "m", "minute": "m",
    "minutes": "m", "hour": "h", "hours": "h", "day": "d", "days": "d",
  ]

  /// A duration in the form of requests that is meant by one in another form: `90s` by `1m30s`, `3h` by `3hours`.
  ///
  /// - Returns: `nil` for any other text, and for one that has the form of requests.
  package static func meant(by text: String) -> String? {
    guard !text.contains(":"), !text.contains(" "), time(text) == nil else { return nil }
    return time(ofPeople: text).map(written)
  }

  /// The duration that is meant by a number and a unit as two words: `3h` by `3 hours` and by `3 h`.
  ///
  /// - Returns: `nil` for other words.
  package static func meant(by number: String, _ unit: String) -> String? {
    guard number.last?.isNumber == true, time(number) != nil, unit.first?.isLetter == true else { return nil }
    return time(ofPeople: number + unit).map(written)
  }

  /// What to add to a remark on a text that is no time or duration: `; did you mean '90s'?`, or nothing.
  package static func remark(on text: String) -> String {
    if isTooFine(text) { return ", and whole nanoseconds" }
    return meant(by: text).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Whether a text is no time or duration only because it has parts of a nanosecond, such as `0.5ns`.
  package static func isTooFine(_ text: String) -> Bool {
    func isDigit(_ character: Character) -> Bool { character.isASCII && character.isWholeNumber }
    guard time(text) == nil, let (whole, fraction) = text.cut(at: "."), fraction.first.map(isDigit) == true else {
      return false
    }
    let unit = fraction.drop(while: isDigit)
    return unit.first != "." && time("\(whole)\(unit)").map { $0 < latest } ?? false
  }

  /// `05:43.116`, `00:05:43`, `1d 00:05:43.5`.
  private static func onAClock(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard let last = words.last, words.count <= 2 else { return nil }
    let numbers = last.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(numbers.count), let seconds = numbers.last else { return nil }
    let units = ["h", "m"].suffix(numbers.count - 1)
    let parts = zip(numbers, units).map { "\($0)\($1)" } + ["\(seconds)s"]
    var total: Int64 = 0
    for part in words.dropLast().map(String.init) + parts {
      guard let time = time(part), total <= latest - time else { return nil }
      total += time
    }
    return total
  }

  private static func padded(_ number: Int64, to length: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, length - digits.count)) + digits
  }
}
