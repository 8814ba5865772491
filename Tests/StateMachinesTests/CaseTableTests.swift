import StateMachines
import TestSupport
import Testing

/// Names and data that states and outputs have by their cases.
struct CaseTableTests {
  enum Colour: String, Choice { case red, blue }

  enum State: StateWithData {
    case idle, loading(attempt: Int), failed(String), over
    enum Name: NamedCases { case idle, loading, failed, over }
    static var samples: [State] { [.loading(attempt: 1), .failed("net")] }
  }

  enum Output: OutputWithData {
    case ready, said(String), painted(Colour, share: Double, by: String?), left(State.Name), waits(Duration, Bool)
    enum Name: NamedCases { case ready, said, painted, left, waits }
  }

  private enum Odd: OutputWithData {
    case list([Int])
    enum Name: NamedCases { case list }
  }

  private enum Forgetful: OutputWithData {
    case one(Int), two
    enum Name: NamedCases { case one }
  }

  private struct Box<Element: Sendable & Hashable & Codable> {
    enum State: StateWithData {
      case empty, full(Element)
      enum Name: NamedCases { case empty, full }
    }
  }

  @Test("the name of a value is that of its case, in the order of the names")
  func names() {
    let states: [State] = [
      .idle, .loading(attempt: 7), .failed("a text that is long enough to stand elsewhere"), .over,
    ]
    expectEqual(states.map(\.name), [.idle, .loading, .failed, .over])
    expectEqual([Output.ready, .said(""), .left(.idle)].map(\.name), [.ready, .said, .left])
    expectEqual([Box<Int>.State.empty, .full(0)].map(\.name), [.empty, .full])
    expectEqual([Box<String>.State.empty, .full("")].map(\.name), [.empty, .full])
  }

  @Test("the data of an output are those of its case, one value each")
  func data() {
    expectEqual(Output.ready.data, [])
    expectEqual(Output.said("hello").data, [.text("hello")])
    expectEqual(Output.painted(.blue, share: 0.5, by: nil).data, [.text("blue"), .number(0.5), .none])
    expectEqual(Output.painted(.red, share: 1, by: "me").data, [.text("red"), .number(1), .text("me")])
    expectEqual(Output.left(.over).data, [.text("over")])
    expectEqual(Output.waits(.seconds(2), true).data, [.interval(.seconds(2)), .flag(true)])
  }

  @Test("a state is made of its name: by itself, or as among the samples")
  func samples() {
    expectEqual(
      State.Name.allCases.map(State.init(sampleNamed:)), [.idle, .loading(attempt: 1), .failed("net"), .over])
  }

  @Test("threads that ask for a type's table at once get the same names")
  func threads() async {
    enum Fresh: StateWithData {
      case one(Int), two
      enum Name: NamedCases { case two, one }
    }
    let names = await withTaskGroup(of: Fresh.Name.self) { group in
      for number in 0..<64 { group.addTask { number % 2 == 0 ? Fresh.one(number).name : Fresh.two.name } }
      return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    expectEqual(names, [.one: 32, .two: 32])
  }

  @Test("what cannot be a value, and a case without a name, are defects that say so", .enabled(if: Thorough.isFull))
  func defects() async {
    await #expect(processExitsWith: .failure) { _ = CaseTableTests.Odd.list([]).data }
    await #expect(processExitsWith: .failure) { _ = CaseTableTests.Forgetful.one(1).name }
    await #expect(processExitsWith: .failure) { _ = Box<Int>.State(sampleNamed: .full) }
  }
}
