import LineProtocol
import Simulator
import StateMachines
import Surveys
import Waveforms

/// A waveform reply in slices: it reads the journal, from the store where memory does not reach back, works out the
/// readings, and writes the drawing piece by piece.
///
/// The drawing is of one moment, the one at which the last slice has read the journal to its end. If inputs are undone
/// while it reads, or the journal drops what is next, it begins again.
final class WaveReply: LongReply {
  private enum Stage {
    /// Searching the first stored input of the stretch, between two inputs.
    case searching(low: UInt64, high: UInt64)
    /// Searching the undone inputs that lead up to it.
    case steppingBack(to: UInt64)
    case stored(next: UInt64)
    case memory(JournalReader)
    case reading
    case writing(any WaveWriter)
    case over
  }

  /// What is asked for.
  struct Form {
    let from: Instant
    let to: Instant
    let pattern: NamePattern
    let format: WaveFormat
    /// Characters per line of text.
    let width: Int
    /// A remark at the end of the stretch; `nil` for none.
    let mark: String?
  }

  private var stage: Stage
  private var survey: WaveSurvey
  private let form: Form
  private var to: Instant
  /// The world's last input when it began.
  private var begun: UInt64
  /// How often it may begin again before it does not let others in between.
  private var restarts = 8
  /// What is drawn and not written yet.
  private var lines = LinesOfText([])
  /// The bytes of the waveform being written.
  private var drawnBytes = 0

  /// Inputs of the journal read in one slice.
  private static let inputsInASlice = 20_000
  /// Inputs replayed in one slice.
  private static let replaysInASlice = 2_000

  init(_ form: Form, of live: borrowing LiveWorld) {
    self.form = form
    to = form.to
    begun = live.world.lastSequence
    stage = .over
    survey = WaveSurvey(from: form.from, to: form.to, form.pattern)
    begin(live)
  }

  /// Begins, perhaps again.
  private func begin(_ live: borrowing LiveWorld) {
    begun = live.world.lastSequence
    // The world may have gone back.
    to = min(form.to, live.world.now)
    var from = min(form.from, to)
    let first = live.world.firstSequence
    var oldest = live.world.journalReader(from: first)
    stage = .memory(oldest)
    if first > 1, let begins = live.world.read(&oldest)?.moment, begins > from {
      if let stored = live.stored, stored.first < first {
        stage = .searching(low: stored.first, high: first)
      } else {
        // What the journal has dropped is not drawn.
        from = min(begins, to)
      }
    }
    survey = WaveSurvey(from: from, to: to, form.pattern)
  }

  var isForWorkers: Bool { true }
  var isText: Bool { true }
  var gathers: Bool { true }

  /// About how many bytes it has gathered.
  var bytes: Int { (drawnBytes > 0 ? drawnBytes : survey.bytes) + lines.bytes }

  /// Writes the next piece.
  func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    do throws(PersistenceFailure) {
      repeat {
        guard survey.inputs <= WaveSurvey.mostInputs else {
          stage = .over
          return .exceeded(
            ExceededLimit(name: "waveInputs", value: WaveSurvey.mostInputs),
            "a waveform has at most \(WaveSurvey.mostInputs) inputs; give a pattern or a shorter stretch")
        }
        if case .writing(let writer) = stage { return write(writer, tag: tag, to: &buffer) }
        if case .over = stage { return .done(0) }
        // Inputs that were read may be undone now.
        if live.world.lastUndoer > begun { restart(live) } else { try gather(live) }
      } while restarts == 0 && live.slice.wait() == nil
    } catch {
      return .unreadable(error)
    }
    return .more
  }

  private func restart(_ live: borrowing LiveWorld) {
    restarts = max(0, restarts - 1)
    begin(live)
  }

  private func write(
    _ writer: any WaveWriter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    if lines.isWritten {
      var writer = writer
      stage = .over
      var text = ByteBuffer()
      guard writer.write(to: &text) || !text.isEmpty else { return .done(lines.written) }
      lines.goOn(with: Array(text.bytes))
      stage = .writing(writer)
    }
    _ = lines.write(tag: tag, to: &buffer)
    return .more
  }

  private func gather(_ live: borrowing LiveWorld) throws(PersistenceFailure) {
    switch stage {
    case .searching(let low, let high): stage = try search(low, high, live)
    case .steppingBack(let first): stage = try stepBack(from: first, live)
    case .stored(let next): stage = try readStored(from: next, live)
    case .memory(var reader):
      guard readMemory(&reader, live.world) else { return restart(live) }
      stage = .memory(reader)
      if reader.next > live.world.lastSequence {
        survey.notePresent(in: live.world)
        stage = .reading
      }
    case .reading:
      let slice = live.slice
      guard
        survey.readOn(
          through: live.world, by: WaveReply.replaysInASlice,
          while: { restarts > 0 ? !slice.isOver : slice.wait() == nil })
      else { return }
      drawnBytes = survey.bytes
      var wave = survey.finish()
      if let mark = form.mark { wave.marks.append(Waveform.Mark(at: to, mark)) }
      stage = .writing(form.format.writer(of: wave, width: form.width))
      survey = WaveSurvey(from: to, to: to, form.pattern)
    case .writing, .over: break
    }
  }

  /// Halves the inputs among which the stretch begins.
  private func search(_ low: UInt64, _ high: UInt64, _ live: borrowing LiveWorld) throws(PersistenceFailure) -> Stage {
    guard low < high, let stored = live.stored else { return .steppingBack(to: low) }
    let middle = low + (high - low) / 2
    var moment: Instant?
    var next = middle
    // An undone input may be later than those that follow it; then its undoing counts.
    while moment == nil, next < high {
      var undoer: UInt64?
      _ = try stored.read(next...next, in: live.world) { world, entry in
        undoer = world.undoer(of: entry.sequence)
        if undoer == nil { moment = entry.moment }
        return false
      }
      guard moment == nil else { break }
      next = undoer ?? high
    }
    if let moment, moment < form.from { return .searching(low: max(middle, next) + 1, high: high) }
    return .searching(low: low, high: middle)
  }

  /// Undone inputs right before the first one in effect may be within the stretch.
  private func stepBack(from first: UInt64, _ live: borrowing LiveWorld) throws(PersistenceFailure) -> Stage {
    guard let stored = live.stored, first > stored.first else { return .stored(next: first) }
    var undone: ClosedRange<UInt64>?
    _ = try stored.read((first - 1)...(first - 1), in: live.world) { world, entry in
      undone = world.undoneTogether(with: entry.sequence)
      return false
    }
    guard let undone, undone.lowerBound < first else { return .stored(next: first) }
    return .steppingBack(to: max(stored.first, undone.lowerBound))
  }

  private func readStored(from next: UInt64, _ live: borrowing LiveWorld) throws(PersistenceFailure) -> Stage {
    let first = live.world.firstSequence
    guard next < first, let stored = live.stored else {
      return .memory(live.world.journalReader(from: max(next, first)))
    }
    var left = WaveReply.inputsInASlice
    let reached = try stored.read(next...(first - 1), in: live.world) { world, entry in
      survey.note(entry, world)
      left -= 1
      return left > 0
    }
    return .stored(next: max(reached, next + 1))
  }

  /// - Returns: False if the journal has dropped the next input.
  private func readMemory(_ reader: inout JournalReader, _ world: borrowing WorldCore) -> Bool {
    var left = WaveReply.inputsInASlice
    while left > 0, reader.next <= world.lastSequence {
      guard let entry = world.read(&reader) else { return false }
      survey.note(entry, world)
      left -= 1
    }
    return true
  }
}

/// The formats of a waveform.
enum WaveFormat {
  case text, ascii, svg, vcd, json

  static let byName: KeyValuePairs<String, WaveFormat> = [
    "text": .text, "ascii": .ascii, "svg": .svg, "vcd": .vcd, "json": .json,
  ]

  func writer(of wave: Waveform, width: Int) -> any WaveWriter {
    switch self {
    case .text: TextWave(wave, width: width, .unicode)
    case .ascii: TextWave(wave, width: width, .ascii)
    case .svg: SVGWave(wave)
    case .vcd: VCDWave(wave)
    case .json: JSONWave(wave)
    }
  }
}
