internal import Glibc
internal import UnixHost

/// What an idle named machine costs in memory, its journal record included, beside a key in Redis.
struct MemoryBenchmark {
  let kind: String
  /// In which machines of the kind begin.
  let state: String
  /// Bytes per machine.
  let target: Double

  var what: String { "memory per \(kind), of a million" }

  func run(_ effort: Effort) throws -> Row {
    let ours = try Self.bytes(each: effort.million, in: Server.fsmd()) { conversation, count in
      try Fleet.make(kind: kind, 0..<count, on: conversation)
      try conversation.ask("expect \(Workload.name(count - 1)) \(state)")
    }
    let peer = try Self.bytes(each: effort.million, in: Server.redis()) { conversation, count in
      // The counterpart of `quiet on`; it answers nothing itself.
      try conversation.send(Array("CLIENT REPLY OFF\r\n".utf8))
      for begin in stride(from: 0, to: count, by: 1_000) {
        let range = begin..<min(begin + 1_000, count)
        try conversation.send(range.flatMap { Array(Workload.set(Workload.name($0)).utf8) })
      }
      try conversation.ask("CLIENT REPLY ON", expecting: "+OK")
      try conversation.ask("DBSIZE", expecting: ":\(count)")
    }
    return Row(
      ours: Figure(value: ours, unit: .bytes),
      peer: Row.Peer(name: "Redis key", figure: Figure(value: peer, unit: .bytes), ratio: ours / peer),
      targets: [.atMost(Figure(value: target, unit: .bytes))])
  }

  /// How much a server's resident memory grows while `fill` puts `count` things into it, by thing.
  private static func bytes(
    each count: Int, in server: Server, fill: (Conversation, Int) throws -> Void
  ) throws -> Double {
    defer { server.stop() }
    let conversation = try server.connect()
    let before = try residentBytes(of: conversation.serverProcess)
    try fill(conversation, count)
    return Double(try residentBytes(of: conversation.serverProcess) - before) / Double(count)
  }

  /// The memory that a process has in the machine's now.
  private static func residentBytes(of process: Int32) throws -> Int {
    let path = "/proc/\(process)/statm"
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw BenchFailure.noServer("cannot read \(path): \(SystemError.last)") }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = read(file, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else {
      throw BenchFailure.noServer("\(path) is not as proc(5) says")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
