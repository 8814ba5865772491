import Page

/// A file of the page, as it is sent.
struct PageFile {
  let bytes: UnsafeRawBufferPointer
  let type: String
  /// Changes with the content.
  let tag: String

  /// By the path of their request. They hold no secrets.
  // Safety: constants, whose bytes nobody writes or frees.
  nonisolated(unsafe) static let all: [String: PageFile] = [
    "/": PageFile(LivePage.html, type: "text/html; charset=utf-8"),
    "/page.css": PageFile(LivePage.css, type: "text/css; charset=utf-8"),
    "/main.js": PageFile(LivePage.script, type: "text/javascript; charset=utf-8"),
  ]

  private init(_ text: String, type: String) {
    // Safety: it is never freed. A file is made once, and responses point to its bytes as long as the program runs.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    copy.copyBytes(from: text.utf8)
    bytes = UnsafeRawBufferPointer(copy)
    self.type = type
    // FNV-1a of 64 bits: it tells one build's file from another's, nothing more.
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    tag = "\"\(String(hash, radix: 16))\""
  }
}
