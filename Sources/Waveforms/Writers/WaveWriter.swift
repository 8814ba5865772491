/// Writes a waveform line by line, so that a long one need not be in memory twice.
package protocol WaveWriter: Sendable {
  /// The next line, without a line feed; `nil` at the end.
  mutating func next() -> [UInt8]?
}
