import TestSupport
import Testing

@testable import Scripts

@Suite("A page with diagrams")
struct DocumentPageTests {
  private static let page = """
    # Lamps
    ```mermaid
    %%{
      init: {}
    }%%
    stateDiagram-v2
      [*] --> off
    ```
    ```mermaid
    flowchart LR
      a --> b
    ```
    ## The *second* one
    ~~~ mermaid
    ---
    title: on
    ---
    stateDiagram
      [*] --> on
    ~~~
    """

  @Test("has its state diagrams by number, heading and anchor, with the lines of the page")
  func markdown() {
    let page = DocumentPage(Array(Self.page.utf8))
    expectEqual(page.diagrams.map(\.line), [3, 15])
    expectEqual(page.diagrams.map(\.heading), ["Lamps", "The *second* one"])
    expect(page.diagrams(named: "2") == [1] && page.diagrams(named: "3") == [])
    expect(page.diagrams(named: "lamps") == [0] && page.diagrams(named: "the-second-one") == [1])
    expectEqual(DocumentSource.diagrams(ofPage: "a.md", Array(Self.page.utf8))?.map(\.name), ["a.md#1", "a.md#2"])
    expect(DocumentSource.diagrams(ofPage: "a.mmd", Array(Self.page.utf8)) == nil)
  }

  @Test("of HTML has them in elements of the class mermaid")
  func html() {
    let text = """
      <h2>Lamp</h2>
      <pre class="mermaid">
      stateDiagram-v2
        [*] --&gt; off
      </pre>
      """
    let page = DocumentPage(Array(text.utf8))
    expectEqual(page.diagrams.map(\.heading), ["Lamp"])
    expectEqual(page.diagrams.first?.lines.contains { $0.contains("[*] --> off") }, true)
  }

  @Test("with several diagrams asks for one")
  func several() throws {
    do {
      _ = try DocumentSource("a.md", as: nil) { _ in .bytes(Array(Self.page.utf8)) }
      Issue.record("one was chosen")
    } catch {
      expectEqual(error.diagrams.map(\.name), ["a.md#1", "a.md#2"])
    }
    let source = try DocumentSource("a.md#2", as: nil) { _ in .bytes(Array(Self.page.utf8)) }
    expect(source.kind == "a-2" && source.format == "mermaid")
  }
}
