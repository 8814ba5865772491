import Page

/// A file of the page, embedded in the program.
struct PageFile {
  let bytes: UnsafeRawBufferPointer
  let type: String
  /// Changes with the content.
  let tag: String

  /// By the path of their request. They hold no secrets.
  static func all() -> [String: PageFile] {
    var count = 0
    let first = fsm_page_files(&count)
    // Safety: the table has so many rows, and with what it points to it is a constant of the program.
    let files = UnsafeBufferPointer(start: first, count: count).map { file in
      let name = String(cString: file.name)
      let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.length)
      let path = name == "index.html" ? "/" : "/\(name)"
      return (path, PageFile(bytes: bytes, type: type(of: name), tag: tag(of: bytes)))
    }
    return Dictionary(uniqueKeysWithValues: files)
  }

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case _: "application/octet-stream"
    }
  }

  /// FNV-1a of 64 bits: it tells one build's file from another's, nothing more.
  private static func tag(of bytes: UnsafeRawBufferPointer) -> String {
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
