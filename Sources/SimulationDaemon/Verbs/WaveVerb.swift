import LineProtocol
import Simulator
import StateMachines

/// Waveforms.
extension RequestContext {
  /// The widths of text, in characters.
  private static let waveWidths: ClosedRange<UInt64> = 40...1_000
  private static let usualWidth: UInt64 = 100
  /// How far back a waveform that is looked at goes if it is not told. A program that reads it gets all.
  private static let usualStretch = Nanoseconds.seconds(60)

  /// `wave [PATTERN] [from=TIME] [to=TIME] [last=DURATION] [width=N] [mark=TEXT] [format=…]`
  ///
  /// The stretch ends now or at `to=`, and begins at `from=`, or `last=` before its end.
  func wave() {
    guard let pattern = pattern(words[0]),
      let format = choice(words["format"], "format", WaveFormat.byName, otherwise: .text),
      let width = number(
        words["width"], "width", in: RequestContext.waveWidths, otherwise: RequestContext.usualWidth)
    else { return }
    let now = live.world.now
    var to = now
    if let text = words["to"] {
      guard let moment = time(text, "to") else { return }
      to = min(moment, now)
    }
    let usual = max(0, to.nanoseconds - RequestContext.usualStretch.nanoseconds)
    var from = Instant(nanoseconds: format == .vcd ? 0 : usual)
    if let text = words["last"] {
      guard words["from"] == nil else {
        return failArgument(
          "last", text, allowed: "nothing beside from=",
          "a stretch begins at from= or last= before its end, not at both")
      }
      guard let length = duration(text, "last") else { return }
      from = Instant(nanoseconds: max(0, to.nanoseconds - length))
    }
    if let text = words["from"] {
      guard let moment = time(text, "from") else { return }
      from = moment
    }
    guard from <= to else {
      let end = TimeText.seconds(to.nanoseconds)
      return failArgument(
        "from", words["from"] ?? "", allowed: "at most \(end)", "the stretch ends at \(end), before it begins")
    }
    begin(
      WaveReply(
        WaveReply.Form(
          from: from, to: to, pattern: pattern, format: format, width: Int(width), mark: words["mark"]), of: live))
  }
}
