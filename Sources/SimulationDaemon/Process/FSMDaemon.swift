internal import Glibc
internal import JournalStore
internal import LineProtocol
public import StateMachines
internal import UnixHost

/// The program `fsmd`, for daemons with additional kinds:
///
/// ```swift
/// import SimulationDaemon
/// import Simulations
/// import StateMachines
///
/// FSMDaemon.main(kinds: .simulations + [Lamp.kind])
/// ```
public enum FSMDaemon {
  /// Parses the command line, runs the command, and ends the process.
  ///
  /// Exit codes: 0 for success, 1 for a wrong command line, 2 if the daemon could not start, 3 if the store could not
  /// be used; `fsmd --help` lists the others.
  ///
  /// - Parameter kinds: The kinds that `new` can make. A durable world that uses a missing kind is out of service.
  public static func main(kinds: Catalogue) -> Never {
    Descriptor.fillStandard()
    ThreadStack.ensure()
    EarlySignals.note()
    switch Invocation.read(Array(CommandLine.arguments.dropFirst()), version: Release.version) {
    case .exit(let code): exit(code)
    case .command(let command): exit(command.run(kinds, version: Release.version))
    case .run(let invocation): run(invocation, kinds)
    }
  }

  private static func run(_ invocation: Invocation, _ kinds: Catalogue) -> Never {
    let log = Log(level: invocation.logLevel)
    let manager = ServiceManager.take()
    do {
      try Daemon(invocation, catalogue: kinds, version: Release.version, log: log, manager: manager).run()
    } catch {
      log.error("\(error)")
      exit(error is StoreFailure || error is PersistenceFailure ? 3 : 2)
    }
  }
}
