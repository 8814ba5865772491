/// Which targets may import what: the arrows of the architecture, and the modules from outside that each may use.
///
/// This is the second place that states the dependencies, on purpose: Package.swift is changed in passing, this table
/// only by somebody who has decided that the architecture changes.
struct Layer {
  let target: String
  let ours: Set<String>
  let outside: Set<String>

  init(_ target: String, ours: Set<String> = [], outside: Set<String> = []) {
    self.target = target
    self.ours = ours
    self.outside = outside
  }

  static let all = [
    Layer("CReadline"),
    Layer("CSQLite"),
    Layer("CExpat"),
    Layer("CSystem"),
    Layer("CProcessor"),
    Layer("CMicroHTTPD"),
    Layer("CPostgres"),
    Layer("CPage"),
    Layer("CWorkNotes"),
    Layer("Page", ours: ["CPage"]),
    Layer("StateMachines", outside: ["Synchronization"]),
    Layer("MachineForms", ours: ["StateMachines"]),
    Layer("MachineGraphs", ours: ["StateMachines", "LineProtocol"]),
    Layer("Simulations", ours: ["StateMachines", "MachineForms"]),
    Layer("Statecharts", ours: ["StateMachines", "LineProtocol", "CExpat"], outside: ["Synchronization"]),
    Layer("Waveforms", ours: ["StateMachines", "LineProtocol"]),
    Layer("Simulator", ours: ["StateMachines", "CProcessor"], outside: ["Synchronization"]),
    Layer("Surveys", ours: ["StateMachines", "MachineGraphs", "Waveforms", "Simulator"]),
    Layer("LiveMachines", ours: ["StateMachines"], outside: ["Synchronization"]),
    Layer(
      "MachineTesting", ours: ["StateMachines", "Simulator"],
      outside: ["Testing", "Foundation", "FoundationEssentials"]),
    Layer("LineProtocol"),
    Layer("Scripts", ours: ["LineProtocol"], outside: ["Synchronization"]),
    Layer("JournalStore", ours: ["StateMachines", "CSQLite", "CWorkNotes"], outside: ["Glibc", "Synchronization"]),
    Layer("PostgresStore", ours: ["JournalStore", "CPostgres"], outside: ["Glibc", "Synchronization"]),
    Layer("UnixHost", ours: ["CSystem"], outside: ["Glibc", "Synchronization"]),
    Layer("HTTPServer", ours: ["UnixHost", "CMicroHTTPD"], outside: ["Glibc"]),
    Layer(
      "SimulationDaemon",
      ours: [
        "StateMachines", "MachineGraphs", "Waveforms", "Statecharts", "Simulator", "Surveys", "LineProtocol", "Scripts",
        "JournalStore", "PostgresStore", "UnixHost", "HTTPServer", "Page",
      ],
      outside: ["Glibc", "Dispatch", "Synchronization"]),
    Layer("fsmd", ours: ["SimulationDaemon", "Simulations"]),
    Layer("fsmrepl", ours: ["LineProtocol", "Scripts", "UnixHost", "CReadline", "Page"], outside: ["Glibc"]),
    Layer(
      "fsmbench",
      ours: [
        "StateMachines", "MachineForms", "Statecharts", "Simulations", "Simulator", "LineProtocol", "UnixHost",
        "CPostgres",
      ],
      outside: ["Glibc"]),
  ]

  /// What every test target may use beside what the manifest gives it.
  static let outsideOfTests: Set = [
    "Testing", "Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Synchronization",
    // Where they are: the views of one machine in an app.
    "SwiftUI", "UIKit",
  ]
}

/// A module named by an `import` in a file.
struct Import: Equatable {
  let module: String
  /// Counted from 1.
  let line: Int

  /// All imports of a Swift file, with whatever attributes and access they are written, a submodule or one
  /// declaration (`import struct A.B`) included.
  static func all(in swift: SwiftText) -> [Import] {
    let statement = #/\bimport\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?`?([A-Za-z_]\w*)/#
      .wordBoundaryKind(.simple)
    return swift.code.enumerated().lazy.filter { $1.contains("import") }.flatMap { index, line in
      line.matches(of: statement).map { Import(module: String($0.output.1), line: index + 1) }
    }
  }
}

extension Layer {
  /// The imports of a file that its own target does not list, those included that would come through another target.
  static func trespasses(in file: ProjectFile, allowed: Set<String>) -> [Finding] {
    Import.all(in: file.swift).filter { !allowed.contains($0.module) }.map {
      Finding(path: file.path, line: $0.line, what: "\(file.target ?? "no target") may not import \($0.module)")
    }
  }
}
