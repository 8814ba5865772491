internal import Glibc
internal import LineProtocol
internal import UnixHost

/// What the person at the prompt sees: received text above the line being typed, long answers in a pager, and programs
/// that have the terminal for a while.
@MainActor
final class PromptScreen {
  let terminal: Terminal
  let style: Style
  var presenter: Presenter
  private let client: Client
  /// The prompt that stands below what is shown, and whether the line typed there goes to the history.
  var prompt: () -> (text: String, remembersLine: Bool) = { ("", true) }

  /// The program that has the terminal.
  private(set) var foreground: ForegroundProgram?
  /// The long answer that is being received.
  private var page: Page?
  /// The requests whose answers are not shown any further, by tag, and whether something of them was passed over.
  private var muted: [String: Bool] = [:]
  /// Received text that is not on the screen yet.
  private var unshown = ScreenText()
  /// When received text was last shown, in host time.
  private var lastShown: UInt64 = 0

  /// Time between two updates for received text, in nanoseconds.
  private static let frame: UInt64 = 16_000_000
  /// More text than this is shown at once, in bytes.
  private static let maxUnshown = 64 << 10

  /// An answer that may be too long for the screen.
  private struct Page {
    enum State {
      /// It may still fit, and is not shown yet.
      case held(ScreenText, rows: Int)
      /// A pager shows it.
      case paged(ForegroundProgram)
      /// The rest goes to the screen as usual.
      case shown
      /// The pager has ended before the answer, so nobody wants the rest.
      case dropped
    }

    let tag: String
    var state: State
  }

  init(client: Client, format: Presenter.Format, style: Style) {
    self.client = client
    self.style = style
    presenter = Presenter(
      format: format, localUsages: PromptHelp.usageRows + PromptHelp.formRows,
      columns: { Descriptor.standardOutput.columns })
    terminal = Terminal(style: style)
  }

  var columns: Int? { Descriptor.standardOutput.columns }
  var isForPeople: Bool { if case .people = presenter.format { true } else { false } }

  func say(_ text: ScreenText) {
    unshown += text
  }

  /// Says a line, broken between words.
  func sayLine(_ text: ScreenText) {
    say("\(text.wrapped(width: columns))\n")
  }

  // MARK: Updates

  /// When ``flushIfDue(_:)`` has something to do.
  var deadline: UInt64? {
    foreground != nil || unshown.isEmpty && terminal.prompt == prompt().text ? nil : lastShown + Self.frame
  }

  func flushIfDue(_ now: UInt64) {
    if now >= lastShown + Self.frame || unshown.bytes.count > Self.maxUnshown { flush() }
  }

  func flush() {
    guard foreground == nil else { return }
    let next = prompt()
    terminal.remembers = next.remembersLine
    if !unshown.isEmpty { unshown += presenter.takeNews() }
    guard !unshown.isEmpty || terminal.prompt != next.text else { return }
    terminal.show(unshown, prompt: next.text)
    unshown = ScreenText()
    lastShown = HostClock.now()
  }

  // MARK: Programs

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

  /// Takes the terminal back from a program that has ended.
  ///
  /// - Returns: False if none has.
  func takeBack() -> Bool {
    guard let program = foreground, let ending = program.ending() else { return false }
    foreground = nil
    terminal.takeBack()
    if !program.isPager { terminal.beginRow() }
    let hasFailed = program.isPager && program.given != nil && Pager.hasFailed(ending)
    if case .paged(let pager) = page?.state, pager === program { page?.state = hasFailed ? .shown : .dropped }
    if hasFailed, let text = program.given { say(ScreenText(unescaped: text)) }
    if !program.isPager, case .exited(let code) = ending, code != 0 {
      sayLine("\(style(.attention, "exit \(code)"))")
    }
    return true
  }

  // MARK: Answers

  /// Shows a line: on the screen, or in a pager if the answer is too long for it.
  func show(_ received: Conversation.Received, _ raw: RawLine) {
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

  /// Shows nothing further of the answers to these requests, but for their last lines.
  func mute(_ tags: Set<String>) {
    for tag in tags { muted[tag] = false }
  }

  /// Forgets the answers of a connection that is lost.
  func forgetAnswers() {
    muted = [:]
    endPage()
  }

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
    guard isForPeople, received.line.lineClass == .failure, let verb = received.asked?.verb,
      verb == .advance || verb == .new || received.asked?.file != nil, let remedy = Wording.remedy(received.line)
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
  private func endPage() {
    switch page?.state {
    case .held(let text, _): say(text)
    case .paged(let program): program.finish()
    case nil, .shown, .dropped: break
    }
    page = nil
  }
}
