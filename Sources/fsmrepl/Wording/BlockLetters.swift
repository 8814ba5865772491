/// Letters of five rows, drawn with blocks, to be read from the last row of a room. All letters are capitals.
enum BlockLetters {
  static let height = 5

  /// A text in rows of `#` and blanks; `nil` if it has a character that is not drawn.
  static func rows(_ text: String) -> [String]? {
    var rows = [String](repeating: "", count: height)
    for character in text.uppercased() {
      guard let letter = letters[character] else { return nil }
      for row in 0..<height { rows[row] += (rows[row].isEmpty ? "" : " ") + letter[row] }
    }
    return rows
  }

  /// Each letter from top to bottom, its rows separated by `/`.
  private static let letters: [Character: [String]] = [
    "A": " ## /#  #/####/#  #/#  #", "B": "### /#  #/### /#  #/### ", "C": " ###/#   /#   /#   / ###",
    "D": "### /#  #/#  #/#  #/### ", "E": "####/#   /### /#   /####", "F": "####/#   /### /#   /#   ",
    "G": " ###/#   /# ##/#  #/ ###", "H": "#  #/#  #/####/#  #/#  #", "I": "###/ # / # / # /###",
    "J": "  ##/   #/   #/#  #/ ## ", "K": "#  #/# # /##  /# # /#  #", "L": "#   /#   /#   /#   /####",
    "M": "#   #/## ##/# # #/#   #/#   #", "N": "#   #/##  #/# # #/#  ##/#   #",
    "O": " ## /#  #/#  #/#  #/ ## ", "P": "### /#  #/### /#   /#   ", "Q": " ## /#  #/#  #/# ##/ ###",
    "R": "### /#  #/### /# # /#  #", "S": " ###/#   / ## /   #/### ", "T": "#####/  #  /  #  /  #  /  #  ",
    "U": "#  #/#  #/#  #/#  #/ ## ", "V": "#   #/#   #/ # # / # # /  #  ",
    "W": "#   #/#   #/# # #/## ##/#   #", "X": "#   #/ # # /  #  / # # /#   #",
    "Y": "#   #/ # # /  #  /  #  /  #  ", "Z": "####/   #/ ## /#   /####", "0": " ## /# ##/#  #/## #/ ## ",
    "1": " # /## / # / # /###", "2": "### /   #/ ## /#   /####", "3": "### /   #/ ## /   #/### ",
    "4": "#  #/#  #/####/   #/   #", "5": "####/#   /### /   #/### ", "6": " ## /#   /### /#  #/ ## ",
    "7": "####/   #/  # / #  / #  ", "8": " ## /#  #/ ## /#  #/ ## ", "9": " ## /#  #/ ###/   #/ ## ",
    "+": "   / # /###/ # /   ", ".": " / / / /#", ",": "  /  /  / #/# ", "(": " #/# /# /# / #", ")": "# / #/ #/ #/# ",
    "-": "   /   /###/   /   ", "_": "    /    /    /    /####", " ": "  /  /  /  /  ",
  ].mapValues { $0.split(separator: "/").map(String.init) }
}
