/// The first bytes of a database file, checked before SQLite reads it, which would lock it and make files beside it: so
/// a foreign file or one from a later release stays unchanged.
///
/// The layout is SQLite's (https://www.sqlite.org/fileformat2.html, "The Database Header").
enum DatabaseHeader {
  private static let size = 100

  /// Checks the file of a connection that has only been opened.
  ///
  /// - Parameter hasWAL: Whether there is a log with content beside it. Then pages may be missing in the file.
  /// - Throws: `damaged` for an empty or truncated file and for a foreign one, `otherSchema`, and kernel errors.
  static func check(_ database: Database, hasWAL: Bool) throws(StoreFailure) {
    let path = database.path
    let (header, length) = try database.start(size)
    guard length > 0 else { throw .damaged(Damage(path, "it is empty (0 bytes)")) }
    guard length >= size else {
      throw .damaged(Damage(path, "it is too short for a database (\(length) bytes)"))
    }
    func number(at place: Int, bytes: Int = 4) -> Int {
      header[place..<place + bytes].reduce(0) { $0 << 8 | Int($1) }
    }
    guard header.starts(with: "SQLite format 3\0".utf8) else {
      throw .damaged(Damage(path, "it is not an SQLite database"))
    }
    guard number(at: 68) == Int(StoreSchema.applicationID) else {
      throw .damaged(Damage(path, "it is an SQLite database, but not one of fsmd's"))
    }
    let version = number(at: 60)
    guard version == StoreSchema.version else {
      throw .otherSchema(path: path, found: version, known: StoreSchema.version)
    }
    // The page size, WAL mode, SQLite's schema format and UTF-8; our databases have no reserved bytes and no automatic
    // vacuum.
    guard number(at: 16, bytes: 2) == StoreSchema.pageSize, number(at: 18, bytes: 2) == 0x0202, number(at: 44) == 4,
      number(at: 56) == 1, header[20] == 0, number(at: 52) == 0
    else {
      throw .damaged(Damage(path, "its first page is not what was written"))
    }
    let pages = number(at: 28)
    guard hasWAL || length >= pages * StoreSchema.pageSize else {
      throw .damaged(
        Damage(path, "it is truncated: it has \(length) bytes, and had \(pages * StoreSchema.pageSize)"))
    }
  }
}
