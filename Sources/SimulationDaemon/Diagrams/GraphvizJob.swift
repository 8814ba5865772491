import Glibc
import UnixHost

/// A picture drawn by Graphviz's program `dot` in a separate process, which is fed and read at each call.
///
/// No call waits for the program. A program that hangs is stopped after ``longest``, and output is cut off at
/// ``largest`` bytes. Deinit kills the process and its descendants with a signal that cannot be ignored. Its standard
/// error is discarded.
final class GraphvizJob {
  enum Progress {
    case atWork
    case done(String)
    case failed(Failure)
  }

  enum Failure: Error {
    /// The program could not be started, with the reason.
    case noProgram(String)
    case tooLate
    /// The limit of drawings is reached: this user's, or that of all users.
    case tooMany(most: Int)
    /// The picture is too large, or the program ended without one.
    case noPicture
  }

  /// The longest drawing: one minute, in host nanoseconds. Fifty states take seconds.
  static let longest: UInt64 = 60_000_000_000
  /// The time between two checks: 5 ms, in nanoseconds.
  static let glance: UInt64 = 5_000_000
  /// The most lines of a text that is drawn: one for each state and arrow. As many take a second.
  static let mostLines = 1_000

  /// Whether a text is short enough.
  static func mayDraw(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: "\n") } <= mostLines }

  /// The most bytes of a picture.
  static let largest = 16 << 20
  /// The most bytes read in one check, so that fast output does not delay others.
  private static let mostAtALook = 1 << 20

  private let child: Child
  private let deadline: UInt64
  private var input: Descriptor?
  private let output: Descriptor
  private var text: [UInt8]
  private var fed = 0
  private var picture: [UInt8] = []
  private var hasEnded = false

  /// - Parameters:
  ///   - deadline: The host time at which the drawing is abandoned.
  ///   - program: A path, or a name to look up in `PATH`.
  /// - Throws: The system's error if the program does not exist or cannot be started.
  init(of text: String, until deadline: UInt64, by program: String = "dot") throws(SystemError) {
    let toChild = try Pipe()
    let fromChild: Pipe
    do throws(SystemError) {
      fromChild = try Pipe()
    } catch {
      toChild.reading.close()
      toChild.writing.close()
      throw error
    }
    let nowhere = Descriptor(rawValue: open("/dev/null", O_WRONLY | O_CLOEXEC))
    defer {
      toChild.reading.close()
      fromChild.writing.close()
      nowhere.close()
    }
    do throws(SystemError) {
      child = try Child.spawn(
        program, ["-Tsvg"], input: toChild.reading,
        output: fromChild.writing, error: nowhere)
    } catch {
      toChild.writing.close()
      fromChild.reading.close()
      throw error
    }
    toChild.writing.makeNonBlocking()
    fromChild.reading.makeNonBlocking()
    input = toChild.writing
    output = fromChild.reading
    self.text = Array(text.utf8)
    self.deadline = deadline
  }

  deinit {
    input?.close()
    output.close()
    if !hasEnded { end() }
  }

  /// Kills the program. The wait is short, since the signal is fatal.
  @discardableResult
  private func end() -> Child.Ending? {
    child.killGroup()
    hasEnded = true
    return child.waitForEnding()
  }

  /// Feeds the program and reads its output.
  func goOn(host: UInt64) -> Progress {
    feed()
    switch read() {
    case nil:
      return host < deadline ? .atWork : .failed(.tooLate)
    case true?:
      // It has closed its output, so it is about to end.
      guard end() != nil, !picture.isEmpty else { return .failed(.noPicture) }
      return .done(String(decoding: picture, as: UTF8.self))
    case false?:
      return .failed(.noPicture)
    }
  }

  private func feed() {
    while let input, fed < text.count {
      let transfer = text[fed...].withUnsafeBytes { input.write($0) }
      guard case .bytes(let count) = transfer else {
        if case .wouldBlock = transfer { return }
        break
      }
      fed += count
    }
    input?.close()
    input = nil
  }

  /// - Returns: Whether the picture is complete; nil if more is to come.
  private func read() -> Bool? {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let most = picture.count + GraphvizJob.mostAtALook
      while picture.count <= GraphvizJob.largest {
        if picture.count >= most { return nil }
        switch output.read(into: buffer) {
        case .bytes(let count): picture.append(contentsOf: buffer[..<count])
        case .wouldBlock: return nil
        case .closed: return picture.suffix(16).contains(UInt8(ascii: ">"))
        case .failed: return false
        }
      }
      return false
    }
  }
}
