import Simulator
import StateMachines

extension TableExport {
  /// An input of a machine, with its column values.
  struct Input {
    let entry: JournalEntry
    let facts: JournalInput
    let id: MachineID
    let machine: String
    let kind: Kind

    init(_ entry: JournalEntry, of id: MachineID, _ facts: JournalInput, _ world: borrowing WorldCore) {
      self.entry = entry
      self.facts = facts
      self.id = id
      machine = world.name(of: id)
      kind = world.kind(of: id)
    }

    /// The event, the timer, or the output of a wire.
    var name: String? {
      switch entry.input {
      case .event, .delivery: kind.eventName(Int(entry.index), facts.arguments)
      case .expiry, .fired: timer(Int(entry.index), facts.key)
      case .wired, .unwired: kind.outputs[Int(entry.index)].name
      case .created, .dropped, .rewound, .renewed, .defined, .undefined: nil
      }
    }

    /// The event's arguments by name, as JSON.
    var arguments: String? {
      guard !facts.arguments.isEmpty else { return nil }
      let entries = kind.events[Int(entry.index)].arguments
      return JSONText.object(zip(entries, facts.arguments).map { ($0.name, $1) })
    }

    var outcome: String? { entry.input.isStep ? "\(entry.verdict.word)" : nil }

    func timer(_ place: Int, _ key: UInt32) -> String { TimerText.word(kind.timers[place].name, key: key) }
  }
}

extension InputClass {
  /// Whether a machine handled something and gave a verdict.
  var isStep: Bool {
    switch self {
    case .event, .delivery, .expiry, .fired: true
    case .created, .dropped, .wired, .unwired, .rewound, .renewed, .defined, .undefined: false
    }
  }

  /// The value of the column `what`.
  var column: String {
    switch self {
    case .event: "event"
    case .delivery: "delivery"
    case .expiry: "expired"
    case .fired: "fired"
    case .created: "created"
    case .dropped: "dropped"
    case .wired: "wired"
    case .unwired: "unwired"
    case .rewound: "undo"
    case .renewed: "restart"
    case .defined: "defined"
    case .undefined: "undefined"
    }
  }
}
