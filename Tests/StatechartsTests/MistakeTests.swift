import TestSupport
import Testing

@testable import Statecharts

/// All that is said of a mistake: one finding for each, the true one, and nothing that only follows from it.
@Suite("A mistake")
struct MistakeTests {
  @Test(
    "is told once",
    arguments: [
      (
        "<sate id='a'><transition event='e' target='a'/></sate>",
        ["2:1 error : <scxml> has no <sate>; did you mean <state>?"]
      ),
      ("<paralel id='p'><state id='a'/></paralel>", ["2:1 error : <scxml> has no <paralel>; did you mean <parallel>?"]),
      ("<State id='a'/>", ["2:1 error : <scxml> has no <State>; did you mean <state>?"]),
      (
        "<foo id='a'/><state id='b'><transition event='x' target='a'/></state>",
        ["2:1 error : <foo> cannot stand in <scxml>; expected <state>, <parallel>, <final>, <datamodel>, <script>"]
      ),
      (
        "<initial><transition target='a'/></initial><state id='a'/>",
        ["2:1 error : <initial> cannot stand in <scxml>; write initial= of <scxml>"]
      ),
      ("<state id='a'/><end id='f'/>", ["2:16 error : <end> is no part of SCXML; write <final>"]),
      (
        "<parallel id='p'><final id='f'/></parallel>",
        ["2:18 error : <final> cannot stand in <parallel>; write a <state> around it, which is the region"]
      ),
      ("<state id='a'><onentry><raise/></onentry></state>", ["2:24 error : <raise> lacks event="]),
      ("<state id='a'><onentry><raise event=''/></onentry></state>", ["2:31 error : event= names no event"]),
      (
        "<state id='a'><onentry><raise evnt='e'/></onentry></state>",
        ["2:31 error : <raise> has no attribute evnt; did you mean event?"]
      ),
      (
        "<state id='a'><onentry><assign expr='1'/><if><log/><elseif/></if><foreach array='[1]'/></onentry></state>",
        [
          "2:24 error : <assign> lacks location=", "2:42 error : <if> lacks cond=", "2:52 error : <elseif> lacks cond=",
          "2:66 error : <foreach> lacks item=",
        ]
      ),
      (
        "<state id='a'><transition evnt='e' target='a'/></state>",
        ["2:27 error : <transition> has no attribute evnt; did you mean event?"]
      ),
      (
        "<state id='a'><transition foo='e' target='a'/></state>",
        ["2:27 error : <transition> has no attribute foo; it has event, cond, target, type"]
      ),
      (
        "<state id='a'><history id='h'><onentry/></history><state id='b'/></state>",
        ["2:31 error : <onentry> cannot stand in <history>; expected <transition>"]
      ),
      ("<state id='a'/><state id='a'/>", ["2:23 error : the id a is that of the state in line 2 already"]),
      (
        "<state id='a'><transition event='e' target='wrok'/></state><state id='work'/><state id='c'/>",
        ["2:37 error : there is no state wrok; did you mean work?"]
      ),
      ("<state id='a'><onentry><log>x</log></onentry></state>", ["2:29 error : <log> has no content"]),
      (
        "<state id='a'><onentry><raise event='e'><log/></raise></onentry></state>",
        ["2:41 error : <log> cannot stand in <raise>; expected nothing"]
      ),
    ])
  func once(content: String, expected: [String]) { expectEqual(DocumentTests.findings(content), expected) }

  @Test("about what belongs to <else> says where it stands")
  func branches() {
    let found = DocumentTests.findings(
      """
      <state id='a'><onentry><if cond='x'><log label='1'/>
      <elseif cond='true'><log label='2'/><raise/></elseif>
      <else>
      <log label='3'/></else></if></onentry></state>
      """)
    expectEqual(
      found.filter { $0.contains(" error ") },
      [
        "3:21 error : <elseif/> is empty: its actions follow it, within the <if>",
        "3:37 error : <raise> lacks event=",
        "5:1 error : <else/> is empty: its actions follow it, within the <if>",
      ], "\(found)")
    let rest = ["<else/>", "<else></else>", "<else>\n</else>", "<else><!-- x --></else>"]
    for otherwise in rest {
      let content = "<state id='a'><onentry><if cond='In(\"a\")'>\(otherwise)<log/></if></onentry></state>"
      expectEqual(DocumentTests.findings(content), [], "\(otherwise)")
    }
  }

  @Test("in a namespace that is not SCXML's hides no others")
  func namespace() {
    let found = DocumentTests.findings(
      document:
        "<scxml xmlns='http://www.w3.org/2005/07/scxm'><state id='a'><transition event='e' target='q'/></state></scxml>"
    )
    expectEqual(
      found,
      [
        "1:8 error : the namespace is http://www.w3.org/2005/07/scxm; expected http://www.w3.org/2005/07/scxml",
        "1:83 error : there is no state q",
      ])
  }

  @Test(
    "in front of the place where a document stops being XML is told, too",
    arguments: [
      (
        "<state id='a'><transition event='e' target='zz'/><onentri/></state>\n<state id='b' foo='1'>",
        [
          "2:37 error : there is no state zz", "2:50 error : <state> has no <onentri>; did you mean <onentry>?",
          "3:15 error : <state> has no attribute foo; it has id, initial",
          "4:3 error : </scxml> ends no open element; <state> of line 3 is open",
        ]
      ),
      (
        "<state id='a'><transition event='e' target='zz'/><transition event='f' target='late'/></state>\n<state a & b/><state id='late'/>",
        ["2:37 error : there is no state zz", "3:10 error : this is not XML; & is written &amp;"]
      ),
      (
        "<state id='a'><transition event='e' target='b'></state><state id='b'/>",
        [
          "2:50 error : </state> ends no open element; <transition> of line 2 is open"
        ]
      ),
    ])
  func broken(content: String, expected: [String]) { expectEqual(DocumentTests.findings(content), expected) }

  @Test(
    "that breaks XML says how",
    arguments: [
      ("<!-- a -- b --><scxml/>", "1:10 error : this is not XML; a comment has no -- in it"),
      ("<scxml/>\u{1}", "1:9 error : this is not XML; the character U+0001 is not allowed"),
      ("<scxml><!-- ", "1:8 error : the comment has no end; write -->"),
      ("<?xx", "1:1 error : the instruction has no end; write ?>"),
      (
        "{\"initial\": 1}",
        "1:1 error : expected <scxml>; found {\"initial\": 1}; this is JSON: write format=xstate, or name the file *.json"
      ),
      (
        "<?xml version='1.0' encoding='utf8'?><scxml/>",
        "1:31 error : the encoding is not known; write UTF-8, UTF-16, ISO-8859-1, US-ASCII or windows-1252"
      ),
    ])
  func xml(text: String, expected: String) { expectEqual(DocumentTests.findings(document: text), [expected]) }

  @Test(
    "that is legal and surely one has a warning",
    arguments: [
      (
        "<state id='a'><transition event='a,b' target='a'/></state>",
        ["2:27 warning : a,b is one event: blanks separate several"]
      ),
      (
        "<datamodel><data id='1x'/><data id='if'/><data id='x'/><data id='x'/></datamodel><state id='a'/>",
        [
          "2:18 warning : 1x is no name of a variable: no expression can read it",
          "2:33 warning : if is no name of a variable: no expression can read it",
          "2:62 warning : x is declared in line 2 already; the value that comes last counts",
        ]
      ),
      (
        "<datamodel><data id='x'>{\"a\":</data><data id='y'>{\"a\":1}</data><data id='z'>a [b]</data></datamodel><state id='a'/>",
        ["2:12 warning : this begins like JSON but is no JSON, so it counts as a text"]
      ),
      (
        "<state id='work'><transition event='done.state.wrk done.invoke.chld' target='work'/><invoke id='child'><content expr='1'/></invoke></state>",
        [
          "2:30 warning : done.invoke.chld never comes: nothing is invoked with the id chld; did you mean child?",
          "2:30 warning : done.state.wrk never comes: there is no state wrk; did you mean work?",
        ]
      ),
      (
        // What descriptors match by their beginnings, and what the chart raises itself.
        "<state id='a'><onentry><raise event='done.state.own'/></onentry><invoke><content expr='1'/></invoke><state id='b.c'><final/></state><transition event='done.state.b done.state.own done.invoke.a done.state.*' target='a'/></state>",
        []
      ),
      (
        "<state id='a'><onentry><cancel sendid='nope'/><send id='nobe' event='e' target='#_chld'/></onentry><invoke id='child'><content expr='1'/></invoke></state>",
        [
          "2:32 warning : nothing is sent with the id nope; did you mean nobe?",
          "2:73 warning : this will be error.communication: nothing is invoked with the id chld; did you mean child?",
        ]
      ),
      (
        "<state id='a'><onentry><send id='s' event='e' target='#_child'/><cancel sendid='s'/><send event='e' target='#_parent'/></onentry><invoke id='child'><content expr='1'/></invoke></state>",
        []
      ),
      (
        "<state id='a'><onentry><assign location='_event.data.x' expr='1'/></onentry></state>",
        ["2:32 warning : location=\"_event.data.x\" will be error.execution: system variables cannot be changed"]
      ),
      (
        "<state id='a'><invoke id='c'><content expr='1'/></invoke><state id='b'><invoke id='c'><content expr='1'/></invoke></state></state>",
        ["2:80 warning : the id c is that of the <invoke> in line 2 already"]
      ),
      (
        "<state id='a'><invoke id='c'><content expr='1'/></invoke><transition event='e' target='b'/></state><state id='b'><invoke id='c'><content expr='1'/></invoke></state>",
        []
      ),
      (
        "<state id='a'><transition event='e' cond='false' target='a'/><transition event='f' cond='true' target='a'/><transition event='f' target='a'/></state>",
        [
          "2:37 warning : the transition is never taken: its condition is always false",
          "2:108 warning : the transition in line 2 is always taken before this one",
        ]
      ),
      (
        "<parallel id='p'/>",
        ["2:1 error : a <parallel> without regions cannot be in any state; at least one <state> belongs in it"]
      ),
      (
        "<state id='a'><invoke><content expr='1'/><finalize><if cond='true'><raise event='e'/></if><send event='e'/></finalize></invoke><transition event='e' target='a'/></state>",
        [
          "2:68 warning : <raise> is not for <finalize>, which the Recommendation has for data; it runs",
          "2:91 warning : <send> is not for <finalize>, which the Recommendation has for data; it runs",
        ]
      ),
      (
        // Regions that watch, and one that only waits.
        "<parallel id='p'><state id='s'><state id='q'><transition event='k'><log/></transition></state></state><state id='r'><state id='t'/></state><state id='v'/></parallel>",
        []
      ),
      (
        "<state id='a'><onentry><send event='a' delay='+1s'/></onentry><transition event='a' target='a'/></state>", []
      ),
    ])
  func warnings(content: String, expected: [String]) { expectEqual(DocumentTests.findings(content), expected) }

  @Test("of a draft is none")
  func drafts() {
    let found = DocumentTests.findings("<state id='a'/>", attributes: " exmode='strict' profile='x'")
    expectEqual(
      found.map { String($0.drop { $0 != " " }) },
      ["exmode", "profile"].map { " warning : \($0)= is of a draft of SCXML, and changes nothing" })
  }
}
