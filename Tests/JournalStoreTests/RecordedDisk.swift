import CSQLite
import JournalStore
import Synchronization

/// A way to the files for SQLite that writes down, in order, all that is done to them, and can be without room.
///
/// The files are real; what could be left of them after a power cut is made of the record (``DiskImage``).
final class RecordedDisk: Sendable {
  enum Event: Sendable {
    case made(String)
    case wrote(String, at: Int, [UInt8])
    case cut(String, to: Int)
    case renamed(String, to: String)
    case removed(String)
    /// A file; a new one together with its name, where whoever synced it has seen to that.
    case synced(String, withName: Bool)
    /// All names in the folder.
    case syncedFolder
    /// The store has done what it was asked, as often as this.
    case acknowledged(Int)
  }

  private struct State {
    var events: [Event] = []
    var isRecording = true
    var hasRoom = true
  }

  private let state = Mutex(State())
  let name: String
  private let folder: String
  // Safety: made in `init` and never changed; SQLite is given it until `deinit`, when no store uses it any more.
  nonisolated(unsafe) private let system: UnsafeMutablePointer<sqlite3_vfs>
  // Safety: as above.
  nonisolated(unsafe) private let nameBytes: UnsafeMutablePointer<CChar>

  /// - Parameter folder: That of the store.
  init(folder: String) {
    self.folder = folder
    name = "recorded-\(folder.split(separator: "/").last ?? "")"
    let bytes = name.utf8CString
    nameBytes = .allocate(capacity: bytes.count)
    nameBytes.initialize(from: Array(bytes), count: bytes.count)
    guard let usual = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no way to files") }
    system = .allocate(capacity: 1)
    system.initialize(to: usual.pointee)
    system.pointee.pNext = nil
    system.pointee.zName = UnsafePointer(nameBytes)
    system.pointee.szOsFile = Int32(MemoryLayout<RecordedFile>.stride) + usual.pointee.szOsFile
    system.pointee.xOpen = RecordedFile.open
    system.pointee.xDelete = RecordedFile.delete
    system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_vfs_register(system, 0)
  }

  deinit {
    sqlite3_vfs_unregister(system)
    system.deallocate()
    nameBytes.deallocate()
  }

  var events: [Event] { state.withLock { $0.events } }

  /// Whether files can grow.
  var hasRoom: Bool {
    get { state.withLock { $0.hasRoom } }
    set { state.withLock { $0.hasRoom = newValue } }
  }

  func stopRecording() { state.withLock { $0.isRecording = false } }

  func note(_ event: Event) {
    state.withLock { if $0.isRecording { $0.events.append(event) } }
  }

  /// Takes down what the store does without SQLite.
  func noteChange(_ change: FaultPlan.Change) {
    switch change {
    case .made(let path): note(.made(path))
    case .wrote(let path, let offset, let bytes): note(.wrote(path, at: offset, bytes))
    case .renamed(let path, let name): note(.renamed(path, to: name))
    case .synced(let path): note(path == folder ? .syncedFolder : .synced(path, withName: false))
    }
  }
}

/// An open file as SQLite sees it, in front of that of the usual way, which lies behind it in memory.
private struct RecordedFile {
  var base: sqlite3_file
  var real: UnsafeMutablePointer<sqlite3_file>
  var disk: Unmanaged<RecordedDisk>
  /// Null for a file without a name; SQLite keeps it until the file is closed.
  var path: UnsafePointer<CChar>?
  var isLog: Bool

  typealias File = UnsafeMutablePointer<sqlite3_file>

  // Safety: SQLite calls with the block that `open` has filled, until the file is closed.
  private static func of(_ file: File?) -> RecordedFile {
    guard let file else { preconditionFailure("SQLite calls without a file") }
    return UnsafeMutableRawPointer(file).load(as: RecordedFile.self)
  }

  private static func forward(_ file: File?, _ call: (sqlite3_io_methods, File) -> Int32?) -> Int32 {
    let real = of(file).real
    guard let methods = real.pointee.pMethods, let code = call(methods.pointee, real) else { return SQLITE_ERROR }
    return code
  }

  private func note(_ event: (String) -> RecordedDisk.Event) {
    if let path { disk.takeUnretainedValue().note(event(String(cString: path))) }
  }

  static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { system, path, file, flags, outFlags in
      guard let system, let file, let data = system.pointee.pAppData, let usual = sqlite3_vfs_find(nil),
        let open = usual.pointee.xOpen
      else { return SQLITE_CANTOPEN }
      let raw = UnsafeMutableRawPointer(file)
      let real = (raw + MemoryLayout<RecordedFile>.stride).assumingMemoryBound(to: sqlite3_file.self)
      real.pointee.pMethods = nil
      file.pointee.pMethods = nil
      let disk = Unmanaged<RecordedDisk>.fromOpaque(data)
      var isThere: Int32 = 0
      if let path { _ = usual.pointee.xAccess?(usual, path, SQLITE_ACCESS_EXISTS, &isThere) }
      let code = open(usual, path, real, flags, outFlags)
      guard code == SQLITE_OK else { return code }
      let opened = RecordedFile(
        base: sqlite3_file(pMethods: methods), real: real, disk: disk, path: path,
        isLog: flags & SQLITE_OPEN_WAL != 0)
      raw.storeBytes(of: opened, as: RecordedFile.self)
      if isThere == 0 { opened.note { .made($0) } }
      return SQLITE_OK
    }

  static let delete: @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32) -> Int32 = {
    system, path, syncs in
    guard let usual = sqlite3_vfs_find(nil), let delete = usual.pointee.xDelete, let path,
      let data = system?.pointee.pAppData
    else { return SQLITE_ERROR }
    let code = delete(usual, path, syncs)
    let disk = Unmanaged<RecordedDisk>.fromOpaque(data).takeUnretainedValue()
    if code == SQLITE_OK { disk.note(.removed(String(cString: path))) }
    if code == SQLITE_OK, syncs != 0 { disk.note(.syncedFolder) }
    return code
  }

  // Safety: filled once, then only read.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in forward(file) { $0.xClose?($1) } }
    methods.pointee.xRead = { file, bytes, count, offset in forward(file) { $0.xRead?($1, bytes, count, offset) } }
    methods.pointee.xWrite = { file, bytes, count, offset in
      let recorded = of(file)
      if !recorded.disk.takeUnretainedValue().hasRoom { return SQLITE_FULL }
      let code = forward(file) { $0.xWrite?($1, bytes, count, offset) }
      if code == SQLITE_OK {
        recorded.note {
          .wrote($0, at: Int(offset), Array(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
        }
      }
      return code
    }
    methods.pointee.xTruncate = { file, size in
      let code = forward(file) { $0.xTruncate?($1, size) }
      if code == SQLITE_OK { of(file).note { .cut($0, to: Int(size)) } }
      return code
    }
    methods.pointee.xSync = { file, flags in
      let code = forward(file) { $0.xSync?($1, flags) }
      // SQLite's own way syncs the folder with the first sync of a log that it has made.
      if code == SQLITE_OK { of(file).note { .synced($0, withName: of(file).isLog) } }
      return code
    }
    methods.pointee.xFileSize = { file, size in forward(file) { $0.xFileSize?($1, size) } }
    methods.pointee.xLock = { file, level in forward(file) { $0.xLock?($1, level) } }
    methods.pointee.xUnlock = { file, level in forward(file) { $0.xUnlock?($1, level) } }
    methods.pointee.xCheckReservedLock = { file, result in forward(file) { $0.xCheckReservedLock?($1, result) } }
    methods.pointee.xFileControl = { file, call, argument in forward(file) { $0.xFileControl?($1, call, argument) } }
    methods.pointee.xSectorSize = { file in forward(file) { $0.xSectorSize?($1) } }
    methods.pointee.xDeviceCharacteristics = { file in forward(file) { $0.xDeviceCharacteristics?($1) } }
    methods.pointee.xShmMap = { file, page, size, mayExtend, memory in
      return forward(file) { $0.xShmMap?($1, page, size, mayExtend, memory) }
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      forward(file) { $0.xShmLock?($1, offset, count, flags) }
    }
    methods.pointee.xShmBarrier = { file in
      let real = of(file).real
      real.pointee.pMethods?.pointee.xShmBarrier?(real)
    }
    methods.pointee.xShmUnmap = { file, deletes in forward(file) { $0.xShmUnmap?($1, deletes) } }
    return UnsafePointer(methods)
  }()
}
