import Glibc
@testable import UnixHost

/// The program at a terminal: what a person would type goes in, what they would see comes out.
///
/// The program is killed when this value is let go, however the test ends.
final class Pseudoterminal {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let keyboard: Descriptor
  private let rows: UInt16
  private let child: Child
  /// As it was before the program touched it.
  private let settings: termios
  private var ending: Child.Ending?
  private var isHungUp = false
  /// All that was shown so far, without what only moves the cursor or clears, but for going back to the first column.
  private(set) var shown = ""
  private var raw: [UInt8] = []
  /// Every byte that was written to the terminal so far.
  private(set) var written: [UInt8] = []

  private static let patience: UInt64 = 20_000_000_000

  /// Starts the program on a terminal of its own, which it controls.
  ///
  /// - Parameters:
  ///   - variables: To be set for it, as `NAME=value`.
  ///   - folder: In which it runs.
  ///   - hasColours: Whether it may use colours, and shows hints.
  init(
    _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, variables: [String] = [], folder: String = ".",
    hasColours: Bool = false
  ) throws {
    self.rows = rows
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, &name, nil, &size) == 0 else {
      throw Failure(description: "no pseudoterminal: \(SystemError.last)")
    }
    defer { close(slave) }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
    keyboard = Descriptor(rawValue: master)
    var settings = termios()
    tcgetattr(master, &settings)
    self.settings = settings
    let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)

    let environment = [
      "-C", folder, "-u", "NO_COLOR", "-u", "FSMD_SOCKET", "TERM=vt100", "LC_ALL=C.UTF-8", "INPUTRC=/dev/null",
      "XDG_STATE_HOME=/dev/null", "PAGER=cat",
    ]
    child = try Self.spawn(
      ["env"] + environment + variables + [try Self.program()] + (hasColours ? [] : ["--no-color"]) + arguments,
      terminal: path)
    keyboard.makeNonBlocking()
  }

  deinit {
    if ending == nil {
      child.signal(SIGKILL)
      child.waitForEnding()
    }
    if !isHungUp { keyboard.close() }
  }

  /// Presses keys.
  func type(_ text: String) {
    keyboard.writeAll(text)
  }

  /// Takes the terminal away, as closing its window does.
  func hangUp() {
    keyboard.close()
    isHungUp = true
  }

  func signal(_ number: Int32) {
    child.signal(number)
  }

  /// Makes the window wider or narrower, upon which the program gets a signal.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard.rawValue, UInt(TIOCSWINSZ), &size)
  }

  /// Waits until the program has stopped itself, as at Ctrl-Z.
  func waitUntilStopped() throws {
    let deadline = HostClock.now() + Self.patience
    while HostClock.now() < deadline {
      _ = read(until: HostClock.now() + 5_000_000)
      let file = Descriptor(rawValue: open("/proc/\(child.pid)/stat", O_RDONLY | O_CLOEXEC))
      defer { file.close() }
      var bytes = [UInt8](repeating: 0, count: 512)
      guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ file.read(into: $0) }) else { continue }
      // The state follows the name, which is in parentheses.
      if String(decoding: bytes.prefix(count), as: UTF8.self).contains(") T ") { return }
    }
    throw Failure(description: "the program did not stop; shown: '\(shown)'")
  }

  /// Waits until `text` has been shown, after what was waited for before.
  ///
  /// - Returns: What was shown between the two.
  @discardableResult
  func wait(for text: String) throws -> String {
    let deadline = HostClock.now() + Self.patience
    while true {
      if let found = shown.firstRange(of: text) {
        let before = String(shown[..<found.lowerBound])
        shown.removeSubrange(..<found.upperBound)
        return before
      }
      guard HostClock.now() < deadline, read(until: deadline) else {
        throw Failure(description: "waited in vain for '\(text)'; shown since: '\(shown)'")
      }
    }
  }

  /// Waits until the program has ended.
  func waitForEnding() throws -> Child.Ending {
    let deadline = HostClock.now() + Self.patience
    while HostClock.now() < deadline {
      if isHungUp { poll(nil, 0, 5) } else { _ = read(until: HostClock.now() + 5_000_000) }
      if let found = child.ending() {
        ending = found
        return found
      }
    }
    throw Failure(description: "the program did not end; shown: '\(shown)'")
  }

  /// Whether the terminal is as the program found it.
  var isRestored: Bool {
    var now = termios()
    tcgetattr(keyboard.rawValue, &now)
    return now.c_lflag == settings.c_lflag && now.c_iflag == settings.c_iflag && now.c_oflag == settings.c_oflag
  }

  /// - Returns: Whether more may come.
  private func read(until deadline: UInt64) -> Bool {
    let now = HostClock.now()
    var entry = pollfd(fd: keyboard.rawValue, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, now >= deadline ? 0 : Int32((deadline - now) / 1_000_000 + 1))
    var bytes = [UInt8](repeating: 0, count: 4096)
    switch bytes.withUnsafeMutableBytes({ keyboard.read(into: $0) }) {
    case .bytes(let count):
      raw += bytes.prefix(count)
      written += bytes.prefix(count)
      shown = Self.visible(raw, after: shown, taken: &raw)
      return true
    case .wouldBlock: return true
    case .closed, .failed: return false
    }
  }

  /// Appends the visible characters of `bytes` to `text`; an unfinished sequence stays in `taken`.
  private static func visible(_ bytes: [UInt8], after text: String, taken rest: inout [UInt8]) -> String {
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x1B else {
        if byte == 0x0D, index + 1 == bytes.count { break }  // Perhaps the first half of a line's end.
        let isReturn = byte == 0x0D && bytes[index + 1] != 0x0A
        if byte >= 0x20 || byte == 0x0A || isReturn { plain.append(byte) }
        index += 1
        continue
      }
      // ESC [ … letter, or ESC and one more.
      var end = index + 1
      if end < bytes.count, bytes[end] == UInt8(ascii: "[") {
        end += 1
        while end < bytes.count, !(0x40...0x7E).contains(bytes[end]) { end += 1 }
      }
      guard end < bytes.count else { break }
      index = end + 1
    }
    rest = Array(bytes[min(index, bytes.count)...])
    return text + String(decoding: plain, as: UTF8.self)
  }

  private static func spawn(_ words: [String], terminal: String) throws -> Child {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Opened by a process that leads a new session, it becomes that session's terminal.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, a GNU extension that Swift does not see.
    posix_spawnattr_setflags(&attributes, Int16(newSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ)
    guard code == 0 else { throw Failure(description: "\(words[0]): \(SystemError(code: code))") }
    return Child(pid: pid)
  }

  /// The program that was built with these tests: beside the bundle that they were loaded from.
  private static func program() throws -> String {
    guard let maps = fopen("/proc/self/maps", "r") else { throw Failure(description: "no /proc") }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0 {
      guard let line, let start = strchr(line, Int32(UInt8(ascii: "/"))) else { continue }
      let path = String(cString: start).split(separator: "\n")[0]
      guard path.hasSuffix(".xctest"), let slash = path.lastIndex(of: "/") else { continue }
      let program = "\(path[..<slash])/fsmrepl"
      if access(program, X_OK) == 0 { return program }
    }
    throw Failure(description: "fsmrepl is not beside the tests")
  }
}
