import LineProtocol
import Scripts
import Simulator
import StateMachines

/// The present world as a script, in slices: its inputs are played and written one after the other, then the lines go
/// out.
///
/// It ends with the last input at the time of the request, whatever comes meanwhile.
final class ScriptReply: LongReply {
  private var export: ScriptExport
  private var reader: JournalReader
  /// The last input to write.
  private let end: UInt64
  /// What composed `new` requests have made, by their first inputs.
  private let composed: [UInt64: JournalSegment.Creation]
  /// The finished script.
  private var lines: LinesOfText?

  /// Inputs played in one slice.
  private static let inputsInASlice = 200

  /// - Throws: ``HistoryFailure/forgotten(world:first:)`` if the journal in memory does not begin with the first input.
  init(of live: borrowing LiveWorld, _ catalogue: Catalogue, release: String) throws {
    let first = live.world.firstSequence
    guard first == 1 else { throw HistoryFailure.forgotten(world: live.name, first: first) }
    end = live.world.lastSequence
    reader = live.world.journalReader(from: 1)
    composed = live.world.composedCreations
    export = try ScriptExport(
      ScriptExport.Story(
        name: WorldKey(live.name).name, seed: live.seed, head: end, moment: live.world.now, catalogue: catalogue),
      release: release)
  }

  var isForWorkers: Bool { true }
  var isText: Bool { true }
  var gathers: Bool { true }

  /// About how many bytes it has gathered, without the world that it plays.
  var bytes: Int { export.bytes + (lines?.bytes ?? 0) }

  /// Writes the next piece.
  func write(
    _ live: inout LiveWorld, _ printer: inout JournalPrinter, tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> ReplyPiece {
    guard var lines else {
      do {
        return try play(live.world, live.slice)
      } catch let failure as HistoryFailure {
        return .unscriptable(failure)
      } catch {
        return .unscriptable(.unreadable(world: live.name, reason: "\(error)"))
      }
    }
    let hasMore = lines.write(tag: tag, to: &buffer)
    self.lines = lines
    return hasMore ? .more : .done(lines.written)
  }

  /// Plays the next inputs, and ends the script after the last one.
  private func play(_ world: borrowing WorldCore, _ slice: Slice) throws -> ReplyPiece {
    var left = ScriptReply.inputsInASlice
    repeat {
      guard reader.next <= end else { break }
      guard let entry = world.read(&reader) else { return .forgotten }
      try export.add(entry, composed[entry.sequence], of: world)
      left -= 1
    } while left > 0 && !slice.isOver
    if reader.next > end { lines = LinesOfText(try export.finish()) }
    return .more
  }
}

extension RequestContext {
  /// `script`
  func script() {
    do {
      begin(try ScriptReply(of: live, environment.offered, release: environment.version))
    } catch let failure as HistoryFailure {
      failToScript(failure)
    } catch {
      failToScript(.unreadable(world: live.name, reason: "\(error)"))
    }
  }

  /// A world that cannot be written as a script.
  func failToScript(_ failure: HistoryFailure) {
    switch failure {
    case .forgotten(_, let first):
      failLimit(
        "journal", limits.world.journal, with: [("from", "\(first)")],
        live.stored == nil
          ? "the journal of this world begins at \(first), and a script needs it from the first input"
          : "the journal in memory begins at \(first); 'fsmd export \(live.name)' writes the script from the store")
    case .tooLong:
      failLimit("scriptLines", ScriptLimits.lines, "this world has more inputs than a script may have lines")
    case .unsayable(_, let sequence, let reason):
      fail(.refused, [("seq", "\(sequence)")], "input \(sequence) cannot be written as a line of a script: \(reason)")
    case .unknownWorld, .unreadable, .notSoFar, .noCheckpoint:
      fail(.internal, "\(failure)")
    }
  }
}
