import Foundation

/// What a disk may have after a power cut: what was synced, and of the rest any part.
///
/// Names come and go in order, as with a journal of the file system's own, but they may be behind. Of a file that was
/// written and not synced each sector of 512 bytes may be there or not, whatever came first.
struct DiskImage {
  private struct Inode {
    var synced: [UInt8] = []
    var unsynced: [Write] = []
  }

  private enum Write {
    case bytes([UInt8], at: Int)
    case cut(to: Int)
  }

  private enum Naming {
    case given(String, Int)
    case taken(String)
    case renamed(String, String)
  }

  /// How much of what was not synced is there.
  enum Fate: CaseIterable {
    case nothing, all, beginning, anySectors
  }

  private static let sector = 512

  private var inodes: [Inode] = []
  /// As programs see them.
  private var names: [String: Int] = [:]
  /// Files by the names with which they were made, which open ones go by when they have another name by now.
  private var made: [String: Int] = [:]
  private var syncedNames: [String: Int] = [:]
  private var unsyncedNames: [Naming] = []

  mutating func apply(_ event: RecordedDisk.Event) {
    switch event {
    case .made(let path):
      if let inode = names[path] {
        inodes[inode].unsynced.append(.cut(to: 0))
      } else {
        inodes.append(Inode())
        names[path] = inodes.count - 1
        made[path] = inodes.count - 1
        unsyncedNames.append(.given(path, inodes.count - 1))
      }
    case .wrote(let path, let offset, let bytes):
      if let inode = inode(path) { inodes[inode].unsynced.append(.bytes(bytes, at: offset)) }
    case .cut(let path, let size):
      if let inode = inode(path) { inodes[inode].unsynced.append(.cut(to: size)) }
    case .renamed(let path, let name):
      names[name] = names.removeValue(forKey: path)
      unsyncedNames.append(.renamed(path, name))
    case .removed(let path):
      names[path] = nil
      unsyncedNames.append(.taken(path))
    case .synced(let path, let withName):
      if let inode = inode(path) {
        for write in inodes[inode].unsynced { Self.apply(write, to: &inodes[inode].synced) }
        inodes[inode].unsynced = []
      }
      if withName { syncNames() }
    case .syncedFolder: syncNames()
    case .acknowledged: break
    }
  }

  private func inode(_ path: String) -> Int? { names[path] ?? made[path] }

  private mutating func syncNames() {
    for naming in unsyncedNames { Self.apply(naming, to: &syncedNames) }
    unsyncedNames = []
  }

  private static func apply(_ naming: Naming, to names: inout [String: Int]) {
    switch naming {
    case .given(let path, let inode): names[path] = inode
    case .taken(let path): names[path] = nil
    case .renamed(let path, let name): names[name] = names.removeValue(forKey: path)
    }
  }

  private static func apply(_ write: Write, to bytes: inout [UInt8]) {
    switch write {
    case .bytes(let new, let offset):
      if bytes.count < offset + new.count {
        bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
      }
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    case .cut(let size):
      if bytes.count > size {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    }
  }

  /// Files by their names without the folder, as they may be found.
  func files<G: RandomNumberGenerator>(using dice: inout G) -> [String: [UInt8]] {
    var names = syncedNames
    for naming in unsyncedNames.prefix(Int.random(in: 0...unsyncedNames.count, using: &dice)) {
      Self.apply(naming, to: &names)
    }
    var files: [String: [UInt8]] = [:]
    for (path, inode) in names.sorted(by: { $0.key < $1.key }) {
      files[(path as NSString).lastPathComponent] = contents(of: inodes[inode], using: &dice)
    }
    return files
  }

  private func contents<G: RandomNumberGenerator>(of inode: Inode, using dice: inout G) -> [UInt8] {
    var bytes = inode.synced
    guard !inode.unsynced.isEmpty, let fate = Fate.allCases.randomElement(using: &dice) else { return bytes }
    switch fate {
    case .nothing: break
    case .all: for write in inode.unsynced { Self.apply(write, to: &bytes) }
    case .beginning:
      let count = Int.random(in: 0..<inode.unsynced.count, using: &dice)
      for write in inode.unsynced.prefix(count) { Self.apply(write, to: &bytes) }
      // The next one is torn.
      for part in Self.sectors(of: inode.unsynced[count]).dropLast() { Self.apply(part, to: &bytes) }
    case .anySectors:
      let share = Int.random(in: 1...9, using: &dice)
      for part in inode.unsynced.flatMap(Self.sectors) where Int.random(in: 0..<10, using: &dice) < share {
        Self.apply(part, to: &bytes)
      }
    }
    return bytes
  }

  /// What of a write reaches the disk as a whole or not at all.
  private static func sectors(of write: Write) -> [Write] {
    guard case .bytes(let bytes, let offset) = write else { return [write] }
    var parts: [Write] = []
    var at = offset
    while at < offset + bytes.count {
      let end = min((at / sector + 1) * sector, offset + bytes.count)
      parts.append(.bytes(Array(bytes[at - offset..<end - offset]), at: at))
      at = end
    }
    return parts
  }
}
