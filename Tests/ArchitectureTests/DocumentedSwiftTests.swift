import TestSupport
import Testing

@Suite("Swift in the documentation is Swift that is compiled")
struct DocumentedSwiftTests {
  /// The pages for those who write programs, and the catalogues of the products.
  private static func isDocument(_ path: String) -> Bool {
    ["README.md", "Docs/Library.md"].contains(path)
      || path.hasPrefix("Sources/") && path.contains(".docc/") && path.hasSuffix(".md")
  }

  @Test("every block stands in a test or an example, line for line")
  func blocks() throws {
    let files = try Checkout.swiftFiles(in: "Tests", "Examples")
    var count = 0
    for document in try Checkout.files() where Self.isDocument(document.path) {
      for block in Document(path: document.path, text: document.text).blocks(marked: "swift") {
        count += 1
        let isCompiled = files.contains { file in
          file.mentions(block.lines.prefix(1).map(String.init)) && Self.contains(Self.lines(of: file.text), block.lines)
        }
        expect(isCompiled, "\(document.path):\(block.line) is compiled nowhere")
      }
    }
    expect(count >= 10)
  }

  @Test("every library has a catalogue that bears its name")
  func catalogues() throws {
    let manifest = try Checkout.file("Package.swift").text
    let libraries = manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.output.1) }
    expect(libraries.count >= 6)
    for library in libraries {
      let page = try Checkout.file("Sources/\(library)/\(library).docc/\(library).md").text
      expect(page, hasPrefix: "# ``\(library)``\n")
    }
  }

  @Test("a block that differs by one letter, or by the indentation of one line, is found")
  func finds() {
    let compiled: [Substring] = ["  func a() {", "    b()", "  }", "  c()"]
    expect(Self.contains(compiled, ["func a() {", "  b()", "}"]))
    expect(!Self.contains(compiled, ["func a() {", "  d()", "}"]))
    expect(!Self.contains(compiled, ["func a() {", "b()", "}"]))
    let page = Document(path: "", text: "x\n```swift\na\n\nb\n```\n```sh\nc\n```")
    expectEqual(page.blocks(marked: "swift").map(\.lines), [["a", "", "b"]])
  }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Whether a block stands in a file, all of its lines indented by as much.
  private static func contains(_ file: [Substring], _ block: [Substring]) -> Bool {
    guard let first = block.first, block.count <= file.count else { return false }
    return (0...(file.count - block.count)).contains { start in
      guard file[start].hasSuffix(first) else { return false }
      let indent = file[start].dropLast(first.count)
      guard indent.allSatisfy({ $0 == " " }) else { return false }
      return zip(file[start...], block).allSatisfy { $0 == ($1.isEmpty ? "" : indent + $1) }
    }
  }
}
