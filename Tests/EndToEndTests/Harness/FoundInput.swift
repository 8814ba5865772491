/// One input of a journal, as its first line tells it.
struct FoundInput {
  let sequence: UInt64
  /// As it is printed, in seconds.
  let time: Substring
  let machine: Substring
  /// `created`, `moved`, …
  let what: Substring
  /// Behind that, up to what is `key=value`.
  let rest: [Substring]
  /// The `key=value` words.
  let keys: [Substring: Substring]

  /// - Parameter line: With the `. ` in front of it.
  init?(_ line: String) {
    let words = line.split(separator: " ").dropFirst()
    guard words.count >= 4, let sequence = words.first.flatMap({ UInt64($0) }) else { return nil }
    self.sequence = sequence
    time = words[words.startIndex + 1]
    machine = words[words.startIndex + 2]
    what = words[words.startIndex + 3]
    var rest: [Substring] = []
    var keys: [Substring: Substring] = [:]
    for word in words.dropFirst(4) {
      if let sign = word.firstIndex(of: "=") {
        keys[word[..<sign]] = word[word.index(after: sign)...]
      } else {
        rest.append(word)
      }
    }
    self.rest = rest
    self.keys = keys
  }

  /// The inputs of a reply to `journal`.
  static func all(in reply: [String]) -> [FoundInput] {
    var found: [FoundInput] = []
    for line in reply where line.hasPrefix(".") {
      guard let input = FoundInput(line), input.sequence != found.last?.sequence else { continue }
      found.append(input)
    }
    return found
  }

  /// What an input from outside is about, as no other one of a test is; nil if it follows from others.
  var subject: String? {
    switch what {
    case "created", "dropped": return "\(machine) \(what)"
    case "defined", "undefined": return "\(what) \(rest.joined(separator: " "))"
    case "wired", "unwired": return "\(machine) \(what) \(rest.joined(separator: " "))"
    case "moved", "stayed", "ignored", "refused": return keys["event"].map { "\(machine) \($0)" }
    default: return nil
    }
  }
}
