import Glibc
import UnixHost

/// A picture that Graphviz's program `dot` draws, in a process of its own, which is fed and read whenever somebody looks.
///
/// Nothing here waits for the program, whatever it does: one that does not read, write or end has ``longest``, one that
/// writes without end is cut off at ``largest`` bytes. Letting go of a drawing ends the process with all that it has
/// started, by a signal that it cannot ignore. What it says to its standard error goes nowhere.
final class GraphvizJob {
  enum Progress {
    case atWork
    case done(String)
    case failed(Failure)
  }

  enum Failure {
    /// It could not be started, and why.
    case noProgram(String)
    case tooLate
    /// ``Graphs/mostGraphvizJobs`` are being made already.
    case tooMany
    /// The picture is too large, or the program ended without one.
    case noPicture
  }

  /// How long a drawing may take: a minute of the host's, in nanoseconds. Fifty states take seconds.
  static let longest: UInt64 = 60_000_000_000
  /// After how long it is looked at again: 5 ms, in nanoseconds.
  static let glance: UInt64 = 5_000_000
  /// Bytes that a picture may have.
  static let largest = 16 << 20
  /// Bytes that are read at one look, so that a program that writes fast keeps nobody waiting.
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
  ///   - deadline: The host's time at which it is given up.
  ///   - program: A path, or a name that is looked for in `PATH`.
  /// - Throws: The system's error when there is no such program, or nothing left to start it with.
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
        program, ["-Tsvg"], input: toChild.reading, output: fromChild.writing, error: nowhere)
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

  /// Ends the program. It need not be waited for long, since it is killed.
  @discardableResult
  private func end() -> Child.Ending? {
    child.killGroup()
    hasEnded = true
    return child.waitForEnding()
  }

  /// Feeds what it takes and reads what it gives.
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

  /// - Returns: Whether the picture is whole; nil if more is to come.
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
