internal import LineProtocol
internal import UnixHost

/// Where daemons that share a database are: the file of `--hosts`.
///
/// A line is a name and the path of a socket, or a name and a command whose standard input and output are a connection
/// to that daemon, as `b ssh b.school socat - /run/fsmd/fsmd.sock`. `#` begins a comment.
struct HostsFile: Equatable, Sendable {
  enum Way: Equatable, Sendable {
    case socket(String)
    /// For a shell.
    case command(String)
  }

  let path: String
  private var ways: [String: Way] = [:]

  /// The longest file, in bytes.
  private static let longest = 1 << 20

  init(path: String) throws(UsageFailure) {
    self.path = path
    let bytes: [UInt8]
    do throws(RegularFile.Problem) {
      bytes = try RegularFile.read(path, endings: [""], atMost: Self.longest)
    } catch {
      throw .wrong("--hosts: cannot read \(path): \(error.text)")
    }
    for (number, line) in String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).enumerated() {
      let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard let name = words.first, name.first != "#" else { continue }
      let way = words.count == 2 ? words[1].drop(while: \.isWhitespace) : ""
      let text = String(way.reversed().drop(while: \.isWhitespace).reversed())
      guard !text.isEmpty else { throw .wrong("--hosts: \(path):\(number + 1): it is 'NAME SOCKET' or 'NAME COMMAND'") }
      let isSocket = text.first == "/" && !text.contains(where: \.isWhitespace)
      guard ways.updateValue(isSocket ? .socket(text) : .command(text), forKey: String(name)) == nil else {
        throw .wrong("--hosts: \(path):\(number + 1): '\(name)' is there twice")
      }
    }
  }

  subscript(name: String) -> Way? { ways[name] }
}

extension HostsFile.Way {
  /// Connects, or starts the command with one end of a pair of sockets.
  func connect() throws(SocketFailure) -> Descriptor {
    switch self {
    case .socket(let path): return try ClientSocket.connect(path: path)
    case .command(let text): return try ClientSocket.connect(command: text)
    }
  }
}
