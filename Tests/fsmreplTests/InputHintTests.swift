import LineProtocol
import Scripts
import TestSupport
import Testing

@testable import fsmrepl

struct InputHintTests {
  @Test(
    "what may come next is the rest of the verb's form",
    arguments: [
      ("send", " NAME EVENT [argument…]"), ("send ", "NAME EVENT [argument…]"), ("send ke", " EVENT [argument…]"),
      ("send key ", "EVENT [argument…]"), ("send key tap ", "[argument…]"), ("send key tap a ", "[argument…]"),
      ("> send ", "NAME EVENT [argument…]"), ("@x send ", "NAME EVENT [argument…]"),
      ("at 5s ", "[LINE]"), ("at 5s send ", "NAME EVENT [argument…]"), ("at 5s send", ""),
      ("watch * what=all ", "[since=SEQ]"), ("watch * what=all", " [since=SEQ]"),
      ("advance ", "DURATION  or  until TIME"), ("advance until ", "TIME"), ("advance un", " TIME"),
      ("expect key ", "STATE  or  timers none|TIMERS  or  reading READING VALUE"), ("expect key on ", ""),
      ("fire key timer x y", ""),
      ("world n", " W [clock=virtual|real] [seed=N] [durable=no|yes]"),
      ("run ", "FILE"), ("load x ", "[as KIND] [strict] [follow [anew]]"),
      ("load x as ", "KIND [strict] [follow [anew]]"), ("send key tap => ", ScriptOutcome.form),
      ("list > ", "FILE"), ("list | ", "CMD"), ("at 5s list | ", "CMD"), ("list | sort ", ""), ("list > x", ""),
      ("define x ", "[resource=PATH] format=scxml|mermaid|plantuml|xstate"), ("", ""), ("se", ""), ("! ls ", ""),
      ("# send ", ""),
      ("nonsense ", ""),
    ])
  func hints(typed: String, expected: String) {
    expectEqual(InputHint.text(after: typed, grammar: .builtIn), expected)
  }

  @Test("verbs of a daemon that is newer have hints, too")
  func newer() throws {
    let grammar = Grammar(help: [try #require(ServerLine(". frobnicate NAME [with=TEXT] : does it"))])
    expectEqual(InputHint.text(after: "frobnicate ", grammar: grammar), "NAME [with=TEXT]")
    expectEqual(InputHint.text(after: "frobnicate with=a ", grammar: grammar), "NAME")
  }
}
