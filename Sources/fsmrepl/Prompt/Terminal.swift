internal import CReadline
internal import Glibc
internal import LineProtocol
internal import UnixHost

/// The terminal and the line being typed: GNU readline through its callbacks.
///
/// The owner calls ``readable()`` when there is input. Text is shown above the line being typed, which stays as it is.
/// Readline is global, so one terminal at a time is started. It has been loaded (``Readline/load()``).
@MainActor
final class Terminal {
  /// Called with each line, and with `nil` at the end of input; returns whether another prompt follows. While it runs
  /// no prompt is on the screen.
  var onLine: (String?) -> Bool = { _ in true }
  /// Completes the end of a text.
  var complete: (String) -> Completion = { _ in Completion() }
  /// What may follow a text, to be shown after the cursor.
  var hint: (String) -> String = { _ in "" }
  /// Whether entered lines go to the history.
  var remembers = true

  private static var current: Terminal?

  private enum Condition {
    case stopped
    /// A prompt is on the screen.
    case editing
    /// A line has been entered and is being handled.
    case handling
    /// Another program has the terminal.
    case lent(Lease)
  }

  /// What is to be put back when the other program has ended.
  private struct Lease {
    let settings: termios
    /// Whether a line was being edited, so that the prompt has to return.
    let isEditing: Bool
  }

  private var condition = Condition.stopped
  private var isEditing: Bool { if case .editing = condition { true } else { false } }
  /// Whether a hint is after the cursor.
  private var showsHint = false
  /// The current prompt, or the last one.
  private(set) var prompt = ""
  private let style: Style
  private let history: HistoryFile?
  /// The result of the last TAB, for the list that readline requests next.
  private var completion = Completion()

  /// - Parameter keepsHistory: Whether lines are kept for later sessions.
  init(style: Style, keepsHistory: Bool = true) {
    self.style = style
    history = keepsHistory ? HistoryFile() : nil
  }

  /// Shows the prompt.
  func start(prompt: String) {
    Terminal.current = self
    self.prompt = prompt
    let readline = fsm_readline_variables()
    // For `$if fsmrepl` in inputrc. Readline keeps the pointer.
    readline.rl_readline_name.pointee = UnsafePointer(strdup("fsmrepl"))
    readline.rl_catch_signals.pointee = 0  // The loop reads signals.
    readline.rl_catch_sigwinch.pointee = 0
    readline.rl_change_environment.pointee = 0
    readline.rl_sort_completion_matches.pointee = 0  // What is possible now is first.
    readline.rl_completer_word_break_characters.pointee = UnsafePointer(strdup(" \t\n"))  // It keeps this one too.
    readline.rl_attempted_completion_function.pointee = { text, start, end in
      Terminal.current?.completions(from: Int(start), to: Int(end)) ?? nil
    }
    readline.rl_completion_display_matches_hook.pointee = { _, _, _ in Terminal.current?.showCompletions() }
    // The terminal stays in readline's mode while a line is handled, so that input typed or pasted meanwhile is not
    // echoed twice. stop() and suspend() restore it.
    readline.rl_deprep_term_function.pointee = {}
    rl_variable_bind("show-all-if-ambiguous", "on")  // Before inputrc is read, which may override it.
    install()
    condition = .editing
  }

  private func install() {
    rl_callback_handler_install(prompt) { line in Terminal.current?.entered(line) }
  }

  /// Restores the terminal.
  func stop() {
    switch condition {
    case .stopped: return
    case .editing:
      eraseHint()
      newLine()
      giveBack()
    case .handling: giveBack()
    case .lent: break
    }
    rl_callback_handler_remove()
    condition = .stopped
  }

  /// Reads typed input.
  func readable() {
    guard isEditing else { return }
    eraseHint()  // Readline does not know of it.
    rl_callback_read_char()
    // In the middle of a paste nobody reads hints.
    if isEditing, !Readiness([.init(descriptor: .standardInput)], until: 0).canRead(.standardInput) { drawHint() }
  }

  /// Whether readline shows a prompt of its own.
  private var isSearching: Bool {
    rl_readline_state & UInt(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG) != 0
  }

  /// Shows whole lines above the prompt and changes the prompt, in one step.
  func show(_ text: ScreenText, prompt next: String) {
    // While readline searches, its own prompt is shown, and ours must return unchanged afterwards.
    let changes = !isSearching && next != prompt
    guard changes || !text.isEmpty else { return }
    let text = text.inEncoding(of: style)
    switch condition {
    case .stopped, .lent:
      Descriptor.standardOutput.write(text)
    case .handling:
      Descriptor.standardOutput.write(text)
      if changes { set(next) }
    case .editing:
      eraseHint()
      rl_clear_visible_line()
      fflush(rl_outstream)  // Readline writes through stdio; we do not.
      Descriptor.standardOutput.write(text)
      if changes { set(next) }
      rl_on_new_line()
      rl_redisplay()
      drawHint()
    }
  }

  // MARK: Other programs

  /// Whether another program can have the terminal without getting in the way of a line that is being typed.
  var isIdle: Bool {
    switch condition {
    case .editing: rl_end == 0 && !isSearching
    case .handling: true
    case .stopped, .lent: false
    }
  }

  /// Gives the terminal to another program, as it was before this one; ``takeBack()`` ends that.
  func lend() {
    switch condition {
    case .stopped, .lent: return
    case .editing, .handling: break
    }
    if isEditing {
      eraseHint()
      rl_clear_visible_line()
    }
    giveBack()
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    condition = .lent(Lease(settings: settings, isEditing: isEditing))
  }

  /// Takes the terminal back; the line that was being typed is shown again.
  func takeBack() {
    guard case .lent(let lease) = condition else { return }
    // A program that was killed may have left it in another mode.
    var settings = lease.settings
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    rl_prep_terminal(1)
    rl_reset_screen_size()
    condition = lease.isEditing ? .editing : .handling
    guard lease.isEditing else { return }
    rl_on_new_line()
    rl_redisplay()
    drawHint()
  }

  /// Begins a new row if another program has left the cursor in the middle of one.
  func beginRow() {
    guard let width = Descriptor.standardOutput.columns else { return }
    Descriptor.standardOutput.writeAll(String(repeating: " ", count: width - 1) + "\r")
  }

  /// Empties the screen, if the terminal can.
  func clear() {
    guard case .handling = condition, !Self.isDumb else { return }
    Descriptor.standardOutput.writeAll("\u{1B}[H\u{1B}[2J")
  }

  /// Whether it knows no commands, so that a pager asks for a key first.
  static let isDumb = ["", "dumb"].contains(SocketPath.variable("TERM") ?? "")

  // MARK: Hints

  /// A hint needs so many columns at least.
  private static let narrowestHint = 6

  /// Shows what may follow, after the end of the line and in its row. Only where there is colour: without, it would look
  /// as if it were typed.
  private func drawHint() {
    guard style.usesColour, isEditing, rl_end > 0, rl_point == rl_end, !isSearching,
      let buffer = rl_line_buffer, let width = Descriptor.standardOutput.columns
    else { return }
    // Safety: readline's buffer has `rl_end` bytes.
    let typed = String(decoding: UnsafeRawBufferPointer(start: buffer, count: Int(rl_end)), as: UTF8.self)
    let room = width - columnsBeforeCursor % width - 1
    let text = hint(typed)
    guard !text.isEmpty, room >= Self.narrowestHint else { return }
    var shown = VisibleText.escaped(text)
    if ScreenText.columns(of: shown) > room {
      while ScreenText.columns(of: shown) > room - style.ellipsis.count { shown.removeLast() }
      shown += style.ellipsis
    }
    let styled = style(.hint, shown)
    fflush(rl_outstream)
    // The cursor stays where readline has left it.
    Descriptor.standardOutput.write("\u{1B}7\(styled.inEncoding(of: style))\u{1B}8")
    showsHint = true
  }

  private func eraseHint() {
    guard showsHint else { return }
    showsHint = false
    fflush(rl_outstream)
    Descriptor.standardOutput.writeAll("\u{1B}[K")
  }

  /// Drops the line being typed, as a shell does at Ctrl-C.
  func interrupt() {
    guard isEditing else { return }
    eraseHint()
    rl_free_line_state()
    rl_callback_sigcleanup()
    rl_point = rl_end
    rl_redisplay()  // At the end of the line, not over the text after the cursor.
    rl_echo_signal_char(SIGINT)
    newLine()
    // Readline keeps the line, its history position and its search state until its handler is installed anew.
    rl_callback_handler_remove()
    install()
  }

  /// Adapts to a new terminal size.
  ///
  /// Most terminals rewrap their lines: prompt and input then take as many rows as the new width requires. Readline
  /// assumes that they stay in place, which is right for the other terminals.
  func resize() {
    guard isEditing else {
      rl_reset_screen_size()
      return
    }
    eraseHint()
    defer { drawHint() }
    guard let width = Descriptor.standardOutput.columns, Self.breaksLinesAnew else { return rl_resize_terminal() }
    let rows = columnsBeforeCursor / width
    rl_reset_screen_size()
    fflush(rl_outstream)
    Descriptor.standardOutput.writeAll((rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J")
    rl_on_new_line()
    rl_redisplay()
  }

  /// Xterm truncates lines; inside tmux its name is still in the environment.
  private static let breaksLinesAnew =
    SocketPath.variable("XTERM_VERSION") == nil || SocketPath.variable("TMUX") != nil

  /// How many columns the prompt and the text before the cursor take.
  private var columnsBeforeCursor: Int {
    var prompt = rl_display_prompt.map { String(cString: $0) } ?? ""
    // Text between these marks has no width.
    while let start = prompt.firstIndex(of: "\u{01}"), let end = prompt[start...].firstIndex(of: "\u{02}") {
      prompt.removeSubrange(start...end)
    }
    guard let buffer = rl_line_buffer else { return ScreenText.columns(of: prompt) }
    // Safety: readline's buffer has at least as many bytes as stand before the cursor.
    let typed = String(decoding: UnsafeRawBufferPointer(start: buffer, count: Int(rl_point)), as: UTF8.self)
    // A control character is shown as two.
    let controls = typed.unicodeScalars.count { $0.value < 0x20 || $0.value == 0x7F }
    return ScreenText.columns(of: prompt) + ScreenText.columns(of: typed) + controls
  }

  /// Stops the process, as Ctrl-Z does. On SIGCONT call ``resume()``.
  func suspend() {
    switch condition {
    case .stopped, .lent: break
    case .editing, .handling:
      eraseHint()
      giveBack()
    }
    kill(getpid(), SIGSTOP)
  }

  /// Sets up the terminal again after the process was stopped.
  func resume() {
    switch condition {
    case .stopped, .lent: return
    case .editing, .handling: break
    }
    rl_prep_terminal(1)
    rl_reset_screen_size()
    guard isEditing else { return }
    rl_on_new_line()
    rl_forced_update_display()
    drawHint()
  }

  private func giveBack() {
    fflush(rl_outstream)
    rl_deprep_terminal()
  }

  private func newLine() {
    rl_crlf()
    fflush(rl_outstream)
  }

  private func set(_ next: String) {
    prompt = next
    rl_set_prompt(next)
  }

  private func entered(_ line: UnsafeMutablePointer<CChar>?) {
    var text: String?
    if let line {
      text = String(cString: line)
      free(line)  // Allocated by readline; ours to free.
    } else {
      newLine()
    }
    if let text, remembers { history?.add(text) }
    condition = .handling
    let goesOn = onLine(text)
    guard case .handling = condition else { return }
    if goesOn {
      condition = .editing  // Readline shows the prompt when we return.
    } else {
      stop()
    }
  }

  // MARK: Completion

  /// Completions in readline's format: the common prefix, then each match. Readline frees all of it.
  private func completions(from start: Int, to end: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    rl_attempted_completion_over = 1  // Otherwise it would offer file names.
    rl_completion_append_character = Int32(UInt8(ascii: " "))
    guard let buffer = rl_line_buffer else { return nil }
    // Safety: readline's buffer has at least `end` bytes.
    let bytes = UnsafeRawBufferPointer(start: buffer, count: end)
    completion = complete(String(decoding: bytes, as: UTF8.self))
    let typed = String(decoding: bytes[start...], as: UTF8.self)
    // Of a word in quotes readline wants what follows its last blank.
    let before = max(0, completion.stem.utf8.count + completion.typed.utf8.count - typed.utf8.count)
    func rest(_ text: String) -> String { String(decoding: text.utf8.dropFirst(before), as: UTF8.self) }

    if completion.isSettled {
      if completion.common.hasSuffix("=") { rl_completion_append_character = 0 }
      return Self.vector([rest(completion.common)])
    }
    guard !completion.candidates.isEmpty || !completion.hint.isEmpty else { return nil }
    // At least two matches, so that readline requests the list, which also shows the hint.
    let matches = completion.candidates.map { rest($0.text) } + ["\(typed)?", "\(typed)!"]
    return Self.vector([completion.insertion.map(rest) ?? typed] + matches)
  }

  private func showCompletions() {
    var columns: Int32 = 80
    rl_get_screen_size(nil, &columns)
    show(CandidateList(completion: completion, width: Int(columns), style: style).text, prompt: prompt)
  }

  private static func vector(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    let size = (texts.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    guard let memory = malloc(size) else { return nil }
    // Safety: fresh memory of that size, all of it initialized here.
    let vector = memory.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { (vector + index).initialize(to: strdup(text)) }
    (vector + texts.count).initialize(to: nil)
    return vector
  }
}
