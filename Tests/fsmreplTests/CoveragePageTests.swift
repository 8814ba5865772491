import LineProtocol
import TestSupport
import Testing

@testable import fsmrepl

/// The pictures of a coverage page.
struct CoveragePageTests {
  private static let json = [
    #"{"name":"Card","parent":null,"id":"s0"},"#, #"{"name":"E","parent":"Card","id":"s1"},"#,
    #"{"from":"a","to":"b","event":"after 5s","arrows":["a1"]},"#,
    #"{"from":"b","to":"c","event":"user pushes, \"go\"","arrows":["a2"]},"#,
    #"{"from":"b","to":"d","timer":"slow","arrows":["a3"]},"#,
    #"{"from":"a","to":"Card","event":"code(1234)","arrows":["a4"]},"#,
    #"{"from":"Card","to":"a","event":"eject","arrows":["a5"]},"#,
    #"{"from":"c","to":"choice","event":"pay","arrows":["a6"]},"#,
  ]

  @Test(
    "an untried transition of a document marks its arrow, which has the author's words and may be a block's",
    arguments: [
      ("a b timer=a.after.5s", ["a1"]), ("b c event=userPushes", ["a2"]), ("b c event=go", ["a2"]),
      ("b d timer=slow", ["a3"]), ("a E event=code", ["a4"]), ("E a event=eject", ["a5"]), ("c paid event=pay", ["a6"]),
      ("a c timer=a.after.5s", ["a1"]), ("b a event=eject", []),
    ])
  func marks(transition: String, arrows: [String]) throws {
    let row = try #require(ServerLine(". untried k transition \(transition)"))
    let page = CoveragePage(
      coverage: RunCoverage([row]), pictures: ["k": .init(svg: ["<svg>", "<g >", "</svg>"], json: Self.json)])
    let picture = try #require(page.files.first { $0.name == "k.svg" }).text
    expectEqual(
      picture.split(separator: "\n").filter { $0.hasSuffix(" text { fill: #a052c8; }") }.map { line in
        String(line.dropFirst().prefix { $0 != " " })
      }, arrows)
  }
}
