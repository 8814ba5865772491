import MachineForms
import StateMachines

final class Download: NamedStateObject {
  var namedStates = NamedStates()
}

/// Takes a download through its states.
///
/// - Returns: What its blocks said.
func runDownload() -> [String] {
  var said: [String] = []
  let download = Download()
  download.on("active") { said.append("started") }
  download.when("active", transitionsTo: "done") { said.append("about to finish") }
  download.shiftState = "active"  // started
  download.shiftState = "done"  // about to finish
  return said
}
