import LineProtocol
import PostgresStore
import Simulator
import UnixHost

/// Where durable worlds are kept: patterns for their names, each with a store. The first one that matches decides.
///
/// `--store` is one that has all worlds. A line of the file of `--store-map` is a pattern and a store; `#` begins a comment.
struct StoreMap {
  /// Each store once: the address of a database, or a folder.
  private(set) var places: [String] = []
  /// Patterns, and the place of the store in ``places``.
  private(set) var patterns: [(pattern: NamePattern, store: Int)] = []

  /// The longest file, in bytes.
  private static let longest = 1 << 20
  /// The most stores: each has threads and connections of its own.
  private static let mostStores = 64

  init(_ only: String) {
    (places, patterns) = ([only], [(.all, 0)])
  }

  /// Whether a store is a database, so that the daemon has a name there.
  var hasDatabase: Bool { places.contains(where: PostgresURL.isOne) }

  init(file path: String) throws(UsageFailure) {
    let bytes: [UInt8]
    do throws(RegularFile.Problem) {
      bytes = try RegularFile.read(path, endings: [""], atMost: Self.longest)
    } catch {
      throw .wrong("--store-map: cannot read \(path): \(error.text)")
    }
    try self.init(of: String(decoding: bytes, as: UTF8.self), path)
  }

  /// - Throws: With the line and column of what is wrong, and what is allowed there.
  init(of text: String, _ path: String) throws(UsageFailure) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      func wrong(_ place: Substring.Index, _ problem: String) -> UsageFailure {
        .wrong("--store-map: \(path):\(number + 1):\(line.distance(from: line.startIndex, to: place) + 1): \(problem)")
      }
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let pattern = words.first, pattern.first != "#" else { continue }
      let mayStand = { (byte: UInt8) in TextRules.isNameByte(byte) || "*?/".utf8.contains(byte) }
      if let place = pattern.utf8.firstIndex(where: { !mayStand($0) }) {
        throw wrong(place, "a pattern for names of worlds has A-Z a-z 0-9 . _ - and / * ?")
      }
      guard pattern.utf8.count <= NamePattern.maxBytes else {
        throw wrong(pattern.startIndex, "a pattern has at most \(NamePattern.maxBytes) bytes")
      }
      if patterns.last?.pattern.matchesAll == true {
        throw wrong(pattern.startIndex, "the pattern * before it has all worlds that are left; it stands last")
      }
      guard words.count > 1 else {
        throw wrong(pattern.endIndex, "after the pattern comes a store: postgresql://USER@HOST/DATABASE, or a folder")
      }
      let place = String(words[1])
      if let mistake = PostgresURL.mistake(in: place) { throw wrong(words[1].startIndex, mistake) }
      guard words.count == 2 else {
        throw wrong(words[2].startIndex, "a line is 'PATTERN STORE', and nothing else; a blank in an address is %20")
      }
      if !places.contains(place) { places.append(place) }
      guard places.count <= Self.mostStores else {
        throw wrong(words[1].startIndex, "there are at most \(Self.mostStores) stores")
      }
      patterns.append((NamePattern(pattern.utf8), places.firstIndex(of: place) ?? 0))
    }
    guard patterns.last?.pattern.matchesAll == true else {
      throw .wrong("--store-map: \(path):\(lines.count):1: the last pattern is *, so that each world has a store")
    }
  }
}
