import TestSupport
@testable import Simulator
import Testing

@Suite("The agenda is a queue by due time, then by arming")
struct AgendaTests {
  private struct Timer: Comparable {
    let due: Int64
    let stamp: UInt64
    let machine: UInt32

    var entry: Agenda.Entry { Agenda.Entry(due: due, stamp: stamp, machine: MachineID(machine)) }

    init(_ entry: Agenda.Entry) {
      (due, stamp, machine) = (entry.due, entry.stamp, entry.machine.number)
    }

    init(due: Int64, stamp: UInt64, machine: UInt32) {
      (self.due, self.stamp, self.machine) = (due, stamp, machine)
    }

    static func < (left: Timer, right: Timer) -> Bool { (left.due, left.stamp) < (right.due, right.stamp) }
  }

  @Test("an entry keeps its parts to their limits")
  func parts() {
    for stamp in [1, Agenda.lastStamp] {
      for machine in [0, UInt32(MachineID.max - 1)] {
        for due in [0, Int64.max] {
          let timer = Timer(due: due, stamp: stamp, machine: machine)
          expectEqual(Timer(timer.entry), timer)
        }
      }
    }
    expectEqual(Agenda.lastStamp, 1_099_511_627_775)
  }

  @Test(
    "the first is always the least, through pushes, pops, sweeps and new stamps", arguments: Thorough.rounds(0..<30))
  func model(seed: Int) {
    var dice = Dice(seed: seed)
    var agenda = Agenda()
    var model: [Timer] = []
    var stamp: UInt64 = 0
    // Few due times cause many ties, many cause few.
    let latest = Int64(dice.one(of: [3, 50, 1_000_000]))
    for step in 0..<2_000 {
      switch dice.number(0...19) {
      case 0...11:
        stamp += 1
        let timer = Timer(
          due: Int64.random(in: 0...latest, using: &dice), stamp: stamp, machine: UInt32(dice.number(0...99)))
        agenda.push(timer.entry)
        model.insert(timer, at: model.firstIndex { timer < $0 } ?? model.endIndex)
      case 12...17:
        if !model.isEmpty {
          agenda.pop()
          model.removeFirst()
        }
      case 18 where dice.once(in: 10):
        let dead = UInt32(dice.number(0...2))
        agenda.sweep { $0.machine.number % 3 != dead }
        model.removeAll { $0.machine % 3 == dead }
      case 19 where dice.once(in: 10):
        // Stamps in reverse: the order of equal due times turns around.
        let last = stamp
        agenda.rewrite { Agenda.Entry(due: $0.due, stamp: last + 1 - $0.stamp, machine: $0.machine) }
        model = model.map { Timer(due: $0.due, stamp: last + 1 - $0.stamp, machine: $0.machine) }.sorted()
      default: break
      }
      let first = agenda.first.map { Timer($0) }
      expectEqual(first, model.first, "seed \(seed), step \(step)")
      expectEqual(agenda.count, model.count, "seed \(seed), step \(step)")
    }
    var listed: [Timer] = []
    agenda.forEach { listed.append(Timer($0)) }
    expectEqual(listed.sorted(), model, "seed \(seed)")
    for most in [0, 1, model.count / 2, model.count + 1] {
      var walked: [Timer] = []
      agenda.forEachInOrder { entry in
        guard walked.count < most else { return false }
        walked.append(Timer(entry))
        return true
      }
      expectEqual(walked, Array(model.prefix(most)), "seed \(seed), the first \(most)")
    }
    var drained: [Timer] = []
    while let first = agenda.first {
      drained.append(Timer(first))
      agenda.pop()
    }
    expectEqual(drained, model, "seed \(seed)")
  }

  @Test("of every small size, every last layer")
  func sizes() {
    for count in 0...90 {
      var dice = Dice(seed: count)
      var agenda = Agenda()
      let timers = (0..<count).map { (index: Int) -> Timer in
        Timer(due: Int64(index / 2), stamp: UInt64(index + 1), machine: 0)
      }
      for timer in timers.shuffled(using: &dice) { agenda.push(timer.entry) }
      for keepsOdd in [true, false] {
        var swept = Agenda()
        for timer in timers.shuffled(using: &dice) { swept.push(timer.entry) }
        swept.sweep { ($0.stamp % 2 == 1) == keepsOdd }
        var rest: [UInt64] = []
        while let first = swept.first {
          rest.append(first.stamp)
          swept.pop()
        }
        expectEqual(rest, timers.map(\.stamp).filter { ($0 % 2 == 1) == keepsOdd }, "\(count) entries")
      }
      var drained: [UInt64] = []
      while let first = agenda.first {
        drained.append(first.stamp)
        agenda.pop()
      }
      expectEqual(drained, timers.map(\.stamp), "\(count) entries")
    }
  }

  @Test("it is time to sweep when there are a thousand more dead than living, and not before")
  func tooManyDead() {
    var agenda = Agenda()
    for living in [0, 1, 500] {
      agenda.sweep { _ in false }
      agenda.living = living
      for stamp in 1...UInt64(2 * living + 1_000) { agenda.push(Timer(due: 0, stamp: stamp, machine: 0).entry) }
      let atTheLimit = agenda.hasTooManyDead
      expect(!atTheLimit)
      agenda.push(Timer(due: 0, stamp: 9_999, machine: 0).entry)
      let onePast = agenda.hasTooManyDead
      expect(onePast)
    }
  }
}
