@testable import StateMachines
import TestSupport
import Testing

/// What is read from the language's metadata of an `enum`, which a compiler could change.
struct EnumCaseTests {
  private enum Plain { case first, second, third }
  private enum Single { case only }
  private enum Mixed { case off, said(String), on, moved(x: Int, y: Int), last }
  private enum OnlyData { case text(String), number(Int), list([Int]) }
  private enum OneWithData: Equatable { case none, some(Bool), other }
  private indirect enum Tree { case leaf, node(Tree, Tree) }
  private enum Generic<A, B> { case a(A), b(B), neither }
  private enum Empty {}
  private struct NoEnum { var number = 1 }

  private func numbers<E>(_ values: E...) -> [Int?] { values.map { EnumCase.number(of: $0) } }

  private func counts<E>(_ type: E.Type) -> [Int]? { EnumCase.counts(of: type).map { [$0.withPayload, $0.others] } }

  @Test("cases without data are numbered in their order")
  func plain() {
    expectEqual(numbers(Plain.first, .second, .third), [0, 1, 2])
    expectEqual(numbers(Single.only), [0])
    expectEqual(counts(Plain.self), [0, 3])
    expectEqual(counts(Single.self), [0, 1])
    expectEqual(counts(Empty.self), [0, 0])
  }

  @Test("cases with data come first, whatever their data")
  func mixed() {
    expectEqual(numbers(Mixed.said("a"), .said(""), .moved(x: 1, y: 2), .off, .on, .last), [0, 0, 1, 2, 3, 4])
    expectEqual(counts(Mixed.self), [2, 3])
    expectEqual(numbers(OnlyData.text("long enough to stand elsewhere"), .number(-1), .list([])), [0, 1, 2])
    expectEqual(counts(OnlyData.self), [3, 0])
    expectEqual(numbers(OneWithData.some(true), .some(false), .none, .other), [0, 0, 1, 2])
    expectEqual(counts(OneWithData.self), [1, 2])
    expectEqual(numbers(Tree.node(.leaf, .leaf), .leaf), [0, 1])
    expectEqual(numbers(Generic<String, Int>.a("x"), .b(1), .neither), [0, 1, 2])
    expectEqual(numbers(Generic<UInt8, [Mixed]>.a(1), .b([]), .neither), [0, 1, 2])
    expectEqual(counts(Generic<String, Int>.self), [2, 1])
  }

  @Test("what is no enum has no cases")
  func others() {
    expectEqual(numbers(NoEnum()), [nil])
    expectEqual(numbers(1, 2), [nil, nil])
    expectNil(counts(NoEnum.self))
    expectNil(counts(String.self))
  }

  @Test("a machine's events")
  func events() {
    expectEqual(numbers(Turnstile.Event.coin(1), .lights(true), .push, .blinked), [0, 3, 4, 6])
    expectEqual(counts(Turnstile.Event.self), [4, 3])
  }

  @Test("the names of the cases stand in the order of their numbers")
  func names() {
    expectEqual(EnumCase.names(of: Mixed.self), ["said", "moved", "off", "on", "last"])
    expectEqual(EnumCase.names(of: Plain.self), ["first", "second", "third"])
    expectEqual(EnumCase.names(of: Generic<String, Int>.self), ["a", "b", "neither"])
    expectEqual(EnumCase.names(of: Empty.self) ?? [], [])
    expectNil(EnumCase.names(of: NoEnum.self))
  }

  @Test("the name of a value's case, whatever its data")
  func caseNames() {
    expectEqual(
      [Mixed.said("a(b"), .moved(x: 1, y: 2), .off, .last].map { caseName(of: $0) }, ["said", "moved", "off", "last"])
    expectEqual(caseName(of: Tree.node(.leaf, .leaf)), "node")
    expectEqual(caseName(of: Described.wordy), "wordy", "not its description")
    expectEqual(caseName(of: NoEnum()), "NoEnum")
  }

  private enum Described: CustomStringConvertible {
    case wordy
    var description: String { "many words" }
  }

  @Test("the type of a case's data is that of its tuple, or of the only one")
  func dataTypes() {
    expect(EnumCase.dataType(ofCase: 0, of: Mixed.self) == String.self)
    expect(EnumCase.dataType(ofCase: 1, of: Mixed.self) == (x: Int, y: Int).self)
    expect(EnumCase.dataType(ofCase: 1, of: Generic<UInt8, [Mixed]>.self) == [Mixed].self)
    expectNil(EnumCase.dataType(ofCase: 2, of: Mixed.self))
    expect(EnumCase.dataType(ofCase: 0, of: Tree.self) == (Tree, Tree).self)
  }

  @Test("a value's data are laid bare, and the value is as it was")
  func data() {
    let text = String(repeating: "long enough to stand elsewhere ", count: 4)
    let said = Mixed.said(text)
    expectEqual(EnumCase.withData(of: said) { $0.load(as: String.self) }, text)
    expectEqual(EnumCase.withData(of: said) { $0.load(as: String.self) }, text)
    expect(EnumCase.withData(of: Mixed.moved(x: 3, y: 4)) { $0.load(as: (Int, Int).self) } == (3, 4))
    expect(EnumCase.withData(of: OneWithData.some(true)) { $0.load(as: Bool.self) })
  }

  @Test("a case without data is made of its number")
  func made() {
    for (number, expected) in [(2, Mixed.off), (3, .on), (4, .last)] {
      expectEqual("\(EnumCase.value(ofCase: number, of: Mixed.self))", "\(expected)")
    }
    expectEqual(EnumCase.value(ofCase: 1, of: OneWithData.self), .none)
    expectEqual(EnumCase.value(ofCase: 2, of: OneWithData.self), .other)
    expectEqual(EnumCase.value(ofCase: 2, of: Plain.self), .third)
  }
}
