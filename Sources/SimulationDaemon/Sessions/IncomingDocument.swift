import LineProtocol

/// The bytes after a `define` line, until all of them have come.
///
/// They are no lines: they are not searched for `cancel` and not checked as text.
struct IncomingDocument {
  /// The line before the bytes.
  let line: [UInt8]
  private(set) var bytes: [UInt8] = []
  /// How many bytes are still to come.
  private(set) var missing: Int
  private(set) var fate: Fate

  enum Fate {
    case kept
    /// They are read and dropped, since they would exceed this limit.
    case dropped(limit: String, value: Int)
    /// They are read and dropped, since the line stands in a batch, which answers it.
    case droppedInBatch
    /// They are read and dropped, since the world is gone that they were for.
    case droppedWithWorld(String)
    /// They are read and dropped, since the session may change nothing.
    case droppedReadOnly
  }

  init(_ line: [UInt8], count: Int, _ fate: Fate) {
    self.line = line
    missing = count
    self.fate = fate
  }

  var isComplete: Bool { missing == 0 }

  var storageBytes: Int { line.capacity + bytes.capacity }

  /// Drops what has come and what is still to come: it was for another world.
  mutating func drop(with world: String) {
    guard case .kept = fate else { return }
    bytes = []
    fate = .droppedWithWorld(world)
  }

  /// Takes those of its bytes that are in the input.
  fileprivate mutating func take(from input: inout InputBuffer, _ share: borrowing ClientShare) {
    let count = min(missing, input.count)
    if case .kept = fate, bytes.count + count > bytes.capacity,
      !share.admits(storageBytes + count, beside: storageBytes)
    {
      // The old and the new storage exist together while it grows.
      let (name, value) = share.shortage(of: storageBytes + count).limit
      fate = .dropped(limit: name, value: value)
      bytes = []
    }
    if case .kept = fate {
      input.take(count) { bytes.append(contentsOf: $0) }
    } else {
      input.take(count) { _ in }
    }
    missing -= count
  }
}

/// A complete document, with the files that it may refer to.
struct ReceivedDocument {
  let bytes: [UInt8]
  /// What came of reading it; nil if nobody has read it yet.
  var reading: DocumentReading?
  /// By path, as `resource=` gave it.
  let resources: [String: [UInt8]]

  /// A longer document is read by a worker, before its `define` gets the world, in bytes.
  static let short = 1_024

  /// Whether a worker has to read it first.
  var isUnread: Bool { reading == nil && storageBytes > ReceivedDocument.short }

  var storageBytes: Int { resources.reduce(bytes.capacity) { $0 + $1.key.utf8.count + $1.value.capacity } }
}

/// What stands in a `define` line about its bytes.
enum Announcement {
  /// So many bytes follow.
  case bytes(Int)
  /// Nobody knows how many follow, so nothing after the line can be understood.
  case unclear(got: String)

  init(_ line: InputBuffer.Line, _ request: inout Request) {
    let found = line.withParsedCopy(&request) { Words($0).keyed.filter { $0.key == "bytes" }.map(\.value) }
    guard let found, found.count == 1, found[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int(found[0])
    else {
      self = .unclear(got: found?.joined(separator: ",") ?? "")
      return
    }
    self = .bytes(count)
  }
}

extension Session {
  /// Begins to receive the bytes after a `define` line. If their number is unclear, the session ends.
  mutating func announce(_ line: InputBuffer.Line, _ request: inout Request) {
    let count: Int
    switch Announcement(line, &request) {
    case .bytes(let announced): count = announced
    case .unclear(let got):
      let tag = line.withParsedCopy(&request) { Array($0.tag) } ?? []
      failArgument(
        tag, "bytes", got,
        "define needs bytes=N, the number of bytes after this line; without it nothing that follows can be read")
      return sayGoodbye("framing")
    }
    let most = environment.limits.definitionBytes
    let fate: IncomingDocument.Fate =
      if batch != nil {
        .droppedInBatch
      } else if !mayChange {
        .droppedReadOnly
      } else if count > most - resources.reduce(0, { $0 + $1.size }) {
        .dropped(limit: "definitionBytes", value: most)
      } else {
        .kept
      }
    incoming = IncomingDocument(Array(line.bytes), count: count, fate)
  }

  /// Takes those of the announced bytes that are in the input.
  ///
  /// - Returns: What to do; nil if bytes are still missing.
  mutating func takeIncoming(_ request: inout Request) -> Next? {
    incoming?.take(from: &input, share)
    guard let complete = incoming, complete.isComplete else { return nil }
    incoming = nil
    var line = complete.line
    let parsed = line.withUnsafeMutableBytes {
      InputBuffer.Line(unknown: $0).withParsedCopy(&request) { (tag: Array($0.tag), words: Words($0)) }
    }
    guard let parsed else { return .kept }
    switch complete.fate {
    case .droppedInBatch: return .kept
    case .droppedReadOnly:
      failReadOnly(parsed.tag, .define)
      return .kept
    case .droppedWithWorld(let world):
      fail(
        parsed.tag, .unknownWorld, [("world", world)],
        "the world '\(world)' that this was for is gone; nothing was defined")
      return .kept
    case .dropped(let limit, let value):
      resources = []
      failLimit(parsed.tag, limit, value, "these bytes are too many; they were read and dropped")
      return .kept
    case .kept: break
    }
    if parsed.words["resource"] != nil {
      document = ReceivedDocument(bytes: complete.bytes, resources: [:])
      return .resource(complete.line)
    }
    let kind = parsed.words[0]
    let own = resources.filter { $0.kind == kind }
    resources.removeAll { $0.kind == kind }
    let document = ReceivedDocument(
      bytes: complete.bytes, resources: Dictionary(own.map { ($0.path, $0.bytes) }) { $1 })
    task = RequestUnderWay(.define)
    activity = .deferred(
      Activity.Deferred(requests: .definition(line: complete.line, document), tag: parsed.tag))
    return .kept
  }
}

/// A file that a document of this connection may refer to.
struct DocumentResource {
  let kind: String
  let path: String
  let bytes: [UInt8]

  /// What it takes, also if the file is empty.
  var size: Int { 64 + kind.utf8.count + path.utf8.count + bytes.count }
}
