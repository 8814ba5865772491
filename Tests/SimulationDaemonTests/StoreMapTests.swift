import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon
import Simulator

/// The file of `--store-map`.
struct StoreMapTests {
  private static let one = "postgresql://u@a/one"
  private static let two = "postgresql://u@b/two"

  @Test("the first pattern that matches decides; a store that stands there twice is one")
  func stores() throws {
    let map = try StoreMap(
      of: "# lessons\nlesson-* \(Self.one)\n\n  anna/*\t\(Self.two)\r\nexam? \(Self.one)\n* /var/worlds\n", "map")
    expectEqual(map.places, [Self.one, Self.two, "/var/worlds"])
    expectEqual(map.patterns.map(\.store), [0, 1, 0, 2])
    expect(map.hasDatabase)
    func store(_ name: String) -> Int? {
      map.patterns.first { row in Array(name.utf8).withUnsafeBytes { row.pattern.matches($0) } }?.store
    }
    expectEqual(["lesson-1", "anna/lesson-1", "exam3", "exam", "main"].map(store), [0, 1, 0, 2, 2])
    expectEqual(StoreMap("/somewhere").places, ["/somewhere"])
  }

  @Test(
    "a mistake is shown with its line, its column and what is allowed",
    arguments: [
      ("", "1:1: the last pattern is *"),
      ("a \(one)\n", "2:1: the last pattern is *"),
      ("*\n", "1:2: after the pattern comes a store: postgresql://USER@HOST/DATABASE, or a folder"),
      ("# x\n  a[b] \(one)\n* /s", "2:4: a pattern for names of worlds has A-Z a-z 0-9 . _ - and / * ?"),
      ("* \(one) x", "1:\(one.count + 4): a line is 'PATTERN STORE'"),
      ("* mysql://u@a/one", "1:3: 'mysql://u@a/one' is no store: it is a folder, or postgresql://USER@HOST/DATABASE"),
      ("* \(one)\nb \(two)", "2:1: the pattern * before it has all worlds that are left; it stands last"),
      (String(repeating: "a", count: 257) + " /s\n* /s", "1:1: a pattern has at most 256 bytes"),
      ((0...64).map { "w\($0) /s\($0)\n" }.joined(), "65:5: there are at most 64 stores"),
    ])
  func mistakes(text: String, finding: String) throws {
    let failure = try #require(throws: UsageFailure.self) { _ = try StoreMap(of: text, "map") }
    expect("\(failure)", hasPrefix: "--store-map: map:\(finding)")
  }

  @Test(
    "what is wrong with 'fsmd store'",
    arguments: [
      ("", "which of 'check URL', 'setup URL --print', 'copy FROM TO'?"),
      ("chek x", "'chek' is no action of a store; did you mean 'check'?"),
      ("list", "'list' is no action of a store; there are check, setup, copy"),
      ("check", "'check' lacks a store: 'check URL'"),
      ("copy a", "'copy' lacks TO: 'copy FROM TO'"),
      ("copy a b c", "'c' is one word too many: 'copy FROM TO'"),
      ("check a", "'check' takes the URL of a database, postgresql://USER@HOST/DATABASE, not 'a'"),
      ("copy a mysql://b", "'mysql://b' is no store: it is a folder, or postgresql://USER@HOST/DATABASE"),
    ])
  func command(words: String, message: String) {
    #expect(throws: UsageFailure.wrong(message)) {
      _ = try StoreCommand([], words.split(separator: " ").map(String.init))
    }
  }
}
