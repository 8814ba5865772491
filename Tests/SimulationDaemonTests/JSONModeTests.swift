import Simulations
import TestSupport
import Testing

@testable import LineProtocol
@testable import SimulationDaemon

@Suite("JSON mode")
struct JSONModeTests {
  let host = HostedService()

  @Test("the answer to 'mode' is the first line in the new form, with its tag, and other connections keep theirs")
  func mode() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    expectEqual(
      one.say("sync\n@a mode json\nsync"),
      [
        "+", #"{"class":"success","tag":"a"}"#, #"{"class":"success"}"#,
      ])
    expectEqual(other.say("world"), ["+ world=w clock=virtual t=0.000 seq=0"])
    expectEqual(one.say("mode json"), [#"{"class":"success"}"#])
    expectEqual(
      one.say("mode xml"),
      [
        #"{"class":"failure","code":"BAD-ARGUMENT","argument":"mode","got":"xml","allowed":["text","json"],"text":"mode is one of text,json"}"#
      ])
    expectEqual(one.say("sync\n@b mode text\nsync"), [#"{"class":"success"}"#, "+ @b", "+"])
    expectEqual(one.say("mode json\nmode text\nmode json\nmode text").map { $0.first }, ["{", "+", "{", "+"])
  }

  @Test("what a client has not read when it asks for the other form stays in the old one")
  func unread() {
    let guest = host.connect(toWorld: "w")
    guest.isReading = false
    _ = guest.say("list\nmode json\nlist\nmode text\nlist")
    guest.isReading = true
    guest.collect()
    expectEqual(
      guest.lines(),
      [
        "+ 0", #"{"class":"success"}"#, #"{"class":"success","lines":0}"#, "+", "+ 0",
      ])
  }

  @Test("notices stand before the reply in either form, also those that come while 'mode' is read")
  func notices() {
    let (one, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    _ = one.say("new power p\nwatch *")
    host.together((other, "send p buttonClick"), (one, "mode json\nsend p buttonClick"))
    expectEqual(
      one.lines(),
      [
        "* 2 0.000 p moved off on event=buttonClick",
        #"{"class":"success"}"#,
        #"{"class":"notice","seq":3,"t":0.000,"name":"p","what":"moved","from":"on","to":"off","event":"buttonClick"}"#,
        #"{"class":"success","what":"moved","from":"on","to":"off","t":0.000,"seq":3}"#,
      ])
    host.together((other, "send p buttonClick\nclock real"), (one, "quit"))
    expectEqual(
      one.lines(),
      [
        #"{"class":"notice","seq":4,"t":0.000,"name":"p","what":"moved","from":"off","to":"on","event":"buttonClick"}"#,
        #"{"class":"success"}"#, #"{"class":"flow","what":"bye","reason":"quit"}"#,
      ])
  }

  @Test("in a batch it cannot stand, and a batch is answered in objects")
  func batch() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("mode json")
    expectEqual(
      guest.say("@a begin\n@1 new power p\n@2 graph doorFridge format=mermaid show=plain\n@3 mode text\n@b end").map(
        textLine),
      [
        "+ @a", "+ @1 created p off t=0.000 seq=1", ". @2 graph TB;",
        ". @2 cooling --minTemperatureReached--> waiting;",
        ". @2 cooling --doorOpened--> waiting;", ". @2 waiting --maxTemperatureReached--> cooling;", "+ @2 4",
        "- @3 USAGE : 'mode' cannot stand between 'begin' and 'end'",
        "- @b BATCH index=3 : line 3 failed; what was done before it stays",
      ])
  }

  @Test("random requests are answered with the same in both forms", arguments: Thorough.rounds(0..<4 as Range<UInt64>))
  func random(seed: UInt64) {
    var random = RandomRequests(seed: seed, HostedService.catalogue)
    let hosts = (0..<2).map { _ in HostedService(limits: FuzzTests.limits) }
    let guests = hosts.map { $0.connect() }
    guests[1].client.session.outbox.change(to: .json)
    for number in 0..<400 {
      let request = random.line(number).text
      guard !request.contains("mode text") else { continue }
      let answers = guests.map { $0.say(request) }
      expectEqual(answers[0].count, answers[1].count, "seed \(seed): \(request)")
      // The thousands of notices of one `advance` are much alike.
      // How much memory replies take depends on their form.
      for (text, object) in zip(answers[0], answers[1]).prefix(100) where !text.contains(" memory") {
        if request.contains("help") {
          // A usage has words after words with "=", which are keys in an object and stand last there.
          expectEqual(
            textLine(of: object).split(separator: " ").sorted(), text.split(separator: " ").sorted(),
            "seed \(seed): \(request)")
        } else {
          expectEqual(textLine(of: object), text, "seed \(seed): \(request)")
        }
        expectNil(JSONSchema.ofLines.problem(in: object), "seed \(seed): \(request)")
      }
    }
  }

  @Test("a client that does not read gets all replies and a gap, in objects")
  func slow() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("mode json\nnew power p\nwatch *")
    guest.isReading = false
    let other = host.connect(toWorld: "w")
    for _ in 0..<30 { _ = other.say(Array(repeating: "send p buttonClick", count: 1_000).joined(separator: "\n")) }
    _ = guest.say("list")
    guest.isReading = true
    host.round { guest.arrive("sync\n") }
    host.settle()
    let lines = guest.lines()
    expect(lines.allSatisfy { JSONSchema.ofLines.problem(in: $0) == nil })
    let read = lines.compactMap { ServerLine(json: $0) }
    expect(read.contains { $0.lineClass == .flow && $0.code == "gap" && $0["to"] == "30001" })
    expectEqual(read.count { $0.lineClass == .success }, 2)
  }

  @Test("the schema has each key whose value is no text")
  func keys() {
    for (key, form) in JSONMembers.forms {
      switch form {
      case .number: expect(JSONSchema.ofLines.forms(of: "\(key)"), contains: "number", "\(key)")
      case .list: expectEqual(JSONSchema.ofLines.forms(of: "\(key)"), ["texts"], "\(key)")
      case .text: Issue.record("\(key) need not be in the table")
      }
    }
  }

  @Test("the schema is no sieve: what is no line does not fit it")
  func schema() {
    for line in [
      #"{"class":"news"}"#, #"{"class":"success","t":"0.000"}"#, #"{"class":"failure"}"#, #"{"class":"flow"}"#,
      #"{"class":"notice","seq":1}"#, #"{"class":"success","allowed":"a"}"#, #"{"class":"data","events":[1]}"#, "[]",
      "+ 1", #"{"class":"success","tag":"a b"}"#, #"{"class":"success","other":7}"#, #"{"class":"data","words":[]}"#,
    ] { expect(JSONSchema.ofLines.problem(in: line) != nil, "\(line)") }
  }
}
