import MachineGraphs
import LineProtocol
import StateMachines
import UnixHost

/// A diagram reply: explored in slices, drawn by another program if needed, and written piece by piece.
final class GraphReply {
  private enum Stage {
    case exploring(GraphSubject)
    /// The input of the drawing program.
    case toDraw(String)
    case drawing(GraphvizJob, of: String)
    case writing([Substring], next: Int)
    case scripting(any TestScript, written: Int)
    case over
  }

  private var stage: Stage
  private let form: GraphForm
  private let graphs: Graphs

  /// Machine steps in one slice: about a millisecond.
  private static let stepsInASlice = 500
  /// Lines in one piece.
  private static let linesInAPiece = 1_024

  init(_ subject: GraphSubject, _ form: GraphForm, _ graphs: Graphs) {
    stage = .exploring(subject)
    self.form = form
    self.graphs = graphs
  }

  deinit {
    if case .drawing = stage { graphs.endGraphvizJob() }
  }

  private static func writing(_ text: String) -> Stage {
    .writing(text.split(separator: "\n", omittingEmptySubsequences: false), next: 0)
  }

  /// Whether another program is drawing, so that it must be checked again later.
  var isWaiting: Bool {
    switch stage {
    case .drawing: true
    case .exploring, .toDraw, .writing, .scripting, .over: false
    }
  }

  /// Writes the next piece.
  ///
  /// - Parameter host: The host's time.
  func write(host: UInt64, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> LongReply.Piece {
    switch stage {
    case .exploring(let subject):
      if let drawn = subject.advance(by: GraphReply.stepsInASlice, form) {
        switch drawn {
        case .script(let script): stage = .scripting(script, written: put(script.head, tag, &buffer))
        case .text(let text): stage = form.format == .svg ? .toDraw(text) : GraphReply.writing(text)
        }
      }
      return .more
    case .toDraw(let text):
      if let picture = graphs.picture(of: text) {
        stage = GraphReply.writing(picture)
        return .more
      }
      guard graphs.beginGraphvizJob() else { return .failed(.tooMany) }
      do throws(SystemError) {
        stage = .drawing(try GraphvizJob(of: text, until: host + GraphvizJob.longest, by: graphs.program), of: text)
        return .waiting
      } catch {
        graphs.endGraphvizJob()
        return .failed(GraphvizJob.Failure.noProgram("\(error)"))
      }
    case .drawing(let drawing, let source):
      switch drawing.goOn(host: host) {
      case .atWork:
        return .waiting
      case .done(let text):
        graphs.endGraphvizJob()
        let picture = SVGTheme.applied(to: text.hasSuffix("\n") ? String(text.dropLast()) : text)
        graphs.keep(picture, of: source)
        stage = GraphReply.writing(picture)
        return .more
      case .failed(let failure):
        graphs.endGraphvizJob()
        stage = .over
        return .failed(failure)
      }
    case .writing(let lines, let next):
      let end = min(lines.count, next + GraphReply.linesInAPiece)
      _ = put(lines[next..<end], tag, &buffer)
      stage = .writing(lines, next: end)
      return end == lines.count ? .done(lines.count) : .more
    case .scripting(var script, let written):
      guard let lines = script.next() else {
        stage = .over
        return .done(written)
      }
      stage = .scripting(script, written: written + put(lines, tag, &buffer))
      return .more
    case .over:
      return .done(0)
    }
  }

  /// Writes lines unchanged.
  ///
  /// - Returns: The number of lines.
  private func put(_ lines: some Collection<Substring>, _ tag: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer)
    -> Int
  {
    for line in lines {
      buffer.begin(.data, tag: tag)
      buffer.append(literal: " ")
      buffer.append(text: String(line))
      buffer.endLine()
    }
    return lines.count
  }
}
