import LineProtocol

/// Colours of pictures that Graphviz draws, for readers with a dark screen.
public enum SVGTheme {
  private static let dark = """
    <style>
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e9ec }
      [fill="\(Palette.state)"] { fill: #2b323a }
      [fill="black"] { fill: #c3c9cf }
      [stroke="black"] { stroke: #c3c9cf }
      [fill="\(Palette.possible)"] { fill: #e6e9ec }
      [stroke="\(Palette.possible)"] { stroke: #e6e9ec }
      [stroke="\(Palette.presentLine)"] { stroke: #ffe3a0 }
      [fill="\(Palette.wire)"] { fill: #82b1ff }
      [stroke="\(Palette.wire)"] { stroke: #82b1ff }
      [fill="#606060"] { fill: #9aa0a6 }
      .current text, .current [fill="black"] { fill: #000000 }
    }
    </style>
    """

  /// The picture with a style sheet that changes its colours where a dark scheme is preferred.
  ///
  /// - Parameter svg: What Graphviz makes of ``Drawing/dot``. A text without a tag `svg` is returned as it is.
  public static func applied(to svg: String) -> String {
    guard let line = svg.find("<svg"), let end = svg[line.upperBound...].firstIndex(of: ">"),
      svg[svg.index(before: end)] != "/"
    else { return svg }
    return svg[...end] + "\n" + dark + svg[svg.index(after: end)...]
  }
}
