import StateMachines
import TestSupport
import Testing

@Suite("Values as bytes")
struct ValueCodingTests {
  private enum Colour: String, Codable { case red, green }
  private enum Shape: Hashable, Codable {
    case point
    case circle(radius: Double)
    case polygon([Corner], Colour?)
    indirect case pair(Shape, Shape)
  }
  private struct Corner: Hashable, Codable {
    var x: Int
    var y: Int8
  }
  private struct Everything: Hashable, Codable {
    var flag = true
    var text = "größer"
    var empty = ""
    var double = -0.5
    var float: Float = 1.25
    var least = Int.min
    var most = UInt64.max
    var small: Int8 = -128
    var medium: UInt16 = 65_535
    var nothing: String?
    var something: String? = "here"
    var nested: [[Int?]] = [[], [nil, 1, nil]]
    var doubly: Int?? = .some(nil)
    var moment = Instant.latest
    var interval = Nanoseconds(nanoseconds: -1)
    var values: [Value] = [
      .none, .text("x"), .integer(-1), .number(0.5), .flag(true), .flag(false), .interval(.seconds(1)), .moment(.end),
    ]
    var colour = Colour.green
    var colours: Set<String> = ["b", "a", "ccc", ""]
    var numbers: [String: [Int]] = ["one": [1], "two": [1, 2], "none": []]
    var byShape: [Corner: Shape] = [
      Corner(x: 1, y: 2): .point, Corner(x: -1, y: 0): .circle(radius: 2),
      Corner(x: 0, y: 0): .polygon([Corner(x: 3, y: 4)], nil),
      Corner(x: 0, y: 1): .pair(.point, .polygon([], .red)),
    ]
  }

  private func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = ValueEncoder()
    try encoder.encode(value)
    return encoder.bytes
  }

  private func read<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
    try bytes.withUnsafeBytes { bytes in
      let decoder = ValueDecoder(bytes)
      let value = try decoder.decode(type)
      expectEqual(decoder.left, 0)
      return value
    }
  }

  @Test("all that a machine may hold comes back as it was")
  func roundTrip() throws {
    let value = Everything()
    let written = try bytes(value)
    try expectEqual(read(Everything.self, written), value)
    try expectEqual(bytes(read(Everything.self, written)), written)
  }

  @Test("the order in which a set or a dictionary came about is not seen", arguments: Thorough.rounds(0..<20))
  func order(seed: Int) throws {
    var dice = Generator(salt: seed)
    let shapes = (0..<40).map { Shape.polygon([Corner(x: $0, y: 1)], $0 % 2 == 0 ? .red : nil) }
    let first = try bytes(Set(shapes))
    // Another capacity is another order within the process.
    var other = Set<Shape>(minimumCapacity: 1 << (seed % 10))
    for shape in shapes.shuffled(using: &dice) { other.insert(shape) }
    try expectEqual(bytes(other), first)
    try expectEqual(read(Set<Shape>.self, first), other)
  }

  @Test("a name is spelled out once")
  func names() throws {
    let corners = Array(repeating: Corner(x: 1, y: 1), count: 10)
    try expectEqual(bytes(corners).count, 1 + 10 * 4 + 2 * 2)
  }

  @Test("every cut and every change of a byte is found out, or reads as another value")
  func damage() throws {
    let value = Everything()
    let written = try bytes(value)
    for length in written.indices {
      #expect(throws: (any Error).self) { try read(Everything.self, Array(written[..<length])) }
    }
    for place in written.indices {
      for bit in 0..<8 {
        var damaged = written
        damaged[place] ^= 1 << UInt8(bit)
        let found = damaged.withUnsafeBytes { bytes -> Everything? in
          let decoder = ValueDecoder(bytes)
          guard let found = try? decoder.decode(Everything.self), decoder.left == 0 else { return nil }
          return found
        }
        expect(found != value, "byte \(place), bit \(bit)")
      }
    }
  }

  @Test("random bytes never trap", arguments: Thorough.rounds(0..<200))
  func noise(seed: Int) {
    var dice = Generator(salt: seed)
    let bytes = (0..<200).map { _ in UInt8(truncatingIfNeeded: dice.next() % (seed % 2 == 0 ? 256 : 4)) }
    bytes.withUnsafeBytes { bytes in
      _ = try? ValueDecoder(bytes).decode(Everything.self)
      _ = try? ValueDecoder(bytes).decode([Shape].self)
    }
  }

  @Test("members that are others than those written are found out by their names")
  func otherMembers() throws {
    struct Before: Codable { var width = 1, height = 2 }
    struct After: Codable { var height = 1, width = 2 }
    #expect(throws: StorageFailure.otherMember(found: "width", expected: "height")) {
      _ = try read(After.self, bytes(Before()))
    }
  }

  @Test("values within values have an end")
  func depth() throws {
    var shape = Shape.point
    for _ in 0..<20 { shape = .pair(shape, .point) }
    try expectEqual(read(Shape.self, bytes(shape)), shape)
    for _ in 0..<ValueEncoder.deepest { shape = .pair(shape, .point) }
    #expect(throws: StorageFailure.tooDeep) { _ = try bytes(shape) }
  }

  @Test("numbers have one form only")
  func numbers() {
    func number(_ bytes: [UInt8]) -> UInt64? {
      bytes.withUnsafeBytes { try? ValueDecoder($0).number() }
    }
    expectEqual(number([0x00]), 0)
    expectEqual(number([0x80, 0x01]), 128)
    expectNil(number([0x80, 0x00]))
    expectEqual(number(Array(repeating: 0xFF, count: 9) + [0x01]), .max)
    expectNil(number(Array(repeating: 0xFF, count: 9) + [0x02]))
    expectNil(number(Array(repeating: 0xFF, count: 11)))
    expectNil(number([0x80]))
  }

  @Test("a coding by hand that does not say how many elements there are is refused")
  func unkeyed() throws {
    struct ByHand: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      }
    }
    #expect(throws: StorageFailure.self) { _ = try bytes(ByHand()) }
  }
}

/// Data that decide nothing.
struct IncidentalTests {
  private struct Plain: Codable {
    var late = 3
    var name: String? = "A"
    var since = Instant.beginning + Nanoseconds.seconds(5)
  }

  private struct Marked: Codable {
    @Incidental var late = 3
    @Incidental var name: String? = "A"
    var since = Instant.beginning + Nanoseconds.seconds(5)
  }

  private func bytes(_ value: some Encodable, comparedAt now: Instant? = nil) throws -> [UInt8] {
    let encoder = now.map { ValueEncoder(comparingAt: $0) } ?? ValueEncoder()
    try encoder.encode(value)
    return encoder.bytes
  }

  @Test("are stored as the plain values, and read again")
  func stored() throws {
    try expectEqual(bytes(Marked()), bytes(Plain()))
    var marked = Marked()
    marked.late = 7
    marked.name = nil
    let stored = try bytes(marked)
    let read = try stored.withUnsafeBytes { try ValueDecoder($0).decode(Marked.self) }
    expectEqual(read.late, 7)
    expectNil(read.name)
  }

  @Test("do not tell machines apart, and moments do so relative to now")
  func compared() throws {
    var later = Marked()
    later.late = 9
    let now = Instant.beginning + Nanoseconds.seconds(8)
    try expectEqual(bytes(Marked(), comparedAt: now), bytes(later, comparedAt: now))
    later.since = now
    try expect(bytes(Marked(), comparedAt: now) != bytes(later, comparedAt: now))
    try expectEqual(
      bytes(Marked(), comparedAt: now), bytes(later, comparedAt: now + Nanoseconds.seconds(3)), "three seconds ago")
  }
}
