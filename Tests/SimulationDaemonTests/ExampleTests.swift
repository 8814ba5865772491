import TestSupport
import Testing

@testable import SimulationDaemon

/// The conversation on the protocol's page, byte by byte.
@Suite("The example of the protocol")
struct ExampleTests {
  @Test("a lesson with a Shift key")
  func lesson() {
    let host = HostedService()
    let student = host.connect()
    let conversation: [(request: String, reply: [String])] = [
      ("world new lesson clock=virtual", ["+ created lesson"]),
      ("use lesson", ["+ world=lesson clock=virtual t=0.000 seq=0"]),
      ("new shiftKey key", ["+ created key off t=0.000 seq=1"]),
      ("watch key", ["+ watching 1"]),
      (
        "send key tap",
        [
          "* 2 0.000 key moved off on event=tap",
          "+ moved off on t=0.000 seq=2",
        ]
      ),
      ("advance 200ms", ["+ advanced fired=0 t=0.200 seq=2"]),
      (
        "@7 send key tap",
        [
          "* 3 0.200 key moved on capsLock event=tap",
          "+ @7 moved on capsLock t=0.200 seq=3",
        ]
      ),
      (
        "send key cancel",
        [
          "- UNKNOWN-EVENT machine=key event=cancel allowed=tap,character : a shiftKey has no event 'cancel'"
        ]
      ),
    ]
    for (request, reply) in conversation { expectEqual(student.say(request), reply, "\(request)") }
  }

  @Test("the greeting")
  func greeting() {
    let host = HostedService()
    let client = host.service.open()
    let greeting = String(decoding: client.session.outbox.unwritten, as: UTF8.self)
    expectEqual(greeting, "+ fsmd protocol=1 version=0.0.0 world=main clock=real t=0.000 seq=0\n")
  }
}
