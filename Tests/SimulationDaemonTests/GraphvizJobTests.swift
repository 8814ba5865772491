import Foundation
import TestSupport
import Testing

@testable import SimulationDaemon

/// Pictures drawn by another program, with a host clock of the test.
@Suite("Drawings have an end")
struct GraphvizJobTests {
  private let folder = TemporaryFolder.inMemory()

  /// A program that draws.
  private func program(_ script: String) throws -> String {
    let path = "\(folder.path)/draw"
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return path
  }

  @Test("a program that neither reads, writes nor ends has a minute; then its client is told, and others may draw")
  func tooLate() throws {
    let host = HostedService(graphs: Graphs(program: try program("trap '' HUP INT TERM\nexec tail -f /dev/null")))
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("graph fridge format=svg"), [])
    host.passTime(59)
    expect(guest.lines() == [] && guest.isBusy)
    // A late round is handled at its late time.
    host.passTimeLate(1_100_000_000)
    expectEqual(
      guest.lines(),
      [
        "- BAD-ARGUMENT argument=format got=svg allowed=table,dot,mermaid,stateDiagram,plantuml,json,tests,scxml : 'dot' takes longer than 60 s for this"
      ])
    expectEqual(host.service.environment.graphs.drawingsUnderWay, 0)
  }

  @Test("a user has one drawing at a time, all together four, and is told which is the case")
  func mostDrawings() {
    let graphs = Graphs()
    var places: [(user: UserID, place: Graphs.DrawingPlace)] = []
    func most(_ user: UserID) -> Int? {
      switch graphs.drawingPlace(for: user) {
      case .success(let place): places.append((user, place))
      case .failure(.tooMany(let most)): return most
      case .failure: break
      }
      return nil
    }
    expectNil(most(.other(1)))
    expectEqual(most(.other(1)), 1)
    expectEqual([most(.owner), most(.owner), most(.other(2))], [nil, nil, nil])
    expectEqual([most(.owner), most(.other(3)), most(.other(2))], [4, 4, 1])
    places.removeAll { $0.user == .other(1) }
    expectEqual([most(.other(1)), most(.other(3))], [nil, 4])
    expectEqual(graphs.drawingsUnderWay, 4)
  }

  @Test("pictures with more lines than the limit are not drawn")
  func manyLines() {
    func text(_ lines: Int) -> String { String(repeating: "x\n", count: lines) }
    expect(GraphvizJob.mayDraw(text(1_000)) && !GraphvizJob.mayDraw(text(1_001)))
  }

  @Test("a chart with too many states and arrows for a picture gets the limit's name and what has them all")
  func tooManyLines() throws {
    let host = HostedService(graphs: Graphs(program: try program("echo '<svg></svg>'")))
    let guest = host.connect(toWorld: "w")
    let states = (0..<600).map {
      "<state id=\"s\($0)\"><transition event=\"e\($0 % 7)\" target=\"s\(($0 + 1) % 600)\"/></state>"
    }
    let chart = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(states.joined())</scxml>"
    _ = guest.say("define k format=scxml bytes=\(chart.utf8.count)\n\(chart)")
    expect(guest.say("graph k format=svg").last, hasPrefix: "- LIMIT name=pictureLines value=1000 : ")
    expect(guest.say("graph k format=json").last, hasPrefix: "+ ")
    expectEqual(host.service.environment.graphs.drawingsUnderWay, 0)
  }
}
