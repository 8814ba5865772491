import Foundation
import Scripts
import StateMachines
import Statecharts
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Kinds from a folder of documents")
struct KindLibraryTests {
  private let folder = TemporaryFolder.inMemory()

  private static let lamp = """
    stateDiagram-v2
      [*] --> off
      off --> on : press
      on --> off : press
    """

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
  }

  /// Reads the folder.
  ///
  /// - Returns: The library, or why there is none, and all mistakes and warnings without the folder's path.
  private func read(_ limits: Limits = Limits()) -> (library: KindLibrary?, failure: String, told: [String]) {
    var told: [String] = []
    func bare(_ text: String) -> String { text.replacing("\(folder.path)/", with: "").replacing(folder.path, with: "") }
    do {
      let library = try KindLibrary(folder: folder.path, HostedService.catalogue, limits) { severity, text in
        told.append("\(severity) \(bare(text))")
      }
      return (library, "", told)
    } catch {
      return (nil, bare("\(error)"), told)
    }
  }

  private func host() throws -> HostedService {
    try write("lamp.mmd", Self.lamp)
    return HostedService(library: try #require(read().library))
  }

  @Test("JSON beside them is passed over, with a warning if it may be a machine with a mistake")
  func otherJSON() throws {
    try write("lamp.mmd", Self.lamp)
    try write("package.json", #"{"name": "x"}"#)
    try write("door.json", #"{"initial": "open", "stats": {"open": {}}}"#)
    let (library, _, told) = read()
    expectEqual(library?.entries.map(\.document.name), ["lamp"])
    expectEqual(told.filter { $0.contains("json") }, ["warning door.json: \(DocumentSource.doubt)"])
  }

  @Test("every world knows them; the first machine of one makes its document an input of the world, undone with it")
  func takenOver() throws {
    let host = try host()
    let guest = host.connect(toWorld: "w")
    let watcher = host.connect(toWorld: "w")
    _ = watcher.say("watch *")
    expect(guest.say("kinds").contains { $0.hasPrefix(". lamp states=2 events=1 ") })
    expect(guest.say("describe lamp"), contains: ". origin : a document in mermaid")
    expect(guest.say("graph lamp format=scxml").contains { $0.hasPrefix(". <scxml ") })
    expect(guest.say("undefine lamp")[0], hasPrefix: "- BAD-ARGUMENT argument=KIND got=lamp ")
    expectEqual(guest.say("journal"), ["+ 0"])
    expectEqual(guest.say("new lamp l"), ["+ created l off t=0.000 seq=2"])
    expectEqual(watcher.lines(), ["* 1 0.000 - defined lamp version=1", "* 2 0.000 l created lamp off"])
    expect(guest.say("new lamp m")[0], hasPrefix: "+ created m ")
    expect(guest.play("send l press", "undo 3", "journal"), contains: ". 5 0.000 - undone from=1 to=4")
    expectEqual(guest.play("list", "new lamp n").suffix(2), ["+ 0", "+ created n off t=0.000 seq=7"])
    expectEqual(guest.violations(), [])
  }

  @Test("a request that fails leaves the world as it was")
  func refused() throws {
    let guest = try host().connect(toWorld: "w")
    _ = guest.say("new power p")
    expect(guest.say("new lamp p")[0], hasPrefix: "- NAME-TAKEN ")
    expect(guest.say("new lamp l initial=none")[0], hasPrefix: "- BAD-ARGUMENT ")
    expect(guest.say("new lamp l burn=2")[0], hasPrefix: "- BAD-ARGUMENT ")
    expectEqual(guest.say("sync"), ["+"])
    expect(guest.say("world")[0], hasSuffix: " seq=1")
  }

  @Test("a world's own definition hides the folder's, and is the first version")
  func hidden() throws {
    let host = try host()
    let guest = host.connect(toWorld: "w")
    let own = DefinedKindsTests.toggle
    expect(
      guest.say("define lamp format=scxml bytes=\(own.utf8.count)\n\(own)").last, hasPrefix: "+ defined lamp version=1 "
    )
    expect(guest.play("new lamp l", "graph lamp format=scxml").contains { $0.contains("initial=\"off\"") })
    expectEqual(guest.play("drop l", "undefine lamp", "new lamp l").last, "+ created l off t=0.000 seq=6")
    // A fork has what its world took over.
    expectEqual(
      guest.play("world fork f", "use f", "new lamp k", "send k press").suffix(2),
      ["+ created k off t=0.000 seq=7", "+ moved off on t=0.000 seq=8"])
  }

  @Test("a large document is taken over by a worker, in a batch at once")
  func large() throws {
    let states = (0..<200).map {
      "<state id=\"s\($0)\"><transition event=\"go\" target=\"s\(($0 + 1) % 200)\"/></state>"
    }
    try write(
      "ring.scxml", "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(states.joined())</scxml>")
    let host = HostedService(library: try #require(read().library))
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("@7 new ring r"), ["+ @7 created r s0 t=0.000 seq=2"])
    expectEqual(
      host.connect(toWorld: "v").say("begin\nnew ring r\nend"), ["+", "+ created r s0 t=0.000 seq=2", "+ batch=1"])
  }

  @Test("files beside a document come with it; hidden files, folders and other files are passed over")
  func files() throws {
    try write(
      "call.scxml",
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="s">
      <invoke type="scxml" src="file:inner.txt"/><transition event="done.invoke" target="e"/></state><final id="e"/></scxml>
      """)
    try write("inner.txt", "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\"><final id=\"f\"/></scxml>")
    try write(".#call.scxml", "no document")
    try FileManager.default.createDirectory(atPath: "\(folder.path)/more", withIntermediateDirectories: true)
    let found = read()
    expectEqual(found.told, [])
    expectEqual(found.library?.entries.map(\.document.name), ["call"])
    expectEqual(found.library?.entries[0].document.resources.map(\.path), ["inner.txt"])
    let guest = HostedService(library: try #require(found.library)).connect(toWorld: "w")
    expect(guest.play("new call c", "show c"), contains: ". state e")
  }

  @Test("all mistakes of all files are told with their places, warnings too")
  func mistakes() throws {
    try write(
      "a.scxml",
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\n<state id=\"s\" initial=\"t\"/>\n</scxml>")
    try write("lamp.mmd", Self.lamp)
    try write("lamp.xml", DefinedKindsTests.toggle)
    try write("power.mmd", Self.lamp)
    try write("2nd.mmd", Self.lamp)
    try write(
      "lost.scxml",
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\"><state id=\"s\"><invoke src=\"gone.scxml\"/></state></scxml>"
    )
    let found = read()
    expectNil(found.library)
    expectEqual(found.failure, "5 of the documents in  cannot be used; see above")
    expect(found.told.contains { $0.hasPrefix("error a.scxml:2:") })
    for expected in [
      "error lamp.xml: another file has a kind 'lamp' already",
      "error lost.scxml: it refers to gone.scxml, which cannot be read",
      "error power.mmd: 'power' is a kind of the program; rename the file",
    ] { expect(found.told.contains(expected), "\(found.told)") }
    expect(found.told.contains { $0.hasPrefix("error 2nd.mmd: '2nd' cannot name a kind") }, "\(found.told)")
    var limits = Limits()
    limits.definitionBytes = 64
    expect(read(limits).told.contains { $0.contains("the limit definitionBytes is 64") })
  }

  @Test("casts to machines of documents and batches for them are for workers")
  func workers() throws {
    try write(
      "k.scxml",
      """
      <scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'><state id='a'>
      <transition event='go' target='a'/>
      </state></scxml>
      """)
    for request in ["cast k* go", "begin\n\(String(repeating: "send k1 go\n", count: 6))end"] {
      let threads = HeldWorkers()
      let host = HostedService(library: try #require(read().library), workers: threads.workers())
      let guest = host.connect()
      _ = guest.say((1...6).map { "new k k\($0)\n" }.joined() + "clock virtual")
      host.round { guest.arrive("\(request)\n") }
      expect(guest.client.isAway, "\(request)")
      threads.finish(host)
      expect(guest.lines().last, hasPrefix: "+ ", "\(request)")
    }
  }
}
