import TestSupport
import Testing

@testable import fsmrepl

struct GraphListTests {
  @Test("the entities of a diagram are the characters that they stand for")
  func entities() throws {
    expectEqual(GraphList.decoded("a #lt; b #quot;c#quot; #amp; d #gt; 1 #43; 2"), "a < b \"c\" & d > 1 + 2")
    for text in ["#none;", "#1114112;", "#", "no. #5", ""] { expectEqual(GraphList.decoded(text), text) }
    let list = GraphList([". down --> up : ▶ ticket [cars #lt; places]", ".     class down current"])
    expectEqual(list.states.map(\.name), ["down"])
    let arrow = try #require(list.states.first?.arrows.first)
    expect(arrow.label == "ticket [cars < places]" && arrow.target == "up" && arrow.isPossible)
  }

  @Test("a state that nothing leaves is listed as well, and states of regions with one name are two")
  func ends() {
    let list = GraphList([
      ".     state \"both\" as both {", ".         state \"off\" as off", ".         state \"end\" as end",
      ".         state \"off\" as off_2", ".         off --> end : tap", ".         off_2 --> end : key", ".     }",
    ])
    expectEqual(list.states.map(\.name), ["off", "end", "off"])
    expectEqual(list.states.map { $0.arrows.map(\.label) }, [["tap"], [], ["key"]])
  }
}
