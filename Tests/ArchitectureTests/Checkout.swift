import Foundation

/// A text file of the package.
struct ProjectFile {
  /// From the package's root, with slashes: `Sources/fsmd/main.swift`.
  let path: String
  let text: String
  /// Its code and its comments; of a file in another language without meaning.
  let swift: SwiftText

  init(path: String, text: String) {
    self.path = path
    self.text = text
    swift = SwiftText(path.hasSuffix(".swift") ? text : "")
  }

  /// Whether one of these texts is in it somewhere, which is found out much sooner than where a pattern matches.
  func mentions(_ texts: [String]) -> Bool { text.withCString { text in texts.contains { strstr(text, $0) != nil } } }

  /// The target that a Swift file belongs to; nil outside `Sources` and `Tests`.
  var target: String? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, ["Sources", "Tests"].contains(parts[0]), path.hasSuffix(".swift") else { return nil }
    return String(parts[1])
  }
}

/// The package that these tests were built from.
enum Checkout {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// All files that are written by hand, by path. What is built and what git keeps is left out.
  static func files() throws -> [ProjectFile] { try read.get() }

  /// Read and scanned once for all tests.
  private static let read = Result { try readFiles() }

  private static func readFiles() throws -> [ProjectFile] {
    let written: Set = ["swift", "md", "1", "fsm", "h", "modulemap", "sh", "txt", "json", "swift-format"]
    let writtenNames: Set = ["Makefile", "run", ".swift-format", ".gitignore"]
    var files: [ProjectFile] = []
    func visit(_ folder: String) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted() {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        let url = root.appending(path: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { continue }
        if isFolder.boolValue {
          if ![".build", ".git", ".swiftpm", "build"].contains(path) { try visit(path) }
        } else if written.contains(url.pathExtension) || writtenNames.contains(name) {
          files.append(ProjectFile(path: path, text: try String(contentsOf: url, encoding: .utf8)))
        }
      }
    }
    try visit("")
    return files
  }

  static func swiftFiles(in folders: String...) throws -> [ProjectFile] {
    try files().filter { file in
      file.path.hasSuffix(".swift") && folders.contains { file.path.hasPrefix($0 + "/") }
    }
  }

  static func file(_ path: String) throws -> ProjectFile {
    ProjectFile(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
  }
}
