import StateMachines
import TestSupport
import Testing

struct ValueTests {
  static let types: [ValueType] = [
    .text(bytes: 1...8), .text(bytes: 0...0), .character, .choice(["off", "on"]), .integer(-3...5), .integer(7...7),
    .number(-1.5...2, unit: "°C"), .flag, .interval(.zero ... .seconds(2)), .moment, .optional(.integer(1...3)),
    .optional(.flag),
  ]

  /// One character of so many bytes: a letter with accents on accents.
  private func marked(_ bytes: Int) -> Value { .text("a" + String(repeating: "\u{301}", count: (bytes - 1) / 2)) }

  @Test("a type admits what is within its range, and nothing past it")
  func admits() {
    let cases: [(ValueType, admitted: [Value], other: [Value])] = [
      (.text(bytes: 1...4), [.text("a"), .text("abcd"), .text("éé")], [.text(""), .text("abcde"), .text("ééé")]),
      (.character, [.text("a"), .text("é"), .text("👩‍👩‍👧"), marked(63)], [.text(""), .text("ab"), marked(65)]),
      (.choice(["off", "on"]), [.text("off"), .text("on")], [.text("On"), .text("")]),
      (.integer(-3...5), [.integer(-3), .integer(5)], [.integer(-4), .integer(6), .number(1)]),
      (.number(-1.5...2, unit: ""), [.number(-1.5), .number(2)], [.number(2.1), .number(.nan), .number(.infinity)]),
      (.flag, [.flag(true), .flag(false)], [.text("true"), .integer(1)]),
      (
        .interval(.zero ... .seconds(2)), [.interval(.zero), .interval(.seconds(2))],
        [.interval(Nanoseconds(nanoseconds: -1)), .interval(Nanoseconds(nanoseconds: 2_000_000_001)), .number(1)]
      ),
      (.moment, [.moment(.beginning)], [.interval(.zero)]),
      (.optional(.integer(1...3)), [.none, .integer(1)], [.integer(4), .text("nil")]),
    ]
    for (type, admitted, other) in cases {
      for value in admitted { expect(type.admits(value), "\(type) \(value)") }
      for value in other { expect(!type.admits(value), "\(type) \(value)") }
    }
    for type in Self.types {
      if case .optional = type { continue }
      expect(!type.admits(.none), "\(type)")
    }
  }

  @Test("samples are values of their type, each once", arguments: types)
  func samples(type: ValueType) {
    expect(!type.samples.isEmpty)
    expectEqual(Set(type.samples).count, type.samples.count)
    guard type != .text(bytes: 0...0) else { return }
    for sample in type.samples { expect(type.admits(sample), "\(sample)") }
  }

  @Test("samples have the ends of a range, both flags, every choice, and nothing at all where it may be left out")
  func sampleEnds() {
    expectEqual(ValueType.integer(-3...5).samples, [.integer(-3), .integer(1), .integer(5)])
    expectEqual(ValueType.number(0...2, unit: "").samples, [.number(0), .number(2)])
    expectEqual(ValueType.flag.samples, [.flag(false), .flag(true)])
    expectEqual(ValueType.choice(["a", "b"]).samples, [.text("a"), .text("b")])
    expectEqual(ValueType.optional(.flag).samples, [.none, .flag(false), .flag(true)])
  }

  @Test("Swift's types go to values and back, and take no others")
  func conversion() {
    func check<T: ValueConvertible & Equatable>(_ value: T, _ expected: Value) {
      expectEqual(value.value, expected)
      expectEqual(T(expected), value)
      expectNil(T(.none))
    }
    check("text", .text("text"))
    check(Character("é"), .text("é"))
    check(-7, .integer(-7))
    check(1.5, .number(1.5))
    check(true, .flag(true))
    check(Nanoseconds.seconds(3), .interval(.seconds(3)))
    check(Instant.beginning, .moment(.beginning))
    check(Turnstile.Fault.noPower, .text("noPower"))
    expectNil(Character(.text("ab")))
    expectNil(Turnstile.Fault(.text("rust")))
    expectNil(Int(.number(1)))
    expectEqual(Int?(.none), .some(.none))
    expectEqual(Int?(.integer(1)), .some(.some(1)))
    expectEqual(Int?(.text("1")), .none)
    expectEqual(Int?.none.value, .none)
    expectEqual(Int?.some(4).value, .integer(4))
  }
}
