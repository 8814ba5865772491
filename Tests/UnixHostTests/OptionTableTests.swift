import TestSupport
import Testing

@testable import UnixHost

private enum Name: Sendable {
  case socket, expression, raw, color
}

/// Serialized, as glibc's scanner keeps its place in a global.
@Suite(.serialized)
struct OptionTableTests {
  private let table = OptionTable<Name>(
    program: "probe", synopsis: "[OPTION]… [FILE]",
    options: [
      .init(.socket, short: "s", long: "socket", argument: .required("PATH"), summary: "where"),
      .init(.expression, short: "e", long: "expression", argument: .required("CMD"), summary: "run\nrepeatable"),
      .init(.raw, long: "raw", summary: "as it is"),
      .init(.color, short: "c", long: "color", argument: .optional("WHEN"), summary: "colour"),
    ])

  /// The options as `name=value` words and the operands.
  private func parse(_ words: String...) throws -> ([String], [String]) {
    guard case .run(let options, let operands) = try table.parse(words) else { return (["not a run"], []) }
    return (options.map { "\($0.name)=\($0.value)" }, operands)
  }

  @Test("short, long, joined, abbreviated, between operands, repeated")
  func forms() throws {
    try expect(parse() == ([], []))
    try expect(
      parse("-s", "a", "-sb", "--socket", "c", "--socket=d", "--so=e") == (
        ["socket=a", "socket=b", "socket=c", "socket=d", "socket=e"], []
      ))
    try expect(
      parse("x", "--raw", "-", "-e", "1", "-e", "", "y") == (
        ["raw=", "expression=1", "expression="], ["x", "-", "y"]
      ))
    try expect(parse("-c", "--color", "--color=no", "-cyes") == (["color=", "color=", "color=no", "color=yes"], []))
    try expect(parse("-c", "--", "-s", "--raw") == (["color="], ["-s", "--raw"]))
  }

  @Test("help and version win where they stand", arguments: ["-h", "--help", "--he"])
  func help(word: String) throws {
    guard case .help = try table.parse(["--raw", word, "--nonsense"]) else {
      Issue.record("no help")
      return
    }
    guard case .version = try table.parse(["-V"]), case .version = try table.parse(["--version"]) else {
      Issue.record("no version")
      return
    }
  }

  @Test(
    "mistakes name the word",
    arguments: [
      (["-x"], UsageFailure.unknownOption("-x")),
      (["--nope"], .unknownOption("--nope")),
      (["--nope=1"], .unknownOption("--nope")),
      (["-s"], .missingValue(option: "--socket")),
      (["--socket"], .missingValue(option: "--socket")),
      (["--raw=1"], .unexpectedValue(option: "--raw")),
      (["--help=1"], .unexpectedValue(option: "--help")),
    ] as [([String], UsageFailure)])
  func mistakes(words: [String], failure: UsageFailure) {
    #expect(throws: failure, "\(words)") { try table.parse(words) }
  }

  @Test("an abbreviation that fits twice is named with both")
  func ambiguous() {
    let table = OptionTable<Name>(
      program: "probe", synopsis: "",
      options: [
        .init(.socket, long: "socket", summary: ""), .init(.raw, long: "something", summary: ""),
      ])
    #expect(throws: UsageFailure.ambiguousOption("--so", ["--socket", "--something"])) { try table.parse(["--so"]) }
  }

  @Test("the usage text comes from the same table")
  func usage() {
    expectEqual(
      table.usage,
      """
      usage: probe [OPTION]… [FILE]

        -s, --socket PATH     where
        -e, --expression CMD  run
                              repeatable
            --raw             as it is
        -c, --color[=WHEN]    colour
        -h, --help            show this text
        -V, --version         show the version

      """)
  }
}
