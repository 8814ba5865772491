import LineProtocol
import Simulator
import StateMachines

/// Wires, which deliver one machine's outputs to another as events.
extension RequestContext {
  func wire() {
    guard let wire = wireEnds(), fits(wire) else { return }
    do throws(WorldCore.WireFailure) {
      try live.world.wire(wire)
    } catch {
      switch error {
      case .exists, .missing:
        failArgument("wire", words.plain.joined(separator: " "), "there is such a wire already; 'wires' lists them")
      case .full:
        failLimit("wires", limits.world.wires, "this world has \(live.world.wireCount) wires, and no room for another")
      }
      return
    }
    succeedStamped()
  }

  func unwire() {
    guard let wire = wireEnds() else { return }
    do throws(WorldCore.WireFailure) {
      try live.world.unwire(wire)
    } catch {
      return failArgument("wire", words.plain.joined(separator: " "), "there is no such wire; 'wires' lists them")
    }
    succeedStamped()
  }

  private func wireEnds() -> Wire? {
    guard let from = machine(words.plain[0]) else { return nil }
    guard let output = output(words.plain[1], of: live.world.kind(of: from)) else { return nil }
    guard let to = machine(words.plain[2]) else { return nil }
    let target = live.world.kind(of: to)
    guard let event = target.events.firstIndex(where: { $0.name == words.plain[3] }) else {
      failUnknownEvent(words.plain[3], words.plain[2], target)
      return nil
    }
    return Wire(from: from, output: output, to: to, event: event)
  }

  /// Whether some data of the output can be the event's arguments. Writes a failure if not: nothing could be delivered.
  private func fits(_ wire: Wire) -> Bool {
    let output = live.world.kind(of: wire.from).outputs[wire.output]
    let events = live.world.kind(of: wire.to).events
    if events[wire.event].canTake(output) { return true }
    let data = output.data.map { "\($0.name) (\(ArgumentText.name(of: $0.type)))" }.joined(separator: ", ")
    failArgument(
      "event", events[wire.event].name,
      allowed: events.filter { $0.canTake(output) }.map(\.name).joined(separator: ","),
      "the output \(output.name) carries \(data.isEmpty ? "no data" : data), and the event \(events[wire.event].name) takes \(events[wire.event].usage)"
    )
    return false
  }

  /// The place of an output that wires carry. Writes a failure if there is none.
  func output(_ name: String, of kind: Kind) -> Int? {
    if let output = kind.outputs.firstIndex(where: { $0.name == name && !$0.isTold }) { return output }
    let outputs = kind.outputs.filter { !$0.isTold }.map(\.name)
    failArgument(
      "output", name, among: outputs,
      "\(withArticle(kind.name)) has no output\(outputs.isEmpty ? "s" : " '\(name)'")")
    return nil
  }

  func wires() { begin(WireList(live.world.allWires())) }
}
