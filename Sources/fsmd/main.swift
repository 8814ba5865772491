import Glibc
import LineProtocol
import Simulations
import StateMachines
import UnixHost

/// The version in the greeting and in `--version`.
let version = "0.1.0"

Descriptor.fillStandard()
switch Invocation.read(Array(CommandLine.arguments.dropFirst()), version: version) {
case .exit(let code):
  exit(code)
case .run(let invocation):
  let log = Log(level: invocation.logLevel)
  do {
    let daemon = try Daemon(invocation, catalogue: .simulations, version: version, log: log)
    daemon.run()
  } catch {
    log.error("\(error)")
    exit(2)
  }
}
