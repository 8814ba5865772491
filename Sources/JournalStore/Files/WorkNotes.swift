internal import CWorkNotes
internal import Glibc

/// What each thread of a daemon works on, in a mapped file beside the database: whatever ends the daemon, the next one
/// finds which input of which world was under way.
///
/// A step costs one store to memory. The file is not synced: after a power cut it may tell of an earlier time.
package final class WorkNotes: @unchecked Sendable {
  // Safety: the mapped file has a fixed length, is never truncated, and is unmapped with this object. A place belongs to
  // the thread that has taken it (`is_taken` is atomic) until that thread gives it back.
  private let places: UnsafeMutablePointer<fsm_work>
  private let mapping: UnsafeMutableRawPointer

  /// What is done in a world.
  package enum Work: UInt32, Sendable {
    /// What clients ask for, and the timers that are due.
    case requests = 1
    /// Its stored inputs are replayed.
    case replay
    /// A stored checkpoint is read.
    case reading
    /// A checkpoint is written.
    case writing
  }

  /// The place of a thread while it works.
  package struct Note {
    // Safety: used only by the thread that has the place, while it has it.
    fileprivate let place: UnsafeMutablePointer<fsm_work>

    /// Where the world writes the input under way, before each step.
    package var input: UnsafeMutablePointer<UInt64> {
      // Safety: `input` is the first member of the place.
      UnsafeMutableRawPointer(place).assumingMemoryBound(to: UInt64.self)
    }

    /// Notes that other work begins.
    package func goOn(with work: Work) {
      place.pointee.input = 0
      place.pointee.kind = work.rawValue
    }

    /// Notes the line that is taken next, which stays in memory meanwhile.
    @inline(__always)
    package func take(_ line: UnsafeRawBufferPointer) {
      place.pointee.input = 0
      place.pointee.line = line.baseAddress
      place.pointee.line_length = UInt64(line.count)
    }

    /// Notes that the line that was taken does not stay in memory.
    package func forget() { place.pointee.line = nil }

    /// Notes the line whose work goes on, though it does not stay in memory.
    package func keep(_ line: UnsafeRawBufferPointer) {
      fsm_name_work(place, line.baseAddress, UInt32(min(line.count, Int(Int32.max))))
      place.pointee.line = nil
    }
  }

  /// An expiry of a timer has this bit beside its number.
  package static let expiry: UInt64 = 1 << 63

  /// Threads that can have a place at once, and steps that are remembered from earlier ends.
  private static let most = 64
  private static let placeBytes = MemoryLayout<fsm_work>.stride
  private static let length = (1 + 2 * most) * placeBytes
  private static let magic = UInt64(littleEndian: 0x316B_726F_776D_7366)  // `fsmwork1`, as bytes

  /// Makes the file anew.
  ///
  /// - Parameter records: What was found out about earlier ends.
  /// - Throws: What making or mapping a file throws; the old file stays then.
  init(_ path: String, identity: UInt64, records: [InterruptedWork]) throws(StoreFailure) {
    var image = [UInt8](repeating: 0, count: Self.length)
    image.withUnsafeMutableBytes { image in
      image.storeBytes(of: Self.magic, as: UInt64.self)
      image.storeBytes(of: identity, toByteOffset: 8, as: UInt64.self)
      for (number, record) in records.suffix(Self.most).enumerated() {
        var work = fsm_work()
        work.world = record.world
        work.input = record.input | (record.isExpiry ? Self.expiry : 0)
        work.kind = record.work.rawValue
        work.signal = UInt32(bitPattern: record.signal)
        work.is_running = record.isRunning ? 1 : 0
        image.storeBytes(of: work, toByteOffset: (1 + Self.most + number) * Self.placeBytes, as: fsm_work.self)
      }
    }
    let new = path + ".new"
    let file = try StoreFile(new, O_RDWR | O_CREAT | O_TRUNC)
    defer { file.close() }
    // All of it is written, so that the disk has room for what is written to memory later.
    try file.write(0..<image.count, of: image, faults: nil)
    guard
      let mapping = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
      mapping != MAP_FAILED
    else { throw StoreFailure.system(errno, path: new) }
    self.mapping = mapping
    places = (mapping + Self.placeBytes).bindMemory(to: fsm_work.self, capacity: Self.most)
    try StoreFile.rename(new, to: path, faults: nil)
  }

  deinit { munmap(mapping, Self.length) }

  /// Notes fatal signals in the places of the threads that get them.
  package static func noteFatalSignals() { fsm_note_fatal_signals() }

  /// Runs `body` with a place of its own for the calling thread.
  ///
  /// - Parameters:
  ///   - world: Its number in the store; nil for a world that is not stored.
  ///   - isRunning: Whether the world's clock runs, so that its timers expire again after a start.
  ///   - request: A word for the request under way, if its line is not known.
  ///   - body: Gets nil if too many threads work at once.
  package func during<R: ~Copyable, E>(
    _ work: Work, _ world: Int64?, isRunning: Bool = false, request: String = "", _ body: (Note?) throws(E) -> R
  ) throws(E) -> R {
    var outer: UnsafeMutablePointer<fsm_work>?
    let place = fsm_begin_work(places, UInt32(Self.most), work.rawValue, world ?? 0, isRunning ? 1 : 0, &outer)
    defer { fsm_end_work(place, outer) }
    if let place, !request.isEmpty {
      var request = request
      request.withUTF8 { text in
        fsm_name_work(place, text.baseAddress, UInt32(text.count))
      }
    }
    return try body(place.map { Note(place: $0) })
  }

  // MARK: Reading

  /// The content of a file.
  struct Found {
    /// What was under way at the end of the daemon, or is.
    var present: [InterruptedWork] = []
    /// What was found out about earlier ends.
    var records: [InterruptedWork] = []

    var isEmpty: Bool { present.isEmpty && records.isEmpty }
  }

  /// The content of the file; empty if it is missing, damaged, or belongs to another database.
  static func read(_ path: String, identity: UInt64) -> Found {
    guard let file = try? StoreFile(path, O_RDONLY) else { return Found() }
    defer { file.close() }
    guard let image = try? file.read(length, at: 0), image.count == length else { return Found() }
    return image.withUnsafeBytes { image in
      guard image.load(as: UInt64.self) == magic, image.load(fromByteOffset: 8, as: UInt64.self) == identity else {
        return Found()
      }
      func works(_ places: Range<Int>) -> [InterruptedWork] {
        places.compactMap { place in
          // Safety: the image has so many places, and any bytes are a valid `fsm_work`.
          InterruptedWork(image.loadUnaligned(fromByteOffset: place * placeBytes, as: fsm_work.self))
        }
      }
      return Found(present: works(1..<1 + most), records: works(1 + most..<1 + 2 * most))
    }
  }
}

extension Optional where Wrapped == WorkNotes {
  /// Runs `body` with a place, or with nil where nothing is noted; see ``WorkNotes/during(_:_:isRunning:request:_:)``.
  package func during<R: ~Copyable, E>(
    _ work: WorkNotes.Work, _ world: Int64?, isRunning: Bool = false, request: String = "",
    _ body: (WorkNotes.Note?) throws(E) -> R
  ) throws(E) -> R {
    guard let self else { return try body(nil) }
    return try self.during(work, world, isRunning: isRunning, request: request, body)
  }
}

/// What was under way when a daemon ended.
package struct InterruptedWork: Hashable, Sendable {
  package let work: WorkNotes.Work
  /// The store's number for the world; 0 for one that is not stored.
  let world: Int64
  /// The input; of a checkpoint its last one. 0 if none was under way.
  package let input: UInt64
  /// Whether the input was the expiry of a timer.
  package let isExpiry: Bool
  /// Whether the clock of the world ran.
  let isRunning: Bool
  /// The fatal signal of the step itself; `SIGKILL` if something else ended the daemon there twice in a row, 0 if once.
  let signal: Int32
  /// The request; empty if it is not known.
  package let request: String

  fileprivate init?(_ place: fsm_work) {
    guard let work = WorkNotes.Work(rawValue: place.kind), place.signal < 128 else { return nil }
    self.work = work
    world = place.world
    input = place.input & ~WorkNotes.expiry
    isExpiry = place.input & WorkNotes.expiry != 0
    isRunning = place.is_running != 0
    signal = Int32(place.signal)
    let length = min(Int(place.length), MemoryLayout.size(ofValue: place.text))
    let text = withUnsafeBytes(of: place.text) { String(decoding: $0.prefix(length), as: UTF8.self) }
    // It goes to a log, which is read at a terminal.
    let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
    request = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
  }

  /// A step that is known to end the daemon.
  private init(_ other: InterruptedWork, signal: Int32) {
    (work, world, input) = (other.work, other.world, other.input)
    (isExpiry, isRunning) = (other.isExpiry, other.isRunning)
    self.signal = signal
    request = ""
  }

  /// Whether a daemon that starts would do the same again by itself: not what a client has asked for and nobody stored.
  private var comesAgain: Bool {
    guard world != 0, input != 0 else { return false }
    return switch work {
    case .requests: isExpiry && isRunning
    case .replay, .reading, .writing: true
    }
  }

  /// The same, for a world as it is stored: it has its number still, and a timer has not expired.
  func comesAgain(in row: WorldRow) -> Bool {
    comesAgain && world == row.identity && (work != .requests || input > row.head)
  }

  private func isSame(as other: InterruptedWork) -> Bool {
    work == other.work && world == other.world && input == other.input
  }

  /// Whether a step of it ended the daemon, so that it is not taken again.
  var isFatal: Bool { comesAgain && signal != 0 }

  /// Finds out which steps must not be taken again.
  ///
  /// A fatal signal of a step itself decides at once. Whatever else ends a daemon (a kill, no memory, a power cut) may
  /// meet any step, so it decides only when the same input was under way at two ends in a row. It decides nothing about
  /// checkpoints, since a large one is under way for long.
  ///
  /// - Parameter rows: All worlds of the store.
  static func judge(_ found: WorkNotes.Found, _ rows: [WorldRow]) -> [InterruptedWork] {
    func comesAgain(_ work: InterruptedWork) -> Bool { rows.contains { work.comesAgain(in: $0) } }
    var records = found.records.filter { $0.signal != 0 && comesAgain($0) }
    for work in found.present where comesAgain(work) {
      if work.signal == 0, work.work == .reading || work.work == .writing { continue }
      let isSecond = found.records.contains { $0.signal == 0 && $0.isSame(as: work) }
      records.removeAll { $0.isSame(as: work) }
      records.append(InterruptedWork(work, signal: work.signal == 0 && isSecond ? SIGKILL : work.signal))
    }
    return records
  }

  private var cause: String {
    switch signal {
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGSEGV: "SIGSEGV"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGABRT: "SIGABRT"
    case SIGKILL: "it was killed there twice in a row"
    case _: "signal \(signal)"
    }
  }

  /// Why it is not done again, in a part of a sentence.
  package var reason: String {
    switch work {
    case .requests: "the daemon ended in a timer of it that was to be input \(input) and would expire again (\(cause))"
    case .replay: "the daemon ended when it replayed input \(input) (\(cause))"
    case .reading: "the daemon ended when it read the checkpoint at input \(input) (\(cause))"
    case .writing: "the daemon ended when it wrote a checkpoint at input \(input) (\(cause))"
    }
  }

  /// What the log says of a request that a step of its own ended; nil for anything else.
  ///
  /// - Parameter row: The world's, if it is stored.
  func warning(_ row: WorldRow?) -> StoreWarning? {
    guard work == .requests, signal != 0, row.map({ !comesAgain(in: $0) }) ?? true else { return nil }
    return .endedByRequest(request: request, world: row?.name, cause: cause)
  }
}
