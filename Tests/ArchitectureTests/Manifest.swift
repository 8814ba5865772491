/// The targets of Package.swift with their dependencies, read from its text.
///
/// It reads the plain form that our manifest keeps to: each target a call with a literal name, dependencies as a list
/// of literal names.
struct Manifest {
  let dependencies: [String: Set<String>]

  init(_ text: String) {
    let target = #/\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*"([^"]+)"/#
    let starts = text.matches(of: target)
    var dependencies: [String: Set<String>] = [:]
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      let call = text[start.range.upperBound..<end]
      let list = call.firstMatch(of: #/dependencies:\s*\[([^\]]*)\]/#)?.output.1 ?? ""
      dependencies[String(start.output.1)] = Set(list.matches(of: #/"([^"]+)"/#).map { String($0.output.1) })
    }
    self.dependencies = dependencies
  }
}
