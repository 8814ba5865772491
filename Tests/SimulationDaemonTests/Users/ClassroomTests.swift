import Foundation
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("The conversations of Docs/Classroom.md")
struct ClassroomTests {
  @Test("each request has the answers that the page shows, with messages to that user before them")
  func conversations() throws {
    let host = HostedService(users: [1_001: "ana", 1_002: "ben"])
    let users = [
      "teacher": host.connect(), "ana": try #require(host.connect(as: 1_001)),
      "ben": try #require(host.connect(as: 1_002)),
    ]
    var requests = 0
    for block in try Document("Docs/Classroom.md").blocks(marked: "class") {
      let lines = block.lines.filter { !$0.isEmpty }
      var shown: [String] = []
      for line in lines {
        let parts = line.split(separator: "> ", maxSplits: 1)
        guard let user = users[String(parts[0])] else { continue }
        shown.append(String(line))
        shown += user.say(String(parts[1]))
        requests += 1
      }
      expectEqual(shown, lines.map(String.init), "\n\(shown.joined(separator: "\n"))")
    }
    expect(requests > 25)
  }
}
