import TestSupport
import Testing

@Suite("The targets import what the architecture allows")
struct LayerTests {
  @Test("Package.swift and the table of layers agree")
  func manifestAgrees() throws {
    let manifest = Manifest(try Checkout.file("Package.swift").text)
    let tests = manifest.dependencies.keys.filter {
      $0.hasSuffix("Tests") || ["TestSupport", "Staircase", "Fuse"].contains($0)
    }
    expectEqual(Set(manifest.dependencies.keys).subtracting(tests), Set(Layer.all.map(\.target)))
    for layer in Layer.all {
      expectEqual(manifest.dependencies[layer.target], layer.ours, "dependencies of \(layer.target)")
    }
  }

  @Test("ARCHITECTURE.md and the table of layers agree")
  func documentAgrees() throws {
    let parts = try Checkout.file("ARCHITECTURE.md").text.split(separator: "```\n", omittingEmptySubsequences: false)
    try #require(parts.count > 1)
    var arrows: [String: Set<String>] = [:]
    for line in parts[1].split(separator: "\n") {
      let columns = line.split(separator: "→")
      guard columns.count > 1, let target = line.split(separator: " ").first, let modules = columns.last else {
        continue
      }
      arrows[String(target)] = Set(modules.split { ", ".contains($0) }.map(String.init)).subtracting(["nothing"])
    }
    // Targets of C have no arrows.
    let layers = Layer.all.filter { !$0.ours.isEmpty || arrows[$0.target] != nil }
    for layer in layers {
      // A part of the standard library that has a module of its own.
      let modules = layer.ours.union(layer.outside).subtracting(["Synchronization"])
      expectEqual(arrows[layer.target], modules, "the arrows of \(layer.target)")
    }
    expectEqual(arrows.count, layers.count)
  }

  @Test("no file of Sources imports what its own target does not list")
  func sources() throws {
    let allowed = Dictionary(uniqueKeysWithValues: Layer.all.map { ($0.target, $0.ours.union($0.outside)) })
    let files = try Checkout.swiftFiles(in: "Sources")
    expect(!files.isEmpty)
    let findings = files.flatMap { file in
      Layer.trespasses(in: file, allowed: file.target.flatMap { allowed[$0] } ?? [])
    }
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("no file of Tests imports what its own target does not list")
  func tests() throws {
    let manifest = Manifest(try Checkout.file("Package.swift").text)
    let findings = try Checkout.swiftFiles(in: "Tests").flatMap { file in
      let ours = file.target.flatMap { manifest.dependencies[$0] } ?? []
      return Layer.trespasses(in: file, allowed: ours.union(Layer.outsideOfTests))
    }
    expect(findings.isEmpty, "\(findings.listing)")
  }

  @Test("the layers have no cycle, and the pure ones know nothing from outside")
  func shape() {
    let ours = Dictionary(uniqueKeysWithValues: Layer.all.map { ($0.target, $0.ours) })
    func reachable(from target: String) -> Set<String> {
      var seen: Set<String> = []
      var open = Array(ours[target] ?? [])
      while let next = open.popLast() {
        if seen.insert(next).inserted { open += ours[next] ?? [] }
      }
      return seen
    }
    for layer in Layer.all {
      expect(!reachable(from: layer.target).contains(layer.target), "\(layer.target) reaches itself")
    }
    // A part of the standard library that has a module of its own.
    for pure in ["StateMachines", "Simulations", "Simulator", "LineProtocol"] {
      expectEqual(Layer.all.first { $0.target == pure }?.outside.subtracting(["Synchronization"]), [], "\(pure)")
    }
  }

  @Test("a trespass is found in every spelling of an import")
  func findsTrespasses() {
    let spellings = [
      "import Dispatch", "  internal import Dispatch", "@testable import Dispatch", "@preconcurrency import Dispatch",
      "import class Dispatch.DispatchQueue", "public import Dispatch.Submodule", "import Simulations; import Dispatch",
      "#if canImport(Dispatch)\nimport Dispatch\n#endif", "@_exported import Dispatch", "import `Dispatch`",
    ]
    for spelling in spellings {
      let file = ProjectFile(path: "Sources/Simulator/World/WorldCore.swift", text: spelling)
      let findings = Layer.trespasses(in: file, allowed: ["Simulations"])
      expectEqual(findings.count, 1, "\(spelling)")
      expectEqual(findings.first?.what, "Simulator may not import Dispatch", "\(spelling)")
    }
    let harmless = "// import Dispatch\n/* import Dispatch */ let a = \"import Dispatch\"\nlet importance = 1"
    expectEqual(Import.all(in: SwiftText(harmless)), [])
  }

  @Test("the manifest's reader sees every form of target that we use")
  func readsManifest() {
    let text = """
      targets: [ .systemLibrary(name: "C"), .target(name: "A", swiftSettings: strict),
        .executableTarget(
          name: "P", dependencies: ["A", "C"],
          swiftSettings: strict),
        .testTarget(name: "ATests", dependencies: ["A"]) ]
      """
    expectEqual(Manifest(text).dependencies, ["C": [], "A": [], "P": ["A", "C"], "ATests": ["A"]])
  }
}
