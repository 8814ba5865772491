import StateMachines

/// The waveform as a picture that stands alone: for a projector, for print, and for a browser, which shows the exact
/// time of what the pointer rests on.
///
/// It has no script. What a world's clients may choose (names, words) is escaped.
package struct SVGWave: WaveWriter, Sendable {
  private let wave: Waveform
  private let scale: TimeScale
  private var lines: [String] = []
  private var lane = 0
  private let height: Int
  /// The upper edge of each lane, and the lower one of its states.
  private let tops: [Int]
  private let bottoms: [Int]
  private var isOver = false

  private static let width = 1_600
  private static let left = 230
  private static let right = 30
  private static let head = 74
  private static let tickHeight = 24
  private static let rowHeight = 26
  private static let barHeight = 18
  private static let curveHeight = 64
  private static let gap = 18
  /// The narrowest piece with an element of its own, in pixels.
  private static let finest = 1.5
  /// About how wide a character of the labels is.
  private static let character = 7.4

  package init(_ wave: Waveform) {
    self.wave = wave
    scale = TimeScale(
      of: wave,
      TimeScale.Measures(width: Double(SVGWave.width - SVGWave.left - SVGWave.right), fold: 64, least: 56, slot: 2...90)
    )
    var tops: [Int] = []
    var bottoms: [Int] = []
    var y = SVGWave.head
    for lane in wave.lanes {
      let rows = LaneRows(of: lane, wave)
      tops.append(y)
      bottoms.append(y + SVGWave.tickHeight + rows.rows.count * SVGWave.rowHeight)
      y += SVGWave.height(of: lane, rows)
    }
    self.tops = tops
    self.bottoms = bottoms
    height = y + 26 + 20 * wave.marks.count + (wave.omittedMachines > 0 ? 20 : 0)
    lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(SVGWave.width) \(height)" width="100%" \
      font-family="Helvetica,Arial,sans-serif" font-size="14" role="img">
      """,
      "<title>\(wave.lanes.count) machines from \(wave.from.text) s to \(wave.to.text) s</title>",
    ]
    lines += SVGWave.style.split(separator: "\n").map(String.init)
    lines.append("<rect class=\"paper\" width=\"\(SVGWave.width)\" height=\"\(height)\"/>")
    lines += axis()
    lines += wires()
  }

  package mutating func next() -> [UInt8]? {
    while lines.isEmpty {
      if lane < wave.lanes.count {
        draw(wave.lanes[lane])
        lane += 1
      } else if !isOver {
        finish()
        isOver = true
      } else {
        return nil
      }
    }
    return Array(lines.removeFirst().utf8)
  }

  private static let style = """
    <style>
    .paper{fill:#ffffff} text{fill:#1b1f23} .quiet{fill:#5a6169} .name{font-weight:bold}
    .s0{fill:#dbe9f9} .s1{fill:#fdebd0} .s2{fill:#dcf0dd} .s3{fill:#ece3f4} .s4{fill:#f9dfe3} .s5{fill:#d9eff0}
    .state{stroke:#3c4650;stroke-width:1} .line,.tick{stroke:#5a6169;fill:none} .grid{stroke:#c9ced3;stroke-width:1}
    .moved{fill:#1565c0} .expired{fill:#9a5b00} .stayed{fill:#ffffff;stroke:#1565c0;stroke-width:1.5}
    .ignored{fill:none;stroke:#5a6169;stroke-width:1.5} .refused{stroke:#c62828;stroke-width:2.5;fill:none}
    .bar{fill:#e8b75c;stroke:#9a5b00} .curve{fill:none;stroke:#2e7d32;stroke-width:1.8} .frame{fill:#f4f6f8}
    .fold{fill:#eef0f2} .instant{fill:#f1f6fc} .wire{stroke:#7b1fa2;stroke-width:1.5;fill:none}
    .tip{fill:#7b1fa2} .mark{stroke:#c62828;stroke-width:2;stroke-dasharray:6 4} .alert{fill:#c62828;font-weight:bold}
    .pale{opacity:.5} .many{fill:#5a6169}
    @media (prefers-color-scheme:dark){
    .paper{fill:#15191e} text{fill:#e6e9ec} .quiet{fill:#a8b0b8}
    .s0{fill:#1f3f63} .s1{fill:#5c431f} .s2{fill:#234d2a} .s3{fill:#473358} .s4{fill:#5b2a33} .s5{fill:#1f4b4e}
    .state{stroke:#c3c9cf} .line,.tick{stroke:#a8b0b8} .grid{stroke:#39424b}
    .moved{fill:#82b1ff} .expired{fill:#ffc46b} .stayed{fill:#15191e;stroke:#82b1ff} .ignored{stroke:#a8b0b8}
    .refused{stroke:#ff8a80} .bar{fill:#8a6420;stroke:#ffc46b} .curve{stroke:#81c784} .frame{fill:#1d232a}
    .fold{fill:#262d35} .instant{fill:#1a2530} .wire{stroke:#ce93d8} .tip{fill:#ce93d8}
    .mark{stroke:#ff8a80} .alert{fill:#ff8a80} .many{fill:#a8b0b8}}
    @media print{.paper{fill:#ffffff}}
    </style>
    """

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // XML has no other control characters.
      case _ where scalar.value < 0x20 && scalar != "\t" || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func height(of lane: Waveform.Lane, _ rows: LaneRows) -> Int {
    tickHeight + rows.rows.count * rowHeight + rows.timers.count * barHeight
      + lane.curves.filter { !$0.points.isEmpty }.count * curveHeight
      + rows.undone.count * (tickHeight + rowHeight) + gap
  }

  // MARK: Positions

  private func x(_ moment: Int64, _ sequence: UInt64) -> Double {
    Double(SVGWave.left) + scale.position(moment, sequence)
  }

  private func end(_ moment: Int64, _ sequence: UInt64) -> Double {
    sequence == .max && moment == wave.to.nanoseconds
      ? Double(SVGWave.width - SVGWave.right) : x(moment, sequence)
  }

  /// A position with one decimal.
  private func n(_ value: Double) -> String {
    let tenths = Int(value * 10 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private func element(_ body: String, title: String) -> String {
    "<g><title>\(SVGWave.escaped(title))</title>\(body)</g>"
  }

  /// As much of a text as fits; nothing if that is too little.
  private func fitting(_ text: String, _ room: Double) -> String? {
    let most = Int(room / SVGWave.character)
    if text.count <= most { return text }
    return most >= 4 ? text.prefix(most - 1) + "…" : nil
  }

  // MARK: Parts

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
      lines.append("<text x=\"\(n(x))\" y=\"40\" text-anchor=\"\(anchor)\">\(text)</text>")
      lines.append("<path class=\"line\" d=\"M\(n(x)) 46v8\"/>")
    }
    lines.append("<text class=\"quiet\" x=\"16\" y=\"40\">world time, seconds</text>")
    for piece in scale.pieces {
      let left = Double(SVGWave.left) + piece.position
      switch piece.part {
      case .even: break
      case .fold:
        lines.append(
          element(
            "<rect class=\"fold\" x=\"\(n(left))\" y=\"54\" width=\"\(n(piece.width))\" height=\"\(foot - 54)\"/>",
            title: "nothing happened from \(WaveTime.seconds(piece.from)) s to \(WaveTime.seconds(piece.to)) s"))
        lines.append(
          """
          <text class="quiet" x="\(n(left + piece.width / 2))" y="66" text-anchor="middle" font-size="12">\
          \(WaveTime.short(piece.to - piece.from))</text>
          """)
      case .instant where piece.sequences.count < 2: break
      case .instant:
        lines.append(
          element(
            "<rect class=\"instant\" x=\"\(n(left))\" y=\"54\" width=\"\(n(piece.width))\" height=\"\(foot - 54)\"/>",
            title: "\(piece.sequences.count) inputs at \(WaveTime.seconds(piece.from)) s, in their order"))
      }
    }
    let end = Double(SVGWave.width - SVGWave.right)
    lines.append("<path class=\"line\" d=\"M\(SVGWave.left) 54H\(n(end))\"/>")
    label(wave.from.text, at: Double(SVGWave.left))
    if wave.to > wave.from { label(wave.to.text, at: end, "end") }
    for piece in scale.pieces where piece.part == .instant && piece.sequences.count > 1 {
      label(
        "\(WaveTime.seconds(piece.from)) ×\(piece.sequences.count)", at: Double(SVGWave.left) + piece.position, "start")
    }
    for moment in scale.moments.prefix(400) {
      let before = taken.count
      label(WaveTime.seconds(moment), at: x(moment, 0))
      if taken.count > before {
        lines.append("<path class=\"grid\" d=\"M\(n(x(moment, 0))) 54V\(foot)\"/>")
      }
    }
    return lines
  }

  private mutating func draw(_ lane: Waveform.Lane) {
    let rows = LaneRows(of: lane, wave)
    var y = tops[self.lane]
    lines.append("<g>")
    drawTicks(of: lane, branch: 0, y)
    y += SVGWave.tickHeight
    for row in rows.rows {
      if let label = row.label {
        drawLabel(label, y, isName: false)
      } else {
        drawLabel(lane.name, y, isName: true)
      }
      drawStates(row, rows.words, y, "")
      y += SVGWave.rowHeight
    }
    // Below the name, if there is room.
    if rows.rows.count == 1, rows.timers.isEmpty, lane.curves.isEmpty {
      lines.append(
        "<text class=\"quiet\" x=\"16\" y=\"\(y + 8)\" font-size=\"12\">\(SVGWave.escaped(String(lane.kind.prefix(28))))</text>"
      )
    }
    for timer in rows.timers {
      drawLabel(timer.name, y - 4, isName: false)
      draw(timer.bars, timer.name, y)
      y += SVGWave.barHeight
    }
    for curve in lane.curves where !curve.points.isEmpty {
      draw(curve, y)
      y += SVGWave.curveHeight
    }
    for row in rows.undone {
      lines.append("<g class=\"pale\">")
      drawTicks(of: lane, branch: row.branch, y)
      y += SVGWave.tickHeight
      drawLabel(row.label ?? "", y, isName: false)
      drawStates(row, rows.words, y, " stroke-dasharray=\"5 3\"")
      y += SVGWave.rowHeight
      lines.append("</g>")
    }
    lines.append("</g>")
  }

  private mutating func drawLabel(_ text: String, _ y: Int, isName: Bool) {
    let shown = fitting(text, Double(SVGWave.left - 26)) ?? ""
    lines.append(
      element(
        "<text\(isName ? " class=\"name\"" : " class=\"quiet\"") x=\"\(isName ? 16 : 28)\" y=\"\(y + 18)\">\(SVGWave.escaped(shown))</text>",
        title: text))
  }

  private mutating func drawTicks(of lane: Waveform.Lane, branch: UInt32, _ y: Int) {
    let ticks = lane.ticks.filter { $0.branch == branch }
    var place = 0
    var free = 0.0
    while place < ticks.count {
      let tick = ticks[place]
      let left = x(tick.moment, tick.sequence)
      var last = place
      while last + 1 < ticks.count, x(ticks[last + 1].moment, ticks[last + 1].sequence) - left < 3 { last += 1 }
      let count = last - place + 1
      let right = last + 1 < ticks.count ? x(ticks[last + 1].moment, ticks[last + 1].sequence) : Double(SVGWave.width)
      if count > 1, x(ticks[last].moment, ticks[last].sequence) - left < 3 {
        lines.append(
          element(
            "<rect class=\"many\" x=\"\(n(left))\" y=\"\(y + 12)\" width=\"3\" height=\"10\"/>",
            title: """
              \(count) inputs from \(WaveTime.seconds(tick.moment)) s to \(WaveTime.seconds(ticks[last].moment)) s
              """))
      } else {
        lines.append(element(sign(tick, left, y), title: title(tick)))
        let text = wave.words[tick.word]
        // A text needs room on both sides of its sign.
        if left + 7 > free, let shown = fitting(text, right - left - 9) {
          lines.append(
            "<text x=\"\(n(left + 7))\" y=\"\(y + 20)\" font-size=\"12.5\">\(SVGWave.escaped(shown))</text>")
          free = left + 7 + Double(shown.count) * SVGWave.character
        }
      }
      place = last + 1
    }
  }

  private func title(_ tick: Waveform.Tick) -> String {
    let by =
      switch tick.source {
      case .expiry: "timer expired, "
      case .fired: "timer fired, "
      case .wire: "by wire, "
      case .client, .world: ""
      }
    let undone = tick.branch == 0 ? "" : ", undone by \(wave.branches[Int(tick.branch) - 1].undoer)"
    return "t=\(WaveTime.seconds(tick.moment)) s, seq \(tick.sequence): \(wave.words[tick.word]), "
      + "\(by)\(tick.outcome.word)\(undone)"
  }

  private func sign(_ tick: Waveform.Tick, _ x: Double, _ y: Int) -> String {
    let isTimer = tick.source == .expiry || tick.source == .fired
    switch tick.outcome {
    case .refused:
      return "<path class=\"refused\" d=\"M\(n(x - 4)) \(y + 12)l8 8m0 -8l-8 8\"/>"
    case .ignored:
      return "<circle class=\"ignored\" cx=\"\(n(x))\" cy=\"\(y + 16)\" r=\"4\"/>"
    case .stayed where !isTimer:
      return "<path class=\"stayed\" d=\"M\(n(x - 5)) \(y + 12)h10l-5 10z\"/>"
    case .moved, .stayed, .created, .dropped, .wired, .unwired, .undone, .restarted, .defined, .undefined:
      return isTimer
        ? "<path class=\"expired\" d=\"M\(n(x)) \(y + 10)l5 6l-5 6l-5 -6z\"/>"
        : "<path class=\"moved\" d=\"M\(n(x - 5)) \(y + 12)h10l-5 10z\"/>"
    }
  }

  /// The fill of a state: the same for the same word in the whole picture.
  private func fill(_ text: String) -> Int {
    Int(text.utf8.reduce(UInt32(7)) { ($0 &* 31) &+ UInt32($1) } % 6)
  }

  private mutating func drawStates(_ row: LaneRows.Row, _ words: [String], _ y: Int, _ more: String) {
    var place = 0
    let pieces = row.segments
    while place < pieces.count {
      let piece = pieces[place]
      let left = x(piece.from, piece.start)
      var last = place
      while last + 1 < pieces.count, end(pieces[last + 1].to, pieces[last + 1].end) - left < SVGWave.finest {
        last += 1
      }
      let right = end(pieces[last].to, pieces[last].end)
      let width = max(1, right - left)
      if last > place {
        lines.append(
          element(
            "<rect class=\"many\" x=\"\(n(left))\" y=\"\(y)\" width=\"\(n(width))\" height=\"\(SVGWave.rowHeight - 2)\"/>",
            title: """
              \(last - place + 1) states from \(WaveTime.seconds(piece.from)) s to \(WaveTime.seconds(pieces[last].to)) s
              """))
      } else {
        let text = words[Int(piece.word)]
        let label =
          fitting(text, width - 10).map {
            "<text x=\"\(n(left + 6))\" y=\"\(y + 17)\">\(SVGWave.escaped($0))</text>"
          } ?? ""
        lines.append(
          element(
            """
            <rect class="state s\(fill(text))" x="\(n(left))" y="\(y)" width="\(n(width))" \
            height="\(SVGWave.rowHeight - 2)"\(more)/>\(label)
            """,
            title: """
              \(text): \(WaveTime.seconds(piece.from)) s to \(WaveTime.seconds(piece.to)) s \
              (\(WaveTime.short(piece.to - piece.from)))
              """))
      }
      place = last + 1
    }
  }

  private mutating func draw(_ bars: [Waveform.Bar], _ name: String, _ y: Int) {
    var drawn = -1.0
    for bar in bars {
      let left = x(bar.from, bar.start)
      let right = max(left + 1, bar.end == .running ? Double(SVGWave.width - SVGWave.right) : x(bar.to, bar.finish))
      // Bars that end within a pixel of the last one are not seen.
      if right - drawn < SVGWave.finest { continue }
      drawn = right
      let finish =
        switch bar.end {
        case .expired: "<path class=\"expired\" d=\"M\(n(right)) \(y + 1)l5 5l-5 5l-5 -5z\"/>"
        case .disarmed: "<path class=\"line\" stroke-width=\"2\" d=\"M\(n(right - 4)) \(y + 2)l8 8m0 -8l-8 8\"/>"
        case .running: "<path class=\"expired\" d=\"M\(n(right)) \(y + 1)l7 5l-7 5z\"/>"
        }
      lines.append(
        element(
          "<rect class=\"bar\" x=\"\(n(left))\" y=\"\(y + 3)\" width=\"\(n(right - left))\" height=\"6\"/>\(finish)",
          title: """
            \(name): \(WaveTime.seconds(bar.from)) s to \(WaveTime.seconds(bar.to)) s, \(bar.end.word)
            """))
    }
  }

  private mutating func draw(_ curve: Waveform.Curve, _ y: Int) {
    let values = curve.points.map(\.value)
    guard let least = values.min(), let most = values.max() else { return }
    let room = Double(SVGWave.curveHeight - 16)
    let foot = Double(y) + room + 6
    var path = ""
    var isFirst = true
    for point in curve.points {
      let share = most > least ? (point.value - least) / (most - least) : 0.5
      let (start, end) = (x(point.moment, 0), x(point.moment, .max))
      path += "\(isFirst ? "M" : "L")\(n(start)) \(n(foot - share * room))"
      // In an unfolded instant no time passes.
      if end > start { path += "H\(n(end))" }
      isFirst = false
    }
    lines.append(
      """
      <rect class="frame" x="\(SVGWave.left)" y="\(y + 4)" width="\(SVGWave.width - SVGWave.left - SVGWave.right)" \
      height="\(SVGWave.curveHeight - 12)"/>
      """)
    drawLabel(curve.name, y + 8, isName: false)
    lines.append(
      """
      <text class="quiet" x="28" y="\(y + 44)" font-size="12">\
      \(SVGWave.escaped("\(TextWave.number(least)) to \(TextWave.number(most)) \(curve.unit)"))</text>
      """)
    lines.append("<path class=\"curve\" d=\"\(path)\"/>")
    var last = -20.0
    for point in curve.points {
      let at = x(point.moment, 0)
      guard at - last >= 6 else { continue }
      last = at
      lines.append(
        element(
          "<rect x=\"\(n(at - 3))\" y=\"\(y + 4)\" width=\"6\" height=\"\(SVGWave.curveHeight - 12)\" fill-opacity=\"0\"/>",
          title: "\(curve.name) \(TextWave.number(point.value)) \(curve.unit) at \(WaveTime.seconds(point.moment)) s"))
    }
  }

  /// The most wires drawn.
  private static let mostWires = 2_000

  /// Arrows from lane to lane, which states stand in front of.
  private func wires() -> [String] {
    wave.deliveries.prefix(SVGWave.mostWires).compactMap { delivery in
      guard let from = delivery.from, from != delivery.to, delivery.branch == 0 else { return nil }
      let at = x(delivery.moment, delivery.sequence)
      let isDown = delivery.to > from
      let start = isDown ? tops[from] + SVGWave.tickHeight + 12 : tops[from] + 12
      let tip = isDown ? tops[delivery.to] + 9 : bottoms[delivery.to] + 4
      return element(
        """
        <path class="wire" d="M\(n(at)) \(start)V\(tip)"/>\
        <path class="tip" d="M\(n(at - 4)) \(isDown ? tip - 7 : tip + 7)h8l-4 \(isDown ? 8 : -8)z"/>
        """,
        title: """
          \(delivery.source).\(wave.words[delivery.output]) to \(wave.lanes[delivery.to].name) \
          \(wave.words[delivery.event]) at \(WaveTime.seconds(delivery.moment)) s, seq \(delivery.sequence)
          """)
    }
  }

  private mutating func finish() {
    var y = height - 8 - 20 * wave.marks.count - (wave.omittedMachines > 0 ? 20 : 0)
    for mark in wave.marks {
      let at = x(mark.moment.nanoseconds, .max)
      lines.append(
        element(
          "<path class=\"mark\" d=\"M\(n(at)) 54V\(y + 4)\"/>", title: "\(mark.text), at \(mark.moment.text) s"))
      y += 20
      let anchor = at > Double(SVGWave.width) * 0.6 ? "end" : "start"
      lines.append(
        "<text class=\"alert\" x=\"\(n(at))\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(SVGWave.escaped(mark.text))</text>"
      )
    }
    if wave.omittedMachines > 0 {
      lines.append(
        """
        <text class="quiet" x="16" y="\(y + 20)">\(wave.omittedMachines) more machines with \(wave.omittedInputs) \
        inputs are not drawn</text>
        """)
    }
    lines.append("</svg>")
  }
}
