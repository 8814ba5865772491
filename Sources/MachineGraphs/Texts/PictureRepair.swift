import LineProtocol
import StateMachines

/// Mends what Graphviz leaves in a picture: labels that lie on frames, states, lines or other labels, or far from their
/// arrows, and arrows that begin under the head of another one, which then looks as if it had two.
///
/// Labels are moved one at a time, since a picture may have many, and twice: one that moves makes room for others. It
/// reads a picture as Graphviz writes it, an element a line, and leaves anything else as it is.
public struct PictureRepair {
  private var lines: [Substring]
  /// The borders of states and of frames, and the titles of frames and of the picture.
  private var states: [Box] = []
  private var statesByTitle: [Substring: Box] = [:]
  private var frames: [Box] = []
  private var titles: [Box] = []
  private var arrows: [Arrow] = []
  private var labels: [Label] = []
  private var canvas = Box.none
  /// How many lines were read, how many arrows begin where they should, and how many labels lie where they should.
  private var (readLines, partedArrows, movedLabels) = (0, 0, 0)
  /// The sort and the title of the element that is being read.
  private var (sort, title): (Substring, Substring) = ("", "")

  private struct Arrow {
    /// Its line of text, and its points: one, then three for each bend.
    let line: Int
    /// The title of the node at which it begins.
    let from: Substring
    var points: [Point]
    var tip: Point?
    /// Points along it.
    var samples: [Point] = []
    var bounds = Box.none

    mutating func sample(every grain: Double) {
      for first in stride(from: 0, to: points.count - 3, by: 3) {
        let (start, one, two, end) = (points[first], points[first + 1], points[first + 2], points[first + 3])
        let length = start.distance(to: one) + one.distance(to: two) + two.distance(to: end)
        let count = min(max(1, Int(clamping: length / grain)), 1_000)
        for number in 0...count {
          let part = Double(number) / Double(count)
          let rest = 1 - part
          samples.append(
            start * (rest * rest * rest) + one * (3 * rest * rest * part) + two * (3 * rest * part * part)
              + end * (part * part * part))
        }
      }
      for point in samples { bounds.add(Box(around: [point]) ?? .none) }
    }
  }

  private struct Label {
    let arrow: Int
    /// Its lines of text, and a box around each of them.
    var lines: [Int]
    var boxes: [Box]

    var box: Box { boxes.reduce(into: .none) { $0.add($1) } }
  }

  /// How far around it a label looks for a place, in points, and by how much more each time.
  private static let farthest = 60.0
  private static let step = 6.0
  /// The distance of a label from its arrow beyond which it costs three times what is beyond it.
  private static let nearby = 12.0
  /// What it costs to lie on a line or a frame, on a state or another label, and so near another label that both read as one,
  /// in points by which it would rather be moved. At a line that is drawn heavy later there is no room, either.
  private static let onLine = 60.0
  private static let atLine = 8.0
  private static let onFrame = 45.0
  private static let onState = 400.0
  private static let nearLabel = 30.0
  /// The distance of the beginning of an arrow from the tip of another one.
  private static let apart = 13.0
  /// The distance between points along an arrow.
  private static let grain = 4.0

  public init(_ svg: String) {
    lines = svg.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// The picture.
  public var svg: String { lines.joined(separator: "\n") }

  /// Goes on with the picture: reads some lines, moves the beginning of an arrow, or moves a label.
  ///
  /// - Returns: Whether something was left to do.
  /// - Complexity: For a line O(its length), for an arrow O(arrows), for a label O(labels + states + places × points of
  ///   arrows nearby).
  public mutating func mendNext() -> Bool {
    if readLines < lines.count {
      for number in readLines..<min(readLines + 64, lines.count) { read(lines[number], number) }
      readLines = min(readLines + 64, lines.count)
    } else if partedArrows < arrows.count {
      partEnd(of: partedArrows)
      arrows[partedArrows].sample(every: Self.grain)
      partedArrows += 1
    } else if movedLabels < 2 * labels.count {
      moveLabel(movedLabels % labels.count)
      movedLabels += 1
    } else {
      return false
    }
    return true
  }

  // MARK: Reading

  private mutating func read(_ line: Substring, _ number: Int) {
    if line.hasPrefix("<g id="), let name = Self.attribute("class", in: line) {
      sort = name.prefix { $0 != " " }
    } else if line.hasPrefix("<title>") {
      title = line.dropFirst(7).prefix { $0 != "<" }
    } else if line.hasPrefix("<text") {
      guard let box = Self.box(ofText: line) else { return }
      if sort == "edge", !arrows.isEmpty {
        canvas.add(box)
        if labels.last?.arrow != arrows.count - 1 {
          labels.append(Label(arrow: arrows.count - 1, lines: [], boxes: []))
        }
        labels[labels.count - 1].lines.append(number)
        labels[labels.count - 1].boxes.append(box)
      } else if sort != "node" {
        canvas.add(box)
        titles.append(box)
      }
    } else if line.hasPrefix("<polygon"), sort == "edge", !arrows.isEmpty {
      // The second corner of a head is its tip.
      let corners = Self.points(Self.attribute("points", in: line) ?? "")
      if corners.count > 1 { arrows[arrows.count - 1].tip = corners[1] }
    } else if line.hasPrefix("<path") || line.hasPrefix("<polygon") || line.hasPrefix("<ellipse") {
      let points = Self.shape(line)
      guard let box = Box(around: points) else { return }
      canvas.add(box)
      switch sort {
      case "edge": arrows.append(Arrow(line: number, from: title.prefix { $0 != "&" }, points: points))
      case "node":
        states.append(box)
        statesByTitle[title] = statesByTitle[title] ?? box
      case "cluster" where Self.attribute("stroke", in: line) != "transparent": frames.append(box)
      default: break
      }
    }
  }

  private static func attribute(_ name: String, in line: Substring) -> Substring? {
    guard let start = line.find(" \(name)=\"")?.upperBound else { return nil }
    return line[start...].prefix { $0 != "\"" }
  }

  private static func number(_ name: String, in line: Substring) -> Double {
    attribute(name, in: line).flatMap { Double($0) } ?? 0
  }

  private static func shape(_ line: Substring) -> [Point] {
    guard line.hasPrefix("<ellipse") else {
      return points(attribute("d", in: line) ?? attribute("points", in: line) ?? "")
    }
    let (x, y) = (number("cx", in: line), number("cy", in: line))
    let (width, height) = (number("rx", in: line), number("ry", in: line))
    return [Point(x: x - width, y: y - height), Point(x: x + width, y: y + height)]
  }

  private static func points(_ text: Substring) -> [Point] {
    let numbers = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) && !".-e".utf8.contains($0) }
      .compactMap { Double(Substring($0)) }
    return stride(from: 0, to: numbers.count - 1, by: 2).map { Point(x: numbers[$0], y: numbers[$0 + 1]) }
  }

  /// The width of a character of Helvetica of size 1, roughly.
  private static func width(of character: Character) -> Double {
    switch character {
    case "i", "j", "l", "|", "'": 0.22
    case "f", "t", "r", ".", ",", ":", ";", "/", "(", ")", "[", "]", " ", "\u{A0}": 0.29
    case "m", "w", "M", "W", "@": 0.83
    case "A"..."Z": 0.69
    default: 0.55
    }
  }

  private static func box(ofText line: Substring) -> Box? {
    guard let start = line.firstIndex(of: ">"), let end = line.lastIndex(of: "<"), start < end else { return nil }
    var width = 0.0
    var isInEntity = false
    for character in line[line.index(after: start)..<end] {
      isInEntity = isInEntity ? character != ";" : character == "&"
      if !isInEntity { width += self.width(of: character) }
    }
    let size = number("font-size", in: line)
    let (x, y) = (number("x", in: line), number("y", in: line))
    width *= size
    let left = attribute("text-anchor", in: line) == "middle" ? x - width / 2 : x
    return Box(left: left, top: y - 0.78 * size, right: left + width, bottom: y + 0.24 * size)
  }

  // MARK: Ends of arrows

  /// Moves the beginning of an arrow along the border of its state, away from the tips of others.
  private mutating func partEnd(of place: Int) {
    guard arrows[place].points.count > 3 else { return }
    let start = arrows[place].points[0]
    let others = arrows.indices.filter { $0 != place }.compactMap { arrows[$0].tip }
    guard others.contains(where: { $0.distance(to: start) < Self.apart }),
      let border = (frames + [statesByTitle[arrows[place].from] ?? .none]).last(where: { $0.hasOnBorder(start) })
    else { return }
    let goal = arrows[place].points[2]
    let starts = arrows.indices.filter { $0 != place }.compactMap { arrows[$0].points.first }
    // The nearest first; of two, that to which the arrow goes anyway.
    let places = border.places(near: start, toward: goal)
      .filter { spot in starts.allSatisfy { $0.distance(to: spot) >= 5 } }
      .sorted { ($0.distance(to: start), $0.distance(to: goal)) < ($1.distance(to: start), $1.distance(to: goal)) }
    func room(_ spot: Point) -> Double { others.map { $0.distance(to: spot) }.min() ?? .infinity }
    // A short side may have no room for as much.
    let moved = places.first { room($0) >= Self.apart } ?? places.max { room($0) < room($1) }
    guard let moved, room(moved) > room(start) + 2 else { return }
    arrows[place].points[0] = moved
    arrows[place].points[1] = arrows[place].points[1] + (moved + start * -1)
    redraw(arrows[place])
  }

  private mutating func redraw(_ arrow: Arrow) {
    let line = lines[arrow.line]
    guard let path = Self.attribute("d", in: line) else { return }
    let bends = stride(from: 1, to: arrow.points.count, by: 3).map { first in
      arrow.points[first..<min(first + 3, arrow.points.count)].map(\.text).joined(separator: " ")
    }
    let text = "M\(arrow.points[0].text)C" + bends.joined(separator: " ")
    lines[arrow.line] = line[..<path.startIndex] + text + line[path.endIndex...]
  }

  // MARK: Labels

  /// Moves a label to the best place near it or beside its arrow.
  private mutating func moveLabel(_ number: Int) {
    let label = labels[number]
    let box = label.box
    let own = arrows[label.arrow].samples
    func distance(_ box: Box) -> Double { own.lazy.map { box.distance(to: $0) }.min() ?? 0 }
    var best = Place(shift: .zero, cost: .infinity)
    // Only a label that lies on something looks along the whole of its arrow.
    func look(at shifts: [Point]) {
      var area = Box.none
      for shift in shifts { area.add(box.shifted(by: shift)) }
      let near = arrows.filter { $0.bounds.meets(area) }.flatMap { $0.samples.filter { area.holds($0) } }
      let texts = (titles + labels.indices.filter { $0 != number }.flatMap { labels[$0].boxes }).filter {
        $0.meets(area)
      }
      let solid = states.filter { $0.meets(area) } + texts
      let borders = frames.filter { $0.meets(area) }
      for shift in shifts where Self.cost(of: shift) < best.cost {
        let moved = box.shifted(by: shift)
        guard shift.length == 0 || canvas.contains(moved) else { continue }
        // A label can be read on a line and on a frame, but not on a state. What is asked of many points is asked last, and
        // only of a place that may still be the best.
        var cost = Self.cost(of: shift)
        let boxes = label.boxes.map { $0.shifted(by: shift) }
        if boxes.contains(where: { box in solid.contains { $0.meets(box) } }) { cost += Self.onState }
        if texts.contains(where: moved.widened(by: 5).meets) { cost += Self.nearLabel }
        if borders.contains(where: { $0.isCrossed(by: moved) }) { cost += Self.onFrame }
        if cost >= best.cost { continue }
        cost += 3 * max(0, distance(moved) - Self.nearby)
        if cost >= best.cost { continue }
        if boxes.contains(where: { box in near.contains(where: box.widened(by: -1).holds) }) {
          cost += Self.onLine
        } else if near.contains(where: moved.widened(by: 2).holds) {
          cost += Self.atLine
        }
        if cost < best.cost { best = Place(shift: shift, cost: cost) }
      }
    }
    look(at: Self.shifts)
    if best.cost >= Self.onFrame { look(at: Self.shifts(beside: own, box)) }
    guard best.shift.length > 0 else { return }
    labels[number].boxes = label.boxes.map { $0.shifted(by: best.shift) }
    move(label, by: best.shift)
  }

  private struct Place {
    var shift: Point
    var cost: Double
  }

  /// What a way costs: the farther, the less for each point.
  private static func cost(of shift: Point) -> Double { shift.length <= 30 ? shift.length : 25 + shift.length / 6 }

  /// The ways of a box to both sides of the points along an arrow, and above and below them.
  private static func shifts(beside points: [Point], _ box: Box) -> [Point] {
    let (right, down) = ((box.right - box.left) / 2 + 3, (box.bottom - box.top) / 2 + 3)
    let sides = [
      Point(x: right, y: 0), Point(x: -right, y: 0), Point(x: 0, y: down), Point(x: 0, y: -down),
      Point(x: right, y: down), Point(x: right, y: -down), Point(x: -right, y: down), Point(x: -right, y: -down),
    ]
    return stride(from: 0, to: points.count, by: 2).flatMap { place in
      sides.map { box.way(to: points[place]) + $0 }
    }
  }

  private mutating func move(_ label: Label, by shift: Point) {
    for number in label.lines {
      let line = lines[number]
      guard let x = Self.attribute("x", in: line), let y = Self.attribute("y", in: line),
        let place = Double(x).flatMap({ x in Double(y).map { Point(x: x, y: $0) } }), x.endIndex <= y.startIndex
      else { continue }
      let moved = place + shift
      lines[number] =
        line[..<x.startIndex] + Point.text(moved.x) + line[x.endIndex..<y.startIndex] + Point.text(moved.y)
        + line[y.endIndex...]
    }
  }

  /// The nearest first.
  private static let shifts: [Point] = {
    let most = Int(clamping: farthest / step)
    let all = (-most...most).flatMap { x in (-most...most).map { Point(x: Double(x) * step, y: Double($0) * step) } }
    return all.filter { $0.length <= farthest }.sorted { $0.length < $1.length }
  }()

  // MARK: Geometry

  private struct Point {
    var x: Double
    var y: Double

    static let zero = Point(x: 0, y: 0)
    var length: Double { (x * x + y * y).squareRoot() }
    func distance(to other: Point) -> Double { Point(x: x - other.x, y: y - other.y).length }
    static func + (one: Point, other: Point) -> Point { Point(x: one.x + other.x, y: one.y + other.y) }
    static func * (point: Point, factor: Double) -> Point { Point(x: point.x * factor, y: point.y * factor) }
    static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    var text: String { "\(Point.text(x)),\(Point.text(y))" }
  }

  private struct Box {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    static let none = Box(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)
    /// By how much things may overlap.
    private static let tolerance = 1.0

    init(left: Double, top: Double, right: Double, bottom: Double) {
      (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    init?(around points: [Point]) {
      guard !points.isEmpty else { return nil }
      self = .none
      for point in points { add(Box(left: point.x, top: point.y, right: point.x, bottom: point.y)) }
    }

    mutating func add(_ other: Box) {
      (left, top) = (min(left, other.left), min(top, other.top))
      (right, bottom) = (max(right, other.right), max(bottom, other.bottom))
    }

    func widened(by far: Double) -> Box {
      Box(left: left - far, top: top - far, right: right + far, bottom: bottom + far)
    }

    func shifted(by shift: Point) -> Box {
      Box(left: left + shift.x, top: top + shift.y, right: right + shift.x, bottom: bottom + shift.y)
    }

    func holds(_ point: Point) -> Bool { point.x > left && point.x < right && point.y > top && point.y < bottom }

    func contains(_ other: Box) -> Bool {
      other.left >= left && other.right <= right && other.top >= top && other.bottom <= bottom
    }

    func meets(_ other: Box) -> Bool {
      left + Box.tolerance < other.right && other.left + Box.tolerance < right && top + Box.tolerance < other.bottom
        && other.top + Box.tolerance < bottom
    }

    /// Whether a box is neither within it nor beside it.
    func isCrossed(by box: Box) -> Bool { meets(box) && !contains(box) }

    func way(to point: Point) -> Point { Point(x: point.x - (left + right) / 2, y: point.y - (top + bottom) / 2) }

    func distance(to point: Point) -> Double {
      Point(x: max(left - point.x, 0, point.x - right), y: max(top - point.y, 0, point.y - bottom)).length
    }

    /// Whether a point is on it, within two points.
    func hasOnBorder(_ point: Point) -> Bool { widened(by: 2).holds(point) && !widened(by: -2).holds(point) }

    /// Places on the sides, but at none of the round corners: of the side of a point, and of those that an arrow to a goal
    /// can leave, too.
    func places(near point: Point, toward goal: Point) -> [Point] {
      let corner = 4.0
      let (far, step) = (45.0, 3.0)
      let across = stride(from: left + corner, through: max(left + corner, right - corner), by: step)
      let along = stride(from: top + corner, through: max(top + corner, bottom - corner), by: step)
      let sides: [(isOpen: Bool, places: [Point])] = [
        (abs(point.y - top) < 2 || goal.y < top - corner, across.map { Point(x: $0, y: top) }),
        (abs(point.y - bottom) < 2 || goal.y > bottom + corner, across.map { Point(x: $0, y: bottom) }),
        (abs(point.x - left) < 2 || goal.x < left - corner, along.map { Point(x: left, y: $0) }),
        (abs(point.x - right) < 2 || goal.x > right + corner, along.map { Point(x: right, y: $0) }),
      ]
      return sides.flatMap { $0.isOpen ? $0.places : [] }.filter { $0.distance(to: point) <= far }
    }
  }
}
