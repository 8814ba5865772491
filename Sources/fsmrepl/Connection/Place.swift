internal import LineProtocol

/// Where we are, as far as replies have told: the world, its clock, its time.
struct Place: Equatable {
  var world = "main"
  /// `real` or `virtual`; empty when not known.
  var clock = ""
  /// In seconds, as the daemon printed it.
  var time = ""
  var isPaused = false
  var speed = "1"

  /// Whether time goes by there by itself.
  var isRunning: Bool { clock == "real" && !isPaused }

  /// Takes over what a greeting, or an answer to a request of this verb, says about the world.
  mutating func update(from line: ServerLine, answering verb: Verb?) {
    if line.lineClass == .success, let world = line["world"], verb == nil || verb == .use || verb == .world {
      if world != self.world { self = Place(world: world) }
      if let clock = line["clock"] { self.clock = clock }
    }
    if let time = line["t"] { self.time = time }
    if let paused = line["paused"] { isPaused = paused == "yes" }
    if let speed = line["speed"] { self.speed = speed }
    guard line.lineClass == .success else { return }
    switch verb {
    case .clock where line.words.first == "clock" && line.words.count > 1:
      clock = line.words[1]
    case .pause: isPaused = true
    case .resume: isPaused = false
    default: break
    }
  }

  /// Takes over what a notice says, `SEQ T NAME WHAT …`: notices come from the world in use alone.
  mutating func update(from notice: ServerLine) {
    let words = notice.words
    guard words.count > 3 else { return }
    time = words[1]
    guard words[3] == "clock" else { return }
    if let mode = notice["mode"] { clock = mode }
    if let paused = notice["paused"] { isPaused = paused == "yes" }
    if let speed = notice["speed"] { self.speed = speed }
  }

  /// The prompt: short, and still while nothing happens.
  func prompt(_ condition: PromptCondition, style: Style) -> Prompt {
    var parts = [Prompt.Part(.name, world)]
    if !clock.isEmpty {
      let isVirtual = clock == "virtual"
      let pace =
        isPaused ? "paused" : speed == "1" || isVirtual ? clock : "\(clock)\(style.usesUnicode ? "×" : "x")\(speed)"
      parts.append(.init(.quiet, pace))
      if !time.isEmpty { parts.append(.init(.quiet, isVirtual || isPaused ? time : Self.tenths(time) + "s")) }
    }
    switch condition {
    case .ready: break
    case .waiting: parts.append(.init(.attention, style.ellipsis))
    case .collecting: parts.append(.init(.attention, "batch"))
    case .disconnected: parts = [.init(.bad, "not connected")]
    }
    return Prompt(parts: parts)
  }

  /// A running clock's time without the decimals that are old before they are read.
  private static func tenths(_ time: String) -> String {
    guard let point = time.firstIndex(of: ".") else { return time }
    return String(time[..<(time.index(point, offsetBy: 2, limitedBy: time.endIndex) ?? time.endIndex)])
  }
}

/// What the prompt has to say beside the place.
enum PromptCondition: Equatable {
  case ready
  /// A reply is outstanding.
  case waiting
  /// Between `begin` and `end`.
  case collecting
  case disconnected
}

/// The prompt's parts, which the terminal puts together.
struct Prompt: Equatable {
  struct Part: Equatable {
    let role: Style.Role
    /// As it is shown.
    let text: String

    init(_ role: Style.Role, _ text: String) {
      self.role = role
      self.text = VisibleText.escaped(text)
    }
  }

  var parts: [Part]

  /// Readline's form: what takes no room on the screen stands between two marks, so that it can count columns.
  func forReadline(_ style: Style) -> String {
    let words = parts.map { part in
      guard style.usesColour else { return part.text }
      let styled = style(part.role, part.text).text
      let pieces = styled.split(separator: part.text, maxSplits: 1, omittingEmptySubsequences: false)
      guard pieces.count == 2 else { return part.text }
      return "\u{01}\(pieces[0])\u{02}\(part.text)\u{01}\(pieces[1])\u{02}"
    }
    return words.joined(separator: " ") + "> "
  }
}
