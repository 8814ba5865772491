internal import Glibc
internal import UnixHost

/// Instructions of the daemon for a plain `send`, from the bytes read to the bytes written, counted by callgrind: the
/// same each time, whatever else the machine does.
///
/// One daemon handles some requests and another one more of them, in batches read at once, so the cost of starting and
/// of making machines cancels out. World time stands still, and standard library hashes are deterministic.
enum InstructionCount {
  private static let machines = 1_000
  private static let batch = 1_000
  private static let few = 20
  private static let many = 120

  /// Prints one line for each kind.
  ///
  /// - Returns: The exit code: 0, or 2 when counting failed.
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

  /// Instructions of a daemon from start to end.
  private static func instructions(_ kind: String, _ event: String, batches: Int) throws -> Int {
    let folder = try TemporaryFolder()
    let log = "\(folder.path)/log"
    let daemon = try Server.counted(log: log)
    do {
      // Also stops it on failure, so that no process is left running.
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
