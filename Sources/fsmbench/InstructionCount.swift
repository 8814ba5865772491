internal import Glibc
internal import UnixHost

/// Instructions of the daemon for a plain `send`, from its line to its reply, counted by callgrind.
///
/// Only what runs within ``function`` counts: how often the daemon reads, writes and hands a world to a worker depends on
/// the time, which passes slowly under callgrind. World time stands still, and standard library hashes are
/// deterministic. Two counts differ by one or two in a hundred, since such a run of sends ends earlier or later.
enum InstructionCount {
  /// The part of its name that callgrind finds it by.
  static let function = "takePlainSends"
  private static let machines = 1_000
  private static let batches = 40

  /// Prints one line for each kind.
  ///
  /// - Returns: The exit code: 0, or 2 when counting failed.
  static func run() -> Int32 {
    do {
      for (kind, event) in [("power", "buttonClick"), ("shiftKey", "tap")] {
        let each = try Double(instructions(kind, event)) / Double(batches * machines)
        Descriptor.standardOutput.writeAll("\(kind): \(threeDigits(each)) instructions per request\n")
      }
      return 0
    } catch {
      Descriptor.standardError.writeAll("fsmbench: \(error)\n")
      return 2
    }
  }

  /// Instructions for as many sends as all batches have, one to each machine in a batch.
  private static func instructions(_ kind: String, _ event: String) throws -> Int {
    let folder = try TemporaryFolder()
    let log = "\(folder.path)/log"
    let daemon = try Server.counted(log: log)
    do {
      // Also stops it on failure, so that no process is left running.
      defer { daemon.stop() }
      let conversation = try daemon.connect(within: 120)
      try conversation.ask("clock virtual")
      try Fleet.make(kind: kind, 0..<machines, on: conversation)
      let workload = Workload(depth: machines, names: machines, Workload.send(event))
      for number in 0..<batches {
        try conversation.send(workload.batches[number % workload.batches.count])
        for _ in 0..<machines { try conversation.take(prefix: "+ moved ", after: "send") }
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
    guard let place = words.firstIndex(of: "Collected"), place + 2 < words.count, let count = Int(words[place + 2]),
      count > 0
    else { throw BenchFailure.lost("callgrind does not say how many instructions it has counted") }
    return count
  }
}
