@testable import StateMachines
import MachineGraphs
import MachineTesting
import Simulations
import TestSupport
import Testing

/// What the pictures of the parts name is what features have.
struct FeaturePartsTests {
  @Test("every kind that is a feature has parts, and no other")
  func features() {
    for kind in CatalogueTests.kinds { expectEqual((kind.parts != nil), (kind.form == .feature), "\(kind.name)") }
  }

  @Test("wishes and signals are events, news are outputs", arguments: ["resume", "pagination"])
  func words(name: String) throws {
    let kind = try #require(CatalogueTests.kinds.first { $0.name == name })
    let parts = try #require(kind.parts)
    let events = Set(kind.events.map(\.name))
    expect(events.isSuperset(of: parts.wishes + parts.signals + parts.bootstrapper + parts.postProcessor))
    expectEqual(parts.news, kind.outputs.filter { !$0.isTold }.map(\.name))
  }

  @Test("the names are those of the features' types")
  func types() throws {
    func names<E>(_ type: E.Type) -> Set<String> { Set(EnumCase.names(of: type) ?? []) }
    let resume = try #require(OpenResume.kind.parts)
    expectEqual(names(OpenResumeFeature.Effect.self), Set(resume.effects))
    expectEqual(names(OpenResumeFeature.Wish.self), Set(resume.wishes))
    expectEqual(names(OpenResumeFeature.News.self), Set(resume.news))
    expectEqual(
      names(OpenResumeFeature.Action.self).subtracting(["wish"]), Set(resume.bootstrapper + resume.postProcessor))
    let pagination = try #require(Pagination.kind.parts)
    expectEqual(names(PaginationFeature.Effect.self), Set(pagination.effects))
    expectEqual(names(PaginationFeature.Wish.self), Set(pagination.wishes))
    expectEqual(names(PaginationFeature.News.self), Set(pagination.news))
  }

  @Test("the traced feature calls its parts with these names, and no others")
  func traced() throws {
    let parts = try #require(MVITrace.kind.parts)
    let bench = Bench(MVITrace.kind, ["bootstrap": .flag(true)])
    for wish in parts.wishes {
      bench.send("wish", .text(wish))
      bench.advance(.seconds(1))
    }
    let calls = bench.lines.flatMap { $0.split(separator: " > ").dropFirst().map { $0.split(separator: " ") } }
    func said(_ part: String, _ place: Int) -> Set<String> {
      Set(calls.filter { $0[0] == part }.map { String($0[place]) })
    }
    expectEqual(said("reducer", 2), Set(parts.effects))
    expectEqual(said("postProcessor", 3), Set(parts.postProcessor + ["nil"]))
    expectEqual(said("news", 1), Set(parts.news))
    expectEqual(said("actor", 2), Set(parts.wishes + parts.postProcessor + parts.bootstrapper))
  }

  @Test("a part that hands on nothing is not in the picture")
  func absent() throws {
    let pagination = try #require(PartsPicture(of: Pagination.kind))
    expectEqual(
      pagination.parts.map(\.name), ["view", "bootstrapper", "actor", "reducer", "state", "newsPublisher", "outside"])
    let trace = try #require(PartsPicture(of: MVITrace.kind))
    expect(trace.flows.contains { $0.what == "news" } && !trace.flows.contains { $0.what == "signal" })
    expectNil(PartsPicture(of: Power.kind))
    let turn = trace.flows.filter { ["wish", "effect", "new state", "state"].contains($0.what) }
    expectEqual(turn.map { trace.parts[$0.from].name }, ["view", "actor", "reducer", "state"])
    expectEqual(turn.last.map { trace.parts[$0.to].name }, "view")
  }
}
