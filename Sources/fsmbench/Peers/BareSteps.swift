/// The least that a step can cost: an array of one-byte states and a switch. No names, no journal, no timers.
struct BareSteps {
  enum Cycle {
    /// Off, on.
    case power
    /// Off, on, all capitals.
    case shiftKey
  }

  private var states: [UInt8]
  private let cycle: Cycle

  init(_ cycle: Cycle, machines: Int) {
    states = [UInt8](repeating: 0, count: machines)
    self.cycle = cycle
  }

  mutating func step(_ order: Span<UInt32>) {
    switch cycle {
    case .power:
      for index in order.indices {
        let machine = Int(order[index])
        states[machine] = states[machine] == 0 ? 1 : 0
      }
    case .shiftKey:
      for index in order.indices {
        let machine = Int(order[index])
        switch states[machine] {
        case 0: states[machine] = 1
        case 1: states[machine] = 2
        default: states[machine] = 0
        }
      }
    }
  }

  /// The sum of all states: the number of steps visible, for each machine modulo the length of the cycle.
  var sum: Int { states.reduce(0) { $0 + Int($1) } }
}
