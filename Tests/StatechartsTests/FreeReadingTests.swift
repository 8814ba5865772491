import StateMachines
import TestSupport
import Testing

@testable import Statecharts

@Suite("A diagram as people write it")
struct FreeReadingTests {
  /// A machine of a diagram that is read freely, and what its notes say.
  private static func load(_ text: String) throws -> (run: VirtualRun, notes: [String]) {
    switch Definition.compile(mermaid: Array("stateDiagram-v2\n\(text)".utf8), reading: .free) {
    case .definition(let definition, let findings):
      return (VirtualRun(definition), findings.filter { $0.severity == .note }.map(\.description))
    case .mistakes(let findings, let missing): throw Definition.Mistakes(findings: findings, missing: missing)
    }
  }

  private static func data(_ members: [(key: String, text: String)]) -> DataValue {
    JSON.value(of: ChartData.text(of: members) ?? "") ?? .undefined
  }

  @Test(
    "has events after words",
    arguments: [
      ("user pushes", "userPushes"), ("User pushes", "userPushes"), ("\"press\"", "press"),
      ("(1) take head", "takeHead"),
      ("owner's choice", "ownersChoice"), ("<b>stop</b> it", "stopIt"), ("ready<br/>(warm)", "readyWarm"),
      ("drück 🚀 los", "drückLos"), ("Запрос отправлен", "запросОтправлен"), ("read -> write", "readWrite"),
      ("success/failure response", "successFailureResponse"), ("press", "press"), ("404", "404"),
      ("pay now, or leave", "payNowOrLeave"), ("files/list/all", "filesListAll"), ("<<timeout>>", "timeout"),
      ("▶️ Go on", "goOn"), ("<font color=red>stop</font> it", "stopIt"),
    ])
  func events(label: String, event: String) throws {
    var (run, notes) = try Self.load("[*] --> a\na --> b : \(label)")
    run.send(event)
    expectEqual(run.word, "b", "\(notes)")
    expectEqual(notes.isEmpty, (label.filter { $0 != "\"" } == event), "\(notes)")
  }

  @Test("has one event for the same words, and other events for other words")
  func uniqueNames() throws {
    let (run, notes) = try Self.load("[*] --> a\na --> b : x++ now\nb --> a : x-- now\na --> c : X++ now.")
    expect(run.definition.knows("xNow") && run.definition.knows("xNow_2") && !run.definition.knows("xNow_3"))
    expectEqual(notes.count, 3)
  }

  @Test(
    "has timers as people write durations",
    arguments: [
      ("500ms", 500), ("after 30 s", 30_000), ("30s timeout", 30_000), ("timeout (30s)", 30_000),
      ("every 5 min", 300_000), ("timeout - 5s", 5_000),
      ("after one hour", 3_600_000), ("wait 2 seconds", 2_000), ("after 1.5s", 1_500), ("1 day later", 86_400_000),
      ("after 1 min 30 s", 90_000), ("after 1h30m", 5_400_000), ("after 90 s and 500 ms", 90_500),
      ("after half an hour", 1_800_000), ("after a quarter of an hour", 900_000),
    ])
  func timers(label: String, milliseconds: Int64) throws {
    var (run, _) = try Self.load("[*] --> a\na --> b : \(label)\nb --> a : go")
    run.advance(by: .milliseconds(milliseconds - 1))
    expectEqual(run.word, "a")
    run.advance(by: .milliseconds(1))
    expectEqual(run.word, "b")
  }

  @Test("needs both brackets of a guard")
  func brackets() {
    #expect(throws: Definition.Mistakes.self) { try Self.load("[*] --> a\na --> b : press [") }
  }

  @Test("takes no number that begins with a dot for a whole one")
  func dot() {
    #expect(throws: Definition.Mistakes.self) { try Self.load("[*] --> a\na --> b : after .5s") }
  }

  @Test("asks for a dot in a number with a comma")
  func comma() {
    #expect(throws: Definition.Mistakes.self) { try Self.load("[*] --> a\na --> b : after 1,5s") }
    guard
      case .mistakes(let findings, _) = Definition.compile(
        mermaid: Array("stateDiagram-v2\n[*] --> a\na --> b : after 1,5s".utf8), reading: .free)
    else { return }
    expectEqual(findings.map(\.description), ["3:11 error : a comma separates events; write after 1.5s"])
  }

  @Test(
    "has conditions for guards in words, which an event overrides",
    arguments: [
      ("enter [is admin]", "isAdmin"), ("enter [valid]", "valid"), ("enter if valid", "valid"),
      ("enter [!valid]", "valid"),
      ("enter [user.isValid(x)]", "userIsValidX"),
    ])
  func conditions(label: String, name: String) throws {
    var (run, notes) = try Self.load("[*] --> a\na --> b : \(label)\na --> c : enter [else]")
    let isNegated = label.contains("!")
    let value = isNegated ? "off" : "on"
    expect(notes.contains { $0.contains("\(name)=\(value) unless new or the event says otherwise") }, "\(notes)")
    for (round, off) in ["off", "no", "0", "false"].enumerated() {
      if round > 0 { (run, _) = try Self.load("[*] --> a\na --> b : \(label)\na --> c : enter [else]") }
      run.send("enter", Self.data([(name, off)]))
      expectEqual(run.word, (isNegated ? "b" : "c"), "\(off)")
    }
    (run, _) = try Self.load("[*] --> a\na --> b : \(label)\na --> c : enter [else]")
    run.send("enter", Self.data([(name, "on")]))
    expectEqual(run.word, (isNegated ? "c" : "b"))
    (run, _) = try Self.load("[*] --> a\na --> b : \(label)\na --> c : enter [else]")
    run.send("enter")
    expectEqual(run.word, "b", "the guard that is drawn holds")
  }

  @Test(
    "lets a condition be off at first that is only asked for with a not",
    arguments: [
      ("go [not logged in]", "loggedIn=off"), ("go [!(valid)]", "valid=off"), ("go [valid == false]", "valid=off"),
      ("go [valid != true]", "valid=off"), ("go [not valid and open]", "valid=off"),
      ("go [not valid and open]", "open=on"), ("go [valid == true]", "valid=on"),
      ("go [not logged in]\na --> c : go [logged in]", "loggedIn=on"),
      ("go [!valid]\nb --> a : back [valid && !open]", "valid=on"),
    ])
  func denied(label: String, value: String) throws {
    let (_, notes) = try Self.load("[*] --> a\na --> b : \(label)")
    expect(notes.contains { $0.contains("\(value) unless new or the event says otherwise") }, "\(notes)")
  }

  @Test(
    "has a condition or a number for each part of a guard in words",
    arguments: [
      ("go [count >= 3 and is admin]", "isAdmin", "off", "count", "3"),
      ("go [is admin and not locked]", "locked", "on", "isAdmin", "on"),
      ("go [user.age > 3 and ready]", "userAge", "3", "userAge", "4"),
      ("go [user.role == admin]", "userRole", "guest", "userRole", "admin"),
      ("go [user.mail == \"a.b\"]", "userMail", "aB", "userMail", "a.b"),
      ("go [is admin]\na --> a : go [is not admin]", "isAdmin", "off", "isAdmin", "on"),
    ])
  func parts(label: String, no: String, noValue: String, yes: String, yesValue: String) throws {
    for (name, value, word) in [(no, noValue, "a"), (yes, yesValue, "b")] {
      var (run, _) = try Self.load("[*] --> a\na --> b : \(label)")
      run.send("go", Self.data([(name, value)]))
      expectEqual(run.word, word, "\(name)=\(value)")
    }
  }

  @Test("needs no [else] where one guard of a choice denies the other")
  func exhaustive() throws {
    let (_, notes) = try Self.load(
      "state c <<choice>>\n[*] --> a\na --> c : go\nc --> b : [valid]\nc --> a : [not valid]")
    expect(!notes.contains { $0.contains("stays in the choice") }, "\(notes)")
  }

  @Test("has numbers for names that are compared with one, and for comparisons without brackets")
  func numbers() throws {
    for label in ["go [n > 3]", "go if n > 3", "go [n ≥ 4]", "go [n > 3 and n < 9]"] {
      var (run, notes) = try Self.load("[*] --> a\na --> b : \(label)")
      expect(notes.contains { $0.contains("n=0 unless") }, "\(notes)")
      run.send("go")
      expectEqual(run.word, "a")
      run.send("go", Self.data([("n", "5")]))
      expectEqual(run.word, "b", "\(label)")
    }
    var (run, _) = try Self.load("%% data n = 0\n[*] --> a\na --> a : more / n = n + 1\na --> b : n > 1")
    run.send("more")
    expectEqual(run.word, "a")
    run.send("more")
    expectEqual(run.word, "b")
  }

  @Test(
    "has guards with the operators of people",
    arguments: [
      ("go [state == OPEN and not x]", ["state": "OPEN", "x": "off"], ["state": "OPEN", "x": "on"]),
      ("go [not (x or y) and z]", ["x": "off", "y": "off"], ["x": "off"]),
      ("go [not not x]", [:], ["x": "off"]), ("go / [ready]", [:], ["ready": "off"]),
      ("go [state != OPEN or x]", ["state": "shut"], ["state": "OPEN", "x": "off"]),
      ("go [intent=simple]", ["intent": "simple"], ["intent": "complex"]),
      ("go [n between 1 and 3]", ["n": "3"], ["n": "4"]), ("go [not n between 1 and 3]", ["n": "4"], ["n": "1"]),
      ("go [n is between 1 and 3]", ["n": "1"], ["n": "0"]), ("go [n is not between 1 and 3]", ["n": "4"], ["n": "1"]),
      ("go [n between -1 and 3]", ["n": "-1"], ["n": "-2"]),
      ("go [n between 1 and (2 + 2) * 2 and x]", ["n": "8"], ["n": "9"]),
      ("go [n between 1 and m - 1]", ["n": "2", "m": "3"], ["n": "3", "m": "3"]),
      ("go [balance is -5 and x]", ["balance": "-5"], ["balance": "5"]),
      (
        "go [retry count between 1 and 3 and is not late]", ["retryCount": "2", "isLate": "off"],
        ["retryCount": "2", "isLate": "on"]
      ),
    ])
  func operators(label: String, data: [String: String], otherwise: [String: String]) throws {
    let (first, notes) = try Self.load("[*] --> a\na --> b : \(label)\na --> a : go\nb --> a : back")
    for (data, word) in [(data, "b"), (otherwise, "a")] {
      var run = first
      run.send("go", Self.data(data.map { (key: $0.key, text: $0.value) }))
      expectEqual(run.word, word, "\(data) \(notes)")
    }
  }

  @Test("says that a guard which lacks an operand is read as a condition", arguments: ["x >", "(", "&& y", "= 3"])
  func brokenGuards(text: String) throws {
    let (_, notes) = try Self.load("[*] --> a\na --> b : go [\(text)]")
    expect(notes.contains { $0.contains("\"\(text)\" is no expression and is read as the condition ") }, "\(notes)")
  }

  @Test("has actions that ask for the data which the parentheses of their event name")
  func parameters() throws {
    var (run, notes) = try Self.load(
      """
      %% data total = 0
      [*] --> a
      a --> a : pay(amount) / total = total + amount
      a --> c : login(user, secret) [secret > 5] / show(user)
      a --> b : check [total == 7]
      """)
    for amount in ["3", "4"] { run.send("pay", Self.data([("amount", amount)])) }
    run.send("login", Self.data([("user", "ann"), ("secret", "4")]))
    expectEqual(run.word, "a")
    run.send("check")
    expectEqual(run.word, "b", "\(notes)")
    expect(!notes.contains { $0.contains("begins as") }, "\(notes)")
  }

  @Test(
    "lives through guards that lack what an operator needs",
    arguments: [
      "not && b", "not || b", "(not ) x", "not  )", "not/* */&& b", "not not", "not and b", "n between",
      "n between and",
      "n is not between 1", "between 1 and 3", "n between 1 and between 2 and 3", "is is not is", "(not (a) b) and",
    ])
  func operatorsAlone(text: String) {
    let diagram = "stateDiagram-v2\n[*] --> a\na --> b : go [\(text)]\na --> c : if \(text)\na --> d : \(text)"
    for reading in [DiagramReading.free, .strict] {
      _ = Definition.compile(mermaid: Array(diagram.utf8), reading: reading)
    }
  }

  @Test("has what stands after a guard: another guard, actions, or a remark that is said")
  func afterGuards() throws {
    for (label, isAnd) in [
      ("[x] and [y] / beep", true), ("[x] [y] / beep", true), ("[x] or [y] / beep", false),
      ("[x] (send mail) / beep", nil),
    ] as [(String, Bool?)] {
      var (run, notes) = try Self.load("[*] --> a\na --> b : go \(label)")
      run.send("go", Self.data([("y", "off")]))
      expectEqual(run.word, isAnd == true ? "a" : "b", "\(label) \(notes)")
      expectEqual(run.told.count, isAnd == true ? 0 : 1, "\(label)")
      expectEqual(notes.contains { $0.contains("\"(send mail)\" after the guard is a remark") }, isAnd == nil)
    }
  }

  @Test(
    "takes no sum of times for one duration",
    arguments: ["after -5s", "after minus 5 s", "after 5s - 2s", "after 1h -30m", "after 5s, 10s", "after 30 s 1 min"])
  func unclearTimes(label: String) {
    #expect(throws: Definition.Mistakes.self) { try Self.load("[*] --> a\na --> b : \(label)") }
  }

  @Test("has a number where a name stands alone, if another guard compares it with one")
  func flagOrNumber() throws {
    var (run, notes) = try Self.load("[*] --> a\na --> b : go [n]\na --> c : five [n == 5]\nc --> a : back")
    run.send("five", Self.data([("n", "5")]))
    expectEqual(run.word, "c", "\(notes)")
    run.send("back")
    run.send("go")
    expectEqual(run.word, "a", "\(notes)")
    run.send("go", Self.data([("n", "1")]))
    expectEqual(run.word, "b", "\(notes)")
  }

  @Test("reads the data of an event on both sides of an either-or")
  func eitherOr() throws {
    var (run, notes) = try Self.load("%% data x = 0\n[*] --> a\na --> a : pay(p, q) / x = p ? p : q\na --> b : x > 6")
    run.send("pay", Self.data([("p", "7"), ("q", "0")]))
    expect(run.word == "b" && !notes.contains { $0.contains("nothing declares") }, "\(run.word) \(notes)")
  }

  @Test("begins what is repeated once, whatever else an arrow waits for, and although an action fails")
  func repeated() throws {
    for label in ["every 4 s or go / foo", "each 4 s / foo, x.y.z = 1", "every 4 s or go / foo"] {
      var (run, notes) = try Self.load("[*] --> a\na : \(label)\na --> b : leave")
      if label.contains("or go") {
        run.send("go")
        run.send("go")
      }
      run.advance(by: .seconds(13))
      expectEqual(run.told.count { "\($0)".contains("foo") }, label.contains("or go") ? 5 : 3, "\(label) \(notes)")
    }
  }

  @Test("has timers in the text of a state, again and again for every so often")
  func timersInTexts() throws {
    var (run, notes) = try Self.load("[*] --> a\na : every 5 min / beep\na : 2 s timeout\na --> b : go")
    run.advance(by: .seconds(899))
    expectEqual(run.told.count, 2, "\(notes)")
    run.advance(by: .seconds(1))
    expectEqual(run.told.count, 3)
    expect(notes.contains { $0.contains("a timer has actions or leads on, as in 2 s timeout / beep") }, "\(notes)")
    expectEqual(run.definition.picture.arrows.first?.actions, "beep")
    let text = run.definition.stateDiagram().text.dropFirst("stateDiagram-v2\n".count)
    var (again, _) = try Self.load(String(text))
    again.advance(by: .seconds(900))
    expectEqual(again.told.count, 3, "\(text)")
  }

  @Test("has blocks that end in the line of a label, and states that were probably another one")
  func ends() throws {
    var (run, _) = try Self.load(
      "[*] --> p\nstate p { a --> b : go now }\nstate q { c : wait / beep }\np --> q : leave")
    for (event, word) in [("goNow", "b"), ("leave", "c")] {
      run.send(event)
      expectEqual(run.word, word)
    }
    let found = DiagramTests.findings("[*] --> idle\nidle --> on : go\niddle --> on : go\non --> idle : off")
    expect(found.contains { $0.contains("nothing leads to iddle; did you mean idle?") }, "\(found)")
    let declared = DiagramTests.findings(
      "state iddle\n[*] --> idle\nidle --> x : go\niddle --> x : go\nx --> idle : off\ny --> idle : off")
    expect(!declared.contains { $0.contains("did you mean") }, "\(declared)")
  }

  @Test("warns of a second arrow with the same guard")
  func sameGuard() {
    for guarded in ["is late", "n > 3"] {
      guard
        case .definition(_, let findings) = Definition.compile(
          mermaid: Array(
            "stateDiagram-v2\n[*] --> a\na --> b : go [\(guarded)]\na --> c : go [\(guarded)]\nb --> a : x".utf8),
          reading: .free)
      else { return expect(Bool(false)) }
      let expected = "the transition in line 3 is always taken before this one: it has the same guard"
      expect(findings.contains { $0.message == expected && $0.line == 4 }, "\(findings)")
    }
  }

  @Test("asks for its conditions in SCXML also where there is no _event yet")
  func exported() throws {
    let text = Array("stateDiagram-v2\n[*] --> a\na --> b : [is late]\na --> c : go".utf8)
    let document = try #require(Definition.scxml(diagram: text, .mermaid, reading: .free))
    expect(document.contains("typeof _event == 'object'") && !document.contains("_event &amp;&amp;"), "\(document)")
  }

  @Test("begins below a limit that nothing declares, and asks what a counter begins as that only actions have")
  func limits() throws {
    var (run, notes) = try Self.load("[*] --> a\na --> a : fail / n++\na --> b : n >= max\na --> c : [left > 3]")
    expectEqual(run.word, "a", "\(notes)")
    run.send("fail")
    expectEqual(run.word, "b", "\(notes)")
    expectEqual(run.definition.charts[0].chart.conditions.map(\.name).sorted(), ["left", "max", "n"])
    (run, notes) = try Self.load("[*] --> a\na --> b : go [n > 0] / n--\nb --> a : back")
    run.send("go", Self.data([("n", "2")]))
    expectEqual(run.word, "b", "\(notes)")
  }

  @Test(
    "has another way to happen after a slash or an or",
    arguments: [
      ("card is declined / timeout", "cardIsDeclinedTimeout", 0), ("lost / 5 min timeout", "lost", 300_000),
      ("rider cancels or 60s timeout", "riderCancels", 60_000),
      ("rider cancels, or after 30 s", "riderCancels", 30_000),
      ("fraud found / order rejected", "fraudFoundOrderRejected", 0),
    ])
  func alternatives(label: String, event: String, milliseconds: Int64) throws {
    var (run, notes) = try Self.load("[*] --> a\na --> b : \(label)\nb --> a : back")
    run.send(event)
    expectEqual(run.word, "b", "\(notes)")
    expect(!notes.contains { $0.contains("output") || $0.contains(",\" is") }, "\(notes)")
    run.send("back")
    run.advance(by: .milliseconds(max(milliseconds, 1)))
    expectEqual(run.word, milliseconds > 0 ? "b" : "a")
  }

  @Test("tells functions from data: press() is press, and a name that guards and actions have is that of the data")
  func functions() throws {
    var (run, notes) = try Self.load(
      "[*] --> a\na --> b : press()\na --> c : press()\nb --> a : set(speed) [speed > 0]\nc --> a : after40s")
    run.send("press", Self.data([("toB", "off")]))
    expectEqual(run.word, "c", "\(notes)")
    run.advance(by: .seconds(40))
    run.send("press")
    run.send("set", Self.data([("speed", "3")]))
    expectEqual(run.word, "a", "\(notes)")
  }

  @Test("has what a state does by other words, and begins where its history says")
  func handlers() throws {
    var (run, notes) = try Self.load(
      """
      [*] --> a
      a --> b : go
      a : entering / lamp
      a : enter / hum
      a : leaving / dark
      state b {
        [H] --> b1
        b1 --> b2 : go
      }
      b --> a : back
      """)
    expectEqual(notes.count { $0.contains("is read as") }, 3, "\(notes)")
    for event in ["go", "go", "back", "go"] { run.send(event) }
    expectEqual(run.word, "b2", "\(notes)")
    expectEqual(run.told.count, 6)
  }

  @Test("has outputs for prose after the slash, and takes formal actions as they are")
  func outputs() throws {
    var (run, notes) = try Self.load(
      """
      [*] --> a
      a --> b : press / turn the lamp on, beep
      b --> c : press / send email, log the result, raise alarm, cancel order, count++, show(welcome page)
      """)
    run.send("press")
    run.send("press")
    let names = run.told.map { effect in if case .output(let name, _) = effect { name } else { "\(effect)" } }
    expectEqual(
      names, ["turnTheLampOn", "beep", "sendEmail", "logTheResult", "raiseAlarm", "cancelOrder", "show"], "\(notes)")
    expect(notes.contains { $0.contains("nothing declares count: it begins as 0") })
  }

  @Test("sends a delayed event where the formal notation does", arguments: ["a --> c : press", "a : press"])
  func delayed(label: String) throws {
    var (run, notes) = try Self.load("[*] --> a\n\(label) / send tick after 5s\na --> b : tick\nc --> b : tick")
    expectEqual(notes.filter { $0.contains("timer") }, [])
    run.advance(by: .seconds(9))
    expectEqual(run.word, "a")
    run.send("press")
    run.advance(by: .seconds(5))
    expectEqual(run.word, "b", "\(notes)")
  }

  @Test("takes words at a choice for guards, the last for the other case")
  func choices() throws {
    let text = "state check <<choice>>\n[*] --> form\nform --> check : submit\ncheck --> done : complete\n"
    for last in ["incomplete", "else", "otherwise", ""] {
      let diagram = text + "check --> form\(last.isEmpty ? "" : " : \(last)")\ndone --> form : again"
      var (run, _) = try Self.load(diagram)
      run.send("submit", Self.data([("complete", "off")]))
      expectEqual(run.word, "form", "\(last)")
      run.send("submit")
      expectEqual(run.word, "done", "\(last)")
    }
  }

  @Test("asks for the same words at two choices apart")
  func chainedChoices() throws {
    var (run, _) = try Self.load(
      """
      state one <<choice>>
      state two <<choice>>
      [*] --> a
      a --> one : go
      one --> two : yes
      one --> a : no
      two --> b : yes
      two --> c : no
      """)
    run.send("go", Self.data([("twoYes", "off")]))
    expectEqual(run.word, "c")
  }

  @Test("has events with data, as a value and as members")
  func samples() throws {
    let text = "[*] --> a\na --> b : push(softly)\na --> c : finish(failed=true)\na --> d : ready (warm)"
    var (run, _) = try Self.load(text)
    run.send("push")
    expectEqual(run.word, "a")
    run.send("push", Self.data([("value", "softly")]))
    expectEqual(run.word, "b")
    (run, _) = try Self.load(text)
    run.send("finish", Self.data([("failed", "true")]))
    expectEqual(run.word, "c")
    (run, _) = try Self.load(text)
    run.send("readyWarm")
    expectEqual(run.word, "d")
    let chart = run.definition.charts[0].chart
    expect(chart.eventData["push"] == [#"{"value":"softly"}"#] && chart.eventData["finish"] == [#"{"failed":true}"#])
  }

  @Test("takes a list of names in parentheses for the parameters of an event, and a name behind == for a word")
  func namesOfData() throws {
    let text = """
      stateDiagram-v2
        [*] --> login
        login --> home : submit(email, password)
        home --> release : merged [branch == main]
        home --> login : logout
      """
    guard case .definition(let definition, let findings) = Definition.compile(mermaid: Array(text.utf8), reading: .free)
    else { return expect(Bool(false)) }
    expect(findings.contains { $0.message.hasPrefix("(email, password) names the data of submit") })
    var run = VirtualRun(definition)
    run.send("submit")
    expectEqual(run.word, "home")
    run.send("merged")
    expectEqual(run.word, "home")
    var data = DataObject()
    try data.set(.string("main"), for: "branch")
    run.send("merged", .object(data))
    expectEqual(run.word, "release")
  }

  @Test("waits for next where no arrow has an event, and in circles")
  func next() throws {
    var (run, notes) = try Self.load("[*] --> off\noff --> warm\nwarm --> on\nwarm --> off\non --> [*]")
    expectEqual(notes.count, 1)
    for (event, word) in [("next", "warm"), ("next", "warm"), ("toOn", "on"), ("next", "final")] {
      run.send(event)
      expectEqual(run.word, word)
    }
    (run, notes) = try Self.load("[*] --> rest\nrest --> ping : serve\nping --> pong\npong --> ping")
    expect(notes.count == 1 && notes[0].contains("circle"))
    for (event, word) in [("serve", "ping"), ("next", "pong"), ("next", "ping")] {
      run.send(event)
      expectEqual(run.word, word)
    }
  }

  @Test("begins where remarks at its first arrow say, or waits for one of several")
  func starts() throws {
    var (run, notes) = try Self.load("[*] --> draft : created\ndraft --> sent : post")
    expect(run.word == "draft" && notes.count == 1 && notes[0].contains("\"created\" is a remark"))
    (run, _) = try Self.load("[*] --> draft : create\n[*] --> old : open a file\ndraft --> old : post")
    expectEqual(run.word, "start")
    run.send("openAFile")
    expectEqual(run.word, "old")
  }

  @Test("has states in several blocks, braces in the next line, titles and notes over lines, texts of one word")
  func blocks() throws {
    var (run, notes) = try Self.load(
      """
      state "First line
      second line" as p
      state p
      {
        [*] --> a
      }
      state p {
        a --> b : go
      }
      note right of p
        if it is late, send note
        then wait
      end note
      [*] --> p
      b : Waiting
      b : entry: show it
      b --> A/B : up
      """)
    run.send("go")
    expectEqual(run.word, "b")
    run.send("up")
    expectEqual(run.word, "A_B", "\(notes)")
    expectEqual(run.told, [.output(name: "showIt", data: .undefined)])
    expect(notes.contains { $0.contains("continues the one in line") && $0.hasPrefix("8:") })
    expect(notes.contains { $0.contains("this describes b") })
  }

  @Test("a join waits for the event that all arrows are given, and is no arrow of the regions before it")
  func joinsWithoutEvents() throws {
    var (run, notes) = try Self.load(
      """
      state f <<fork>>
      [*] --> f
      f --> a
      f --> b
      state j <<join>>
      a --> j
      b --> j
      j --> c
      c --> [*]
      """)
    expectEqual(notes.count, 1)
    expectEqual(run.word, "a+b")
    run.send("next")
    expectEqual(run.word, "c")
    run.send("next")
    expectEqual(run.word, "final")
  }

  @Test("passes forks and joins that are none at once")
  func joins() throws {
    var (run, _) = try Self.load(
      "state j <<join>>\nstate f <<fork>>\n[*] --> a\na --> j : x\nb --> j : y\nj --> c\nc --> f : z\nf --> b")
    run.send("x")
    expectEqual(run.word, "c")
    run.send("z")
    expectEqual(run.word, "b")
    (run, _) = try Self.load(
      """
      state f <<fork>>
      state j <<join>>
      state p {
        q --> f : ready
      }
      [*] --> p
      f --> q2 : start
      f --> r : check ## a remark
      state p {
        q2 --> j : done
      }
      r --> j : done
      j --> p : all over
      """)
    run.send("ready")
    expectEqual(run.word, "q2")
    run.send("done")
    expectEqual(run.word, "q")
  }

  @Test(
    "has timers with a guard, an event between two guards, and states that would have one name, and says so",
    arguments: [
      ("a --> b : after 5 s if busy", "nothing declares busy: it is a condition", "[busy] after 5 s"),
      ("a --> b : after 5 s when busy / beep", "nothing declares busy: it is a condition", "[busy] after 5 s"),
      ("a --> b : every 5 s unless busy", "busy=off unless new", "[not busy] every 5 s"),
      ("a --> b : after 10 s unless busy or late", "asks for late", "[not (busy or late)] after 10 s"),
      ("a --> b : every 5 s if busy / tick", "nothing declares busy: it is a condition", "[busy] every 5 s"),
      ("a --> b : every 5 s / tick", "\"every 5 s\" is a timer: after 5s", "[] every 5 s"),
      ("a --> b : after 10 s, late", "\"after 10 s\" is a timer: after 10s", "[] after 10 s, late"),
      ("a --> b : pressIt, after 2 s", "\"after 2 s\" is a timer: after 2s", "[] pressIt, after 2 s"),
      ("a --> b : after 5s if busy or idle", "\"busy or idle\" asks for idle", "[busy or idle] after 5s"),
      ("a --> b : after 5s if ready or n > 3", "\"ready or n > 3\" asks for ready", "[ready or n > 3] after 5s"),
      (
        "a --> b : after 5s while locked if n > 3", "asks for lockedIfN3",
        "[locked if n > 3] after 5s"
      ),
      ("a --> b : after 5s while locked [n > 3]", "asks for locked", "[(locked) && (n > 3)] after 5s"),
      ("a --> b : go [n > 3] [else]", "\"[else]\" after the guard is a remark", "[n > 3] go"),
      ("a --> b : 5s timeout while n > 3", "\"n > 3\" asks for n", "[n > 3] 5s timeout"),
      ("a --> b : [n] click [m]", "both guards are asked: [(n) && (m)]", "[(n) && (m)] click"),
      ("a --> b : [n > 3] click [m] / beep", "both guards are asked: [(n > 3) && (m)]", "[(n > 3) && (m)] click"),
      ("s-1 --> s/1 : go", "the state s/1 is called s_1_2, since another one is s_1", "[] go"),
    ])
  func assumed(line: String, note: String, arrow: String) throws {
    let (run, notes) = try Self.load("[*] --> a\n\(line)\nb --> a : back\na --> s-1 : more")
    expect(notes.contains { $0.contains(note) }, "\(notes)")
    let arrows = run.definition.picture.arrows.map { "[\($0.condition)] \($0.trigger)" }
    expect(arrows.contains(arrow), "\(arrows)")
  }

  @Test("keeps states of PlantUML apart whose names in quotes differ")
  func quotedNames() throws {
    let text =
      "@startuml\n[*] --> \"in use\"\n\"in use\" --> \"in-use\" : go\n\"in-use\" --> \"in use\" : back\n@enduml"
    guard
      case .definition(let definition, let notes) = Definition.compile(
        diagram: Array(text.utf8), .plantuml, reading: .free)
    else {
      Issue.record("it is refused")
      return
    }
    expect(
      notes.contains { $0.message == "the state \"in-use\" is called in_use_2, since another one is in_use" },
      "\(notes)")
    var run = VirtualRun(definition)
    run.send("go")
    expectEqual(run.word, "in_use_2")
  }

  @Test("is drawn in the author's words where actions ask for data that its parentheses name")
  func namedData() throws {
    let (run, _) = try Self.load("[*] --> a\na --> a : pay(amount) / total = total + amount")
    let arrow = run.definition.picture.arrows.first
    expectEqual(arrow?.actions, "total = total + amount")
    let asked = try Self.load("[*] --> a\na --> a : pay / total = _event.data.amount").run.definition.picture
    expectEqual(asked.arrows.first?.actions, "total = _event.data.amount")
  }

  @Test("has timers that are timers of the SCXML which it is written as, too")
  func writtenTimers() throws {
    let text = "stateDiagram-v2\n[*] --> a\na --> b : after 5 s [ready] / beep\nb --> a : ring after 3s"
    let document = try #require(Definition.scxml(diagram: Array(text.utf8), .mermaid, reading: .free))
    let definition = try Definition.of(document)
    expect(!definition.admits("a.after.5s") && definition.admits("ring"))
    expect(definition.picture.arrows.contains { $0.trigger == "after 5s" }, "\(definition.picture.arrows)")
    let foreign = try Definition.of(document.replacing("a.after.5s", with: "a.over"))
    expect(foreign.admits("a.over"))
  }

  @Test("is the same machine where the strict reading has no findings", arguments: 0..<3)
  func same(part: UInt64) throws {
    for seed in Thorough.rounds((part * 20)..<(part * 20 + 20)) {
      let text = try Definition.of(RandomChart(seed: seed).document).stateDiagram().text
      guard case .definition(let strict, let warnings) = Definition.compile(mermaid: Array(text.utf8)),
        warnings.isEmpty,
        case .definition(let free, let notes) = Definition.compile(mermaid: Array(text.utf8), reading: .free)
      else { continue }
      expect(notes.isEmpty, "seed \(seed): \(notes)\n\(text)")
      let difference = DiagramTests.difference(
        strict, free, seed: seed, events: Array(RandomChart.events.prefix(4)))
      expectNil(difference, "seed \(seed): \(difference ?? "")\n\(text)")
    }
  }

  @Test("is written so that it is read to the same behaviour again")
  func written() throws {
    let diagram = """
      stateDiagram-v2
      state check <<choice>>
      [*] --> zu
      zu --> auf : öffnen / grüßen
      auf --> check : go now
      check --> zu : fermé
      check --> Запрос : else
      Запрос --> zu : do [is admin] / exit
      Запрос --> auf : push(softly)
      Запрос --> auf : push(hard) [n > 3]
      zu : Waiting
      """
    guard case .definition(let first, _) = Definition.compile(mermaid: Array(diagram.utf8), reading: .free) else {
      Issue.record("it is refused")
      return
    }
    let (text, omissions) = first.stateDiagram()
    expect(omissions.isEmpty, "\(omissions)")
    guard case .definition(let second, _) = Definition.compile(mermaid: Array(text.utf8), reading: .free) else {
      Issue.record("what is written is refused:\n\(text)")
      return
    }
    for seed in 0..<20 as Range<UInt64> {
      let difference = DiagramTests.difference(first, second, seed: seed, events: ["öffnen", "goNow", "do", "push"])
      expectNil(difference, "\(difference ?? "")\n\(text)")
    }
    expectEqual(second.stateDiagram().text, text)
  }

  @Test("waits for an event or a time, in this order or the other", arguments: ["after 10s or knock", "knock or 10s"])
  func timeOrEvent(label: String) throws {
    var (run, _) = try Self.load("[*] --> a\na --> b : \(label)\nb --> a : \(label)")
    run.send("knock")
    expectEqual(run.word, "b")
    run.advance(by: .seconds(10))
    expectEqual(run.word, "a")
  }

  @Test("is written with the author's titles, descriptions and labels, and read again so")
  func words() throws {
    let lines = [
      "state \"Waiting room\" as w", "w : people sit here", "w : #quot;busy#quot;",
      "state \"Inside<br/>a whole block\" as inside {", "w --> inside : call()",
      "inside --> w : read it, or leave it", "inside --> w : 30s timeout", "inside --> gone : user/system stops",
    ]
    let (head, tail) = (lines[...3], lines[4...])
    let (run, _) = try Self.load((["[*] --> w"] + head + ["[*] --> deep", "}"] + tail).joined(separator: "\n"))
    let text = run.definition.stateDiagram().text
    for line in lines { expect(text.contains(line), "\(line) is not in\n\(text)") }
    let again = try Self.load(String(text.dropFirst("stateDiagram-v2\n".count))).run.definition
    expectEqual(again.stateDiagram().text, text)
    expectEqual(again.picture.boxes.map(\.texts), run.definition.picture.boxes.map(\.texts))
    expectEqual(again.picture.arrows.map(\.trigger), run.definition.picture.arrows.map(\.trigger))
  }

  @Test("has what a state does at an event behind \"on\", and a path for no action")
  func textsOfStates() throws {
    var (run, notes) = try Self.load("[*] --> a\na : on set(n) [n > 2] / beep\na : files/list/all\na --> b : go")
    expectEqual(run.definition.picture.boxes[0].texts, ["files/list/all"], "\(notes)")
    run.send("set", Self.data([("n", "3")]))
    expectEqual(run.told.count, 1)
    expectEqual(run.word, "a")
  }

  @Test("takes a state for that of the block that begins with it")
  func beginningOfAnother() throws {
    var (run, notes) = try Self.load(
      """
      [*] --> door
      state door {
        [*] --> closed
        closed --> open : push
      }
      state room {
        [*] --> open
        open --> lit : switch
      }
      """)
    run.send("push")
    expectEqual(run.word, "open", "\(notes)")
    run.send("switch")
    expectEqual(run.word, "lit")
    expect(notes.contains { $0.contains("room begins in open, which belongs into it") }, "\(notes)")
  }

  @Test("takes a state that nothing leads out of for a misspelled one only if it is nearly another one")
  func series() {
    let found = DiagramTests.findings(
      """
      [*] --> State1
      State1 --> State2 : go
      State1 --> PhaseA : x
      State1 --> PhaseB : y
      State1 --> Accepted : yes
      State1 --> Rejected : no
      State1 --> Waiting : wait
      Waiting --> Waitng : wait
      """)
    expectEqual(found.count { $0.contains("did you mean") }, 1, "\(found)")
    expect(found.contains { $0.contains("nothing leads out of Waitng; did you mean Waiting?") }, "\(found)")
  }

  @Test(
    "read strictly has a warning for what would be read otherwise",
    arguments: [
      ("a --> b : 500ms\nb --> a : go", "\"500ms\" is a timer: after 500ms"),
      ("a --> b : go\nb --> a : go\na : Waiting", "this describes a: an event Waiting is handled by no arrow"),
      ("a --> b\nb --> [*]", "no arrow has an event"),
      ("a --> b : after40s\nb --> a : go", "\"after40s\" is a timer: after 40s"),
      ("a --> b : go\nb --> a : go\na : enter / lamp", "enter of a is read as entry / lamp"),
      ("a --> b : Start!\nb --> a : go", "\"Start!\" is the event Start"),
      ("a --> b\na --> a : go\nb --> a : go", "this arrow waits for next, since a waits for other events as well"),
      ("a --> b : set(x, y)\nb --> a : go", "(x, y) names the data of set, whatever their values are"),
    ])
  func strictWarnings(text: String, expected: String) {
    let found = DiagramTests.findings("[*] --> a\n\(text)")
    expect(found.contains { $0.contains(" warning : read freely, ") && $0.contains(expected) }, "\(found)")
  }
}
