@testable import StateMachines
import TestSupport
import Testing

/// Whether a case has data, for data that the compiler does not store, or not in the value.
struct CaseDataTests {
  /// A value without bytes.
  enum Reason: String, Choice { case offline }
  struct Nothing: Hashable, Sendable, Codable {}
  enum Generic<T> { case one(T), other }
  private indirect enum Chain { case end, link(String, Chain) }

  struct Client: Machine {
    enum State: StateWithData {
      case idle, failed(Reason), noted(Nothing)
      enum Name: NamedCases { case idle, failed, noted }
      static var samples: [State] { [.failed(.offline), .noted(Nothing())] }
    }
    enum Event: MachineEvent { case reset, failed(Reason), noted(Nothing), never(Never), retried(Int) }
    enum Output: OutputWithData {
      case ready, failed(Reason)
      indirect case said(String, times: Int)
      indirect case shared(Double)
      case empty(Nothing)
      enum Name: NamedCases { case ready, failed, said, shared, empty }
    }
    var state = State.idle

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
      switch event {
      case .reset: return .move(to: .idle)
      case .failed(let reason):
        step.emit(.failed(reason))
        return .move(to: .failed(reason))
      case .noted(let nothing): return .move(to: .noted(nothing))
      case .retried: return .stay
      }
    }
  }

  private let kind = Kind(
    Client.self, "client", "",
    events: [
      .event(.reset, ""), .event(Client.Event.failed, .choice("reason"), about: ""),
      .event(Client.Event.retried, .integer("times", 0...9), about: ""),
    ],
    timers: [.timer(.noted(Nothing()), "")])

  @Test("a case has data if it is declared with data, however it is stored")
  func declared() {
    func withData<E>(_ type: E.Type) -> [String] {
      let names = EnumCase.names(of: type) ?? []
      return names.indices.filter { EnumCase.hasData(ofCase: $0, of: type) }.map { names[$0] }
    }
    expectEqual(Set(withData(Client.Event.self)), ["failed", "noted", "never", "retried"])
    expect(withData(Generic<Reason>.self) == ["one"] && withData(Generic<Void>.self) == ["one"])
    expectEqual(withData(Chain.self), ["link"])
    expect(withData(Many.self).isEmpty && withData(Reason.self).isEmpty && withData(Int.self).isEmpty)
    expectEqual(EnumCase.plainValues(of: Client.Event.self), [.reset])
  }

  @Test("an event whose data have no bytes keeps its arguments")
  func events() throws {
    let written = try #require(kind.written(.failed(.offline), of: Client.self))
    expect(written.event == 1 && written.arguments == [.text("offline")])
    expectEqual(kind.event(1, [.text("offline")], of: Client.self), .failed(.offline))
    expectEqual(kind.written(.reset, of: Client.self)?.event, 0)
    expectEqual(kind.written(.retried(3), of: Client.self)?.arguments, [.integer(3)])
    expectNil(kind.written(.noted(Nothing()), of: Client.self), "only its timer brings it")
    expect(kind.listsAllEvents, "no value has the case of Never")
    let derived = Client.kind
    expect(derived.events.map(\.name) == ["reset"] && derived.timers.map(\.name) == ["reset"])
  }

  @Test("outputs and states have the data that they are declared with")
  func others() {
    expectEqual(Client.Output.ready.data, [])
    expectEqual(Client.Output.failed(.offline).data, [.text("offline")])
    let long = "a text that is long enough to stand elsewhere"
    let outputs = [Client.Output.said(long, times: 2), .shared(0.5)]
    for _ in 0..<2 { expectEqual(outputs.map(\.data), [[.text(long), .integer(2)], [.number(0.5)]]) }
    expectEqual(
      Client.State.Name.allCases.map(Client.State.init(sampleNamed:)), [.idle, .failed(.offline), .noted(Nothing())])
    expectEqual([Client.State.failed(.offline), .idle].map(\.name), [.failed, .idle])
  }

  @Test("data that are no values are a defect that says so")
  func defect() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Client.Output.empty(Nothing()).data
    }
    expect(result.errorText, contains: "make their types ValueConvertible, or implement `data` in Output")
  }

  @Test("the data of an indirect case are laid bare, with any alignment")
  func indirect() {
    enum Wide {
      case none
      indirect case wide(SIMD4<Double>), bit(Bool)
    }
    let numbers = SIMD4<Double>(1, 2, 3, 4)
    expectEqual(EnumCase.withData(of: Wide.wide(numbers)) { $0.load(as: SIMD4<Double>.self) }, numbers)
    expect(EnumCase.withData(of: Wide.bit(true)) { $0.load(as: Bool.self) })
    let chain = Chain.link("a", .link("b", .end))
    let second = EnumCase.withData(of: chain) { $0.load(as: (String, Chain).self) }
    expectEqual(second.0, "a")
    expectEqual(EnumCase.withData(of: second.1) { $0.load(as: (String, Chain).self).0 }, "b")
  }

  enum Many: NamedCases {
    case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14
    case c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29
    case c30, c31, c32, c33, c34, c35, c36, c37, c38, c39, c40, c41, c42, c43, c44
    case c45, c46, c47, c48, c49, c50, c51, c52, c53, c54, c55, c56, c57, c58, c59
    case c60, c61, c62, c63, c64, c65, c66, c67, c68, c69, c70, c71, c72, c73, c74
    case c75, c76, c77, c78, c79, c80, c81, c82, c83, c84, c85, c86, c87, c88, c89
    case c90, c91, c92, c93, c94, c95, c96, c97, c98, c99, c100, c101, c102, c103, c104
    case c105, c106, c107, c108, c109, c110, c111, c112, c113, c114, c115, c116, c117, c118, c119
    case c120, c121, c122, c123, c124, c125, c126, c127, c128, c129, c130, c131, c132, c133, c134
    case c135, c136, c137, c138, c139, c140, c141, c142, c143, c144, c145, c146, c147, c148, c149
    case c150, c151, c152, c153, c154, c155, c156, c157, c158, c159, c160, c161, c162, c163, c164
    case c165, c166, c167, c168, c169, c170, c171, c172, c173, c174, c175, c176, c177, c178, c179
    case c180, c181, c182, c183, c184, c185, c186, c187, c188, c189, c190, c191, c192, c193, c194
    case c195, c196, c197, c198, c199, c200, c201, c202, c203, c204, c205, c206, c207, c208, c209
    case c210, c211, c212, c213, c214, c215, c216, c217, c218, c219, c220, c221, c222, c223, c224
    case c225, c226, c227, c228, c229, c230, c231, c232, c233, c234, c235, c236, c237, c238, c239
    case c240, c241, c242, c243, c244, c245, c246, c247, c248, c249, c250, c251, c252, c253, c254
    case c255, c256, c257, c258, c259, c260, c261, c262, c263, c264, c265, c266, c267, c268, c269
    case c270, c271, c272, c273, c274, c275, c276, c277, c278, c279, c280, c281, c282, c283, c284
    case c285, c286, c287, c288, c289, c290, c291, c292, c293, c294, c295, c296, c297, c298, c299
  }

  @Test("an enum with more than 256 cases")
  func many() {
    enum Wide {
      case plain, first(Many), second(Many)
    }
    expect(EnumCase.number(of: Many.c299) == 299 && EnumCase.count(of: Many.self) == 300)
    expectEqual(EnumCase.value(ofCase: 257, of: Many.self), .c257)
    expect(Many(at: 299).word == "c299" && Many.c256.index == 256)
    Many.checkPlaces()
    expectEqual(EnumCase.withData(of: Wide.second(.c299)) { $0.load(as: Many.self) }, .c299)
  }

  @Test("names whose members disagree are a defect of the kind")
  func disagreeing() async {
    let turned = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Disagreeing<Turned>.kind
    }
    expect(turned.errorText, contains: "the name of Turned at 0 has the index 1: see init(at:) and index")
    let spoken = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Disagreeing<Spoken>.kind
    }
    expect(spoken.errorText, contains: "the name of Spoken at 1 has the word 'shut', and words has 'closed' there")
    let short = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Disagreeing<Short>.kind
    }
    expect(short.errorText, contains: "Short has 2 words, and its count is 1")
    let doubled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Disagreeing<Doubled>.kind
    }
    expect(doubled.errorText, contains: "two names of Doubled have the same word")
  }

  struct Disagreeing<State: MachineState>: Machine {
    enum Event: MachineEvent { case pressed }
    var state = State(at: 0)
    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .stay }
  }

  enum Turned: MachineState {
    case open, closed
    var index: Int { self == .open ? 1 : 0 }
  }

  enum Spoken: MachineState, CustomStringConvertible {
    case open, closed
    var word: String { self == .open ? "open" : "shut" }
    var description: String { "a door" }
  }

  enum Short: MachineState {
    case open, closed
    static let allCases: [Short] = [.open]
  }

  enum Doubled: MachineState {
    case open, closed
    static let words = ["open", "open"]
  }

  @Test("a type with a description of its own has the words of its cases")
  func described() {
    enum Door: NamedCases, CustomStringConvertible {
      case open, closed
      var description: String { "a door" }
    }
    Door.checkPlaces()
    expect(Door.words == ["open", "closed"] && Door.closed.word == "closed")
  }
}

extension ExitTest.Result? {
  /// What the process wrote to its standard error.
  var errorText: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }
}
