import LineProtocol

/// A value of JSON that knows where it stands.
struct JSONTree: Sendable {
  enum Value: Sendable {
    case object([Member])
    case list([JSONTree])
    case plain(DataValue)
  }

  struct Member: Sendable {
    var key: String
    /// Where the key stands.
    var offset: Int
    var value: JSONTree
  }

  var value: Value
  var offset: Int

  /// Why a text is no JSON.
  struct Mistake: Error {
    var offset: Int
    var message: String
  }

  /// - Throws: ``Mistake``, also if values are nested more deeply than ``DataValue/deepest``, or beyond the limits.
  /// - Complexity: O(*n*).
  init(_ bytes: [UInt8], _ limits: DocumentLimits, _ pace: ReadingPace) throws(Mistake) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    var reader = JSONReader(bytes, from: hasMark ? 3 : 0, longestText: limits.line)
    var room = limits.nodes
    do {
      self = try reader.tree(&room, pace)
      try reader.scanner.end()
    } catch {
      let message =
        room <= 0
        ? "the document has more than \(limits.nodes) values"
        : reader.scanner.hasLongText
          ? "a text has at most \(limits.line) bytes"
          : reader.isTooDeep ? "values are nested more than \(DataValue.deepest) deep" : "this is no JSON"
      throw Mistake(offset: reader.scanner.place, message: message)
    }
  }

  init(_ value: Value, at offset: Int) {
    self.value = value
    self.offset = offset
  }

  /// The value of the first of these keys that the object has. Of equal keys the last one counts.
  subscript(keys: String...) -> JSONTree? {
    for key in keys { if let member = members.last(where: { $0.key == key }) { return member.value } }
    return nil
  }

  var members: [Member] { if case .object(let members) = value { members } else { [] } }

  /// The elements of a list, or the value itself.
  var items: [JSONTree] { if case .list(let items) = value { items } else { [self] } }

  var text: String? { if case .plain(.string(let text)) = value { text } else { nil } }

  /// Whether one of some keys is in the value, however deep.
  func hasKey(of words: Set<String>) -> Bool {
    switch value {
    case .plain: false
    case .list(let items): items.contains { $0.hasKey(of: words) }
    case .object(let members): members.contains { words.contains($0.key) || $0.value.hasKey(of: words) }
    }
  }

  var isNull: Bool { if case .plain(.null) = value { true } else { false } }

  func isTrue(_ key: String) -> Bool? {
    if case .plain(.boolean(let flag))? = self[key]?.value { flag } else { nil }
  }

  /// The value as data.
  var data: DataValue {
    switch value {
    case .plain(let value): return value
    case .list(let items): return (try? DataArray(items.map(\.data))).map(DataValue.array) ?? .null
    case .object(let members):
      var object = DataObject()
      for member in members { try? object.set(member.value.data, for: member.key) }
      return .object(object)
    }
  }
}

extension JSONReader {
  /// - Parameter room: How many values there may still be; 0 after an error because of that.
  fileprivate mutating func tree(_ room: inout Int, _ pace: ReadingPace) throws -> JSONTree {
    scanner.skipBlanks()
    let start = scanner.place
    room -= 1
    guard room > 0, pace.mayGoOn() else { throw JSONScanner.Mistake() }
    switch scanner.next {
    case UInt8(ascii: "{"):
      return JSONTree(.object(try nested { reader in try reader.members(&room, pace) }), at: start)
    case UInt8(ascii: "["):
      return JSONTree(
        .list(
          try nested { reader in
            var items: [JSONTree] = []
            if reader.scanner.takes("]") { return items }
            repeat { items.append(try reader.tree(&room, pace)) } while reader.scanner.takes(",")
            try reader.scanner.expect("]")
            return items
          }), at: start)
    case _: return JSONTree(.plain(try value()), at: start)
    }
  }

  private mutating func members(_ room: inout Int, _ pace: ReadingPace) throws -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    if scanner.takes("}") { return members }
    repeat {
      scanner.skipBlanks()
      let start = scanner.place
      let key = try scanner.string()
      try scanner.expect(":")
      members.append(JSONTree.Member(key: key, offset: start, value: try tree(&room, pace)))
    } while scanner.takes(",")
    try scanner.expect("}")
    return members
  }
}
