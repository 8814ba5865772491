internal import Glibc
internal import Simulations
internal import StateMachines
internal import UnixHost

/// Stop-words found in a text, compared with `grep -o -F -f WORDS` on the same file.
///
/// Both read the file from the system's cache and count. Grep counts matches that do not overlap, the leftmost and
/// longest; ours counts all. The counts are equal here, since no stop-word is part of another one and all are
/// surrounded by spaces; a run in which they differ has no figure.
struct FilterBenchmark {
  /// The number of stop-words.
  let words: Int
  /// Bytes of text.
  let bytes: Int

  var what: String { "stop-words in text, \(words) of them" }

  func run(_ effort: Effort) throws -> Row {
    // A quick run uses a smaller text.
    let size = bytes * effort.million / 1_000_000
    let folder = try TemporaryFolder()
    var dice = Dice(seed: 5)
    let list = Self.stopWords(words, &dice)
    try folder.write(Array(list.joined(separator: "\n").utf8) + [0x0A], as: "words")
    try folder.write(Self.text(of: size, among: list, &dice), as: "text")
    let matcher: WordMatcher
    do throws(WordMatcher.Failure) {
      matcher = try WordMatcher(words: list)
    } catch {
      throw BenchFailure.wrongReply(to: "WordMatcher", expected: "a matcher", got: "\(error)")
    }

    var found: Set<Int> = []
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: { Double(size) / (try seconds { found.insert(try count(with: matcher, in: "\(folder.path)/text")) }) },
      peer: { Double(size) / (try seconds { found.insert(try countWithGrep(in: folder.path)) }) })
    guard found.count == 1, let count = found.first, count > 0 else {
      throw BenchFailure.wrongReply(to: "stop-words", expected: "one number of matches", got: "\(found.sorted())")
    }
    return Row(
      pairing, .bytesPerSecond, beside: "grep", targets: [.ratioAtLeast(1)],
      remark: "\(size >> 20) MiB, \(count) matches")
  }

  // MARK: Measurements

  /// Reads a file in pieces of 64 KiB, as a filter of incoming data would.
  private func count(with matcher: WordMatcher, in path: String) throws -> Int {
    let file = Descriptor(rawValue: open(path, O_RDONLY | O_CLOEXEC))
    guard file.rawValue >= 0 else { throw BenchFailure.lost("cannot read \(path): \(SystemError.last)") }
    defer { file.close() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var position = matcher.start
    var count = 0
    while true {
      let transfer = buffer.withUnsafeMutableBytes { file.read(into: $0) }
      guard case .bytes(let length) = transfer else { break }
      matcher.scan(buffer[0..<length], from: &position) { _ in count += 1 }
    }
    return count
  }

  private func countWithGrep(in folder: String) throws -> Int {
    let pipe = try Pipe()
    defer { pipe.reading.close() }
    // `wc` counts at the other end of a pipe: cheaper for grep than writing a file, and free for us.
    let script = "LC_ALL=C grep -o -F -f \"$1/words\" \"$1/text\" | wc -l"
    let child: Child
    do {
      child = try Child.spawn("/bin/sh", ["-c", script, "sh", folder], output: pipe.writing)
    } catch {
      pipe.writing.close()
      throw error
    }
    pipe.writing.close()
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    while case .bytes(let length) = buffer.withUnsafeMutableBytes({ pipe.reading.read(into: $0) }) {
      text += buffer[..<length]
    }
    child.waitForEnding()
    let digits = String(decoding: text.filter { (0x30...0x39).contains($0) }, as: UTF8.self)
    guard let count = Int(digits) else { throw BenchFailure.noServer("grep does not count: '\(digits)'") }
    return count
  }

  // MARK: Test data

  /// Words of 5 to 12 letters, none of which is part of another one.
  private static func stopWords(_ count: Int, _ dice: inout Dice) -> [String] {
    var list: [String] = []
    while list.count < count {
      let word = word(of: 5...12, &dice)
      if !list.contains(where: { $0.contains(word) || word.contains($0) }) { list.append(word) }
    }
    return list
  }

  /// Lines of about 70 characters; one word of a hundred is a stop-word, the others are drawn from 20,000.
  private static func text(of size: Int, among stopWords: [String], _ dice: inout Dice) -> [UInt8] {
    let usual = (0..<20_000).map { _ in Array(word(of: 2...10, &dice).utf8) }
    let stopping = stopWords.map { Array($0.utf8) }
    var text: [UInt8] = []
    text.reserveCapacity(size + 16)
    var line = 0
    while text.count < size {
      let word =
        dice.next() % 100 == 0 ? stopping[Int(dice.next() % UInt64(stopping.count))] : usual[Int(dice.next() % 20_000)]
      text += word
      line += word.count + 1
      text.append(line > 70 ? 0x0A : 0x20)
      if line > 70 { line = 0 }
    }
    text.removeLast(text.count - size)
    text[size - 1] = 0x0A
    return text
  }

  private static func word(of lengths: ClosedRange<Int>, _ dice: inout Dice) -> String {
    let length = lengths.lowerBound + Int(dice.next() % UInt64(lengths.count))
    let letters = (0..<length).map { _ in UInt8(ascii: "a") + UInt8(dice.next() % 26) }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension TemporaryFolder {
  fileprivate func write(_ bytes: [UInt8], as name: String) throws {
    let file = Descriptor(rawValue: open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    guard file.rawValue >= 0 else { throw BenchFailure.lost("cannot write \(path)/\(name): \(SystemError.last)") }
    defer { file.close() }
    guard bytes.withUnsafeBytes({ file.writeAll($0) }) else {
      throw BenchFailure.lost("cannot write all of \(path)/\(name)")
    }
  }
}
