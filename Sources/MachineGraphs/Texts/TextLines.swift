internal import LineProtocol

/// Texts of a picture on several short lines.
enum TextLines {
  /// Columns per line of a label.
  static let width = 30
  /// Stands before the further lines of a text whose lines begin at the left.
  private static let indent = "\u{A0}\u{A0}"

  /// The lines of a label: what triggers it, its condition and its outputs begin lines of their own if it is long.
  static func wrapped(_ label: Drawing.Label, to width: Int = width) -> [String] {
    let text = label.text
    if TextColumns.width(of: text) <= width { return [text] }
    var head = label
    head.outputs = []
    head.condition = ""
    let condition = label.condition.isEmpty ? [] : packed(pieces(of: "[\(label.condition)]"), to: width)
    let outputs = label.outputs.isEmpty ? [] : wrapped("/ " + label.outputList, to: width)
    return packed(pieces(of: head.text), to: width) + condition + outputs
  }

  /// The lines of texts below each other that begin at the left.
  static func indented(_ texts: [String], to width: Int = width) -> [String] {
    texts.flatMap { text in
      packed(pieces(of: text), to: width).enumerated().map { $0 == 0 ? $1 : indent + $1 }
    }
  }

  static func wrapped(_ text: String, to width: Int = width) -> [String] {
    packed(text.split(separator: " ").map(String.init), to: width)
  }

  /// A text cut after its commas: `[too warm, door closed]` reads better so than cut between two words.
  private static func pieces(of text: String) -> [String] {
    var pieces: [String] = []
    var isOpen = false
    for word in text.split(separator: " ") {
      if isOpen { pieces[pieces.count - 1] += " " + word } else { pieces.append(String(word)) }
      isOpen = word.last != ","
    }
    return pieces
  }

  /// Fills lines with pieces. A piece that is longer than a line is cut between words, and a word between samples.
  private static func packed(_ pieces: [String], to width: Int) -> [String] {
    var lines: [String] = []
    for piece in pieces {
      // A slash before outputs does not stand alone.
      if let last = lines.last, last == "/" || TextColumns.width(of: last) + 1 + TextColumns.width(of: piece) <= width {
        lines[lines.count - 1] = last + " " + piece
      } else if TextColumns.width(of: piece) > width, piece.contains(" ") {
        lines += packed(piece.split(separator: " ").map(String.init), to: width)
      } else {
        lines += samples(of: piece, to: width)
      }
    }
    return lines
  }

  private static func samples(of word: String, to width: Int) -> [String] {
    guard TextColumns.width(of: word) > width, word.contains("|") else { return [word] }
    var lines = [""]
    for (place, part) in word.split(separator: "|", omittingEmptySubsequences: false).enumerated() {
      let text = (place == 0 ? "" : "|") + part
      if lines[lines.count - 1].isEmpty || TextColumns.width(of: lines[lines.count - 1] + text) <= width {
        lines[lines.count - 1] += text
      } else {
        lines.append(text)
      }
    }
    return lines
  }
}
