import Glibc
import SimulationDaemon
import Simulations
import StateMachines

/// The daemon `fsmd` with a kind that can end it. It is built for tests only.
@main
struct Program {
  static func main() {
    FSMDaemon.main(kinds: .simulations + [Fuse.kind])
  }
}

/// `FSMD_FUSE=STEP:WAY`: which step ends the process, and how.
enum Fault {
  private static let given =
    getenv("FSMD_FUSE").map { String(cString: $0).split(separator: ":").map(String.init) } ?? []

  static func strike(_ step: String) {
    guard given.first == step else { return }
    switch given.last {
    case "trap": preconditionFailure("the fuse has blown")
    case "abort": abort()
    case "deep": print(depth(0))
    case _: kill(getpid(), SIGKILL)
    }
  }

  /// A recursion that ends with the stack.
  private static func depth(_ number: Int) -> Int { number < 0 ? 0 : depth(number + 1) + 1 }
}
