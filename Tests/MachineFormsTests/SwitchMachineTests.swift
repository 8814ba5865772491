import MachineForms
import StateMachines
import TestSupport
import Testing

struct SwitchMachineTests {
  /// Notes what it is told, and does something about it.
  private final class Screen: SwitchObserver {
    var seen: [String] = []
    var reaction: (Photo) -> Void = { _ in }

    func stateDidChange(from previous: Photo, to next: Photo) {
      seen.append("\(previous.name.word)→\(next.name.word)")
      reaction(next)
      seen.append("end of \(next.name.word)")
    }
  }

  @Test("it begins where its type says, or where a test wants it")
  func initial() {
    expectEqual(SwitchMachine<Photo>().state, .none)
    expectEqual(SwitchMachine<Photo>(startingIn: .shown(bytes: 3)).state, .shown(bytes: 3))
  }

  @Test("all pairs")
  func pairs() {
    let states: [Photo] = [.none, .fetching(url: "a"), .shown(bytes: 1)]
    let events: [Photo.Event] = [.asked(url: "b"), .arrived(bytes: 2), .removed]
    let expected: [[Photo]] = [
      [.fetching(url: "b"), .none, .none],
      [.fetching(url: "a"), .shown(bytes: 2), .none],
      [.fetching(url: "b"), .shown(bytes: 1), .none],
    ]
    for (state, row) in zip(states, expected) {
      for (event, next) in zip(events, row) {
        let machine = SwitchMachine(startingIn: state)
        machine.transition(with: event)
        expectEqual(machine.state, next, "\(state), \(event)")
      }
    }
  }

  @Test("the observer is told of a change, and only of a change")
  func changes() {
    let machine = SwitchMachine<Photo>()
    let screen = Screen()
    machine.observer = screen
    machine.transition(with: .removed)
    expect(screen.seen.isEmpty)
    machine.transition(with: .asked(url: "a"))
    machine.transition(with: .asked(url: "b"))
    expectEqual(screen.seen, ["none→fetching", "end of fetching"])
  }

  private enum Level: SwitchState {
    case at(Int)
    static var initial: Level { .at(0) }
    func next(with event: Int) -> Level { .at(event) }
  }

  @Test("states that differ in their data are different")
  func data() {
    final class Count: SwitchObserver {
      var changes = 0
      func stateDidChange(from previous: Level, to next: Level) { changes += 1 }
    }
    let machine = SwitchMachine<Level>()
    let count = Count()
    machine.observer = count
    for level in [0, 1, 1, 2, 2, 0] { machine.transition(with: level) }
    expectEqual(count.changes, 3)
  }

  @Test("the observer is not kept alive")
  func weak() {
    let machine = SwitchMachine<Photo>()
    var screen: Screen? = Screen()
    machine.observer = screen
    screen?.seen.append("alive")
    screen = nil
    expectNil(machine.observer)
    machine.transition(with: .asked(url: "a"))
    expectEqual(machine.state, .fetching(url: "a"))
  }

  @Test("an observer that sends an event is told of that change before its first call returns")
  func nested() {
    let machine = SwitchMachine<Photo>()
    let screen = Screen()
    machine.observer = screen
    screen.reaction = { state in
      if case .fetching = state { machine.transition(with: .arrived(bytes: 7)) }
    }
    machine.transition(with: .asked(url: "a"))
    expectEqual(machine.state, .shown(bytes: 7))
    expectEqual(screen.seen, ["none→fetching", "fetching→shown", "end of shown", "end of fetching"])
  }

  @Test("as a machine it moves where the state changes and ignores the rest")
  func machine() {
    func word(_ reaction: Reaction<Photo>) -> String { "\(reaction)".prefix { $0 != "(" }.description }
    expectEqual(word(Photo.none.reaction(to: .asked(url: "a"))), "move")
    expectEqual(word(Photo.none.reaction(to: .removed)), "ignore")
    expectEqual(word(Photo.fetching(url: "a").reaction(to: .asked(url: "b"))), "ignore")
    expectEqual(PhotoFrame.kind.states.map(\.word), ["none", "fetching", "shown"])
  }
}
