internal import Glibc
internal import StateMachines
internal import Statecharts
internal import UnixHost

/// Machines of kinds that were made from documents.
enum ChartRows {
  /// Off and on, as `power`.
  static let toggle = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off">
      <state id="off"><transition event="buttonClick" target="on"/></state>
      <state id="on"><transition event="buttonClick" target="off"/></state>
    </scxml>
    """

  /// Each event has a guard that is true, and counts.
  private static let counter = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" initial="off">
      <datamodel><data id="count" expr="0"/></datamodel>
      <state id="off">
        <transition event="press" cond="count &lt; 1000000000000" target="on">
          <assign location="count" expr="count + 1"/>
        </transition>
      </state>
      <state id="on">
        <transition event="press" cond="count &gt; 0" target="off">
          <assign location="count" expr="count + 1"/>
        </transition>
      </state>
    </scxml>
    """

  private static func kind(_ name: String, _ document: String) throws -> Kind {
    guard case .definition(let definition, _) = Definition.compile(Array(document.utf8)) else {
      throw BenchFailure.wrongReply(to: name, expected: "a definition", got: "mistakes")
    }
    return Kind(name, version: 1, origin: "", try ChartProgram(definition))
  }

  /// Steps between two clock reads.
  private static let block = 4_096

  /// Steps of one machine in a world, journal included, beside those of the compiled `power`.
  static func inProcess(_ effort: Effort) throws -> Row {
    var chart = try ToggleWorld(try kind("toggle", toggle))
    var compiled = try ToggleWorld(try StepBenchmark.kind("power"))
    let pairing = Pairing(
      rounds: effort.rounds,
      ours: { rate(for: effort.nanoseconds) { _ in chart.flip(block) } },
      peer: { rate(for: effort.nanoseconds) { _ in compiled.flip(block) } })
    try chart.check()
    try compiled.check()
    return Row(
      pairing, .perSecond, beside: "compiled power", targets: [.atLeast(Figure(value: 5_000_000, unit: .perSecond))])
  }

  static func besidePython(_ effort: Effort) throws -> Row {
    var chart = try ToggleWorld(try kind("toggle", toggle))
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: { rate(for: effort.nanoseconds) { _ in chart.flip(block) } },
      peer: { try PythonToggle.rate(for: effort.nanoseconds) })
    try chart.check()
    return Row(pairing, .perSecond, beside: PythonToggle.name, targets: [.ratioAtLeast(200)])
  }

  static func guarded(_ effort: Effort) throws -> Row {
    var chart = try ToggleWorld(try kind("counter", counter))
    var rates: [Double] = []
    for _ in 0...effort.rounds { rates.append(rate(for: effort.nanoseconds) { _ in chart.flip(block) }) }
    try chart.check()
    return Row(
      ours: Figure(value: median(Array(rates.dropFirst())), unit: .perSecond),
      targets: [.atLeast(Figure(value: 2_000_000, unit: .perSecond))])
  }

  /// Sends to machines of a chart, beside the same to as many of the compiled `power` in another daemon.
  static func onTheWire(_ effort: Effort) throws -> Row {
    let servers = try [Server.fsmd(), Server.fsmd()]
    defer { for server in servers { server.stop() } }
    let controls = try servers.map { try $0.connect() }
    try Fleet.define("toggle", toggle, on: controls[0])
    let names = WireBenchmark.names
    try Fleet.make(kind: "toggle", 0..<names, on: controls[0])
    try Fleet.make(kind: "power", 0..<names, on: controls[1])
    let workload = Workload(depth: 64, names: names, Workload.send("buttonClick"))
    var chart = try WireClient(conversations: try (0..<50).map { _ in try servers[0].connect() }, workload: workload)
    var compiled = try WireClient(
      conversations: try (0..<50).map { _ in try servers[1].connect() }, workload: workload)
    let before = try controls.map { try $0.server.processorSeconds() }
    let pairing = try Pairing(
      rounds: effort.rounds,
      ours: { try chart.run(nanoseconds: effort.nanoseconds) },
      peer: { try compiled.run(nanoseconds: effort.nanoseconds) })
    let after = try controls.map { try $0.server.processorSeconds() }
    for control in controls { try control.ask("send \(Workload.name(0)) buttonClick", expecting: "+ moved ") }
    let inputs = try Fleet.inputs(controls[0])
    // Also the definition and the send above.
    guard inputs >= names + chart.answered + 2 else {
      throw BenchFailure.wrongReply(
        to: "clock", expected: "seq=\(names + chart.answered + 2)", got: "seq=\(inputs)")
    }
    let each = Figure(value: (after[0] - before[0]) / Double(chart.answered), unit: .seconds)
    let peerEach = Figure(value: (after[1] - before[1]) / Double(compiled.answered), unit: .seconds)
    return Row(
      pairing, .perSecond, beside: "compiled power", targets: [.ratioAtLeast(0.4)],
      remark: "processor time per request: \(each.text), power \(peerEach.text)")
  }

  // MARK: Suites

  /// All documents of the suites of the W3C and of SCION, read and checked one after the other.
  static func suites(_ effort: Effort) throws -> Row {
    guard let folder = getenv("FSMD_STATECHART_SUITES").map({ String(cString: $0) }), !folder.isEmpty else {
      throw BenchFailure.notHere("FSMD_STATECHART_SUITES names the folder of the suites")
    }
    let documents = documents(in: folder)
    guard !documents.isEmpty else { throw BenchFailure.notHere("no documents are in \(folder)") }
    var mistaken = 0
    var times: [Double] = []
    for _ in 0...effort.rounds {
      mistaken = 0
      times.append(
        seconds {
          for (bytes, resources) in documents {
            guard case .definition = Definition.compile(bytes, resources: resources) else {
              mistaken += 1
              continue
            }
          }
        })
    }
    return Row(
      ours: Figure(value: median(Array(times.dropFirst())), unit: .seconds),
      targets: [.atMost(Figure(value: 0.2, unit: .seconds))],
      remark: "\(documents.count) documents, \(mistaken) of them with mistakes")
  }

  private typealias Document = (bytes: [UInt8], resources: [String: [UInt8]])

  /// The documents below a folder, each with the files beside it that its text names.
  private static func documents(in folder: String) -> [Document] {
    var found: [Document] = []
    var files: [String: [UInt8]] = [:]
    for name in names(in: folder) {
      let path = "\(folder)/\(name)"
      if [".scxml", ".txt", ".js"].contains(where: { name.hasSuffix($0) }) {
        files[name] = bytes(of: path)
      } else {
        found += documents(in: path)
      }
    }
    for (name, bytes) in files where name.hasSuffix(".scxml") {
      let text = String(decoding: bytes, as: UTF8.self)
      found.append((bytes, files.filter { $0.key != name && text.contains($0.key) }))
    }
    return found
  }

  private static func names(in path: String) -> [String] {
    ((try? Folder.names(in: path)) ?? []).filter { !$0.hasPrefix(".") }
  }

  private static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}
