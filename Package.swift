// swift-tools-version: 6.2
import PackageDescription

// `ls Sources` is the architecture; ARCHITECTURE.md says what each target is for. The dependencies below are
// the allowed imports, and `Tests/ArchitectureTests` checks that no file goes around them.
//
// Dependencies from outside, each a decision:
// - GNU readline (`libreadline-dev`): line editing, history, completion and inputrc are its whole life's work.
// - SQLite (`libsqlite3-dev`): what was acknowledged survives a killed process, a full disk and a power cut only with
//   a transaction log that has been tested for that for decades; and everybody has a tool that opens the file.
// - Expat (`libexpat1-dev`): documents come from strangers, and a parser of XML needs decades of attacks to be safe.
// - libmicrohttpd (`libmicrohttpd-dev`): whoever is on this machine can connect to the live page's port, and a parser of
//   HTTP needs decades of attacks too. It runs in our event loop, without threads.
// - libpq (`libpq5`), loaded when a store is on PostgreSQL and declared by ourselves: its protocol, its many ways to log in
//   and to find the host that writes.
// - Dispatch, from the toolchain: the clock and the event loop of the daemon.
// The pure targets import nothing but the standard library, so that a world is the same on every machine. (CProcessor has
// one instruction that asks the memory early, and of which no result depends.)

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

// What every step and every line passes: optimised in the quick build of `make run` and `make test` too, with the checks
// of a debug build. SwiftPM refuses such flags in a dependency, so nobody but the Makefile sets FSMD_BUILD.
let isQuickBuild = Context.environment["FSMD_BUILD"] == "quick"
let isPackageBuild = Context.environment["FSMD_BUILD"] == "package"
// In the packages that are given out these stay fast; the others are small.
let fastTargets = ["StateMachines", "MachineForms", "Simulations", "Simulator", "LineProtocol", "JournalStore"]
let hot = strict + (isQuickBuild ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : [])

// SwiftPM builds one product or all targets: the benchmarks and what is for tests are left out where only the two
// programs are wanted, so that these are built side by side.
let hasOnlyPrograms = Context.environment["FSMD_ONLY_PROGRAMS"] != nil

let package = Package(
  name: "fsmd",
  // Of the libraries; the daemon and the prompt are for Linux. `Mutex` and `Atomic` are as young as this.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "fsmd", targets: ["fsmd"]),
    .executable(name: "fsmrepl", targets: ["fsmrepl"]),
    .library(name: "StateMachines", targets: ["StateMachines"]),
    .library(name: "MachineForms", targets: ["MachineForms"]),
    .library(name: "Simulations", targets: ["Simulations"]),
    .library(name: "Simulator", targets: ["Simulator"]),
    .library(name: "LiveMachines", targets: ["LiveMachines"]),
    .library(name: "MachineTesting", targets: ["MachineTesting"]),
    .library(name: "SimulationDaemon", targets: ["SimulationDaemon"]),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CSystem"),
    .systemLibrary(name: "CProcessor"),
    // Libraries that are loaded when they are needed: most of either program works without.
    .target(name: "CReadline"),
    .target(name: "CMicroHTTPD"),
    .target(name: "CPostgres"),

    .target(name: "StateMachines", swiftSettings: hot),
    .target(name: "MachineForms", dependencies: ["StateMachines"], swiftSettings: strict),
    .target(name: "MachineGraphs", dependencies: ["StateMachines", "LineProtocol"], swiftSettings: strict),
    .target(name: "Simulations", dependencies: ["StateMachines", "MachineForms"], swiftSettings: strict),
    .target(
      name: "Statecharts", dependencies: ["StateMachines", "LineProtocol", "CExpat"], swiftSettings: strict),
    .target(name: "Waveforms", dependencies: ["StateMachines", "LineProtocol"], swiftSettings: strict),
    .target(name: "Simulator", dependencies: ["StateMachines", "CProcessor"], swiftSettings: hot),
    .target(
      name: "Surveys", dependencies: ["StateMachines", "MachineGraphs", "Waveforms", "Simulator"], swiftSettings: strict
    ),
    .target(name: "LiveMachines", dependencies: ["StateMachines"], swiftSettings: strict),
    // With Swift Testing, as TestSupport below.
    .target(name: "MachineTesting", dependencies: ["StateMachines", "Simulator"], swiftSettings: strict),
    .target(name: "LineProtocol", swiftSettings: hot),
    .target(name: "Scripts", dependencies: ["LineProtocol"], swiftSettings: strict),
    // What a handler of signals notes; C, because such a handler may not allocate.
    .target(name: "CWorkNotes"),
    .target(name: "JournalStore", dependencies: ["StateMachines", "CSQLite", "CWorkNotes"], swiftSettings: strict),
    .target(name: "PostgresStore", dependencies: ["JournalStore", "CPostgres"], swiftSettings: strict),
    .target(name: "UnixHost", dependencies: ["CSystem"], swiftSettings: strict),
    .target(name: "HTTPServer", dependencies: ["UnixHost", "CMicroHTTPD"], swiftSettings: strict),
    // The files of the live page as bytes in the program; it builds anew when one of them changes.
    .target(name: "CPage"),
    .target(name: "Page", dependencies: ["CPage"], exclude: ["Web"], swiftSettings: strict),
    .target(
      name: "SimulationDaemon",
      dependencies: [
        "StateMachines", "MachineGraphs", "Waveforms", "Statecharts", "Simulator", "Surveys", "LineProtocol", "Scripts",
        "JournalStore", "PostgresStore", "UnixHost", "HTTPServer", "Page",
      ],
      swiftSettings: strict),

    .executableTarget(name: "fsmd", dependencies: ["SimulationDaemon", "Simulations"], swiftSettings: strict),
    .executableTarget(
      name: "fsmrepl", dependencies: ["LineProtocol", "Scripts", "UnixHost", "CReadline", "Page"],
      swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["StateMachines", "MachineGraphs"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(name: "StateMachinesTests", dependencies: ["StateMachines", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "MachineFormsTests", dependencies: ["MachineForms", "StateMachines", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "MachineGraphsTests", dependencies: ["MachineGraphs", "StateMachines", "TestSupport"], swiftSettings: strict
    ),
    .testTarget(
      name: "StatechartsTests", dependencies: ["Statecharts", "StateMachines", "TestSupport"], exclude: ["People"],
      swiftSettings: strict),
    .testTarget(
      name: "WaveformsTests", dependencies: ["Waveforms", "StateMachines", "LineProtocol", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SimulationsTests",
      dependencies: [
        "MachineTesting", "Simulations", "StateMachines", "MachineForms", "MachineGraphs", "Statecharts", "Simulator",
        "Surveys", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SimulatorTests",
      dependencies: [
        "Simulator", "Surveys", "Simulations", "Statecharts", "StateMachines", "MachineGraphs", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LiveMachinesTests", dependencies: ["LiveMachines", "Simulations", "StateMachines", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "LineProtocolTests", dependencies: ["LineProtocol", "StateMachines", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "ScriptsTests", dependencies: ["Scripts", "LineProtocol", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "JournalStoreTests",
      dependencies: ["JournalStore", "PostgresStore", "StateMachines", "CSQLite", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PostgresStoreTests", dependencies: ["PostgresStore", "JournalStore", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "UnixHostTests", dependencies: ["UnixHost", "CSystem", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SimulationDaemonTests",
      dependencies: [
        "SimulationDaemon", "JournalStore", "PostgresStore", "CSQLite", "LineProtocol", "Page", "Scripts", "Simulator",
        "Simulations",
        "StateMachines", "Statecharts", "MachineGraphs", "MachineForms", "UnixHost", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "fsmreplTests",
      dependencies: ["fsmrepl", "fsmd", "SimulationDaemon", "LineProtocol", "Scripts", "UnixHost", "TestSupport"],
      swiftSettings: strict + [.defaultIsolation(MainActor.self)]),
    // It reads every byte of the sources.
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: hot),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "fsmd", "fsmrepl", "SimulationDaemon", "LineProtocol", "Scripts", "StateMachines", "UnixHost", "TestSupport",
      ],
      swiftSettings: strict),
  ]
)

let isForTests = { (target: Target) in target.type == .test || ["MachineTesting", "TestSupport"].contains(target.name) }

for target in package.targets where target.swiftSettings != nil && !isForTests(target) {
  // The library of regular expressions is a megabyte in each program, and comes in with one call of it. LineProtocol's
  // `TextSearch` has what is needed; without the import that the compiler adds, a call of the library is a mistake.
  if isQuickBuild {
    target.swiftSettings! += [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]
  }
  if isPackageBuild && !fastTargets.contains(target.name) { target.swiftSettings! += [.unsafeFlags(["-Osize"])] }
}

if hasOnlyPrograms {
  package.products.removeAll { $0.name == "MachineTesting" }
  package.targets.removeAll(where: isForTests)
} else {
  package.products.append(.executable(name: "fsmbench", targets: ["fsmbench"]))
  package.targets.append(
    .executableTarget(
      name: "fsmbench",
      dependencies: [
        "StateMachines", "MachineForms", "Statecharts", "Simulations", "Simulator", "LineProtocol", "UnixHost",
        "CPostgres",
      ],
      swiftSettings: strict))
}

// The package that `make lab` copies, compiled and tested with the rest. Only here: where it is copied to, it depends on
// this package, and names of targets are unique.
if isQuickBuild && !hasOnlyPrograms {
  package.targets += [
    .executableTarget(
      name: "Staircase", dependencies: ["StateMachines", "Simulations", "SimulationDaemon"],
      path: "Examples/Staircase/Sources/Staircase"),
    .testTarget(
      name: "StaircaseTests", dependencies: ["Staircase", "StateMachines", "Simulator", "MachineTesting"],
      path: "Examples/Staircase/Tests/StaircaseTests"),
    // A daemon with a kind that ends it, for EndToEndTests.
    .executableTarget(
      name: "Fuse", dependencies: ["StateMachines", "Simulations", "SimulationDaemon"], path: "Tests/Fuse",
      swiftSettings: strict),
  ]
}
