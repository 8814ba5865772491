/// The first bytes of a database file, looked at before SQLite reads it in its own way, which locks it and makes files
/// beside it: so a file which is not ours or from a later release stays as it is.
///
/// The layout is SQLite's (https://www.sqlite.org/fileformat2.html, "The Database Header").
enum DatabaseHeader {
  private static let size = 100

  /// Checks the file of a connection that was only opened yet.
  ///
  /// - Parameter hasWAL: Whether a log with contents lies beside it. Then pages may be there and not yet in the file.
  /// - Throws: `damaged` for an empty or truncated file and one that is no database of ours, `newer`, and what the
  ///   kernel says.
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
    guard number(at: 68) == Int(Schema.applicationID) else {
      throw .damaged(Damage(path, "it is an SQLite database, but not one of fsmd's"))
    }
    let version = number(at: 60)
    guard version <= Schema.version else { throw .newer(path: path, found: version, known: Schema.version) }
    // The page size, that a WAL is used, SQLite's schema format and UTF-8; and what our databases never have, reserved
    // bytes and automatic vacuum.
    guard version == Schema.version, number(at: 16, bytes: 2) == Schema.pageSize, number(at: 18, bytes: 2) == 0x0202,
      number(at: 44) == 4, number(at: 56) == 1, header[20] == 0, number(at: 52) == 0
    else {
      throw .damaged(Damage(path, "its first page is not what was written"))
    }
    let pages = number(at: 28)
    guard hasWAL || length >= pages * Schema.pageSize else {
      throw .damaged(
        Damage(path, "it is truncated: \(length) bytes are there, and it had \(pages * Schema.pageSize)"))
    }
  }
}
