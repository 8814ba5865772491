import TestSupport
import Testing

@Suite("The code keeps its habits")
struct HabitTests {
  /// Machines with a `default:` that is not over an enum of ours, each with the reason.
  static let catchAlls: [Exemption] = []

  /// Tests that the documentation shows, for readers without `TestSupport`.
  static let macroExpectations = [
    Exemption(path: "Tests/LiveMachinesTests/LampModelTests.swift", reason: "LiveMachines.md shows it"),
    Exemption(path: "Tests/SimulatorTests/Embedding/DoorExample.swift", reason: "MachineWithData.md shows it"),
  ]

  /// The files of the daemon that know users, and what for.
  static let knowingUsers = [
    ("Users/UserID", "who users are"), ("Users/User", "what each has and may have"),
    ("Users/UserNames", "what they are called"), ("Users/Service+Users", "what they see and share"),
    ("Users/Service+FirstWorlds", "where they begin"), ("Process/Daemon", "admits their connections"),
    ("Sessions/Environment", "hands their names to sessions"), ("Sessions/Client", "has one, and the terms"),
    ("Service/Service", "lists them"), ("Service/MemoryBudget", "counts for them, too"),
    ("Worlds/HostedWorld", "has an owner, and says who may use it"), ("Worlds/WorldSettings", "is stored as shared"),
    ("Verbs/WorldVerbs", "reads how to share a world"), ("Service/DeferredEffect", "carries that to the service"),
    ("Diagrams/Graphs", "gives each a place to draw"),
  ].map { Exemption(path: "Sources/SimulationDaemon/\($0).swift", reason: $1) }

  @Test("no test sleeps")
  func sleeps() throws {
    let findings = try Checkout.swiftFiles(in: "Tests").flatMap(Habits.sleeps)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("tests expect with functions")
  func macroExpectations() throws {
    let findings = try Checkout.swiftFiles(in: "Tests").flatMap(Habits.macroExpectations).without(
      Self.macroExpectations)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no other file of the daemon knows users")
  func users() throws {
    let findings = try Checkout.swiftFiles(in: "Sources/SimulationDaemon").flatMap(Habits.users).without(
      Self.knowingUsers)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("nothing was put off and left behind")
  func leftovers() throws {
    let findings = try Checkout.files().flatMap(Habits.leftovers)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no file names a folder of one machine")
  func machinePaths() throws {
    let findings = try Checkout.files().flatMap(Habits.machinePaths)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no switch of a machine has a default")
  func catchAlls() throws {
    let files = try Checkout.swiftFiles(in: "Sources/StateMachines", "Sources/Simulations")
    let findings = files.flatMap(Habits.catchAlls).without(Self.catchAlls)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no pure target draws with the standard library: seeds and stores outlive a compiler")
  func foreignDraws() throws {
    let files = try Checkout.swiftFiles(
      in: "Sources/StateMachines", "Sources/Simulations", "Sources/Simulator", "Sources/LineProtocol")
    let findings = files.flatMap(Habits.foreignDraws)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("the libraries for authors name nothing that is younger than the systems of the package")
  func youngNames() throws {
    // The products, and what they depend on; charts are next.
    let files = try Checkout.swiftFiles(
      in: "Sources/StateMachines", "Sources/MachineForms", "Sources/Simulations", "Sources/Simulator",
      "Sources/LiveMachines", "Sources/MachineGraphs", "Sources/Waveforms", "Sources/LineProtocol",
      "Sources/Statecharts", "Sources/MachineTesting")
    let findings = files.flatMap(Habits.youngNames)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("what switches a check off says why")
  func unexplained() throws {
    let findings = try Checkout.swiftFiles(in: "Sources", "Tests").flatMap(Habits.unexplained)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("a file that keeps unsafe memory says why that is right")
  func unsafeMemory() throws {
    let findings = try Checkout.swiftFiles(in: "Sources").flatMap(Habits.unsafeMemory)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no number becomes an integer that may not hold it where documents and drawings are read and computed")
  func floatingConversions() throws {
    let files = try Checkout.swiftFiles(
      in: "Sources/Statecharts", "Sources/MachineGraphs", "Sources/Waveforms", "Sources/Scripts")
    // Others have no floating-point numbers.
    let mixed = files.filter { $0.text.contains("Double") || $0.text.contains("asNumber") }
    let findings = mixed.flatMap(Habits.floatingConversions)
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("the walk over the files sees this one, the manifest and the Makefile, and nothing that is built")
  func walk() throws {
    let paths = try Checkout.files().map(\.path)
    for path in ["Tests/ArchitectureTests/HabitTests.swift", "Package.swift", "Makefile", ".ci/run"] {
      expect(paths.contains(path), "\(path)")
    }
    expect(!paths.contains { $0.hasPrefix(".build/") || $0.hasPrefix(".git/") })
  }
}
