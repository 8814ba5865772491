package import StateMachines

/// What the journal has of an input besides its entry: what belongs to the input itself, and the effects of its step.
///
/// It can be used as long as its entry.
package struct JournalInput {
  /// An effect of a step. Timers and outputs are indices in the kind's lists; a timer without a key has the key 0.
  package enum Effect {
    case emitted(output: Int, data: [Value])
    case armed(timer: Int, key: UInt32, due: Instant)
    case disarmed(timer: Int, key: UInt32, due: Instant)
  }

  private let sequence: UInt64
  /// The arguments of the event.
  package private(set) var arguments: [Value] = []
  /// The machine's parameters: indices in the kind's list, with values.
  package private(set) var parameters: [(parameter: Int, value: Value)] = []
  /// The requested initial state, as an index in the kind's list.
  package private(set) var initial: Int?
  /// The world's index of the kind of a new machine, if the entry has no room for it.
  private(set) var kind: Int?
  /// The key of the timer that expired or was fired; 0 if it has none.
  package private(set) var key: UInt32 = 0
  /// When a fired timer would have been due; of a rewind, the moment that it left, if time had passed since the last input.
  package private(set) var due: Instant?
  /// The source of a delivery.
  package private(set) var source: (machine: MachineID, output: Int)?
  /// The target of a wire.
  package private(set) var target: (machine: MachineID, event: Int)?
  /// The data of the state before and after, if the kind prints any.
  package private(set) var before: String?
  package private(set) var after: String?
  /// Why the input was refused, if the world keeps reasons.
  package private(set) var reason: String?
  /// How many inputs before it were undone; of a redo, the undos that it takes back and what stands between them.
  package private(set) var undone: UInt64 = 0
  /// Of a redo: how many inputs before the undone ones are in effect again, and how many undos were taken back.
  package private(set) var redone: (inputs: UInt64, undos: UInt64)?
  /// The timers that were restarted.
  package private(set) var renewed: [RenewedTimer] = []
  /// The document of a kind that was defined, and its version.
  package private(set) var defined: (document: KindDocument, version: Int)?
  /// The name of a kind that was taken back.
  package private(set) var undefined: String?
  /// The effects of the step, in order. They are decoded one by one.
  package let effects: Effects

  package init(_ entry: JournalEntry) {
    sequence = entry.sequence
    var reader = DetailReader(entry)
    while let tag = reader.ahead, !tag.isEffect {
      let high = reader.passTag()
      switch tag {
      case .dataBefore: before = reader.text()
      case .dataAfter: after = reader.text()
      case .arguments: arguments = reader.values()
      case .parameters: parameters = reader.list { reader in (Int(reader.number()), reader.value()) }
      case .initial: initial = high + Int(reader.byte())
      case .kind: kind = Int(reader.number())
      case .due: due = reader.later()
      case .key: key = UInt32(reader.number())
      case .source:
        let output = high + Int(reader.byte())
        source = (reader.machine(), output)
      case .target:
        let event = high + Int(reader.byte())
        target = (reader.machine(), event)
      case .undone: undone = reader.number()
      case .redone: redone = (reader.number(), reader.number())
      case .renewed: renewed.append(reader.renewed())
      case .reason: reason = reader.text()
      case .defined: defined = reader.document()
      case .undefined: undefined = reader.text()
      case .emitted, .armed, .disarmed, .armedKey, .disarmedKey, .wide, .high, .end:
        preconditionFailure("these are passed before")
      }
    }
    effects = Effects(reader)
  }

  /// The effects of an entry. What belongs to the input is passed over without being decoded.
  package struct Effects: Sequence, IteratorProtocol {
    private var reader: DetailReader

    package init(of entry: JournalEntry) { reader = DetailReader(entry) }

    fileprivate init(_ reader: DetailReader) { self.reader = reader }

    package mutating func next() -> Effect? {
      while let tag = reader.ahead {
        guard tag.isEffect else {
          _ = reader.skip()
          continue
        }
        let index = reader.passTag() + Int(reader.byte())
        if tag == .emitted { return .emitted(output: index, data: reader.values()) }
        let due = reader.later()
        let key = tag == .armedKey || tag == .disarmedKey ? UInt32(reader.number()) : 0
        return tag == .armed || tag == .armedKey
          ? .armed(timer: index, key: key, due: due) : .disarmed(timer: index, key: key, due: due)
      }
      return nil
    }

    /// The next timer that was armed or disarmed. Outputs are passed over without being decoded.
    package mutating func nextTimer() -> Effect? {
      while let tag = reader.ahead, tag == .emitted || !tag.isEffect { _ = reader.skip() }
      return next()
    }
  }
}

// MARK: Rewinds

extension JournalInput {
  /// The first undone input; its own number if none. For a redo it is the undo that it takes back.
  package var firstUndone: UInt64 { sequence - min(undone, sequence) }

  /// Whether it has taken undos back.
  package var isRedo: Bool { redone != nil }

  /// The inputs that were undone, or that a redo has brought back; `nil` if only time has changed.
  package var rewound: ClosedRange<UInt64>? {
    if let redone {
      return redone.inputs > 0 ? (firstUndone - min(redone.inputs, firstUndone))...(firstUndone - 1) : nil
    }
    return firstUndone < sequence ? firstUndone...(sequence - 1) : nil
  }

  /// `undone` or `redone`.
  package var wordOfRewind: String { isRedo ? "redone" : "undone" }
}
