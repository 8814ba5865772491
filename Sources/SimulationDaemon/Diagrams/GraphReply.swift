import MachineGraphs
import LineProtocol
import StateMachines
import UnixHost

/// A diagram reply: explored in slices, drawn by another program if needed, and written piece by piece.
final class GraphReply {
  private enum Stage {
    case exploring(GraphSubject)
    case drawn(GraphSubject.Drawn)
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
  private let user: UserID

  /// Machine steps in one slice: about a millisecond.
  private static let stepsInASlice = 500
  /// Lines in one piece.
  private static let linesInAPiece = 1_024

  /// - Parameter user: The client's.
  init(_ subject: GraphSubject, _ form: GraphForm, _ graphs: Graphs, _ user: UserID) {
    self.user = user
    stage = .exploring(subject)
    self.form = form
    self.graphs = graphs
  }

  deinit {
    if case .drawing = stage { graphs.endGraphvizJob(of: user) }
  }

  private static func writing(_ text: String) -> Stage {
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return .writing(lines, next: 0)
  }

  /// Whether it is to be explored and drawn, which needs no world.
  var needsNoWorld: Bool { if case .exploring = stage { true } else { false } }

  /// Explores and draws, until that is done or the worker's time is over.
  func draw(within slot: WorkerSlot) {
    while !slot.isOver, needsNoWorld { draw() }
  }

  private func draw() {
    guard case .exploring(let subject) = stage,
      let drawn = subject.advance(by: GraphReply.stepsInASlice, form)
    else { return }
    stage = .drawn(drawn)
  }

  /// Whether another program is drawing, so that it must be checked again later.
  var isWaiting: Bool {
    switch stage {
    case .drawing: true
    case .exploring, .drawn, .toDraw, .writing, .scripting, .over: false
    }
  }

  /// Writes the next piece.
  ///
  /// - Parameter host: The host's time.
  func write(host: UInt64, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> LongReply.Piece {
    switch stage {
    case .exploring:
      draw()
      return .more
    case .drawn(.script(let script)):
      stage = .scripting(script, written: put(script.head, tag, &buffer))
      return .more
    case .drawn(.text(let text)):
      stage = form.format == .svg ? .toDraw(text) : GraphReply.writing(text)
      return .more
    case .toDraw(let text):
      if let picture = graphs.picture(of: text) {
        stage = GraphReply.writing(picture)
        return .more
      }
      if let failure = graphs.beginGraphvizJob(of: user) { return .failed(failure) }
      do throws(SystemError) {
        stage = .drawing(try GraphvizJob(of: text, until: host + GraphvizJob.longest, by: graphs.program), of: text)
        return .waiting
      } catch {
        graphs.endGraphvizJob(of: user)
        return .failed(GraphvizJob.Failure.noProgram("\(error)"))
      }
    case .drawing(let drawing, let source):
      switch drawing.goOn(host: host) {
      case .atWork:
        return .waiting
      case .done(let text):
        graphs.endGraphvizJob(of: user)
        let picture = SVGTheme.applied(to: text)
        graphs.keep(picture, of: source)
        stage = GraphReply.writing(picture)
        return .more
      case .failed(let failure):
        graphs.endGraphvizJob(of: user)
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
