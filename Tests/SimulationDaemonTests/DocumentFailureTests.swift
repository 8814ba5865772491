import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("What fails in a machine of a document")
struct DocumentFailureTests {
  private static let lamp = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" initial="dark">
      <datamodel><data id="count" expr="0"/></datamodel>
      <state id="dark">
        <transition event="press" target="lit">
          <script>lamp.glow(3)</script>
          <assign location="count" expr="count + 1"/>
        </transition>
      </state>
      <state id="lit"><transition event="press" target="dark"/></state>
    </scxml>
    """

  private func define(_ name: String, _ document: String, _ guest: Guest) -> [String] {
    guest.say("define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)")
  }

  @Test("an action is in the answer, the journal, the notices, and in show until the next input")
  func action() {
    let service = HostedService()
    let guest = service.connect(toWorld: "w")
    expect(define("lamp", Self.lamp, guest).last, hasPrefix: "+ defined")
    _ = guest.say("new lamp m")
    _ = guest.say("watch m what=all")
    expect(guest.say("send m press"), contains: "+ moved dark lit t=0.000 seq=3 : line 5: lamp is not defined")
    expect(guest.say("journal m what=all"), contains: #". 3 0.000 m told error "line 5: lamp is not defined""#)
    expect(guest.say("show m"), contains: #". error "line 5: lamp is not defined""#)
    expect(guest.say("wave").contains { $0.contains("lit, failed: line 5: lamp is not defined") })
    expect(guest.say("wave format=json").joined().contains(#""error":"line 5: lamp is not defined""#))
    expect(guest.say("journal m").contains { $0.contains(" told error ") })
    _ = guest.say("send m press")
    expect(!guest.say("show m").contains { $0.hasPrefix(". error") })
  }

  @Test("a guard without an event that fails for ever is named by the limit")
  func endlessGuard() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        state even <<choice>>
        [*] --> wait
        wait --> even : roll
        even --> left : [pips < 4]
        even --> right : [pips >= 4]
      """
    let lines = guest.say("define dice format=mermaid strict=yes bytes=\(diagram.utf8.count)\n\(diagram)")
    expect(
      lines.contains { $0.contains("nothing declares pips, and a guard without an event that fails is asked for ever") }
    )
    _ = guest.say("new dice m")
    let answer = guest.say("send m roll")[0]
    expect(answer, hasPrefix: "- LIMIT name=chartEvents")
    expect(answer, hasSuffix: ": line 5: a guard fails: pips is not defined", "\(answer)")
  }

  @Test("a step over a limit is an outcome of diagrams and of their tests")
  func limitOfStep() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> rest\nrest --> ping : serve\nping --> pong\npong --> ping"
    _ = guest.say("define rally format=mermaid strict=yes bytes=\(diagram.utf8.count)\n\(diagram)")
    let table = guest.say("graph rally")
    expect(table, contains: ".   rest   LIMIT", "\(table)")
    expect(table.contains { $0.contains("serve in rest goes over the limit chartSteps") })
    expect(guest.say("graph rally format=json"), contains: #". "complete":false,"#)
    expect(guest.say("graph rally format=tests"), contains: ". send c1 serve => refused LIMIT")
  }

  @Test("a start over a limit is told by diagrams, and their tests have it alone")
  func limitOfStart() {
    let guest = HostedService().connect(toWorld: "w")
    let regions = "state both {\n[*] --> ping\nping --> pong\npong --> ping\n--\n[*] --> idle\nidle --> busy : work\n}"
    for (kind, body) in [
      ("loop", "[*] --> ping\nping --> pong\npong --> ping\nping --> out : stop"),
      ("regions", "[*] --> both\n\(regions)"),
    ] {
      let diagram = "stateDiagram-v2\n\(body)"
      _ = guest.say("define \(kind) format=mermaid strict=yes bytes=\(diagram.utf8.count)\n\(diagram)")
      let json = guest.say("graph \(kind) format=json")
      expect(json, contains: #". "complete":false,"#, "\(json)")
      expect(json.contains { $0.contains("a new machine goes over the limit chartSteps") }, "\(json)")
      let tests = guest.say("graph \(kind) format=tests")
      expectEqual(
        tests.filter { $0.hasPrefix(". new ") || $0.hasPrefix(". send ") }, [". new \(kind) c0 => refused LIMIT"])
      expect(guest.say("new \(kind) m")[0], hasPrefix: "- LIMIT name=chartSteps")
    }
  }

  @Test("regions without a name have none in a picture, whether they are those of a state or of the whole diagram")
  func namelessRegions() {
    let guest = HostedService().connect(toWorld: "w")
    let regions = "[*] --> a\na --> b : go\n--\n[*] --> c\nc --> d : run"
    for (format, diagram) in [
      ("mermaid", "stateDiagram-v2\n[*] --> both\nstate both {\n\(regions)\n}"),
      ("plantuml", "@startuml\n\(regions)\n@enduml"),
    ] {
      _ = guest.say("define \(format) format=\(format) bytes=\(diagram.utf8.count)\n\(diagram)")
      let labels = guest.say("graph \(format) format=dot").filter {
        $0.contains("label=") && $0.contains("style=\"rounded\"")
      }
      expectEqual(labels.count { $0.contains("label=\" \"") }, format == "mermaid" ? 2 : 3, "\(labels)")
    }
  }

  @Test("a choice and a timer are drawn as the author has them")
  func picture() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        state check <<choice>>
        [*] --> draft
        draft --> check : submit
        check --> done : [complete]
        check --> draft : [else]
        draft --> lost : timeout (3 days)
      """
    _ = guest.say("define paper format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    func graph(_ format: String) -> [String] { guest.say("graph paper format=\(format)") }
    expect(graph("mermaid"), contains: #". check{"check"};"#)
    expect(graph("mermaid"), contains: #". draft --"timeout (3 days)"--> lost;"#)
    expect(graph("dot").contains { $0.contains("shape=diamond") })
    for format in ["stateDiagram", "plantuml"] {
      expect(graph(format).contains { $0.hasSuffix("state check <<choice>>") }, "\(format)")
    }
    expect(graph("json").contains { $0.contains(#""name":"check""#) && $0.contains(#""choice":true"#) })
  }

  @Test("a finding has what can stand instead")
  func proposal() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> a\na --> b : user pushes"
    expect(
      guest.say("define k format=mermaid strict=yes bytes=\(diagram.utf8.count)\n\(diagram)")[0],
      hasPrefix: ". 3:11 error write=userPushes : ")
  }

  @Test("coverage counts what the document says, and describe has no parameter initial")
  func coverage() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        [*] --> locked
        locked --> unlocked : code(1234)
        unlocked --> locked : close
        unlocked --> alarm : shake [_event.data.force > hard]
        alarm --> locked : reset
        %% data hard = 10
      """
    _ = guest.say("define safe format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    expect(!guest.say("describe safe").contains { $0.hasPrefix(". parameter initial") })
    _ = guest.say("new safe s")
    _ = guest.say("send s code 1234")
    let kind = guest.say("coverage kind=safe").first { $0.hasPrefix(". kind") } ?? ""
    expect(kind, contains: " states=2/3 transitions=1/4 ", "\(kind)")
    expect(kind, contains: " unreachable=0 ", "\(kind)")
  }

  @Test("coverage of a document with regions counts the states and arrows of each")
  func coverageOfRegions() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        [*] --> oven
        state oven {
          [*] --> idle
          idle --> heating : start [In('closed')]
          heating --> idle : stop, open
          heating --> alarm : shake [count > 3]
          alarm --> idle : reset
          --
          [*] --> closed
          closed --> opened : open
          opened --> closed : close
        }
        oven --> broken : drop
        %% data count = 0
      """
    _ = guest.say("define oven format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    _ = guest.play("new oven m", "send m start", "send m open", "send m close", "send m shake", "send m drop")
    let lines = guest.say("coverage kind=oven list=all")
    // No trial gets to the alarm.
    expect(
      lines[0], hasPrefix: ". kind oven machines=1 states=5/6 transitions=6/12 pairs=10/42 ", "\(lines)")
    expect(lines[0], contains: " combinations=4/4 unreachable=0 ", "\(lines)")
    expectEqual(lines[1...2], [". region oven oven_1 states=2/3", ". region oven oven_2 states=2/2"])
    let taken = lines.filter { $0.hasPrefix(". tried oven transition ") }.map { $0.dropFirst(24) }
    expectEqual(
      taken,
      [
        "idle broken event=drop", "idle heating event=start", "heating idle event=open", "closed broken event=drop",
        "closed opened event=open", "opened closed event=close",
      ])
    expect(lines, contains: ". untried oven transition heating alarm event=shake", "\(lines)")
    expect(lines, contains: ". untried oven state alarm", "\(lines)")
  }
}
