internal import LineProtocol

extension ScreenText {
  /// The text as a terminal of this style can show it.
  func inEncoding(of style: Style) -> ScreenText { style.usesUnicode ? self : inASCII }

  /// The text for a terminal whose encoding is not UTF-8, where some bytes of other characters would be commands.
  ///
  /// What gets wider takes columns of the next blanks, one of which is left, so that tables stay aligned.
  var inASCII: ScreenText {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return self }
    var ascii = ""
    var excess = 0
    for scalar in text.unicodeScalars {
      if excess > 0, scalar == " ", ascii.last == " " {
        excess -= 1
      } else if scalar.isASCII {
        if scalar == "\n" { excess = 0 }
        ascii.unicodeScalars.append(scalar)
      } else {
        let sign = ASCIIText.written(scalar)
        excess += sign.count - 1
        ascii += sign
      }
    }
    return ScreenText(unescaped: ascii.utf8)
  }
}
