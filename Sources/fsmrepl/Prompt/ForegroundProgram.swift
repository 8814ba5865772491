internal import Glibc
internal import UnixHost

/// A program that has the terminal while it runs: a pager, or a command of the shell.
///
/// It stays in our process group, so that Ctrl-C and Ctrl-Z reach it. What it reads is written as it takes it. A program
/// that ends early, or closes its input, loses the rest.
@MainActor
final class ForegroundProgram {
  private let child: Child
  /// Whether it shows an answer, which would be lost without it.
  var isPager = false
  /// Where its standard input is written; `nil` if it reads from the terminal, or all has been written.
  private(set) var input: Descriptor?
  private var unwritten: ArraySlice<UInt8> = []
  private var isComplete = false
  /// What was given to it, to be shown if it fails; `nil` when it has taken so much that it works.
  private(set) var given: [UInt8]? = []
  private var taken = 0
  /// Whether it has closed its input.
  private var hasEnough = false

  /// With more than this waiting to be written, no more should be read for it, in bytes.
  private static let maxUnwritten = 1 << 20
  /// A pipe holds no more than this, in bytes: when more was taken, somebody reads.
  private static let largestPipe = 1 << 20

  /// - Parameters:
  ///   - command: For the shell.
  ///   - isFed: Whether its standard input is what ``write(_:)`` gets, and not the terminal.
  init(_ command: String, isFed: Bool) throws(SystemError) {
    let pipe = isFed ? try Pipe() : nil
    defer { pipe?.reading.close() }
    do throws(SystemError) {
      child = try Child.spawn("/bin/sh", ["-c", command], input: pipe?.reading, sharesTerminal: true)
    } catch {
      pipe?.writing.close()
      throw error
    }
    input = pipe?.writing
    input?.makeNonBlocking()
  }

  var wantsToWrite: Bool { input != nil && !unwritten.isEmpty }
  /// Whether the rest of an answer waits until more is taken, or until it is known how a pager ended.
  var isFull: Bool { unwritten.count > Self.maxUnwritten || isPager && hasEnough }

  func write(_ bytes: [UInt8]) {
    given? += bytes
    guard input != nil else { return }
    unwritten += bytes
    flush()
  }

  /// Nothing more is written.
  func finish() {
    isComplete = true
    flush()
  }

  /// Writes what the program takes now.
  func flush() {
    guard let descriptor = input else { return }
    while !unwritten.isEmpty {
      switch unwritten.withUnsafeBytes({ descriptor.write($0) }) {
      case .bytes(let count):
        unwritten.removeFirst(count)
        taken += count
        if taken > Self.largestPipe { given = nil }
      case .wouldBlock: return
      case .closed, .failed:
        unwritten = []
        isComplete = true
        hasEnough = true
      }
    }
    guard isComplete else { return }
    descriptor.close()
    input = nil
  }

  /// How it ended; nil while it runs.
  func ending() -> Child.Ending? {
    guard let ending = child.ending() else { return nil }
    input?.close()
    input = nil
    return ending
  }
}

/// The program that shows long texts.
@MainActor
enum Pager {
  /// What `less` shows below the text, instead of a colon: whoever does not know it types the next request there.
  /// In its language: `s` for the usual prompt, `?e` at the end, `:` otherwise.
  private static let lessPrompt = "s?eq goes back:space goes on, q goes back."

  /// The command; `nil` for none: `$PAGER` is empty or `cat`, there is no `less`, or the terminal is
  /// too plain.
  static let command: String? = {
    if Terminal.isDumb { return nil }
    return command(for: SocketPath.variable("PAGER"), hasLess: ProgramNames.has("less"))
  }()

  /// The command for the value of `$PAGER`; `nil` for none.
  static func command(for wanted: String?, hasLess: Bool) -> String? {
    guard let wanted else { return hasLess ? "exec less -FRX '-P\(lessPrompt)'" : nil }
    guard !wanted.allSatisfy({ $0 == " " }), wanted != "cat" else { return nil }
    // As git does, so that colours pass. In the variable a dollar ends the text.
    return ": \"${LESS=FRXP\(lessPrompt)\\$}\"; export LESS; \(wanted)"
  }

  /// Whether it was not there, or has shown nothing as far as one can know.
  static func hasFailed(_ ending: Child.Ending) -> Bool {
    switch ending {
    case .exited(let code): code != 0
    case .killed: false
    }
  }
}
