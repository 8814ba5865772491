package import MachineGraphs
package import StateMachines
import Synchronization

/// The graphs of kinds with their usual parameters. Each kind is explored once for all suites.
package enum SharedGraphs {
  private final class Entry: Sendable {
    /// Kept, so that no other kind gets its address.
    let kind: Kind
    let graph = Mutex<StateGraph?>(nil)

    init(_ kind: Kind) { self.kind = kind }
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  package static func graph(of kind: Kind) throws -> StateGraph {
    let entry = entries.withLock { entries in
      let entry = entries[ObjectIdentifier(kind)] ?? Entry(kind)
      entries[ObjectIdentifier(kind)] = entry
      return entry
    }
    // Other kinds are explored meanwhile.
    return try entry.graph.withLock { graph in
      let made = try graph ?? StateGraph(of: kind)
      graph = made
      return made
    }
  }
}
