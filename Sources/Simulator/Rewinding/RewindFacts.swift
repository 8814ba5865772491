package import StateMachines

/// What the journal says of a rewind.
package struct RewindFacts {
  private let sequence: UInt64
  /// The first undone input; its own number if none. For a redo it is the undo that it takes back.
  package let firstUndone: UInt64
  /// The moment that was left, if time had passed since the last input.
  package let left: Instant?
  private let redone: (inputs: UInt64, undos: UInt64)?

  /// - Parameter details: Those of the entry, which is a rewind.
  package init(_ details: DetailReader, _ entry: JournalEntry) {
    var details = details
    var count: UInt64 = 0
    var left: Instant?
    var redone: (inputs: UInt64, undos: UInt64)?
    while let detail = details.next() {
      switch detail {
      case .undone(let inputs): count = inputs
      case .due(let moment): left = moment
      case .redone(let inputs, let undos): redone = (inputs, undos)
      case _: break
      }
    }
    sequence = entry.sequence
    firstUndone = entry.sequence - min(count, entry.sequence)
    self.left = left
    self.redone = redone
  }

  /// Whether it has taken undos back.
  package var isRedo: Bool { redone != nil }

  /// How many undos it has taken back.
  package var undos: UInt64 { redone?.undos ?? 0 }

  /// The inputs that were undone, or that a redo has brought back; `nil` if only time has changed.
  package var inputs: ClosedRange<UInt64>? {
    if let redone {
      return redone.inputs > 0 ? (firstUndone - min(redone.inputs, firstUndone))...(firstUndone - 1) : nil
    }
    return firstUndone < sequence ? firstUndone...(sequence - 1) : nil
  }

  /// `undone` or `redone`.
  package var word: String { isRedo ? "redone" : "undone" }
}
