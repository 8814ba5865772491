/// The save file that makes GTKWave show a value change dump: all its signals, a machine after the other, states as text and
/// readings as curves. `gtkwave x.vcd x.gtkw` opens both.
struct ViewerSettings {
  /// The lines of the file.
  private(set) var lines: [String]

  // The formats of GTKWave's traces, in hexadecimal digits.
  private static let comment = "@200"
  private static let text = "@820"
  private static let bit = "@28"
  /// A number as a curve over its whole range, and a row that makes the curve higher.
  private static let curve = "@d0020"
  private static let stretch = "@20000"

  /// - Parameters:
  ///   - dump: The lines of the dump, of which the header is read.
  ///   - file: The name of its file.
  init(of dump: [String], in file: String) {
    lines = ["[dumpfile] \"\(file)\"", "[timestart] 0", "[sst_expanded] 0"]
    var scopes: [String] = []
    var machine = ""
    for line in dump {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "$scope" where words.count > 2: scopes.append(words[2])
      case "$upscope": if !scopes.isEmpty { scopes.removeLast() }
      case "$var" where words.count > 4:
        let owner = scopes.joined(separator: ".")
        if owner != machine {
          lines += [Self.comment, "-\(owner)"]
          machine = owner
        }
        let name = "\(owner).\(words[4])"
        switch words[1] {
        case "real": lines += [Self.curve, name, Self.stretch, "-", "-"]
        case "string": lines += [Self.text, name]
        case _: lines += [Self.bit, name]
        }
      case "$enddefinitions": return
      case _: break
      }
    }
  }

  /// The path of the save file beside a dump; `nil` for another file.
  static func path(beside dump: String) -> String? {
    dump.hasSuffix(".vcd") ? "\(dump.dropLast(4)).gtkw" : nil
  }
}
