import MachineForms
import MachineTesting
import StateMachines
import TestSupport
import Testing

@testable import Simulations

struct InboxTests {
  @Test("the objects stand under the words of the state and the event")
  func vocabularies() {
    expect(Inbox.objects.matches(states: Inbox.State.self, events: Inbox.Event.Name.self))
    expectEqual(Inbox.kind.events.map(\.name), Inbox.Event.Name.words)
  }

  @Test("all pairs")
  func pairs() {
    Table(
      Inbox.kind, in: "../../Sources/Simulations/Frameworks/Inbox.swift",
      with: ["blocks": .flag(false)]
    ).check()
  }

  @Test("view, delete, markUnread; then error 1000 says where it might be fired")
  func trace() {
    let bench = Bench(Inbox.kind, ["blocks": .flag(false)])
    for (event, state) in [("view", "read"), ("delete", "deleted"), ("markUnread", "unread")] {
      bench.send(event, Value.none)
      expectEqual(bench.state(), state)
    }
    expectEqual(bench.possibleEvents(), ["view", "delete"])
    expectEqual(
      bench.send("markUnread", Value.none),
      "refused unread event=markUnread : error 1000: markUnread cannot be fired from the current state unread, "
        + "only from read, deleted")
  }

  @Test("every block and the notification know who fired, in the order of the library")
  func order() {
    let bench = Bench(Inbox.kind)
    expectEqual(bench.lines, ["0.000 m created unread > willEnter unread nil > didEnter unread nil"])
    expectEqual(
      bench.send("view", .text("u")),
      "moved unread read event=view > willFire view u > willExit unread u > willEnter read u"
        + " > didChange unread read view u > didExit unread u > didEnter read u > didFire view u")
  }

  @Test("a read-only inbox declines delete, where its sources allow it at all")
  func declined() {
    let bench = Bench(Inbox.kind, ["readOnly": .flag(true)])
    expectEqual(
      bench.send("delete", .text("u")),
      "refused unread event=delete : error 1001: delete declined to fire in the current state unread")
    expect(bench.send("view", Value.none), hasPrefix: "moved")
    let deleted = Bench(Inbox.kind, initial: "deleted", ["readOnly": .flag(true)])
    expect(deleted.send("delete", Value.none), contains: "error 1000")
  }
}
