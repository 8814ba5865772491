import MachineGraphs
import LineProtocol
import StateMachines
import UnixHost

/// A diagram reply: explored in slices, drawn by another program if needed, and written piece by piece.
final class GraphReply: LongReply {
  private enum Stage {
    case exploring(GraphSubject)
    /// The input of the drawing program.
    case toDraw(String)
    case drawing(GraphvizJob, of: String, Graphs.DrawingPlace)
    case mending(PictureRepair, of: String)
    case writing(LinesOfText)
    case exceeded(ExceededLimit, String)
    /// A script, with the number of written lines; nil before its head.
    case scripting(any TestScript, written: Int?)
    case over
  }

  private var stage: Stage
  private var omissions = 0
  private let form: GraphForm
  private let graphs: Graphs
  private let terms: SessionTerms

  /// Machine steps in one slice: about a millisecond.
  static let stepsInASlice = 500

  /// - Parameter terms: The client's.
  init(_ subject: GraphSubject, _ form: GraphForm, _ graphs: Graphs, _ terms: SessionTerms) {
    self.terms = terms
    stage = .exploring(subject)
    self.form = form
    self.graphs = graphs
  }

  /// Whether it is to be explored and drawn, which needs no world.
  var needsNoWorld: Bool { if case .exploring = stage { true } else { false } }

  /// Explores and draws, until that is done or the worker's time for exploring is over. A drawing begins anew after an
  /// interruption.
  func draw(within slot: WorkerSlot) {
    while !slot.isOver, needsNoWorld { draw { slot.goesOn() } }
  }

  private func draw(while goesOn: @escaping @Sendable () -> Bool) {
    guard case .exploring(let subject) = stage,
      let drawn = subject.advance(by: GraphReply.stepsInASlice, form, while: goesOn), goesOn()
    else { return }
    switch drawn {
    case .script(let script): stage = .scripting(script, written: nil)
    case .exceeded(let limit, let text): stage = .exceeded(limit, text)
    case .text(let text, let omissions):
      self.omissions = omissions
      guard form.format == .svg else {
        stage = .writing(LinesOfText(text))
        return
      }
      stage =
        GraphvizJob.mayDraw(text)
        ? .toDraw(text)
        : .exceeded(
          ExceededLimit(name: "pictureLines", value: GraphvizJob.mostLines),
          "the picture has more lines in format=dot; show=plain has fewer, and format=json and format=table have all")
    }
  }

  /// Whether another program is drawing, so that it must be checked again later.
  var isWaiting: Bool {
    switch stage {
    case .drawing: true
    case .exploring, .toDraw, .mending, .writing, .scripting, .exceeded, .over: false
    }
  }

  var isForWorkers: Bool { true }
  var isText: Bool { true }

  func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    let (slice, host) = (live.slice, live.host)
    switch stage {
    case .exploring:
      draw { slice.wait() == nil }
      return .more
    case .toDraw(let text):
      if let picture = graphs.picture(of: text) {
        stage = .writing(LinesOfText(picture))
        return .more
      }
      let place: Graphs.DrawingPlace
      switch graphs.drawingPlace(for: terms.user) {
      case .success(let free): place = free
      case .failure(let failure): return .failed(failure)
      }
      do throws(SystemError) {
        let job = try GraphvizJob(of: text, until: host + GraphvizJob.longest, by: graphs.program)
        stage = .drawing(job, of: text, place)
        return .waiting
      } catch {
        return .failed(GraphvizJob.Failure.noProgram("\(error)"))
      }
    case .drawing(let drawing, let source, _):
      switch drawing.goOn(host: host) {
      case .atWork:
        return .waiting
      case .done(let text):
        stage = .mending(PictureRepair(text), of: source)
        return .more
      case .failed(let failure):
        stage = .over
        return .failed(failure)
      }
    case .mending(var repair, let source):
      stage = .over
      while repair.mendNext() {
        if slice.wait() != nil {
          stage = .mending(repair, of: source)
          return .more
        }
      }
      let picture = SVGTheme.applied(to: repair.svg)
      graphs.keep(picture, of: source)
      stage = .writing(LinesOfText(picture))
      return .more
    case .writing(var lines):
      stage = .over
      guard lines.write(tag: tag, to: &buffer) else { return .done(lines.written, omitted: omissions) }
      stage = .writing(lines)
      return .more
    case .exceeded(let limit, let text):
      stage = .over
      return .exceeded(limit, text)
    case .scripting(let script, nil):
      stage = .scripting(script, written: put(script.head, tag, &buffer))
      return .more
    case .scripting(var script, let written?):
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
