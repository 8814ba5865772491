package import StateMachines

/// The class of a journal entry's input.
package enum InputClass: UInt8, Sendable {
  /// An event from a client.
  case event
  /// An event that was another machine's output, through a wire.
  case delivery
  /// A timer that expired when it was due.
  case expiry
  /// A timer that a client fired early.
  case fired
  case created
  case dropped
  case wired
  case unwired
  /// The world went back in time. It has no machine.
  case rewound
  /// Running timers were restarted. It has no machine.
  case renewed
  /// A document has defined a kind. It has no machine.
  case defined
  /// A kind was taken back. It has no machine.
  case undefined

  /// Whether it came from outside, not as a consequence of earlier inputs.
  package var isFromOutside: Bool {
    switch self {
    case .event, .fired, .created, .dropped, .wired, .unwired, .renewed, .defined, .undefined: true
    case .delivery, .expiry, .rewound: false
    }
  }
}

/// One input of a world and its effects, as stored in the journal.
package struct JournalEntry {
  package let sequence: UInt64
  package let moment: Instant
  /// The machine that got the input; `nil` for an input of the whole world (`rewound`, `renewed`, `defined`,
  /// `undefined`).
  package let machine: MachineID?
  package let input: InputClass
  package let verdict: Verdict
  /// Whether it is not the first input of its request.
  package let continuesRequest: Bool
  /// The index of the event, timer or output in the machine's kind; for a creation, the world's index of the kind.
  package let index: UInt16
  /// Indices in the kind's list of states.
  package let from: UInt16
  package let to: UInt16
  package let hasDetails: Bool
  // Safety: points into a block of the journal, which stays until the world changes.
  let details: UnsafeRawPointer
}
