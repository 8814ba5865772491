import LineProtocol

/// Turns documents into charts and collects all mistakes on the way.
struct Compiler {
  let resources: [String: [UInt8]]
  let limits: DocumentLimits
  let pace: ReadingPace

  var charts: [Chart] = []
  var markups: [String: Int] = [:]
  var paths: [String: Int] = [:]
  private(set) var missing: [String] = []
  private var isMissing: Set<String> = []
  private var findings: [Finding] = []
  /// The same, to look one up.
  private var told: Set<Finding> = []
  /// How often warnings and notes have come that were told at their first place, by their places among the findings.
  private var repeated: [Int: Int] = [:]
  private var firstPlaces: [String: Int] = [:]
  private var untold = 0
  /// Errors so far, with those that are not told.
  private(set) var errors = 0
  private var errorsTold = 0
  /// Whether the data model of the chart is not the null data model.
  var hasExpressions = true
  /// Whether the document says which one it is.
  var hasDataModel = true
  /// Whether there were mistakes that make warnings doubtful.
  private(set) var isQuiet = false

  /// The namespace of the document's root, which another one than that of SCXML is an error of.
  var namespace = ""
  /// Elements with an attribute that could not be understood.
  var faulty: Set<Int> = []
  /// The ids in elements that are left out because of a mistake: who names them makes none.
  private(set) var unread: Set<String> = []

  /// The document and the chart that are being read.
  var document = XMLDocument()
  var resource: String?
  var chart = Chart()
  /// What each state of the chart consists of: nodes by state.
  var parts: [[Int]] = []
  var nodeOfState: [Int] = []
  /// The `<transition>` elements; none for a default without one.
  var nodeOfTransition: [Int: Int] = [:]

  /// The events that the chart raises or sends to itself, each with the element that does.
  var nodesOfRaises: [(Chart.Index, Int)] = []
  /// What the chart's expressions refer to.
  var references = References()

  struct References {
    /// Where each variable is used first, by slot.
    var uses: [Int: XMLDocument.Position] = [:]
    var declared: Set<Int> = []
    /// The ids that `In` asks for.
    var states: [(id: String, position: XMLDocument.Position)] = []
    /// The ids that sends have, and those that are cancelled.
    var sends: Set<String> = []
    var cancels: [(id: String, node: Int)] = []
    /// The ids of invocations with their states, and those that events are sent to.
    var invokes: [(id: String, state: Int, node: Int)] = []
    var invoked: [(id: String, node: Int)] = []
    /// Where each variable of a `<data>` is declared first, by slot.
    var data: [Int: Int] = [:]
  }

  init(resources: [String: [UInt8]], limits: DocumentLimits, _ pace: ReadingPace) {
    self.resources = resources
    self.limits = limits
    self.pace = pace
  }

  /// What was probably meant at errors of the document, by the places of the findings.
  private var corrections: [(finding: Int, found: String, meant: String)] = []

  /// The lines of the instructions of the block that is being compiled.
  var blockLines: [Chart.Index] = []

  /// How many blocks, charts and resources are being compiled within each other, each by recursion.
  private var nesting = 0

  /// Twice as deep as elements can be nested in one document: a resource that invokes another counts from where it is.
  private static var deepest: Int { 500 }

  // MARK: Findings

  /// A finding quotes the document, which may have an expression of any length.
  private static var longestMessage: Int { 600 }

  /// Equal warnings are one, with how often it comes.
  mutating func note(
    _ severity: Finding.Severity, at position: XMLDocument.Position, _ message: String, write: String? = nil
  ) {
    if isQuiet, severity == .warning { return }
    let message = message.shortened(to: Self.longestMessage)
    let finding = Finding(
      severity: severity, resource: resource, line: position.line, column: position.column, message: message,
      write: write)
    // What is read twice is told once.
    if told.contains(finding) { return }
    if severity == .error {
      errors += 1
    } else if let first = firstPlaces["\(resource ?? "") \(message)"] {
      return repeated[first, default: 1] += 1
    }
    let others = findings.count - errorsTold
    guard severity == .error ? errorsTold < limits.errors : others < limits.findings else {
      untold += 1
      return
    }
    if severity == .error { errorsTold += 1 } else { firstPlaces["\(resource ?? "") \(message)"] = findings.count }
    findings.append(finding)
    told.insert(finding)
  }

  /// - Parameter correction: A word of the text and what was meant by it, for a proposal.
  mutating func error(
    _ node: Int, _ message: String, attribute: String? = nil, correction: (found: String, meant: String)? = nil
  ) {
    let told = findings.count
    note(.error, at: position(node, isTelling ? attribute : nil), message)
    if let correction, findings.count > told, resource == nil {
      corrections.append((told, correction.found, correction.meant))
    }
  }

  mutating func warn(_ node: Int, _ message: String, attribute: String? = nil) {
    note(.warning, at: position(node, isTelling ? attribute : nil), message)
  }

  func position(_ node: Int, _ attribute: String?) -> XMLDocument.Position {
    guard let attribute else { return document.nodes[node].position }
    return document.position(of: attribute, in: node)
  }

  /// All findings, errors before others, in the order of the document, those of the document before those of resources.
  func sortedFindings() -> [Finding] {
    var all = findings
    for (place, times) in repeated { all[place].message += " (\(times) times)" }
    var sorted = all.sorted {
      if ($0.severity == .error) != ($1.severity == .error) { return $0.severity == .error }
      return ($0.resource ?? "", $0.line, $0.column, $0.message) < ($1.resource ?? "", $1.line, $1.column, $1.message)
    }
    if untold > 0, let last = sorted.last {
      sorted.append(
        Finding(
          severity: .warning, resource: last.resource, line: last.line, column: last.column,
          message: "\(untold) more findings are not shown"))
    }
    return sorted
  }

  /// Whether more mistakes would be told: working out suggestions for others is in vain.
  var isTelling: Bool { errorsTold < limits.errors && findings.count - errorsTold < limits.findings }

  // MARK: Documents

  mutating func compileAll(_ bytes: [UInt8]) {
    guard let root = read(bytes, named: nil) else { return }
    compileChart(root, as: reserve())
  }

  /// How many bytes are read at most to try proposals.
  private static var roomForProposals: Int { 512 << 10 }

  /// Proposes what was probably meant at the errors of a document, where it has fewer errors with that.
  ///
  /// - Complexity: The time to read half a megabyte at most.
  mutating func propose(for bytes: [UInt8]) {
    guard !corrections.isEmpty, bytes.firstNotUTF8 == nil else { return }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let told = Set(findings.map(\.message))
    // Each try reads the document's resources, too.
    let size = resources.values.reduce(bytes.count) { $0 + $1.count }
    var room = Self.roomForProposals
    for (place, found, meant) in corrections {
      let finding = findings[place]
      guard room >= size, pace.mayGoOn(), finding.line <= lines.count else { return }
      let line = String(decoding: lines[finding.line - 1], as: UTF8.self).unicodeScalars
      let text = String(String.UnicodeScalarView(line.dropFirst(finding.column - 1)))
      guard let word = text.find(found) else { continue }
      let write = text[..<word.lowerBound] + meant + text[word.upperBound...]
      let before = String(String.UnicodeScalarView(line.prefix(finding.column - 1)))
      var changed = lines
      changed[finding.line - 1] = Array((before + write).utf8)[...]
      room -= size
      var compiler = Compiler(resources: resources, limits: limits, pace)
      compiler.compileAll(Array(changed.joined(separator: [0x0A])))
      let hasOthers = compiler.findings.contains { $0.severity == .error && !told.contains($0.message) }
      if compiler.errors < errors, !hasOthers { findings[place].write = String(write) }
    }
  }

  /// Compiles what a diagram stands for. Warnings are told only if there are no mistakes, which cause others.
  mutating func compileDiagram(_ bytes: [UInt8], _ notation: DiagramNotation, _ reading: DiagramReading) {
    guard bytes.count <= limits.bytes else {
      return note(
        .error, at: XMLDocument.Position(line: 1, column: 1, offset: 0),
        "the document has \(bytes.count) bytes, and the limit is \(limits.bytes)")
    }
    let (document, notes) = DiagramReader.document(bytes, notation, reading, limits: limits, pace)
    self.document = document
    let hasErrors = notes.contains { $0.severity == .error }
    for (severity, position, message, write) in notes where severity == .error || !hasErrors {
      note(severity, at: position, message, write: write)
    }
    guard !document.nodes.isEmpty, !pace.isInterrupted else { return }
    isQuiet = hasErrors
    compileChart(0, as: reserve())
  }

  /// A place in the list of charts.
  mutating func reserve() -> Int {
    charts.append(Chart())
    return charts.count - 1
  }

  /// Makes a text the document that is read.
  ///
  /// - Returns: The node of its `<scxml>` element.
  private mutating func read(_ bytes: [UInt8], named name: String?) -> Int? {
    (document, resource) = (XMLDocument(), name)
    faulty = []
    do {
      document = try XMLDocument(bytes, limits: limits, pace)
    } catch {
      note(.error, at: error.position, error.message)
      if let document = error.document { checkBeginning(document, before: error.position.offset) }
      return nil
    }
    guard let root = document.element(0), root.name == "scxml" else {
      let name = document.element(0)?.name ?? ""
      error(0, "a statechart starts with <scxml>, not with <\(name)>")
      return nil
    }
    namespace = root.namespace
    if root.namespace != Grammar.namespace {
      if root.namespace.isEmpty {
        warn(0, "the element lacks xmlns=\"\(Grammar.namespace)\"")
      } else {
        error(0, "the namespace is \(root.namespace); expected \(Grammar.namespace)", attribute: "xmlns")
      }
    }
    return 0
  }

  /// The path by which a resource is known: without `file:`.
  static func path(of source: String) -> String {
    source.hasPrefix("file:") ? String(source.dropFirst(5)) : source
  }

  /// The bytes of a resource that the document refers to; noted as missing if they were not handed in.
  mutating func bytes(of source: String) -> [UInt8]? {
    let path = Self.path(of: source)
    if let bytes = resources[path] { return bytes }
    if isMissing.insert(path).inserted { missing.append(path) }
    return nil
  }

  /// Reads the chart of a resource.
  ///
  /// - Parameter node: The element that invokes it, if there is one.
  mutating func readChart(ofResource source: String, from node: Int?) {
    let path = Self.path(of: source)
    guard paths[path] == nil, let bytes = bytes(of: source) else { return }
    guard nesting < Self.deepest else { return fail(node) }
    let place = reserve()
    // Known before it is read, since it may refer to itself.
    paths[path] = place
    let outer = (document, resource, chart, parts, nodeOfState, nodeOfTransition, nodesOfRaises)
    let outerReferences = (references, hasExpressions, namespace, faulty)
    if let root = read(bytes, named: path) { nested(root) { $0.compileChart(root, as: place) } }
    (document, resource, chart, parts, nodeOfState, nodeOfTransition, nodesOfRaises) = outer
    (references, hasExpressions, namespace, faulty) = outerReferences
  }

  /// Notes that an element would be compiled within too many others.
  private mutating func fail(_ node: Int?) {
    let message = "resources and elements are within each other more than \(Self.deepest) deep"
    if let node { error(node, message, attribute: "src") } else { error(0, message) }
  }

  /// Compiles within what is being compiled; not more than ``deepest`` deep.
  mutating func nested(_ node: Int, _ body: (inout Self) -> Void) {
    guard nesting < Self.deepest else { return fail(node) }
    nesting += 1
    defer { nesting -= 1 }
    body(&self)
  }

  /// The chart of an element within the document that is read.
  mutating func chart(ofElement node: Int) -> Int {
    let place = reserve()
    let outer = (chart, parts, nodeOfState, nodeOfTransition, nodesOfRaises, references, hasExpressions)
    nested(node) { $0.compileChart(node, as: place) }
    (chart, parts, nodeOfState, nodeOfTransition, nodesOfRaises, references, hasExpressions) = outer
    return place
  }

  /// Resources that `srcexpr` may name are charts if they look like one.
  mutating func compileNameableResources() {
    noteNamedFiles()
    for (path, bytes) in resources.sorted(by: { $0.key < $1.key }) where paths[path] == nil && pace.mayGoOn() {
      let start = String(decoding: bytes.prefix(4096), as: UTF8.self)
      if start.includes("<scxml") { readChart(ofResource: path, from: nil) }
    }
  }

  /// Notes files that are missing and that `srcexpr` surely names: in a document that has it, those whose names, with
  /// `file:`, are the whole expression of an attribute.
  private mutating func noteNamedFiles() {
    let elements = document.nodes.indices.compactMap { document.element($0) }
    guard elements.contains(where: { $0["srcexpr"] != nil }) else { return }
    for element in elements {
      for (_, value) in element.attributes {
        let text = value.trimmed
        guard let quote = text.first, quote == "'" || quote == "\"", text.count > 1, text.last == quote else {
          continue
        }
        let name = text.dropFirst().dropLast()
        guard name.hasPrefix("file:"), name != "file:", !name.contains(quote), !name.includes("\\") else { continue }
        _ = bytes(of: String(name))
      }
    }
  }

  // MARK: Elements

  func isForeign(_ element: XMLElement) -> Bool {
    !element.namespace.isEmpty && element.namespace != Grammar.namespace && element.namespace != namespace
  }

  /// Whether an element within data is a mark of an editor: of a namespace that the document has for others than data.
  func isMark(_ element: XMLElement) -> Bool {
    isForeign(element) && document.rootNamespaces.contains(element.namespace)
  }

  /// Notes that an element is not read.
  mutating func leaveOut(_ node: Int) {
    for inner in node..<document.nodes[node].end {
      if let id = document.element(inner)?["id"] { unread.insert(id) }
    }
  }

  /// The value of an attribute that has one of a few words.
  mutating func word(_ attribute: String, of node: Int, in words: [String], default other: String) -> String {
    guard let found = document.element(node)?[attribute] else { return other }
    if words.contains(found) { return found }
    error(
      node, "\(attribute)=\"\(found)\" means nothing; expected \(words.joined(separator: " or "))", attribute: attribute
    )
    return other
  }
}
