import Foundation

/// The suites that nobody of this project wrote. They are not part of it: they are looked for beside the checkout, in
/// `../shared/scxml`, and in the folder that `FSMD_STATECHART_SUITES` names.
enum Suites {
  static let folder: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["FSMD_STATECHART_SUITES"].map { URL(filePath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appending(path: "shared/scxml")
    return FileManager.default.fileExists(atPath: folder.appending(path: "w3c/index.tsv").path) ? folder : nil
  }()

  static var areThere: Bool { folder != nil }

  /// A row of an index, by column.
  typealias Row = [String: String]

  static func rows(_ path: String) -> [Row] {
    guard let folder, let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else {
      return []
    }
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    guard let names = lines.first?.map(String.init) else { return [] }
    return lines.dropFirst().map { line in
      Dictionary(zip(names, line.map(String.init))) { first, _ in first }
    }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }
}
