internal import Glibc
internal import UnixHost

/// Instructions that the daemon takes for a plain `send`, from the bytes read to the bytes written, as callgrind counts
/// them: the same each time, whoever shares the machine.
///
/// A daemon takes some requests, another one more of them, in batches that are read at once; what starting and making
/// machines takes cancels out. World time stands still, and hashes of the standard library do not vary.
enum InstructionCount {
  private static let machines = 1_000
  private static let batch = 1_000
  private static let few = 20
  private static let many = 120

  /// Prints one line for each kind.
  ///
  /// - Returns: The exit code: 0, or 2 when nothing could be counted.
  static func run() -> Int32 {
    do {
      for (kind, event) in [("power", "buttonClick"), ("shiftKey", "tap")] {
        let more = try instructions(kind, event, batches: many) - instructions(kind, event, batches: few)
        let each = Double(more) / Double((many - few) * batch)
        Descriptor.standardOutput.writeAll("\(kind): \(threeDigits(each)) instructions per request\n")
      }
      return 0
    } catch {
      Descriptor.standardError.writeAll("fsmbench: \(error)\n")
      return 2
    }
  }

  /// Instructions of a daemon from its start to its end.
  private static func instructions(_ kind: String, _ event: String, batches: Int) throws -> Int {
    let folder = try TemporaryFolder()
    let log = "\(folder.path)/log"
    let daemon = try Server.counted(log: log)
    do {
      // Stopped also when something fails, so that nothing is left running.
      defer { daemon.stop() }
      let conversation = try daemon.connect(within: 120)
      try conversation.ask("clock virtual")
      try Fleet.make(kind: kind, 0..<machines, on: conversation)
      let workload = Workload(depth: batch, names: machines, Workload.send(event))
      for number in 0..<batches {
        try conversation.send(workload.batches[number % workload.batches.count])
        for _ in 0..<batch { try conversation.take(prefix: "+ moved ", after: "send") }
      }
    }
    return try collected(log)
  }

  private static func collected(_ path: String) throws -> Int {
    let file = Descriptor(rawValue: open(path, O_RDONLY | O_CLOEXEC))
    guard file.rawValue >= 0 else { throw BenchFailure.lost("cannot read \(path): \(SystemError.last)") }
    defer { file.close() }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) }) { text += buffer[..<count] }
    let words = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard let place = words.firstIndex(of: "Collected"), place + 2 < words.count, let count = Int(words[place + 2])
    else { throw BenchFailure.lost("callgrind does not say how many instructions it has counted") }
    return count
  }
}
