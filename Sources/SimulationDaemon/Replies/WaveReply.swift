import LineProtocol
import Simulator
import StateMachines
import Waveforms

/// A waveform reply in slices: it reads the journal, from the store where memory does not reach back, works out the
/// readings, and writes the drawing line by line.
final class WaveReply {
  private enum Stage {
    /// Searching the first stored input of the stretch, between two inputs.
    case searching(low: UInt64, high: UInt64)
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
  /// The world's last input at the time of the request.
  private let end: UInt64
  private var written = 0
  /// The bytes of the waveform being written.
  private var drawnBytes = 0

  /// Inputs of the journal read in one slice.
  private static let inputsInASlice = 20_000
  /// Inputs replayed in one slice.
  private static let replaysInASlice = 2_000

  init(_ form: Form, of live: borrowing LiveWorld) {
    let first = live.world.firstSequence
    end = live.world.lastSequence
    var from = form.from
    stage = .memory(live.world.journalReader(from: first))
    var oldest = live.world.journalReader(from: first)
    if first > 1, let begins = live.world.read(&oldest)?.moment, begins > from {
      if let stored = live.stored, stored.first < first {
        stage = .searching(low: stored.first, high: first)
      } else {
        // What the journal has dropped is not drawn.
        from = min(begins, form.to)
      }
    }
    self.form = form
    survey = WaveSurvey(from: from, to: form.to, form.pattern)
  }

  /// About how many bytes it has gathered.
  var bytes: Int { drawnBytes > 0 ? drawnBytes : survey.bytes }

  /// Writes the next piece.
  func write(_ live: borrowing LiveWorld, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> LongReply.Piece {
    guard survey.inputs <= WaveSurvey.mostInputs else {
      stage = .over
      return .tooMany
    }
    do throws(PersistenceFailure) {
      switch stage {
      case .searching(let low, let high): stage = try search(low, high, live)
      case .stored(let next): stage = try readStored(from: next, live)
      case .memory(var reader):
        guard readMemory(&reader, live.world) else { return .forgotten }
        stage = .memory(reader)
        if reader.next > end {
          survey.notePresent(in: live.world)
          stage = .reading
        }
      case .reading:
        guard survey.readOn(through: live.world, by: WaveReply.replaysInASlice) else { return .more }
        drawnBytes = survey.bytes
        var wave = survey.finish()
        if let mark = form.mark { wave.marks.append(Waveform.Mark(at: form.to, mark)) }
        stage = .writing(form.format.writer(of: wave, width: form.width))
        survey = WaveSurvey(from: form.from, to: form.to, form.pattern)
      case .writing(var writer):
        stage = .over
        let most = buffer.count + LongReply.pieceSize
        while buffer.count < most {
          guard let line = writer.next() else { return .done(written) }
          buffer.begin(.data, tag: tag)
          buffer.append(literal: " ")
          line.withUnsafeBytes { buffer.append($0) }
          buffer.endLine()
          written += 1
        }
        stage = .writing(writer)
      case .over: return .done(written)
      }
    } catch {
      return .unreadable(error)
    }
    return .more
  }

  /// Halves the inputs among which the stretch begins.
  private func search(_ low: UInt64, _ high: UInt64, _ live: borrowing LiveWorld) throws(PersistenceFailure) -> Stage {
    guard low < high, let stored = live.stored else { return .stored(next: low) }
    let middle = low + (high - low) / 2
    var moment: Instant?
    var next = middle
    // An undone input may be later than those behind it; then its undoing counts.
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

  private func readStored(from next: UInt64, _ live: borrowing LiveWorld) throws(PersistenceFailure) -> Stage {
    let first = live.world.firstSequence
    guard next < first, next <= end, let stored = live.stored else {
      return .memory(live.world.journalReader(from: min(max(next, first), live.world.lastSequence + 1)))
    }
    var left = WaveReply.inputsInASlice
    let reached = try stored.read(next...min(end, first - 1), in: live.world) { world, entry in
      survey.note(entry, world)
      left -= 1
      return left > 0
    }
    return .stored(next: max(reached, next + 1))
  }

  /// - Returns: False if the journal has dropped the next input.
  private func readMemory(_ reader: inout JournalReader, _ world: borrowing WorldCore) -> Bool {
    var left = WaveReply.inputsInASlice
    while left > 0, reader.next <= end {
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
