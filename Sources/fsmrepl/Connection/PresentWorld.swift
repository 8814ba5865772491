internal import LineProtocol
internal import Scripts

/// The world in use, with its clock and time, as far as replies report it.
struct PresentWorld: Equatable {
  var world = "main"
  /// `real` or `virtual`; empty when not known.
  var clock = ""
  /// In seconds, as the daemon printed it.
  var time = ""
  var isPaused = false
  var speed = "1"
  /// The number of its last input; `nil` when not known.
  var sequence: UInt64?

  /// Whether time advances there by itself.
  var isRunning: Bool { clock == "real" && !isPaused }

  /// Updates from a greeting, or from an answer to a request with this verb.
  mutating func update(from line: ServerLine, answering verb: Verb?) {
    if line.lineClass == .success, let world = line["world"], verb == nil || verb == .use || verb == .world {
      if world != self.world { self = PresentWorld(world: world) }
      if let clock = line["clock"] { self.clock = clock }
    }
    // What a fork of an input answers is where the copy is.
    if verb == .world, line.words.first == "created" { return }
    if let time = line["t"] { self.time = time }
    if let sequence = line["seq"].flatMap({ UInt64($0) }) { self.sequence = sequence }
    if let paused = line["paused"] { isPaused = paused == "yes" }
    if let speed = line["speed"] { self.speed = speed }
    guard line.lineClass == .success else { return }
    switch verb {
    case .clock where line.words.first == "clock" && line.words.count > 1:
      clock = line.words[1]
    // Only a real clock can do that. Somebody else may have set it meanwhile.
    case .pause: (clock, isPaused) = ("real", true)
    case .resume: (clock, isPaused) = ("real", false)
    default: break
    }
  }

  /// Updates from a notice, `SEQ T NAME WHAT …`. Notices come only from the world in use.
  mutating func update(from notice: ServerLine) {
    let words = notice.words
    guard words.count > 3 else { return }
    time = words[1]
    sequence = UInt64(words[0]) ?? sequence
    guard words[3] == "clock" else { return }
    if let mode = notice["mode"] { clock = mode }
    if let paused = notice["paused"] { isPaused = paused == "yes" }
    if let speed = notice["speed"] { self.speed = speed }
  }

  /// Takes note of an input that was seen otherwise.
  mutating func note(sequence: UInt64) { self.sequence = max(self.sequence ?? 0, sequence) }

  /// The prompt: short, and unchanged while nothing happens.
  func prompt(_ condition: PromptCondition, style: Style) -> Prompt {
    var parts = [Prompt.Part(.name, world)]
    if !clock.isEmpty {
      let isVirtual = clock == "virtual"
      let pace =
        isPaused ? "paused" : speed == "1" || isVirtual ? clock : "\(clock)\(style.usesUnicode ? "×" : "x")\(speed)"
      parts.append(.init(.quiet, pace))
      // More digits of a running clock are outdated at once.
      let exact = isVirtual || isPaused ? time : ScreenTime.cut(time, to: 1)
      let shown =
        style.isPresenting
        ? TimeText.people(exact) ?? exact
        : isVirtual || isPaused ? ScreenTime.text(exact) : ScreenTime.text(exact, unit: "s")
      if !time.isEmpty { parts.append(.init(.quiet, shown)) }
    }
    switch condition {
    case .ready: break
    case .waiting: parts.append(.init(.attention, style.ellipsis))
    case .collecting: parts.append(.init(.attention, "batch"))
    case .document(let kind):
      parts = [.init(.attention, "define \(kind)"), .init(.quiet, "up to \(DocumentSource.end)")]
    case .disconnected: parts = [.init(.bad, "not connected")]
    }
    return Prompt(parts: parts)
  }

  /// Whether a word of a copied prompt says how the clock goes.
  static func isPace(_ word: some StringProtocol) -> Bool {
    ["virtual", "paused", "real"].contains { word == $0 || word.hasPrefix("\($0)×") || word.hasPrefix("\($0)x") }
  }
}

/// What the prompt shows besides the place.
enum PromptCondition: Equatable {
  case ready
  /// A reply is outstanding.
  case waiting
  /// Between `begin` and `end`.
  case collecting
  /// Between `define` and `enddefine`, with the kind.
  case document(String)
  case disconnected
}

/// The styled parts of the prompt.
struct Prompt: Equatable {
  struct Part: Equatable {
    let role: Style.Role
    /// As shown.
    let text: String

    init(_ role: Style.Role, _ text: String) {
      self.role = role
      self.text = VisibleText.escaped(text)
    }
  }

  var parts: [Part]

  /// The prompt in readline's format: text without width stands between two marks, so that readline can count columns.
  func forReadline(_ style: Style) -> String {
    let words = parts.map { part in
      guard style.usesColour else { return part.text }
      guard let (before, after) = style(part.role, part.text).text.cut(at: part.text) else { return part.text }
      return "\u{01}\(before)\u{02}\(part.text)\u{01}\(after)\u{02}"
    }
    return words.joined(separator: " ") + "> "
  }
}
