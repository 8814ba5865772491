package import LineProtocol
import StateMachines

/// The waveform as a picture that stands alone: for a projector, for print, and for a browser, which shows the exact
/// time of what the pointer rests on.
///
/// It has no script. What a world's clients may choose (names, words) is made visible and escaped.
package struct SVGWave: WaveWriter, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private var section = Section.head
  private let height: Int
  /// The upper edge of each lane, and the lower one of its states.
  private let tops: [Int]
  private let bottoms: [Int]
  /// The lines of each mark, and what is left out.
  private let marks: [[String]]
  private let remarks: [String]

  private enum Section {
    case head
    /// The deliveries from this one on.
    case wires(Int)
    case lane(Int)
    case drawing(LanePicture, lane: Int)
    case foot, over
  }

  static let width = 1_600
  static let left = 230
  static let right = 30
  private static let head = 74
  static let tickHeight = 24
  static let rowHeight = 26
  static let barHeight = 18
  static let curveHeight = 64
  private static let gap = 18
  private static let footLine = 20
  /// The narrowest piece with an element of its own, in pixels.
  static let finest = 1.5
  /// About how wide a column of the labels is.
  static let character = 7.4

  package init(_ wave: Waveform) {
    self.wave = wave
    scale = TimeScale(
      of: wave,
      TimeScale.Measures(width: Double(SVGWave.width - SVGWave.left - SVGWave.right), fold: 64, least: 24, tail: 110)
    )
    var tops: [Int] = []
    var bottoms: [Int] = []
    var y = SVGWave.head
    var (timers, stretches) = (0, 0)
    for lane in wave.lanes {
      let rows = LaneRows(of: lane)
      tops.append(y)
      bottoms.append(y + SVGWave.tickHeight + rows.regions.count * SVGWave.rowHeight)
      y += SVGWave.height(of: rows)
      timers += rows.timersLeftOut
      stretches += rows.undoneLeftOut
    }
    self.tops = tops
    self.bottoms = bottoms
    let columns = Int(clamping: Double(SVGWave.width - 32) / SVGWave.character)
    marks = wave.marks.map { TextWave.Signs.unicode.wrapped($0.text, columns) }
    var remarks: [String] = []
    if wave.omittedMachines > 0 {
      remarks.append(
        "\(wave.omittedMachines) more machines with \(wave.omittedInputs) inputs are not drawn; give a pattern")
    }
    let rest = [(timers, "timers"), (stretches, "older undone stretches")].filter { $0.0 > 0 }
    if !rest.isEmpty {
      let what = rest.map { "\($0.0) \($0.1)" }.joined(separator: " and ")
      remarks.append("\(what) are not drawn; format=json has all")
    }
    self.remarks = remarks
    // The last line is for deliveries that are not drawn, of which nothing is known yet.
    height = y + 26 + SVGWave.footLine * (marks.reduce(0) { $0 + $1.count } + remarks.count + 1)
  }

  package mutating func write(to text: inout ByteBuffer) -> Bool {
    switch section {
    case .head:
      text.line(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(SVGWave.width) \(height)" width="100%" \
        font-family="Helvetica,Arial,sans-serif" font-size="14" role="img">
        """)
      let (from, to) = (WaveTime.seconds(wave.from.nanoseconds), WaveTime.seconds(wave.to.nanoseconds))
      text.line("<title>\(wave.lanes.count) machines from \(from) s to \(to) s</title>")
      text.line(SVGWave.style)
      text.lines(axis())
      section = .wires(0)
    case .wires(let first):
      let next = drawWires(from: first, &text)
      section = next < wave.deliveries.count ? .wires(next) : .lane(0)
    case .lane(let lane):
      section = lane < wave.lanes.count ? .drawing(LanePicture(of: lane, wave, scale, tops[lane]), lane: lane) : .foot
    case .drawing(var drawing, let lane):
      section = .over
      let isDone = drawing.advance(wave)
      section = isDone ? .lane(lane + 1) : .drawing(drawing, lane: lane)
      if isDone { text.lines(drawing.lines) }
    case .foot:
      text.lines(foot())
      section = .over
    case .over: return false
    }
    return true
  }

  private static let style = """
    <style>
    text{fill:#1b1f23} .quiet{fill:#5a6169} .name{font-weight:bold}
    .s0{fill:#dbe9f9} .s1{fill:#e5ead2} .s2{fill:#dcf0dd} .s3{fill:#ece3f4} .s4{fill:#dfe2f7} .s5{fill:#d9eff0}
    .state{stroke:#3c4650;stroke-width:1} .present{fill:#ffc233;stroke:#6b4a00;stroke-width:2} .present+text{fill:#1c1503}
    .line,.tick{stroke:#5a6169;fill:none} .grid{stroke:#c9ced3;stroke-width:1}
    .moved{fill:#20262d} .expired{fill:#9a5b00} .stayed{fill:#ffffff;stroke:#20262d;stroke-width:1.5}
    .ignored{fill:none;stroke:#5a6169;stroke-width:1.5} .refused{stroke:#b3261e;stroke-width:2.5;fill:none}
    .bar{fill:#e8b75c;stroke:#9a5b00} .curve{fill:none;stroke:#1565c0;stroke-width:1.8} .frame{fill:#f4f6f8}
    .fold{fill:#eef0f2} .wire{stroke:#1565c0;stroke-width:1.5;fill:none}
    .tip{fill:#1565c0} .mark{stroke:#a34a00;stroke-width:2;stroke-dasharray:6 4} .alert{fill:#a34a00;font-weight:bold}
    .pale{opacity:.5} .many{fill:#5a6169}
    @media (prefers-color-scheme:dark){
    text{fill:#e6e9ec} .quiet{fill:#a8b0b8}
    .s0{fill:#1f3f63} .s1{fill:#434a25} .s2{fill:#234d2a} .s3{fill:#473358} .s4{fill:#30365f} .s5{fill:#1f4b4e}
    .state{stroke:#c3c9cf} .line,.tick{stroke:#a8b0b8} .grid{stroke:#39424b}
    .present{stroke:#ffe3a0} .moved{fill:#e6e9ec} .expired{fill:#ffc46b} .stayed{fill:#15191e;stroke:#e6e9ec} .ignored{stroke:#a8b0b8}
    .refused{stroke:#ff8a80} .bar{fill:#8a6420;stroke:#ffc46b} .curve{stroke:#82b1ff} .frame{fill:#1d232a}
    .fold{fill:#262d35} .wire{stroke:#82b1ff} .tip{fill:#82b1ff}
    .mark{stroke:#ffb454} .alert{fill:#ffb454} .many{fill:#a8b0b8}}
    </style>
    """

  private static func height(of rows: LaneRows) -> Int {
    tickHeight + rows.regions.count * rowHeight + rows.timers.count * barHeight + rows.curves.count * curveHeight
      + rows.undone.count * (tickHeight + rowHeight) + gap
  }

  // MARK: Text and numbers

  /// A text as the content of an element.
  static func markup(_ text: String) -> String { XMLText.escaped(VisibleText.escaped(text)) }

  /// A position with one decimal.
  static func n(_ value: Double) -> String {
    let tenths = Int(clamping: value * 10 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  static func element(_ body: String, title: String) -> String { "<g><title>\(markup(title))</title>\(body)</g>" }

  /// As much of a text as fits; nothing if that is too little.
  static func fitting(_ text: String, _ room: Double) -> String? {
    TextWave.Signs.unicode.fitted(text, Int(clamping: room / character), atLeast: 4)
  }

  // MARK: Parts

  private func x(_ moment: Int64) -> Double { Double(SVGWave.left) + scale.position(moment) }

  private func axis() -> [String] {
    var lines: [String] = []
    let foot = height - 26
    var taken: [(Double, Double)] = []
    func label(_ text: String, at x: Double, _ anchor: String = "middle") {
      let width = Double(text.count) * SVGWave.character
      let start = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2
      guard start >= Double(SVGWave.left) - 40, start + width <= Double(SVGWave.width),
        !taken.contains(where: { start < $0.1 + 8 && start + width + 8 > $0.0 })
      else { return }
      taken.append((start, start + width))
      lines.append("<text x=\"\(SVGWave.n(x))\" y=\"40\" text-anchor=\"\(anchor)\">\(text)</text>")
      lines.append("<path class=\"line\" d=\"M\(SVGWave.n(x)) 46v8\"/>")
    }
    for piece in scale.pieces where piece.part == .fold {
      let (from, to) = (WaveTime.seconds(piece.from), WaveTime.seconds(piece.to))
      let (left, width) = (SVGWave.n(Double(SVGWave.left) + piece.position), SVGWave.n(piece.width))
      lines.append(
        SVGWave.element(
          "<rect class=\"fold\" x=\"\(left)\" y=\"54\" width=\"\(width)\" height=\"\(foot - 54)\"/>",
          title: "nothing happened from \(from) s to \(to) s"))
      let middle = SVGWave.n(Double(SVGWave.left) + piece.position + piece.width / 2)
      lines.append(
        """
        <text class="quiet" x="\(middle)" y="66" text-anchor="middle" font-size="12">\
        \(WaveTime.short(piece.to - piece.from))</text>
        """)
    }
    let end = Double(SVGWave.width - SVGWave.right)
    let ticks = TimeTicks(scale, distance: 90, areRound: scale.moments.count > SVGWave.mostExactTicks)
    lines.append(
      "<text class=\"quiet\" x=\"16\" y=\"40\">world time\(ticks.unit.isEmpty ? "" : ", \(ticks.unit)")</text>")
    lines.append("<path class=\"line\" d=\"M\(SVGWave.left) 54H\(SVGWave.n(end))\"/>")
    label(ticks.text(wave.from.nanoseconds), at: Double(SVGWave.left))
    if wave.to > wave.from {
      let to = wave.to.nanoseconds
      label(ticks.text(to), at: x(to), x(to) > end - 40 ? "end" : "middle")
    }
    for moment in ticks.moments {
      let before = taken.count
      label(ticks.text(moment), at: x(moment))
      if taken.count > before || ticks.step != nil {
        lines.append("<path class=\"grid\" d=\"M\(SVGWave.n(x(moment))) 54V\(foot)\"/>")
      }
    }
    return lines
  }

  /// With more moments of inputs, round ones are written at the axis.
  private static let mostExactTicks = 16

  // MARK: Wires

  /// The most deliveries that are drawn.
  private static let mostWires = 2_000
  private var wires = 0
  private var wiresLeftOut = 0
  /// Where the last one between two lanes is.
  private var lastWires: [Int: Double] = [:]

  /// Arrows from lane to lane, which states stand in front of.
  ///
  /// - Returns: The next delivery.
  private mutating func drawWires(from first: Int, _ text: inout ByteBuffer) -> Int {
    let end = min(wave.deliveries.count, first + WaveReplyPiece.inputs)
    for delivery in wave.deliveries[first..<end] {
      guard let from = delivery.from, from != delivery.to, delivery.branch == 0 else { continue }
      let at = x(delivery.moment)
      let pair = from * wave.lanes.count + delivery.to
      // Where one stands already, another is not seen.
      if let last = lastWires[pair], abs(at - last) < 1 { continue }
      lastWires[pair] = at
      guard wires < SVGWave.mostWires else {
        wiresLeftOut += 1
        continue
      }
      wires += 1
      let isDown = delivery.to > from
      let start = isDown ? tops[from] + SVGWave.tickHeight + 12 : tops[from] + 12
      let tip = isDown ? tops[delivery.to] + 9 : bottoms[delivery.to] + 4
      text.line(
        SVGWave.element(
          """
          <path class="wire" d="M\(SVGWave.n(at)) \(start)V\(tip)"/>\
          <path class="tip" d="M\(SVGWave.n(at - 4)) \(isDown ? tip - 7 : tip + 7)h8l-4 \(isDown ? 8 : -8)z"/>
          """,
          title: """
            \(wave.words[delivery.source]).\(wave.words[delivery.output]) to \(wave.lanes[delivery.to].name) \
            \(wave.words[delivery.event]) at \(WaveTime.seconds(delivery.moment)) s, seq \(delivery.sequence)
            """))
    }
    return end
  }

  // MARK: The foot

  private func foot() -> [String] {
    var lines: [String] = []
    let edge = height - 8 - SVGWave.footLine * (marks.reduce(0) { $0 + $1.count } + remarks.count + 1)
    var y = edge
    for (mark, texts) in zip(wave.marks, marks) {
      let at = x(mark.moment.nanoseconds)
      lines.append(
        SVGWave.element(
          "<path class=\"mark\" d=\"M\(SVGWave.n(at)) 54V\(edge + 4)\"/>",
          title: "\(mark.text), at \(WaveTime.seconds(mark.moment.nanoseconds)) s"))
      let longest = Double(texts.map(TextColumns.width(of:)).max() ?? 0) * SVGWave.character
      // Beside its line if there is room, or else from the left.
      let (x, anchor) =
        at + longest <= Double(SVGWave.width - 16) ? (at, "start") : at - longest >= 16 ? (at, "end") : (16, "start")
      for text in texts {
        y += SVGWave.footLine
        lines.append(
          "<text class=\"alert\" x=\"\(SVGWave.n(x))\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(SVGWave.markup(text))</text>"
        )
      }
    }
    var remarks = remarks
    if wiresLeftOut > 0 { remarks.append("\(wiresLeftOut) deliveries are not drawn; format=json has all") }
    for remark in remarks {
      y += SVGWave.footLine
      lines.append("<text class=\"quiet\" x=\"16\" y=\"\(y)\">\(SVGWave.markup(remark))</text>")
    }
    lines.append("</svg>")
    return lines
  }
}
