import Glibc
import JournalStore
import LineProtocol
import Simulations
import StateMachines
import UnixHost

Descriptor.fillStandard()
EarlySignals.note()
switch Invocation.read(Array(CommandLine.arguments.dropFirst()), version: Release.version) {
case .exit(let code):
  exit(code)
case .export(let command):
  exit(command.run(.simulations, version: Release.version))
case .verify(let command):
  exit(command.run(.simulations))
case .repair(let command):
  exit(command.run(.simulations))
case .backup(let command):
  exit(command.run())
case .run(let invocation):
  let log = Log(level: invocation.logLevel)
  do {
    let daemon = try Daemon(invocation, catalogue: .simulations, version: Release.version, log: log)
    daemon.run()
  } catch let error as StoreFailure {
    log.error("\(error)")
    exit(3)
  } catch let error as KeeperFailure {
    log.error("\(error)")
    exit(3)
  } catch {
    log.error("\(error)")
    exit(2)
  }
}
