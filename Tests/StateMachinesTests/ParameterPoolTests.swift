import StateMachines
import TestSupport
import Testing

// Safety: a place that the pool has given out, and not taken back, is an initialised set of the turnstile's parameters.
struct ParameterPoolTests {
  private let pool = Turnstile.kind.makeParameterPool()
  // Places in the kind's list of parameters.
  private let patience = 0
  private let price = 1
  private let limit = 2
  private let name = 3

  private func set(at place: UInt32) -> Turnstile.Parameters {
    pool.base.assumingMemoryBound(to: Turnstile.Parameters.self)[Int(place)]
  }

  @Test("no values are the defaults, which stay")
  func defaults() throws {
    try expectEqual(pool.intern([]), 0)
    expectEqual(set(at: 0), Turnstile.Parameters())
    pool.release(0)
    pool.release(0)
    try expectEqual(pool.intern([]), 0)
    expectEqual(set(at: 0), Turnstile.Parameters())
  }

  @Test("values that make the defaults are the defaults")
  func sameAsDefaults() throws {
    try expectEqual(pool.intern([(price, .integer(2)), (name, .none)]), 0)
    pool.release(0)
    expectEqual(set(at: 0).price, 2)
  }

  @Test("equal sets are kept once, whatever the order of their values")
  func interning() throws {
    let place = try pool.intern([(price, .integer(3)), (name, .text("Ann"))])
    try expectEqual(pool.intern([(name, .text("Ann")), (price, .integer(3))]), place)
    try expect(pool.intern([(price, .integer(4))]) != place)
    expectEqual(set(at: place).price, 3)
    expectEqual(set(at: place).name, "Ann")
    expectEqual(set(at: place).patience, .seconds(10))
  }

  @Test("a set is kept until it was given back as often as it was asked for")
  func release() throws {
    let place = try pool.intern([(price, .integer(3))])
    _ = try pool.intern([(price, .integer(3))])
    pool.release(place)
    try expectEqual(pool.intern([(price, .integer(3))]), place)
    pool.release(place)
    pool.release(place)
    // Now it is free, and the next new set takes its room.
    try expectEqual(pool.intern([(price, .integer(5))]), place)
    expectEqual(set(at: place).price, 5)
    try expect(pool.intern([(price, .integer(3))]) != place)
  }

  @Test("growing keeps what is there")
  func growth() throws {
    var places: [UInt32] = []
    for number in 0..<1000 { places.append(try pool.intern([(name, .text("person number \(number)"))])) }
    expectEqual(Set(places).count, 1000)
    for (number, place) in places.enumerated() { expectEqual(set(at: place).name, "person number \(number)") }
    for place in places { pool.release(place) }
    for number in 0..<1000 {
      let place = try pool.intern([(price, .integer(1)), (patience, .interval(.milliseconds(Int64(number))))])
      expect(places.contains(place))
    }
  }

  @Test("a conflict names a parameter and what is allowed, and keeps nothing")
  func conflict() throws {
    #expect(throws: ParameterConflict("price", allowed: "at most 5")) { try pool.intern([(price, .integer(6))]) }
    let place = try pool.intern([(price, .integer(6)), (limit, .integer(6))])
    expectEqual(place, 1)
  }
}
