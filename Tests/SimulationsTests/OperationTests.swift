import MachineForms
import MachineTesting
import StateMachines
import TestSupport
import Testing

@testable import Simulations

struct OperationTests {
  private static let started =
    " > willChange isReady > willChange isExecuting > didChange isReady > didChange isExecuting"
  private static let finished =
    " > willChange isExecuting > willChange isFinished > finalizationBlock > didChange isExecuting"
    + " > didChange isFinished"

  @Test("the objects stand under the words of the state and the calls")
  func vocabularies() {
    expect(Operation.objects.matches(states: Operation.Phase.self, events: Operation.Call.self))
  }

  @Test("all pairs")
  func pairs() {
    Table(
      Operation.kind,
      """
      state     | start                      | finish | cancel | execute expires | cancellation expires | finalize expires
      Ready     | → Executing\(Self.started) | refuse | ⟲      | –               | –                    | –
      Executing | refuse                     | ⟲      | ⟲      | –               | –                    | –
      Finished  | refuse                     | refuse | ignore | –               | –                    | –
      """
    ).check()
  }

  /// Plays calls at moments in seconds.
  private func play(_ calls: [(Int64, String)], _ parameters: [String: String] = [:]) -> Bench {
    let bench = Bench(Operation.kind, parameters.mapValues(Value.text))
    for (at, call) in calls {
      bench.advance(to: .seconds(at))
      bench.send(call)
    }
    expectNil(bench.nextDue)
    return bench
  }

  @Test("start, and finish two seconds later")
  func finish() {
    expectEqual(
      play([(0, "start"), (2, "finish")]).lines,
      [
        "0.000 m created Ready",
        "0.000 m moved Ready Executing event=start\(Self.started)",
        "0.000 m stayed Executing timer=execute > executionBlock",
        "2.000 m stayed Executing event=finish",
        "2.000 m moved Executing Finished timer=finalize\(Self.finished)",
      ])
  }

  @Test("an operation that was cancelled in Ready finishes when its block sees the flag")
  func cancelledBefore() {
    let bench = play([(0, "cancel"), (1, "start")], ["onExecute": "finish"])
    expectEqual(
      bench.lines,
      [
        "0.000 m created Ready",
        "0.000 m stayed Ready event=cancel",
        "0.000 m stayed Ready timer=cancellation > cancellationBlock",
        "1.000 m moved Ready Executing event=start\(Self.started)",
        "1.000 m stayed Executing timer=execute > executionBlock",
        "1.000 m moved Executing Finished timer=finalize\(Self.finished)",
      ])
    expectEqual(bench.reading("isCancelled"), .flag(true))
    expectEqual(bench.reading("isFinished"), .flag(true))
  }

  @Test("an operation that is cancelled while it executes is finished by its cancellation block")
  func cancelledDuring() {
    let bench = play([(0, "start"), (1, "cancel"), (1, "cancel")], ["onCancel": "finish"])
    expectEqual(
      bench.lines.dropFirst(3),
      [
        "1.000 m stayed Executing event=cancel",
        "1.000 m stayed Executing timer=cancellation > cancellationBlock",
        "1.000 m moved Executing Finished timer=finalize\(Self.finished)",
        "1.000 m ignored Finished event=cancel",
      ])
  }

  @Test("cancel alone never changes the state, and a second cancel means nothing")
  func flagOnly() {
    let bench = play([(0, "start"), (1, "cancel"), (2, "cancel")])
    bench.advance(.seconds(1000))
    expectEqual(bench.state(), "Executing")
    expectEqual(bench.lines.last, "2.000 m ignored Executing event=cancel")
    expectEqual(bench.reading("isCancelled"), .flag(true))
    expectEqual(bench.reading("isExecuting"), .flag(true))
    expectEqual(bench.reading("isReady"), .flag(false))
  }

  @Test("an execution block of an operation that is not cancelled leaves it to its owner to finish")
  func notCancelled() {
    expectEqual(play([(0, "start")], ["onExecute": "finish"]).state(), "Executing")
  }

  @Test("finish in Ready is refused with what the original raises, and changes nothing")
  func finishInReady() {
    let bench = play([(0, "finish")])
    expectEqual(
      bench.lines.last,
      "0.000 m refused Ready event=finish : error 1000: finish cannot be fired from the current state Ready, "
        + "only from Executing")
    expectEqual(bench.send("start"), "moved Ready Executing event=start\(Self.started)")
    expectEqual(
      bench.send("start"),
      "refused Executing event=start : error 1000: start cannot be fired from the current state Executing, "
        + "only from Ready")
  }

  @Test("a block that finishes an operation in Ready fails on the queue")
  func raised() {
    let bench = play([(0, "cancel")], ["onCancel": "finish"])
    expectEqual(
      bench.lines.last,
      "0.000 m stayed Ready timer=finalize > raised error 1000: finish cannot be fired from the current state "
        + "Ready, only from Executing")
  }

  @Test("an operation without an execution block is not started")
  func missing() {
    expectEqual(
      play([(0, "start")], ["onExecute": "missing"]).lines.last,
      "0.000 m refused Ready event=start : an operation without an execution block cannot be started")
  }

  @Test("started in Executing, its block is on the queue")
  func initial() {
    expectEqual(
      Bench(Operation.kind, initial: "Executing").lines,
      [
        "0.000 m created Executing", "0.000 m stayed Executing timer=execute > executionBlock",
      ])
  }

  /// The calls arrive through wires at one moment, before the queue runs.
  @Test("what is put on the queue at one moment has its turn in that order")
  func queue() {
    let hasty = Composition(
      "hasty", "a phone that starts, cancels and finishes at once",
      members: ["phone": Phone.kind, "op": Operation.kind],
      wires: [
        "phone.willResignActive": "op.start", "phone.willResignActive": "op.cancel",
        "phone.didEnterBackground": "op.finish",
      ])
    let bench = Bench()
    bench.add(hasty, "h", ["op": ["onExecute": .text("finish"), "onCancel": .text("finish")]])
    bench.send("goHome", to: "h.phone")
    expectEqual(
      bench.lines.dropFirst(3).map { $0.split(separator: " > ")[0] },
      [
        "0.000 h.op moved Ready Executing wire=h.phone.willResignActive",
        "0.000 h.op stayed Executing wire=h.phone.willResignActive",
        "0.000 h.op stayed Executing wire=h.phone.didEnterBackground",
        "0.000 h.op stayed Executing timer=execute",
        "0.000 h.op stayed Executing timer=cancellation",
        "0.000 h.op moved Executing Finished timer=finalize",
        "0.000 h.op stayed Finished timer=finalize",
        "0.000 h.op stayed Finished timer=finalize",
      ])
    expectNil(bench.nextDue)
  }
}
