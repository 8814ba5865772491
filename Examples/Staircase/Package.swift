// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Staircase",
  // What the libraries need on systems of Apple's; the daemon runs on Linux.
  platforms: [.macOS(.v15)],
  dependencies: [
    // Of a release instead: .package(url: "…", from: "0.1.0")
    .package(name: "fsmd", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Staircase",
      dependencies: [
        .product(name: "StateMachines", package: "fsmd"),
        .product(name: "Simulations", package: "fsmd"),
        .product(name: "SimulationDaemon", package: "fsmd"),
      ]),
    .testTarget(
      name: "StaircaseTests",
      dependencies: [
        "Staircase",
        .product(name: "StateMachines", package: "fsmd"),
        .product(name: "Simulator", package: "fsmd"),
        .product(name: "MachineTesting", package: "fsmd"),
      ]),
  ]
)
