import TestSupport
import Simulations
@testable import Simulator
import StateMachines
import Testing

@Suite("Machines by name and by number")
struct RegistryTests {
  /// A registry and a plain dictionary that must agree.
  private struct Pair: ~Copyable {
    var registry = Registry()
    var model: [String: MachineID] = [:]
    /// Dropped, and not yet recycled.
    var retired: [(id: MachineID, name: String)] = []

    mutating func insert(_ name: String) {
      model[name] = name.bytes { registry.insert($0, at: Location(raw: UInt32(model.count))) }
    }

    mutating func remove(_ name: String) {
      guard let id = model.removeValue(forKey: name) else { return }
      registry.remove(id, kind: 7)
      retired.append((id, name))
    }

    func find(_ name: String) -> MachineID? { name.bytes { registry.find($0) } }

    func name(of id: MachineID) -> String { registry.withName(of: id) { String(decoding: $0, as: UTF8.self) } }

    mutating func inOrder() -> [String] {
      var names: [String] = []
      var place = registry.place(of: UnsafeRawBufferPointer(start: nil, count: 0), orAfter: false)
      while let id = registry.next(at: &place) { names.append(name(of: id)) }
      return names
    }
  }

  /// Names of all lengths with common beginnings and ends, so that comparisons must look at every byte.
  private static func name(_ dice: inout Dice) -> String {
    let length = dice.once(in: 3) ? dice.number(1...64) : dice.number(1...9)
    let filler = dice.one(of: ["a", "b", "0"])
    var letters = Array(repeating: filler, count: length)
    letters[dice.number(0...length - 1)] = dice.one(of: ["a", "z", "-", ".", "Z", "_", "9"])
    letters[dice.number(0...length - 1)] = dice.one(of: ["a", "b", "c"])
    return letters.joined()
  }

  @Test(
    "whatever comes and goes, it is found, named and ordered as in a dictionary", arguments: Thorough.rounds(0..<15))
  func model(seed: Int) {
    var dice = Dice(seed: seed)
    var pair = Pair()
    for step in 0..<1_500 {
      let name = Self.name(&dice)
      switch dice.number(0...9) {
      case 0...5:
        if pair.model[name] == nil { pair.insert(name) }
      case 6, 7:
        if let some = pair.model.keys.sorted().randomElement(using: &dice) { pair.remove(some) }
      case 8:
        if !pair.retired.isEmpty {
          let (id, _) = pair.retired.remove(at: dice.number(0...pair.retired.count - 1))
          pair.registry.recycle(id)
        }
      default: break
      }
      expectEqual(pair.find(name), pair.model[name], "seed \(seed), step \(step)")
      guard step % 50 == 0 else { continue }
      expectEqual(pair.registry.count, pair.model.count)
      for (name, id) in pair.model {
        expect(pair.find(name) == id && pair.name(of: id) == name, "seed \(seed), step \(step), \(name)")
      }
      for (id, name) in pair.retired {
        expectEqual(pair.name(of: id), name, "seed \(seed), step \(step): the name of a dropped machine")
        expectEqual(pair.registry.location(of: id).kindOfDropped, 7)
        expectEqual(pair.registry.isAlive(id), false)
      }
      expectEqual(Set(pair.model.values).count, pair.model.count, "seed \(seed), step \(step): a number twice")
      let names = pair.inOrder()
      expectEqual(names, pair.model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, "seed \(seed)")
      expectEqual(pair.registry.invariantViolations(), [], "seed \(seed), step \(step)")
    }
  }

  @Test("places in the order of names, at a name, after it and between names")
  func places() {
    var pair = Pair()
    for name in ["b", "d", "dd", "f"] { pair.insert(name) }
    let places: [(String, at: Int, after: Int)] = [
      ("", 0, 0), ("a", 0, 0), ("b", 0, 1), ("c", 1, 1), ("d", 1, 2), ("dc", 2, 2), ("dd", 2, 3), ("f", 3, 4),
      ("g", 4, 4),
    ]
    for (name, at, after) in places {
      let found = name.bytes {
        (pair.registry.place(of: $0, orAfter: false).offset, pair.registry.place(of: $0, orAfter: true).offset)
      }
      expect(found == (at, after), "\(name)")
    }
    pair.remove("d")
    pair.insert("a")
    expectEqual(pair.inOrder(), ["a", "b", "dd", "f"])
  }

  @Test("numbers are used again only when they were recycled")
  func numbers() {
    var pair = Pair()
    for name in ["a", "b", "c"] { pair.insert(name) }
    let b = pair.model["b"]
    pair.remove("b")
    pair.insert("b")
    expect(pair.model["b"] != b)
    expectEqual(pair.registry.capacity, 4)
    if let b { pair.registry.recycle(b) }
    expectEqual(pair.registry.vacantNumbers, 1)
    pair.insert("e")
    expectEqual(pair.model["e"], b)
    expectEqual(pair.registry.capacity, 4)
  }

  @Test("names of machines that are gone are given up when they are many")
  func compaction() {
    var pair = Pair()
    let long = String(repeating: "x", count: 50)
    for number in 0..<6_000 { pair.insert("n\(number)\(long)") }
    for number in 0..<6_000 where number % 3 > 0 { pair.remove("n\(number)\(long)") }
    let retired = pair.retired
    pair.retired = []
    for (id, _) in retired.dropLast(10) { pair.registry.recycle(id) }
    // The next insertion compacts the names.
    for number in 0..<100 { pair.insert("m\(number)") }
    expectEqual(pair.registry.capacity, 6_000)
    for (name, id) in pair.model { expect(pair.find(name) == id && pair.name(of: id) == name) }
    for (id, name) in retired.suffix(10) { expectEqual(pair.name(of: id), name) }
    expectEqual(pair.registry.invariantViolations(), [])
  }
}

@Suite("Hashes and comparisons of names")
struct NameHashTests {
  @Test("equal bytes have equal hashes, at any place in memory; names that differ in one byte are told apart")
  func hashes() {
    for length in 0...70 {
      let name = (0..<length).map { UInt8(0x61 + $0 % 26) }
      let hash = name.withUnsafeBytes { NameHash(seed: 1).hash($0) }
      for offset in 0..<9 {
        let moved = [UInt8](repeating: 0xFF, count: offset) + name + [0xEE, 0xEE]
        moved.withUnsafeBytes { bytes in
          let inside = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
          expectEqual(NameHash(seed: 1).hash(inside), hash, "length \(length)")
          name.withUnsafeBytes { name in
            guard let base = inside.baseAddress else { return }
            expect(NameHash.areEqual(base, name))
          }
        }
      }
      for place in 0..<length {
        var other = name
        other[place] ^= 1
        other.withUnsafeBytes { other in
          name.withUnsafeBytes { name in
            guard let base = other.baseAddress else { return }
            expect(!NameHash.areEqual(base, name), "length \(length), byte \(place)")
            expect(NameHash(seed: 1).hash(other) != hash, "length \(length), byte \(place)")
          }
        }
      }
    }
  }

  @Test("where names fall depends on a seed, and nothing that can be seen does", arguments: Thorough.rounds(0..<4))
  func seeds(seed: Int) throws {
    let names = (0..<300).map { "name-\($0)" }
    func places(_ hash: NameHash) -> [UInt64] { names.map { $0.bytes { hash.hash($0) & 1_023 } } }
    expect(places(NameHash(seed: 1)) != places(NameHash(seed: 2)))
    expectEqual(places(NameHash(seed: 1)), places(NameHash(seed: 1)))

    /// The visible state of a world after random inputs.
    func played(_ hash: NameHash) throws -> (text: [String], hash: UInt64) {
      var world = WorldCore(seed: 3)
      world.registry = Registry(hash)
      var dice = Dice(seed: seed)
      for _ in 0..<1_500 {
        let name = dice.one(of: names)
        if let machine = world.machine(name) {
          switch dice.number(0...4) {
          case 0: world.drop(machine)
          case 1:
            let other = dice.one(of: names)
            guard world.machine(other) != nil else { continue }
            _ = try? world.wire(world.wire(from: "\(name).compressorOn", to: "\(other).doorOpened"))
          case 2: world.advance(to: Double(world.now.nanoseconds) / 1e9 + 1)
          case _: world.send(name, "doorOpened")
          }
        } else {
          try world.make(DoorFridge.kind, name)
        }
      }
      let listed = world.machines(matching: .all).map { world.name(of: $0) }
      expect(listed == listed.sorted() && world.checkInvariants() == [])
      return (listed + world.portrait(), try world.stateHash)
    }
    let first = try played(NameHash(seed: 1))
    for other in [NameHash(seed: 2), .ofThisProcess] {
      let played = try played(other)
      expect(played.text == first.text && played.hash == first.hash, "seed \(seed)")
    }
  }

  @Test("names that are numbered fall evenly into a table")
  func spread() {
    var counts = [Int](repeating: 0, count: 1 << 14)
    for number in 0..<(1 << 13) {
      let hash = "machine-\(number)".bytes { NameHash(seed: 1).hash($0) }
      counts[Int(hash & UInt64(counts.count - 1))] += 1
    }
    // Half full with random hashes: about 3,200 of 16,384 places get more than one, and hardly any gets more than six.
    expect(counts.max() ?? 0 <= 8)
    expect(counts.count { $0 == 0 } < 10_300)
  }

  @Test("the order is that of bytes")
  func order() {
    let names = ["", "A", "AA", "B", "a", "a-", "a.", "a0", "aA", "a_", "aa", "aaa", "aab", "ab", "b"]
    for (left, a) in names.enumerated() {
      for (right, b) in names.enumerated() {
        let comparison = a.bytes { a in b.bytes { NameHash.compare(a, $0) } }
        expectEqual(comparison.signum(), (left - right).signum(), "\(a) \(b)")
      }
    }
  }
}

extension String {
  /// Passes the bytes of the text to `body`.
  func bytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    Array(utf8).withUnsafeBytes(body)
  }
}
