/// A statechart that was read from a document and checked: what an ``Interpreter`` runs.
public final class Definition: Sendable {
  /// The document's chart, then those within it and those of resources.
  let charts: [CompiledChart]
  /// Charts that `<invoke>` can be given as text: the markup of those that values hold.
  let markups: [String: Int]
  /// Charts that were handed in, by path.
  let paths: [String: Int]
  /// All steps, if the document is simple enough.
  let plain: PlainTable?
  /// The ids of the document's states by number.
  private let ids: [String]
  /// Whether an input changes nothing of a machine but its states and its data.
  let hasStatesAndDataOnly: Bool

  /// Whether every input is known to take few steps, whatever the data: see ``Chart/hasShortInputs``.
  package let hasShortInputs: Bool

  init(charts: [Chart], markups: [String: Int], paths: [String: Int]) {
    self.charts = charts.map(CompiledChart.init)
    self.markups = markups
    self.paths = paths
    var nameless = 0
    ids = (charts.first?.ids ?? []).enumerated().map { state, id in
      if state > 0, id == nil { nameless += 1 }
      return id ?? "_\(nameless)"
    }
    plain = charts.first.flatMap(PlainTable.init)
    hasShortInputs = plain != nil || charts.count == 1 && charts[0].hasShortInputs
    hasStatesAndDataOnly = charts.allSatisfy { chart in
      chart.invokes.isEmpty && chart.histories == 0 && !chart.hasLateBinding
        && chart.sends.allSatisfy { chart.text(of: $0.type) == "output" && $0.delay.isNone }
    }
  }

  /// The ids of the document's states in document order, with `_1`, `_2` … for those without.
  public var stateIDs: [String] { Array(ids.dropFirst()) }

  /// The id of a state of the document. States without an id are `_1`, `_2` … in document order.
  public func id(of state: Int) -> String { ids[state] }

  /// Whether some transition of the document may be taken at an event of this name.
  public func knows(_ event: String) -> Bool {
    let chart = charts[0].chart
    let number = chart.events.number(of: event)
    return chart.transitions.contains { chart.matches($0, number) }
  }

  /// Whether an event of this name can be sent to a machine: some transition may be taken at it, and it does not stand
  /// for `after` in a diagram.
  package func admits(_ event: String) -> Bool {
    !standsForAfter(event) && knows(event)
  }

  /// Whether an event of this name stands for `after` in a diagram.
  func standsForAfter(_ event: String) -> Bool {
    let chart = charts[0].chart
    if chart.timerEvents.isEmpty { return false }
    return chart.events.prefixes(of: chart.events.number(of: event)).contains(where: chart.timerEvents.contains)
  }

  /// Whether an action or a guard can fail.
  package var canFail: Bool {
    plain == nil
      && charts.contains { chart in
        let chart = chart.chart
        return !chart.expressions.isEmpty || !chart.locations.isEmpty || !chart.scripts.isEmpty || !chart.sends.isEmpty
          || !chart.invokes.isEmpty
      }
  }

  /// Whether what a machine does can depend on the data of an event, or on more of its name than transitions match.
  package var readsEvents: Bool {
    charts.contains { $0.chart.symbols.usesEvent || $0.chart.invokes.contains(where: \.isForwarding) }
  }
}

/// A chart that is shared by all that run it.
final class CompiledChart: Sendable {
  let chart: Chart

  init(_ chart: Chart) {
    self.chart = chart
  }
}

extension Chart {
  @inline(__always)
  func matches(_ transition: Transition, _ event: Int32) -> Bool {
    for place in transition.descriptors where events.matches(event, descriptors[Int(place)]) { return true }
    return false
  }
}

extension Definition {
  /// What came of a document.
  public enum Compilation: Sendable {
    /// The definition, and what is legal in it and surely wrong, with notes of how a diagram was read.
    case definition(Definition, warnings: [Finding])
    /// All mistakes and warnings, and the paths of resources that the document refers to and that were not handed in.
    case mistakes([Finding], missing: [String])
  }

  /// Reads and checks a document.
  ///
  /// - Parameters:
  ///   - document: XML in an encoding that it names, or UTF-8.
  ///   - resources: What the document may refer to by `src` and `srcexpr`, by path; a leading `file:` is dropped there.
  ///   - goesOn: Asked from time to time. After it was false, reading ends soon, and what is returned means nothing.
  /// - Complexity: O(size of the document and the resources).
  public static func compile(
    _ document: [UInt8], resources: [String: [UInt8]] = [:], limits: DocumentLimits = DocumentLimits(),
    while goesOn: @escaping () -> Bool = { true }
  ) -> Compilation {
    var compiler = Compiler(resources: resources, limits: limits, ReadingPace(goesOn))
    compiler.compileAll(document)
    compiler.propose(for: document)
    return compilation(of: compiler)
  }

  /// Reads and checks a state diagram. It has no resources.
  ///
  /// - Parameters:
  ///   - reading: Both give the same where the strict one has no findings.
  ///   - goesOn: Asked from time to time. After it was false, reading ends soon, and what is returned means nothing.
  /// - Complexity: O(size of the diagram).
  public static func compile(
    diagram: [UInt8], _ notation: DiagramNotation, reading: DiagramReading = .strict,
    limits: DocumentLimits = DocumentLimits(), while goesOn: @escaping () -> Bool = { true }
  ) -> Compilation {
    var compiler = Compiler(resources: [:], limits: limits, ReadingPace(goesOn))
    compiler.compileDiagram(diagram, notation, reading)
    return compilation(of: compiler)
  }

  /// Reads and checks a Mermaid state diagram, as ``compile(diagram:_:reading:limits:while:)`` does.
  public static func compile(
    mermaid diagram: [UInt8], reading: DiagramReading = .strict, limits: DocumentLimits = DocumentLimits(),
    while goesOn: @escaping () -> Bool = { true }
  ) -> Compilation {
    compile(diagram: diagram, .mermaid, reading: reading, limits: limits, while: goesOn)
  }

  /// The document of SCXML that a state diagram stands for.
  ///
  /// - Returns: `nil` if the diagram has mistakes.
  public static func scxml(
    diagram: [UInt8], _ notation: DiagramNotation, reading: DiagramReading = .strict,
    limits: DocumentLimits = DocumentLimits()
  ) -> String? {
    guard diagram.count <= limits.bytes else { return nil }
    let (document, notes) = DiagramReader.document(diagram, notation, reading, limits: limits, ReadingPace { true })
    return notes.contains { $0.severity == .error } || document.nodes.isEmpty ? nil : document.scxml
  }

  private static func compilation(of compiler: Compiler) -> Compilation {
    let findings = compiler.sortedFindings()
    if compiler.pace.isInterrupted { return .mistakes(findings, missing: []) }
    if findings.contains(where: { $0.severity == .error }) || !compiler.missing.isEmpty {
      return .mistakes(findings, missing: compiler.missing)
    }
    return .definition(
      Definition(charts: compiler.charts, markups: compiler.markups, paths: compiler.paths), warnings: findings)
  }
}
