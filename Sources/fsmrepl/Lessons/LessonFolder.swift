internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// The lessons of a folder, in the order of their names.
struct LessonFolder {
  /// A lesson with its place in the list.
  struct Entry {
    /// The number in the name of its file, else its place in the list, from 1.
    let number: Int
    let script: Script
    let heading: Script.Heading

    /// Whether it came with the program.
    let isBuiltIn: Bool

    /// The name of its file.
    var file: String { LessonFolder.file(of: script.name) }
    /// The key of its progress: the file name of a built-in lesson, else the whole path, since copies have the same
    /// names.
    var key: String {
      guard !isBuiltIn, let resolved = realpath(script.name, nil) else { return file }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    /// The file name without number and ending: `states-and-events`.
    var name: String {
      let stem = file.hasSuffix(ScriptLimits.ending) ? file.dropLast(ScriptLimits.ending.count) : file[...]
      let bare = stem.drop { $0.isNumber || $0 == "-" || $0 == "_" }
      return String(bare.isEmpty ? stem : bare)
    }
  }

  enum Choice {
    case one(Entry)
    /// None, or more than one.
    case several([Entry])
    /// Only a file with mistakes fits.
    case broken(path: String)
  }

  private(set) var entries: [Entry] = []
  /// The paths of files with mistakes, which may be lessons.
  private let broken: [String]

  /// - Parameter scripts: In the order of their names; those that are no lessons are left out.
  init(_ scripts: [Script], broken: [String] = [], isBuiltIn: Bool = false) {
    self.broken = broken
    for script in scripts {
      guard let heading = script.heading else { continue }
      let number = Self.number(of: Self.file(of: script.name)) ?? entries.count + 1
      entries.append(Entry(number: number, script: script, heading: heading, isBuiltIn: isBuiltIn))
    }
  }

  private static func file(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  private static func number(of file: String) -> Int? { Int(file.prefix { $0.isASCII && $0.isNumber }) }

  /// The lesson with a number, or with a text in its name or title.
  func choose(_ wish: String) -> Choice {
    let found = chooseReadable(wish)
    guard case .several(let entries) = found, entries.isEmpty else { return found }
    let meant = broken.first { path in
      let file = Self.file(of: path)
      return Int(wish).map { Self.number(of: file) == $0 } ?? file.lowercased().includes(wish.lowercased())
    }
    return meant.map { .broken(path: $0) } ?? found
  }

  private func chooseReadable(_ wish: String) -> Choice {
    if let number = Int(wish) {
      let found = entries.filter { $0.number == number }
      return found.count == 1 ? .one(found[0]) : .several(found)
    }
    let wish = wish.lowercased()
    let exact = entries.filter { $0.name.lowercased() == wish || $0.file.lowercased() == wish }
    if exact.count == 1 { return .one(exact[0]) }
    let found = entries.filter {
      $0.file.lowercased().includes(wish) || $0.heading.title.lowercased().includes(wish)
    }
    return found.count == 1 ? .one(found[0]) : .several(found)
  }

  /// The one that comes after another; nil after the last.
  func next(after entry: Entry) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.script.name == entry.script.name }) else { return nil }
    return entries.indices.contains(index + 1) ? entries[index + 1] : nil
  }

  // MARK: Where they are

  /// The folder of the lessons: `Lessons` where the program was built, or where it was installed.
  ///
  /// - Returns: Nil if there is none.
  static func path() -> String? {
    let program = Child.siblingProgram("fsmrepl")
    guard program.hasPrefix("/") else { return nil }
    let parts = program.split(separator: "/").dropLast()
    let folders = (0...4).map { "/" + parts.dropLast($0).joined(separator: "/") }
    let places = [folders[min(1, folders.count - 1)] + "/share/fsmd/Lessons"] + folders.map { $0 + "/Lessons" }
    return places.first { (try? Folder.names(in: $0))?.contains { $0.hasSuffix(ScriptLimits.ending) } == true }
  }
}
