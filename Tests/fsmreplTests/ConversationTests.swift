import LineProtocol
import TestSupport
import Testing

@testable import fsmrepl

struct ConversationTests {
  private var conversation = Conversation()

  private mutating func receive(_ text: String) throws -> Conversation.Received {
    conversation.receive(try #require(ServerLine(text), "\(text)"))
  }

  @Test("a request gets a tag of ours, unless it has one or nobody answers it")
  mutating func tags() {
    expectEqual(conversation.ask("help"), "@.1 help")
    expectEqual(conversation.ask("@mine help"), "@mine help")
    expectNil(conversation.ask(""))
    expectNil(conversation.ask("  # remark"))
    expectEqual(conversation.ask("help"), "@.2 help")
    expectEqual(conversation.waitingCount, 3)
  }

  @Test("a line at the limit is not made too long by our tag")
  mutating func longLines() {
    let atLimit = "send a b " + String(repeating: "x", count: 65_536 - 9)
    expectEqual(conversation.ask(atLimit), atLimit)
    let shorter = String(atLimit.dropLast(4))
    expectEqual(conversation.ask(shorter), "@.1 \(shorter)")
  }

  @Test("an answer finds its request, and tells where we are")
  mutating func answers() throws {
    _ = conversation.ask("use lesson")
    let answer = try receive("+ @.1 world=lesson clock=virtual t=0.200 seq=3")
    expectEqual(answer.asked?.text, "use lesson")
    expectEqual(answer.asked?.isOurTag, true)
    expectEqual(conversation.place, PresentWorld(world: "lesson", clock: "virtual", time: "0.200", sequence: 3))
    expect(!conversation.isWaiting)
  }

  @Test("what succeeded silently is done when a later request is answered")
  mutating func quiet() throws {
    _ = conversation.ask("quiet on")
    _ = try receive("+ @.1")
    _ = conversation.ask("send a b")
    expect(conversation.mayStaySilent)
    _ = conversation.ask("sync", by: .program)
    expect(!conversation.mayStaySilent)
    expect(conversation.isAwaitingSign)
    let answer = try receive("+ @.3")
    expectEqual(answer.asked?.asker, .program)
    expect(!conversation.isWaiting)
    _ = conversation.ask("quiet off")
    _ = try receive("+ @.4")
    _ = conversation.ask("send a b")
    expect(!conversation.mayStaySilent)
  }

  @Test("a line of a batch that is answered at once leaves those before it to be answered")
  mutating func strictBatch() throws {
    for line in ["begin strict", "send key tap", "send key tpa"] { _ = conversation.ask(line) }
    _ = try receive("+ @.1")
    try expectEqual(receive("- @.3 UNKNOWN-EVENT event=tpa").asked?.text, "send key tpa")
    expectEqual(conversation.waitingCount, 1)
    _ = conversation.ask("end")
    try expectEqual(receive("- @.2 BATCH index=1 : not run").asked?.text, "send key tap")
    try expectEqual(receive("- @.4 BATCH index=2 : no").asked?.verb, .end)
    expect(!conversation.isWaiting)
  }

  @Test("a request that belongs to a job is found by it until it is answered")
  mutating func jobs() throws {
    _ = conversation.ask("list", job: 7)
    expect(conversation.isPending(job: 7) && !conversation.isPending(job: 8))
    try expectEqual(receive("+ @.1 0").asked?.job, 7)
    expect(!conversation.isPending(job: 7))
  }

  @Test("cancel is answered out of turn")
  mutating func cancel() throws {
    _ = conversation.ask("await a b")
    _ = conversation.ask("list")
    expect(conversation.isInterruptible)
    expect(!conversation.isCancelling)
    _ = conversation.ask("cancel", by: .program)
    expect(conversation.isCancelling)
    try expectEqual(receive("- @.1 CANCELLED").asked?.text, "await a b")
    try expectEqual(receive("+ @.3").asked?.text, "cancel")
    expect(conversation.isInterruptible, "the list is asked for and not answered")
    try expectEqual(receive(". @.2 a b c").asked?.text, "list")
    try expectEqual(receive("+ @.2 1").asked?.text, "list")
    expect(!conversation.isWaiting)
    expect(!conversation.isInterruptible)
  }

  @Test("what the program asks for itself, and lines of a batch, are not what Ctrl-C ends")
  mutating func interruptible() throws {
    _ = conversation.ask("clock", by: .program)
    expect(conversation.isWaiting && !conversation.isInterruptible)
    _ = try receive("+ @.1 clock real speed=1 paused=no t=0.000 seq=0")
    _ = conversation.ask("begin")
    _ = try receive("+ @.2")
    _ = conversation.ask("send a b")
    expect(!conversation.isInterruptible)
    _ = conversation.ask("end")
    expect(conversation.isInterruptible)
  }

  @Test("an answer without a tag is the oldest request's")
  mutating func untagged() throws {
    _ = conversation.ask("send a b")
    _ = conversation.ask("help")
    try expectEqual(receive("- SYNTAX : a control character").asked?.text, "send a b")
    expectEqual(conversation.waitingCount, 1)
  }

  @Test("lines of a batch wait for its end, and get their answers then")
  mutating func batch() throws {
    _ = conversation.ask("begin")
    expect(conversation.isCollecting)
    expect(conversation.isBeginning)
    _ = try receive("+ @.1")
    expect(!conversation.isBeginning)
    _ = conversation.ask("send a b")
    expect(!conversation.mayStaySilent)
    _ = conversation.ask("end")
    expect(!conversation.isCollecting)
    try expectEqual(receive("+ @.2 moved x y t=0.000 seq=1").asked?.text, "send a b")
    try expectEqual(receive("+ @.3 batch=1").asked?.text, "end")
    expect(!conversation.isWaiting)
  }

  @Test("a begin that fails has begun nothing")
  mutating func failedBegin() throws {
    _ = conversation.ask("begin")
    _ = try receive("- @.1 USAGE : no batch in a batch")
    expect(!conversation.isCollecting)
  }

  @Test("notices and flow answer nothing; a dropped world puts us back in main")
  mutating func flow() throws {
    _ = conversation.ask("use lesson")
    _ = try receive("+ @.1 world=lesson clock=virtual t=0.200")
    _ = conversation.ask("watch *")
    _ = try receive("+ @.2 watching 1")
    try expectNil(receive("* 1 0.200 a moved b c event=d").asked)
    expectEqual(conversation.place.time, "0.200")
    try expectNil(receive("! world dropped=lesson").asked)
    expectEqual(conversation.place, PresentWorld())
    var restoration = conversation.restoration(from: "main")
    expectNil(restoration.next())
  }

  @Test("after a loss the way back leads through all watches")
  mutating func restoration() throws {
    for (request, answer) in [
      ("watch *", "+ watching 1"), ("use lesson", "+ world=lesson clock=virtual t=0.000"),
      ("watch key what=all since=3", "+ watching 1"), ("watch b", "+ watching 2"), ("unwatch b", "+ watching 1"),
    ] {
      _ = conversation.ask(request)
      _ = try receive(answer)
    }
    _ = conversation.ask("send a b")
    _ = conversation.ask("sync", by: .program)
    expectEqual(conversation.disconnect().map(\.text), ["send a b"])
    expect(!conversation.isWaiting)
    var restoration = conversation.restoration(from: "main")
    conversation.begin(with: try #require(ServerLine("+ fsmd protocol=1 world=main clock=real t=0.000 seq=0")))
    expectEqual(conversation.place.world, "main")
    expectEqual(restoration.next(), "watch *")
    expectEqual(restoration.next(), "use lesson")
    expectEqual(restoration.next(), "watch key what=all")
    expectNil(restoration.next())

    // Lost again half way: the way is still the same.
    _ = conversation.disconnect()
    var again = conversation.restoration(from: "main")
    expectEqual(again.next(), "watch *")
    expectEqual(again.next(), "use lesson")
    conversation.forget(world: "lesson")
    var without = conversation.restoration(from: "main")
    expectEqual(without.next(), "watch *")
    expectNil(without.next())
  }

  @Test("the words of a request keep their quotes")
  func requestText() {
    let text = RequestText(#"  @t send  key text "a \" b" c="d e"  "#)
    expectEqual(text.tag, "t")
    expectEqual(text.verb, "send")
    expectEqual(text.words, ["key", "text", #""a \" b""#, #"c="d e""#])
    expectNil(RequestText("").verb)
    expectNil(RequestText("# x").verb)
    expectEqual(RequestText(#"a "b c"#).words, [#""b c"#])
  }
}

struct RestorationTests {
  private func requests(_ restoration: Restoration, failing: Set<String> = []) -> [String] {
    var restoration = restoration
    var asked: [String] = []
    while let request = restoration.next(hasFailed: asked.last.map(failing.contains) ?? false), asked.count < 20 {
      asked.append(request)
    }
    return asked
  }

  private let both = Restoration(
    from: "main",
    through: [.init(world: "a", watches: ["watch x", "watch y"]), .init(world: "b", watches: ["watch z"])])

  @Test("one world after the other, the present one last")
  func inOrder() {
    expectEqual(requests(both), ["use a", "watch x", "watch y", "use b", "watch z"])
    expectEqual(requests(Restoration(from: "main", through: [.init(world: "main", watches: [])])), [])
  }

  @Test("the watches of a world that is gone are not made elsewhere")
  func gone() {
    expectEqual(requests(both, failing: ["use a"]), ["use a", "use b", "watch z"])
    expectEqual(requests(both, failing: ["use b"]), ["use a", "watch x", "watch y", "use b", "use main"])
    expectEqual(requests(both, failing: ["use a", "use b"]), ["use a", "use b"])
    expectEqual(requests(both, failing: ["watch x"]), ["use a", "watch x", "watch y", "use b", "watch z"])
  }

  @Test("attempts to connect come ever less often")
  func backoff() {
    var reconnection = Reconnection()
    expectNil(reconnection.next)
    var waits: [UInt64] = []
    for _ in 0..<8 {
      reconnection.failed(at: 1_000)
      waits.append((reconnection.next ?? 0) - 1_000)
    }
    expect(reconnection.isNews("full") && !reconnection.isNews("full") && reconnection.isNews("closed"))
    expectEqual(waits, [50, 100, 200, 400, 800, 1_600, 2_000, 2_000].map { $0 * 1_000_000 })
    expect(reconnection.isUnderWay)
    reconnection.waitForGreeting()
    expectNil(reconnection.next)
  }
}
