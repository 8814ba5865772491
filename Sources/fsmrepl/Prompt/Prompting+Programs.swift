internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Programs that have the terminal for a while, and answers that go to a pager.
extension Prompting {
  /// Starts a command of the shell on the terminal.
  ///
  /// - Parameter bytes: What it reads; `nil` for the terminal.
  @discardableResult
  func start(_ command: String, feeding bytes: [UInt8]?) -> ForegroundProgram? {
    flush()
    terminal.lend()
    do throws(SystemError) {
      let program = try ForegroundProgram(command, isFed: bytes != nil)
      if let bytes { program.write(bytes) }
      foreground = program
      return program
    } catch {
      terminal.takeBack()
      sayLine("\(style(.bad, "error")): the shell cannot be started: \(error)")
      return nil
    }
  }

  /// Takes the terminal back.
  func ended(_ program: ForegroundProgram, _ ending: Child.Ending) {
    foreground = nil
    terminal.takeBack()
    if !program.isPager { terminal.beginRow() }
    let hasFailed = program.isPager && program.given != nil && Pager.hasFailed(ending)
    if case .paged(let pager) = page?.state, pager === program { page?.state = hasFailed ? .shown : .dropped }
    if hasFailed, let text = program.given { say(ScreenText(unescaped: text)) }
    if !program.isPager, case .exited(let code) = ending, code != 0 {
      sayLine("\(style(.attention, "exit \(code)"))")
    }
    pump()
    flush()
    askForTime()
  }

  /// Waits for the end of the program that has the terminal.
  func leaveForeground() {
    while foreground != nil { wait(for: [], until: nil) }
  }

  // MARK: Long answers

  /// Shows a line: on the screen, or in a pager if the answer is too long for it.
  func showAnswer(_ received: Conversation.Received, _ raw: RawLine) {
    if isMuted(received) { return }
    let text = presenter.show(received, raw: raw)
    guard let asked = received.asked, let tag = asked.tag, asked.asker == .user, asked.verb?.listsRows == true else {
      say(text)
      sayRemedy(received)
      return
    }
    if page?.tag != tag {
      endPage()
      if mayPage { page = Page(tag: tag, state: .held(ScreenText(), rows: 0)) }
    }
    add(text)
    if received.line.lineClass != .data { endPage() }
  }

  /// Whether Ctrl-C has ended that an answer is shown. Its last line is shown all the same.
  private func isMuted(_ received: Conversation.Received) -> Bool {
    guard let asked = received.asked, let tag = asked.tag, let hasPassedOver = muted[tag] else { return false }
    guard received.line.lineClass == .data else {
      muted[tag] = nil
      return false
    }
    if !hasPassedOver {
      muted[tag] = true
      endPage()
      presenter.forgetRows()
      sayLine("\(style(.attention, "no more is shown of '\(asked.text)'"))")
    }
    return true
  }

  private func sayRemedy(_ received: Conversation.Received) {
    guard case .people = presenter.format, received.line.lineClass == .failure, let verb = received.asked?.verb,
      verb == .advance || verb == .new, let remedy = Wording.remedy(received.line)
    else { return }
    sayLine("  \(remedy)")
  }

  /// Not while something is watched: its notices are to be seen when they come.
  private var mayPage: Bool {
    Pager.command != nil && client.conversation.watchesHere.isEmpty && foreground == nil && terminal.isIdle
      && Descriptor.standardOutput.rows != nil
  }

  private func add(_ text: ScreenText) {
    switch page?.state {
    case nil, .shown: say(text)
    case .dropped: break
    case .paged(let program): program.write(text.inEncoding(of: style).bytes)
    case .held(let before, let rows):
      let all = before + text
      let count = rows + text.bytes.count { $0 == 0x0A }
      guard count >= Descriptor.standardOutput.rows ?? .max else {
        page?.state = .held(all, rows: count)
        return
      }
      guard mayPage, let command = Pager.command else {
        page?.state = .shown
        return say(all)
      }
      if let program = start(command, feeding: all.inEncoding(of: style).bytes) {
        program.isPager = true
        page?.state = .paged(program)
      } else {
        page?.state = .shown
        say(all)
      }
    }
  }

  /// The answer is complete, or no more of it will come.
  func endPage() {
    switch page?.state {
    case .held(let text, _): say(text)
    case .paged(let program): program.finish()
    case nil, .shown, .dropped: break
    }
    page = nil
  }
}
