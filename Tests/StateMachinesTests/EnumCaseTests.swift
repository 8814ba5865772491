@testable import StateMachines
import Testing

/// What is read from the language's metadata of an `enum`, which a compiler could change.
struct EnumCaseTests {
  private enum Plain { case first, second, third }
  private enum Single { case only }
  private enum Mixed { case off, said(String), on, moved(x: Int, y: Int), last }
  private enum OnlyData { case text(String), number(Int), list([Int]) }
  private enum OneWithData { case none, some(Bool), other }
  private indirect enum Tree { case leaf, node(Tree, Tree) }
  private enum Generic<A, B> { case a(A), b(B), neither }
  private enum Empty {}
  private struct NoEnum { var number = 1 }

  private func numbers<E>(_ values: E...) -> [Int?] { values.map { EnumCase.number(of: $0) } }

  private func counts<E>(_ type: E.Type) -> [Int]? { EnumCase.counts(of: type).map { [$0.withData, $0.plain] } }

  @Test("cases without data are numbered in their order")
  func plain() {
    #expect(numbers(Plain.first, .second, .third) == [0, 1, 2])
    #expect(numbers(Single.only) == [0])
    #expect(counts(Plain.self) == [0, 3])
    #expect(counts(Single.self) == [0, 1])
    #expect(counts(Empty.self) == [0, 0])
  }

  @Test("cases with data come first, whatever their data")
  func mixed() {
    #expect(numbers(Mixed.said("a"), .said(""), .moved(x: 1, y: 2), .off, .on, .last) == [0, 0, 1, 2, 3, 4])
    #expect(counts(Mixed.self) == [2, 3])
    #expect(numbers(OnlyData.text("long enough to stand elsewhere"), .number(-1), .list([])) == [0, 1, 2])
    #expect(counts(OnlyData.self) == [3, 0])
    #expect(numbers(OneWithData.some(true), .some(false), .none, .other) == [0, 0, 1, 2])
    #expect(counts(OneWithData.self) == [1, 2])
    #expect(numbers(Tree.node(.leaf, .leaf), .leaf) == [0, 1])
    #expect(numbers(Generic<String, Int>.a("x"), .b(1), .neither) == [0, 1, 2])
    #expect(numbers(Generic<UInt8, [Mixed]>.a(1), .b([]), .neither) == [0, 1, 2])
    #expect(counts(Generic<String, Int>.self) == [2, 1])
  }

  @Test("what is no enum has no cases")
  func others() {
    #expect(numbers(NoEnum()) == [nil])
    #expect(numbers(1, 2) == [nil, nil])
    #expect(counts(NoEnum.self) == nil)
    #expect(counts(String.self) == nil)
  }

  @Test("a machine's events")
  func events() {
    #expect(numbers(Turnstile.Event.coin(1), .lights(true), .push, .blinked) == [0, 3, 4, 6])
    #expect(counts(Turnstile.Event.self) == [4, 3])
  }
}
