package import StateMachines

/// What kind of input a line of the journal is.
package enum InputClass: UInt8, Sendable {
  /// An event from a client.
  case event
  /// An event that was another machine's output, through a wire.
  case delivery
  /// A timer that expired when it was due.
  case expiry
  /// A timer that a client let expire before it was due.
  case fired
  case created
  case dropped
  case wired
  case unwired
  /// The world went back in time. It has no machine.
  case rewound
  /// Running timers began anew. It has no machine.
  case renewed

  /// Whether it came from outside, and did not follow from what came before.
  package var isFromOutside: Bool {
    switch self {
    case .event, .fired, .created, .dropped, .wired, .unwired, .renewed: true
    case .delivery, .expiry, .rewound: false
    }
  }
}

/// One input of a world and what it caused, as the journal keeps it.
package struct JournalEntry {
  package let sequence: UInt64
  package let moment: Instant
  /// The machine that got the input; `nil` for an input of the whole world (`rewound`, `renewed`).
  package let machine: MachineID?
  package let input: InputClass
  package let verdict: Verdict
  /// Whether the request that brought it brought an input before it.
  package let continuesRequest: Bool
  /// The place of the event, timer or output in the machine's kind; of a creation, the kind's place in the world.
  package let index: UInt8
  /// Places in the kind's list of states.
  package let from: UInt8
  package let to: UInt8
  package let hasDetails: Bool
  // Safety: into a block of the journal, which stays until the world changes.
  let details: UnsafeRawPointer
}

/// One of the further facts of an entry, in the order in which they came about.
package enum JournalDetail {
  case emitted(output: UInt8, data: [Value])
  /// A timer, by its place in the kind's list; `key` is 0 where it bears none.
  case armed(timer: UInt8, key: UInt32, due: Instant)
  case disarmed(timer: UInt8, key: UInt32, due: Instant)
  /// The data of the state before and after, where the kind prints any.
  case dataBefore(String)
  case dataAfter(String)
  /// What the event was sent with.
  case arguments([Value])
  /// What the machine was made with: places in the kind's list of parameters.
  case parameters([(parameter: Int, value: Value)])
  /// The place in the kind's list of states that it was made in, where one was asked for.
  case initial(UInt8)
  /// The kind's place in the world; for a creation.
  case kind(UInt32)
  /// When a fired timer would have been due.
  case due(Instant)
  /// The key of the timer that expired or was fired, where it bears one.
  case key(UInt32)
  /// Where a delivery came from.
  case source(MachineID, output: UInt8)
  /// The far end of a wire.
  case target(MachineID, event: UInt8)
  /// How many inputs before it were undone.
  case undone(UInt64)
  case renewed(RenewedTimer)
}
