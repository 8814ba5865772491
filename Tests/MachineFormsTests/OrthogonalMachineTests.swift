import MachineForms
import StateMachines
import TestSupport
import Testing

struct OrthogonalMachineTests {
  private func tell(_ orders: Trio.Order..., in state: String? = nil) -> String {
    MachineRunner(Trio.self, in: state).send(.tell(orders))
  }

  @Test("every region is offered a signal once, in order, and the strongest verdict is the machine's")
  func offering() {
    expectEqual(
      tell(.move, .ignore, .move), "moved p+p+p q+p+q > left 0p > did 0 > entered 0q > left 2p > did 2 > entered 2q")
    expectEqual(tell(.ignore, .stay, .inherit), "stayed p+p+p > did 1 sees p")
    expectEqual(tell(.ignore, .refuse, .inherit), "ignored p+p+p")
    expectEqual(tell(.refuse, .refuse, .refuse), "refused p+p+p")
    expectEqual(tell(.refuse, .refuse, .inherit), "ignored p+p+p")
    expectEqual(tell(.inherit, .inherit, .inherit), "ignored p+p+p")
  }

  @Test("a region sees the others as they were before the step")
  func before() {
    expectEqual(tell(.move, .stay, .inherit), "moved p+p+p q+p+p > left 0p > did 0 > entered 0q > did 1 sees p")
  }

  @Test("the regions are entered in order and left in reverse; what decided stands between")
  func enteringAndLeaving() {
    let trio = MachineRunner(Trio.self, in: "p+q+p")
    expectEqual(trio.beginning, " > entered 0p > entered 1q > entered 2p")
    expectEqual(trio.send(.off), "moved p+q+p off > left 2p > left 1q > left 0p > did off")
    expectEqual(trio.send(.on), "moved off p+p+p > did on > entered 0p > entered 1p > entered 2p")
    expectEqual(
      trio.send(.on), "moved p+p+p p+p+p > left 2p > left 1p > left 0p > did on > entered 0p > entered 1p > entered 2p")
    expectEqual(MachineRunner(Trio.self, in: "off").send(.off), "moved off off > did off")
  }

  @Test(
    "a region may leave the composite only if no other has moved or stayed; the first one wins; overruled ones do nothing"
  )
  func leaving() {
    expectEqual(tell(.inherit, .leave, .inherit), "moved p+p+p out > left 2p > left 1p > left 0p > did 1 leaves")
    expectEqual(
      tell(.leave, .leave, .inherit), "moved p+p+p off > left 2p > left 1p > left 0p > did 0 leaves > overruled 1")
    expectEqual(tell(.ignore, .refuse, .leave), "moved p+p+p out > left 2p > left 1p > left 0p > did 2 leaves")
    expectEqual(tell(.leave, .inherit, .stay), "stayed p+p+p > did 2 sees p > overruled 0")
    expectEqual(tell(.stay, .leave, .leave, in: "q+p+p"), "stayed q+p+p > did 0 sees q > overruled 1 > overruled 2")
    expectEqual(
      tell(.leave, .move, .leave), "moved p+p+p p+q+p > left 1p > did 1 > entered 1q > overruled 0 > overruled 2")
  }

  @Test("when all regions are final the composite is complete, within the same step")
  func completion() {
    expectEqual(tell(.end, .inherit, .inherit), "moved p+p+p end+p+p > left 0p > entered 0end")
    expectEqual(
      tell(.inherit, .end, .inherit, in: "end+p+end"),
      "moved end+p+end out > left 1p > entered 1end > left 2end > left 1end > left 0end > did completion")
  }

  /// The verdict alone, worked out in another way, for every combination of what three regions do.
  @Test("all combinations of three regions")
  func combinations() {
    for first in Trio.Order.allCases {
      for second in Trio.Order.allCases {
        for third in Trio.Order.allCases {
          let orders = [first, second, third]
          let isLeaving = orders.contains(.leave)
          let isTaken = orders.contains { [.move, .end, .stay].contains($0) }
          let overruled = orders.count { $0 == .leave } - (isLeaving && !isTaken ? 1 : 0)
          let expected =
            if orders.contains(.move) || orders.contains(.end) || (isLeaving && !isTaken) {
              "moved"
            } else if orders.contains(.stay) {
              "stayed"
            } else if orders.allSatisfy({ $0 == .refuse }) {
              "refused"
            } else {
              "ignored"
            }
          let line = MachineRunner(Trio.self).send(.tell(orders))
          expect(line, hasPrefix: expected, "\(orders): \(line)")
          expectEqual(line.split(separator: " > ").count { $0.hasPrefix("overruled") }, overruled, "\(orders): \(line)")
        }
      }
    }
  }

  @Test("the states are a product, and their names a sum")
  func names() {
    typealias Name = Trio.State.Name
    expectEqual(Name.count, 2 + 27)
    expectEqual(Name.words.count, Name.count)
    expectEqual(Name.words.prefix(4), ["off", "out", "p+p+p", "p+p+q"])
    expectEqual(Name.words.last, "end+end+end")
    for (place, name) in Name.allCases.enumerated() {
      expectEqual(name.index, place)
      expectEqual(name.word, Name.words[place])
    }
  }

  @Test("the example of the documentation makes coffee")
  func coffee() {
    let machine = MachineRunner(CoffeeMachine.self, timers: [.hot])
    expectEqual(machine.send(.brew), "refused off")
    expectEqual(machine.reason, "it is off")
    expectEqual(machine.send(.button), "moved off warming+full > heaterOn")
    expectEqual(machine.send(.brew), "refused warming+full")
    expectEqual(machine.expire(.hot), "moved warming+full hot+full > heaterOff")
    expectEqual(machine.send(.brew), "moved hot+full warming+full > pump > heaterOn")
    expectEqual(machine.send(.emptied), "moved warming+full warming+empty > lamp")
    expectEqual(machine.expire(.hot), "moved warming+empty hot+empty > heaterOff")
    expectEqual(machine.send(.brew), "refused hot+empty")
    expectEqual(machine.send(.refill), "moved hot+empty hot+full")
    expectEqual(machine.send(.button), "moved hot+full off")
    expect(machine.timers.isEmpty)
  }
}
