import MachineGraphs
import TestSupport
import Testing

/// Pictures as Graphviz writes them, with a state at the left, one at the right, and an arrow between them.
struct PictureRepairTests {
  private static func node(_ title: String, x: Int) -> String {
    """
    <g id="\(title)" class="node">
    <title>\(title)</title>
    <path fill="white" stroke="black" d="M\(x),0C\(x),0 \(x + 60),0 \(x + 60),0 \(x + 60),0 \(x + 60),40 \(x + 60),40"/>
    </g>
    """
  }

  private static func edge(_ from: String, _ to: String, _ path: String, tip: String, label: String = "") -> String {
    """
    <g id="\(from)\(to)" class="edge">
    <title>\(from)&#45;&gt;\(to)</title>
    <path fill="none" stroke="black" d="\(path)"/>
    <polygon fill="black" stroke="black" points="0,0 \(tip) 0,0 0,0"/>\(label)
    </g>
    """
  }

  private static func label(x: Double, y: Double) -> String {
    "\n<text text-anchor=\"middle\" x=\"\(x)\" y=\"\(y)\" font-family=\"Helvetica\" font-size=\"14.00\">go &amp; on</text>"
  }

  private static func picture(_ parts: String...) -> String {
    "<svg>\n<polygon points=\"-10,-60 300,-60 300,90 -10,90\"/>\n"
      + ([node("1", x: 0), node("2", x: 200)] + parts).joined(separator: "\n") + "\n</svg>"
  }

  private static func mended(_ picture: String) -> String {
    var repair = PictureRepair(picture)
    while repair.mendNext() {}
    return repair.svg
  }

  /// The baseline of the label, of a picture with an arrow at the height 20.
  private func baseline(of label: (x: Double, y: Double)) throws -> (x: Double, y: Double) {
    let straight = "M60,20C100,20 150,20 190,20"
    let svg = Self.mended(
      Self.picture(Self.edge("1", "2", straight, tip: "200,20", label: Self.label(x: label.x, y: label.y))))
    let found = try #require(svg.firstMatch(of: /x="([-0-9.]+)" y="([-0-9.]+)"/))
    return (try #require(Double(found.output.1)), try #require(Double(found.output.2)))
  }

  @Test("a label leaves the line and the state on which it lies, and comes back to its arrow; another one stays")
  func labels() throws {
    let free = try baseline(of: (130, 14))
    expectEqual([free.x, free.y], [130, 14])
    let onLine = try baseline(of: (130, 24))
    expect(onLine.y <= 17 || onLine.y >= 30, "\(onLine)")
    expectEqual(onLine.x, 130)
    let onState = try baseline(of: (50, 14))
    expect(onState.x > 85 || onState.y < 0, "\(onState)")
    let lost = try baseline(of: (130, 84))
    expect(lost.y < 60, "\(lost)")
  }

  @Test("two labels leave each other, so far that they do not read as one, and the frame on which they lie")
  func together() throws {
    let frame = """
      <g id="c" class="cluster">
      <title>cluster_1</title>
      <path fill="none" stroke="#708090" d="M-20,-50C-20,-50 150,-50 150,-50 150,-50 150,60 150,60"/>
      </g>
      """
    let straight = "M60,20C100,20 150,20 190,20"
    let (one, other) = (Self.label(x: 130, y: 14), Self.label(x: 132, y: 12))
    let svg = Self.mended(
      Self.picture(
        frame, Self.edge("1", "2", straight, tip: "200,20", label: one),
        Self.edge("1", "2", straight, tip: "200,20", label: other)))
    let places = try svg.matches(of: /text-anchor="middle" x="([-0-9.]+)" y="([-0-9.]+)"/).map {
      (x: try #require(Double($0.output.1)), y: try #require(Double($0.output.2)))
    }
    expect(abs(places[0].y - places[1].y) >= 18 || abs(places[0].x - places[1].x) >= 50, "\(places)")
    expect(places.allSatisfy { abs($0.x - 150) >= 20 }, "\(places)")
  }

  @Test("an arrow does not begin under the head of another one, but beside it on the same side")
  func ends() throws {
    let away = "M60,20C100,20 150,20 190,20"
    let back = "M200,30C150,40 100,30 70,21"
    let svg = Self.mended(
      Self.picture(Self.edge("1", "2", away, tip: "200,20"), Self.edge("2", "1", back, tip: "60,21")))
    let starts = try svg.matches(of: /d="M([-0-9.]+),([-0-9.]+)C/).suffix(2).map {
      [try #require(Double($0.output.1)), try #require(Double($0.output.2))]
    }
    expectEqual(starts[0][0], 60)
    expect(abs(starts[0][1] - 21) >= 13 && (0...40).contains(starts[0][1]), "\(starts[0])")
    expectEqual(starts[1][0], 200)
    expect(abs(starts[1][1] - 20) >= 13, "\(starts[1])")
  }

  @Test(
    "what is no picture of Graphviz stays as it is",
    arguments: ["", "<svg></svg>", "a\n\nb <text x=\"y\">", "<path d=\"\"/>"])
  func other(text: String) { expectEqual(Self.mended(text), text) }
}
