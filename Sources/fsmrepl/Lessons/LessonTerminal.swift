internal import Glibc
internal import UnixHost

/// The terminal of a lesson: one typed line, or one key. Between two calls the terminal has its original mode.
@MainActor
final class LessonTerminal {
  enum Input: Equatable {
    case line(String)
    /// Ctrl-C, or the end of input.
    case leave
    /// A signal that ends the program.
    case signal(Int32)
  }

  enum Key: Equatable {
    case next
    case back
    case leave
    case signal(Int32)
  }

  private let signals: SignalQueue
  private let style: Style
  private let terminal: Terminal

  /// - Parameter signals: Reads ``Prompting/signals``.
  init(style: Style, signals: SignalQueue) {
    self.signals = signals
    self.style = style
    terminal = Terminal(style: style, keepsHistory: false)
  }

  /// Reads a line.
  func line(_ prompt: String) -> Input {
    var input: Input?
    terminal.onLine = { line in
      input = line.map(Input.line) ?? .leave
      return false
    }
    terminal.start(prompt: prompt)
    defer { terminal.stop() }
    while true {
      if let input { return input }
      let end = waitForKeyboard { number in
        switch number {
        case SIGWINCH: terminal.resize()
        case SIGCONT: terminal.resume()
        case SIGTSTP: terminal.suspend()
        default: break
        }
      }
      if let end { return end == SIGINT ? .leave : .signal(end) }
      terminal.readable()
    }
  }

  /// Waits until something is typed.
  ///
  /// - Parameter take: Called with signals that do not end the program.
  /// - Returns: A signal that ends it.
  private func waitForKeyboard(_ take: (Int32) -> Void) -> Int32? {
    while true {
      let readiness = Readiness([.init(descriptor: .standardInput), .init(descriptor: signals.descriptor)])
      while let number = signals.next() {
        if Dialogue.signals.contains(number) { return number }
        take(number)
      }
      if readiness.canRead(.standardInput) { return nil }
    }
  }

  /// Shows a text in one row and waits for a key; then the text is gone, if the terminal can erase it.
  ///
  /// - Parameter hasBack: Whether the key for back means something.
  func key(_ text: String, hasBack: Bool = true) -> Key {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return .leave }
    let raw = Self.withoutEcho(before)
    func show() {
      _ = withUnsafePointer(to: raw) { tcsetattr(STDIN_FILENO, TCSADRAIN, $0) }
      // Of two rows only the last would be erased.
      let room = Descriptor.standardOutput.columns.map { max(0, $0 - 1) } ?? text.count
      Descriptor.standardOutput.write(style(.quiet, String(text.prefix(room))))
    }
    func hide() {
      Descriptor.standardOutput.writeAll(Terminal.isDumb ? "\n" : "\r\u{1B}[K")
      _ = withUnsafePointer(to: before) { tcsetattr(STDIN_FILENO, TCSADRAIN, $0) }
    }
    show()
    defer { hide() }
    while true {
      let end = waitForKeyboard { number in
        if number == SIGCONT { show() }
        guard number == SIGTSTP else { return }
        hide()
        kill(getpid(), SIGSTOP)
      }
      if let end { return end == SIGINT ? .leave : .signal(end) }
      var bytes = [UInt8](repeating: 0, count: 16)
      switch bytes.withUnsafeMutableBytes({ Descriptor.standardInput.read(into: $0) }) {
      case .bytes(let count):
        if let key = Self.key(bytes.prefix(count), hasBack: hasBack) { return key }
      case .wouldBlock: continue
      case .closed, .failed: return .leave
      }
    }
  }

  private static func withoutEcho(_ settings: termios) -> termios {
    var settings = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return settings
  }

  /// What some bytes from the keyboard mean; nil for keys without a meaning. Of several keys the first that means
  /// something counts.
  static func key(_ bytes: ArraySlice<UInt8>, hasBack: Bool = true) -> Key? {
    var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while !rest.isEmpty {
      let key = rest.prefix(lengthOfKey(rest))
      rest = rest.dropFirst(key.count)
      if let key = meaning(of: String(key)), hasBack || key != .back { return key }
    }
    return nil
  }

  /// An arrow key is ESC, `[` and what follows up to a letter or `~`; or ESC, `O` and a letter.
  private static func lengthOfKey(_ typed: Substring.UnicodeScalarView) -> Int {
    guard typed.first == "\u{1B}" else { return 1 }
    let rest = typed.dropFirst()
    if rest.first == "[", let end = rest.dropFirst().firstIndex(where: { "@"..."~" ~= $0 }) {
      return typed[...end].count
    }
    let letter = rest.first == "O" ? rest.dropFirst() : rest
    return typed.count - letter.count + (letter.first == "\u{1B}" ? 0 : min(letter.count, 1))
  }

  private static func meaning(of key: String) -> Key? {
    switch key {
    case "\n", "\r", " ", "n", "l", "\u{1B}[C", "\u{1B}OC", "\u{1B}[B", "\u{1B}OB", "\u{1B}[6~": .next
    case "b", "h", "\u{7F}", "\u{1B}[D", "\u{1B}OD", "\u{1B}[A", "\u{1B}OA", "\u{1B}[5~": .back
    case "q", "Q", "\u{04}": .leave
    default: nil
    }
  }
}
