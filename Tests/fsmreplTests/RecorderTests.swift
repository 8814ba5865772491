import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// A session as the recorder sees it, line by line.
private struct Tape {
  private var recorder = Recorder()
  private var writer: TranscriptWriter
  var lines: [String] = []
  var notes: [String] = []

  init(world: String = "main", seq: Int = 0, seed: Int = 0, clock: String = "real", watches: [String] = []) {
    writer = TranscriptWriter(watches: watches, isQuiet: false)
    hear("+ world=\(world) clock=\(clock) t=0.500 seq=\(seq)", answering: "world", by: .recorder)
    hear(". seed \(seed) of-this-world", answering: "stats", by: .recorder)
    hear("+ 1", answering: "stats", by: .recorder)
  }

  /// A request that is answered, after what the recorder asks.
  mutating func type(_ text: String, at time: String, clock: String = "real", seq: Int = 0, _ answers: String...) {
    send(text)
    worldState(time, clock: clock, seq: seq)
    for answer in answers { hear(answer, answering: text) }
  }

  mutating func send(_ text: String, isKept: Bool = false) {
    _ = recorder.note(text, RequestText(text).verb.flatMap(Verb.named), isKept: isKept)
  }

  mutating func worldState(_ time: String, clock: String = "real", seq: Int = 0) {
    hear("+ world=main clock=\(clock) t=\(time) seq=\(seq)", answering: "world", by: .recorder)
  }

  /// A line that comes; one of the daemon's own without a request.
  mutating func hear(_ raw: String, answering text: String = "", by asker: Conversation.Asker = .user) {
    guard let line = ServerLine(raw) else { return }
    let asked = Conversation.Asked(text, by: asker)
    let isOurs = line.lineClass.answersRequest
    take(recorder.take(Recorder.Line(raw: raw, line: line), answering: isOurs ? asked : nil))
  }

  mutating func end() { take(recorder.end()) }

  private mutating func take(_ pieces: [Recorder.Piece]) {
    for piece in pieces {
      let output = writer.take(piece)
      lines += output.lines
      notes += output.note.map { [$0] } ?? []
    }
  }
}

struct RecorderTests {
  @Test("each request has the moment at which it was made, if time has passed; notices stand where they came")
  func moments() {
    var tape = Tape()
    tape.type("new shiftKey key", at: "1.250000001", "+ created key off t=1.250000001 seq=1")
    tape.type("watch *", at: "1.250000001", "+ watching 1")
    tape.hear("* 2 1.600 key stayed on timer=doubleTap")
    tape.type(
      "send key tap", at: "2.000", "* 3 2.000 key moved on off event=tap", "+ moved on off t=2.000 seq=3")
    expectEqual(
      tape.lines,
      [
        "> at 1.250000001s new shiftKey key", "+ created key off t=1.250000001 seq=1", "> watch *", "+ watching 1",
        "* 2 1.600 key stayed on timer=doubleTap", "> at 2.000s send key tap", "* 3 2.000 key moved on off event=tap",
        "+ moved on off t=2.000 seq=3",
      ])
    expectEqual(tape.notes, [])
  }

  @Test("what a clock did between the question for the moment and the request stands before the request")
  func earlier() {
    var tape = Tape()
    tape.type(
      "send kye tap", at: "1.000", seq: 4, "* 5 1.500 f moved a b timer=t", "* 6 2.000 f moved b a timer=t",
      "- UNKNOWN-MACHINE machine=kye : there is no machine 'kye'")
    tape.type(
      "send key tap", at: "2.500", seq: 6, "* 7 3.000 f moved a b timer=t", "* 8 3.250 key moved off on event=tap",
      "+ moved off on t=3.250 seq=8")
    tape.type("watch * since=7", at: "3.250", seq: 8, "* 8 3.250 key moved off on event=tap", "+ watching 1")
    expectEqual(
      tape.lines,
      [
        "* 5 1.500 f moved a b timer=t", "* 6 2.000 f moved b a timer=t", "> at 2.000s send kye tap",
        "- UNKNOWN-MACHINE machine=kye : there is no machine 'kye'",
        "* 7 3.000 f moved a b timer=t", "> at 3.250s send key tap", "* 8 3.250 key moved off on event=tap",
        "+ moved off on t=3.250 seq=8",
        "> watch * since=7", "* 8 3.250 key moved off on event=tap", "+ watching 1",
      ])
  }

  @Test("a batch has the moment of its end; what happened while it was typed stands before it")
  func batches() {
    var tape = Tape()
    tape.type("begin", at: "1.000", "+")
    tape.send("send key tap", isKept: true)
    tape.hear("* 1 1.500 f moved a b timer=t")
    tape.send("end", isKept: true)
    tape.hear("* 2 2.000 key moved off on event=tap")
    tape.hear("+ moved off on t=2.000 seq=2", answering: "send key tap")
    tape.hear("+ batch=1", answering: "end")
    expectEqual(tape.lines, [])
    // The daemon may be asked for the moment when the clock has gone on.
    tape.worldState("2.004")
    tape.type("list", at: "2.004", "+ 0")
    expectEqual(
      tape.lines,
      [
        "* 1 1.500 f moved a b timer=t", "> at 2.000s begin", "+", "> send key tap", "> end",
        "* 2 2.000 key moved off on event=tap", "+ moved off on t=2.000 seq=2", "+ batch=1",
        "> at 2.004s list", "+ 0",
      ])
  }

  @Test("a batch that is answered without a time has that of its beginning if something came after it")
  func batchOfReads() {
    var tape = Tape()
    tape.type("begin", at: "1.000", "+")
    tape.send("list", isKept: true)
    tape.send("end", isKept: true)
    tape.hear("+ 0", answering: "list")
    tape.hear("+ batch=1", answering: "end")
    tape.hear("* 1 1.500 f moved a b timer=t")
    tape.worldState("2.000", seq: 1)
    expectEqual(
      tape.lines,
      ["> at 1.000s begin", "+", "> list", "> end", "+ 0", "+ batch=1", "* 1 1.500 f moved a b timer=t"])
  }

  @Test("a copy of a durable world is recorded as a check makes it")
  func fork() {
    var tape = Tape()
    tape.type("world fork g", at: "1.000", "+ created g durable=no")
    expectEqual(tape.lines, ["> at 1.000s world fork g", "+ created g"])
  }

  @Test("what is answered by silence is complete when the next is asked, or the session ends")
  func silence() {
    var tape = Tape()
    tape.type("send key tap", at: "1.000")
    tape.hear("* 1 1.000 key moved off on event=tap")
    expectEqual(tape.lines, [])
    tape.type("send key tap", at: "1.000")
    expectEqual(tape.lines, ["> at 1.000s send key tap", "* 1 1.000 key moved off on event=tap"])
    tape.end()
    expectEqual(tape.lines.count, 3)
  }

  @Test("an await on a real clock ends with the input that it waited for, and what came later follows it")
  func awaits() {
    var tape = Tape()
    tape.type(
      "await f on", at: "1.000", "* 5 1.500 f moved off on timer=t", "* 6 1.501 g moved off on timer=t",
      "+ reached on t=1.500 seq=5")
    expectEqual(
      tape.lines.suffix(3),
      [
        "* 5 1.500 f moved off on timer=t", "+ reached on t=1.500 seq=5", "* 6 1.501 g moved off on timer=t",
      ])
  }

  @Test(
    "what a check could not repeat is a remark, and time shows in the next request",
    arguments: [
      ("clock", "real", "+ clock real speed=1 paused=no t=1.000 seq=0"), ("speed 5", "real", "+ speed=5 paused=no"),
      ("stats", "virtual", "+ 0"), ("worlds", "virtual", "+ 0"), ("clock real", "virtual", "+ clock real speed=1"),
      ("await f on", "real", "- TIMEOUT state=off t=1.000 : late"),
      ("advance 5s", "real", "- CLOCK clock=real : it runs"), ("advance 9d", "virtual", "- CANCELLED : cancelled"),
      ("at 9s list", "real", "- UNKNOWN-VERB verb=at : no"), ("goto 9s", "real", "- BAD-ARGUMENT got=9s : later"),
      ("shutdown", "virtual", "+"),
      ("use other", "virtual", "+ world=other clock=virtual t=9.000 seq=9"),
    ])
  func remarks(request: String, clock: String, answer: String) {
    var tape = Tape()
    tape.type(request, at: "1.000", clock: clock, answer)
    expectEqual(tape.lines, ["# > at 1.000s \(request)", "# \(answer)"])
    guard request != "use other" else { return expectEqual(tape.notes.count, 1) }
    tape.type("list", at: "2.000", clock: clock, "+ 0")
    expectEqual(tape.lines.suffix(2), ["> at 2.000s list", "+ 0"])
  }

  @Test("on a virtual clock the same requests are part of the transcript")
  func virtualClock() {
    var tape = Tape(clock: "virtual")
    tape.type("pause", at: "0.000", clock: "virtual", "- CLOCK clock=virtual : no")
    tape.type("clock", at: "0.000", clock: "virtual", "+ clock virtual speed=1 paused=no t=0.000 seq=0")
    tape.type("await f on", at: "0.000", clock: "virtual", "- TIMEOUT state=off t=0.000 : late")
    expectEqual(tape.lines.filter { $0.hasPrefix("> ") }, ["> pause", "> clock", "> await f on"])
  }

  @Test("cancel and what it ended are remarks; what happened until then is none")
  func cancel() {
    var tape = Tape()
    tape.type("advance 9d", at: "1.000", clock: "virtual", "* 1 1.500 f moved a b timer=t", "- CANCELLED : cancelled")
    tape.send("cancel")
    tape.hear("+", answering: "cancel")
    expectEqual(
      tape.lines,
      [
        "# > at 1.000s advance 9d", "# - CANCELLED : cancelled", "* 1 1.500 f moved a b timer=t", "# > cancel", "# +",
      ])
  }

  @Test("a lost notice is told in a remark, a change of the clock not at all")
  func unasked() {
    var tape = Tape()
    tape.hear("! gap from=1 to=2")
    tape.hear("* 2 1.000 - clock speed=5")
    tape.hear("! bye reason=quit")
    expectEqual(tape.lines, ["# ! gap from=1 to=2", "! bye reason=quit"])
  }

  @Test("a world that was left on a real clock is found where it was left")
  func leavingWorlds() {
    var tape = Tape()
    tape.type("world new w clock=real", at: "1.000", "+ created w")
    tape.type("use w", at: "2.000", seq: 3, "+ world=w clock=real t=1.004 seq=0")
    tape.type("use main", at: "3.000", "+ world=main clock=real t=9.000 seq=8")
    expectEqual(
      tape.lines,
      [
        "> at 1.000s world new w clock=virtual", "+ created w", "> at 2.000s use w",
        "+ world=w clock=virtual t=0.000 seq=0", "> at 3.000s use main", "+ world=main clock=virtual t=2.000 seq=3",
      ])
  }

  @Test("a way back that paused the clock is written as on a virtual one")
  func wayBack() {
    var tape = Tape()
    tape.type("undo", at: "2.000", "* 2 1.000 - clock paused=yes", "+ paused=yes t=1.000 seq=2")
    tape.type("list", at: "1.500", "+ 0")
    expectEqual(tape.lines, ["> at 2.000s undo", "+ t=1.000 seq=2", "> at 1.500s list", "+ 0"])
  }

  @Test("how the world came about and what the session had before stands first")
  func beginning() {
    let tape = Tape(world: "lesson", seed: 7, watches: ["watch *", "watch k what=all"])
    expectEqual(
      tape.lines,
      [
        "> world new lesson seed=7", "+ created lesson", "> use lesson",
        "+ world=lesson clock=virtual t=0.000 seq=0", "> watch *", "+ watching 1", "> watch k what=all", "+ watching 2",
      ])
  }

  @Test("nothing of a world that is not new is recorded")
  func oldWorld() {
    var tape = Tape(seq: 12)
    tape.type("list", at: "1.000", seq: 12, "+ 0")
    tape.hear("* 13 1.500 f moved a b timer=t")
    expectEqual(tape.lines, [])
    expect(tape.notes.first, hasPrefix: "the world main is not new: it has had 12 inputs, and a check")
    tape.type("world new w", at: "2.000", seq: 13, "+ created w")
    tape.type("use w", at: "2.000", seq: 13, "+ world=w clock=virtual t=0.000 seq=0")
    expectEqual(tape.lines, ["> world new w", "+ created w", "> use w", "+ world=w clock=virtual t=0.000 seq=0"])
  }
}

struct DocumentCommandTests {
  @Test(
    "what brings a document, and what does not",
    arguments: [
      ("load a.mmd", .load("a.mmd", as: nil, isStrict: false, nil)),
      ("@1 load \"a b.scxml\" as c", .load("a b.scxml", as: "c", isStrict: false, nil)),
      ("load a.mmd follow", .load("a.mmd", as: nil, isStrict: false, .forNewMachines)),
      ("load a.mmd as follow", .load("a.mmd", as: "follow", isStrict: false, nil)),
      ("load a.mmd as b follow", .load("a.mmd", as: "b", isStrict: false, .forNewMachines)),
      ("load a.mmd follow anew", .load("a.mmd", as: nil, isStrict: false, .anew)),
      ("load a.mmd as b follow anew", .load("a.mmd", as: "b", isStrict: false, .anew)),
      ("define c format=scxml", .begin("define c format=scxml")), ("help load", nil), ("help define", nil),
      ("loads a", nil), ("# load a", nil),
    ] as [(String, DocumentCommand?)])
  func commands(text: String, command: DocumentCommand?) {
    expectEqual(DocumentCommand(text), command)
  }

  @Test(
    "mistakes",
    arguments: [
      "load", "load a b", "load a is b", "load a=b", "load a follow b", "load a anew", "load a as follow anew",
      "load a as", "load \"a", "define c bytes=3",
    ])
  func mistakes(text: String) {
    guard case .wrong = DocumentCommand(text) else {
      Issue.record("\(text) is understood")
      return
    }
  }
}

struct LocalCommandTests {
  private let client: Client

  init() throws { client = Client(endpoint: Endpoint(try SocketPath.resolve(option: "/tmp/fsmrepl-test-nobody/s"))) }

  @Test(
    "what this program does itself, and what is for the daemon",
    arguments: [
      ("save a.fsm", true), ("@1 save \"a b\" replace", true), ("export key lesson", true), ("  record off", true),
      ("@1 record", true), ("help save", true), ("help record", true), ("help", false), ("help world", false),
      ("saves a", false), ("# save a", false), ("recording", false), ("# record a", false),
    ])
  func commands(text: String, isOwn: Bool) {
    expectEqual(client.isAnsweredHere(text), isOwn)
  }

  @Test(
    "mistakes",
    arguments: [
      "save", "save a b", "save a replace b", "save a=b", "save \"a", "export", "export a", "export a b c",
      "record a b", "record a replace c", "record a=b", "record \"a",
    ])
  func mistakes(text: String) throws {
    let answer = try #require(client.answerLocally(text))
    let verb = text.prefix { $0 != " " }
    expectEqual(answer.count, 1)
    expect(answer[0].raw.text, hasPrefix: "- USAGE : \(verb) is used as '\(verb) ")
  }
}
