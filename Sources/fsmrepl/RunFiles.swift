internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Finds and reads the scripts that a command line names.
enum RunFiles {
  /// What is wrong with files or scripts, a line each.
  struct Mistakes: Error {
    let lines: [String]
  }

  private static let ending = ".fsm"
  /// Folders within folders.
  private static let deepest = 64
  private static let chunk = 1 << 20

  /// Reads all scripts, in the order of `paths`; of a folder all below it that end in `.fsm`, in the order of their bytes.
  ///
  /// - Throws: The first mistake of every file that has one.
  static func scripts(_ paths: [String]) throws(Mistakes) -> [Script] {
    var mistakes: [String] = []
    var scripts: [Script] = []
    for path in paths {
      guard isFolder(path) else {
        read(path, &scripts, &mistakes)
        continue
      }
      let files = files(below: path, deepest).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      if files.isEmpty { mistakes.append("fsmrepl: there is no *\(ending) below \(path)") }
      for file in files { read(file, &scripts, &mistakes) }
    }
    guard mistakes.isEmpty else { throw Mistakes(lines: mistakes) }
    return scripts
  }

  private static func read(_ path: String, _ scripts: inout [Script], _ mistakes: inout [String]) {
    switch load(path) {
    case .failed(let why): mistakes.append("fsmrepl: cannot read \(path): \(why)")
    case .bytes(let bytes):
      do throws(ScriptFailure) {
        scripts.append(try ScriptParser.parse(path, bytes, load: load))
      } catch {
        mistakes.append("\(error)")
      }
    }
  }

  /// The bytes of a file, or of standard input.
  private static func load(_ path: String) -> ScriptParser.Loaded {
    let isInput = path == "-"
    let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .failed("\(SystemError.last)") }
    let descriptor = Descriptor(rawValue: file)
    defer { if !isInput { descriptor.close() } }
    var bytes: [UInt8] = []
    while bytes.count <= ScriptLimits.file {
      let transfer = withUnsafeTemporaryAllocation(byteCount: chunk, alignment: 1) { buffer in
        let transfer = descriptor.read(into: buffer)
        if case .bytes(let count) = transfer { bytes.append(contentsOf: buffer[..<count]) }
        return transfer
      }
      switch transfer {
      case .bytes: continue
      case .closed: return .bytes(bytes)
      case .wouldBlock: _ = Readiness([.init(descriptor: descriptor)])
      case .failed(let error): return .failed("\(error)")
      }
    }
    return .bytes(bytes)  // The parser says that this is too long.
  }

  private static func isFolder(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
  }

  /// The scripts below a folder; links to folders are not followed, since they may lead back.
  private static func files(below folder: String, _ depth: Int) -> [String] {
    guard depth > 0, let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name == "." || name == ".." { continue }
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      var found = stat()
      guard lstat(path, &found) == 0 else { continue }
      if found.st_mode & S_IFMT == S_IFDIR {
        files += Self.files(below: path, depth - 1)
      } else if name.hasSuffix(ending), !isFolder(path) {
        files.append(path)
      }
    }
    return files
  }
}
