import Glibc
import TestSupport
import Testing

@testable import UnixHost

/// What bash offers; `make test-packages` tries the other shells.
@Suite(.serialized)
struct ShellCompletionTests {
  private static let table = OptionTable<Int>(
    program: "probe", synopsis: "",
    options: [
      .init(
        0, short: "l", long: "level", argument: .required("LEVEL"), values: ["low", "high"], summary: "it's [one]"),
      .init(1, long: "number", argument: .required("N"), summary: "a: number"),
      .init(2, long: "quiet", summary: "say\nnothing"),
    ])
  private static let completion = ShellCompletion(
    program: "probe",
    commands: [
      .init("run", table.completions { $0 == 2 }, takesFiles: true),
      .init("store", table.completions { $0 == 2 }, takesFiles: true, words: ["check", "copy"]),
      .init("", table.completions(), takesFiles: false),
    ])

  private func offered(_ words: String...) throws -> [String] {
    let pipe = try Pipe()
    let typed = "COMP_WORDS=(probe \(words.joined(separator: " "))) COMP_CWORD=\(words.count)\n"
    let child = try Child.spawn(
      "bash", ["-c", "\(Self.completion.script(for: .bash))\n\(typed)_probe 2>/dev/null\necho \"${COMPREPLY[@]}\""],
      output: pipe.writing)
    pipe.writing.close()
    defer { pipe.reading.close() }
    let text = try pipe.reading.readToEnd(atMost: 1 << 16) {}
    expectEqual(child.waitForEnding(), .exited(0))
    return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  @Test("commands, options, and values of an option, also behind its =")
  func bash() throws {
    try expectEqual(offered("''"), ["run", "store"])
    try expectEqual(offered("--"), ["--level", "--number", "--quiet", "--help", "--version"])
    try expectEqual(offered("--level", "''"), ["low", "high"])
    try expectEqual(offered("-l", "h"), ["high"])
    try expectEqual(offered("--level", "="), ["low", "high"])
    try expectEqual(offered("--level", "=", "l"), ["low"])
    try expectEqual(offered("--number", "''"), [])
    try expectEqual(offered("run", "--"), ["--quiet", "--help", "--version"])
    try expectEqual(offered("run", "''"), [])
    try expectEqual(offered("store", "''"), ["check", "copy"])
    try expectEqual(offered("store", "ch"), ["check"])
    try expectEqual(offered("store", "copy", "''"), [])
    try expectEqual(offered("store", "--quiet", "co"), ["copy"])
    try expectEqual(offered("store", "--quiet", "copy", "--quiet", "''"), [])
    try expectEqual(offered("--number", "1", "store", "co"), ["copy"])
  }

  @Test("texts are quoted for each shell")
  func quoting() {
    expect(Self.completion.script(for: .zsh), contains: "'*-l+[it'\\''s \\[one\\]]:LEVEL:(low high)'")
    expect(Self.completion.script(for: .fish), contains: "-s l -l level -x -a 'low high' -d 'it\\'s [one]'")
    expect(Self.completion.script(for: .fish), contains: "-l quiet -d 'say'")
  }

  @Test("the words of a command's first operand, in the other shells, too")
  func operands() {
    expect(Self.completion.script(for: .zsh), contains: "'2: :(check copy)'")
    expect(
      Self.completion.script(for: .fish),
      contains: "'__fish_seen_subcommand_from store; and not __fish_seen_subcommand_from check copy' -f -a 'check copy'"
    )
  }
}
