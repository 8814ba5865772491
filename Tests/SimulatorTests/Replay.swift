import Simulator
import StateMachines

extension WorldCore {
  /// Plays the outside inputs of a journal, each at its moment; everything else must follow from them.
  mutating func replay(_ journal: [JournalLine]) {
    for line in journal {
      switch line.input {
      case .delivery, .expiry, .rewound, .renewed, .defined, .undefined: continue
      case .event, .fired, .created, .dropped, .wired, .unwired: break
      }
      Script.advance(&self, to: line.moment, .whole)
      fireDue()
      replay(line)
    }
  }

  private mutating func replay(_ line: JournalLine) {
    if line.input == .created {
      _ = try? make(line.kind, line.machine, initial: line.facts.initial, line.facts.parameters)
      return
    }
    guard let machine = machine(line.machine) else { return }
    switch line.input {
    case .event:
      if kind(of: machine).isPlain(line.index) {
        send(machine, plain: line.index)
      } else {
        send(machine, event: line.index, line.facts.arguments)
      }
    case .fired: fire(machine, timer: line.index, key: line.facts.key)
    case .dropped: drop(machine)
    case .wired, .unwired:
      guard let target = line.facts.target, let name = line.targetName, let far = self.machine(name) else { return }
      let wire = Wire(from: machine, output: line.index, to: far, event: target.event)
      if line.input == .wired { try? self.wire(wire) } else { try? unwire(wire) }
    case .delivery, .expiry, .created, .rewound, .renewed, .defined, .undefined: break
    }
  }
}
