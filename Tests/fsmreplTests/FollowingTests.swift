import Foundation
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

@Suite("A connection that follows worlds")
struct FollowingTests {
  private let folder: TemporaryFolder
  private let hosts: HostsFile
  private let connection: Connection
  /// The daemon's end.
  private let daemon: Descriptor

  init() throws {
    folder = try TemporaryFolder()
    let file = "\(folder.path)/hosts"
    // A shell that answers whatever is asked, after a greeting.
    let command = "echo '+ fsmd protocol=1 version=0 world=main'; while read tag rest; do echo \"+ $tag $rest\"; done"
    try "b \(folder.path)/nobody\nc \(command)\n".write(toFile: file, atomically: false, encoding: .utf8)
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    hosts = try HostsFile(path: file)
    connection = Connection(Descriptor(rawValue: ends[0]), hosts: hosts)
    daemon = Descriptor(rawValue: ends[1])
  }

  private func answer(_ lines: String...) -> [String] {
    daemon.writeAll(lines.map { "\($0)\n" }.joined())
    _ = connection.receive()
    return received()
  }

  private func received() -> [String] {
    var lines: [String] = []
    while let line = connection.nextLine() { lines.append(line.text) }
    return lines
  }

  /// So many lines of a daemon to which the connection has gone on.
  private func receive(_ count: Int) -> [String] {
    var lines = received()
    let deadline = HostClock.now() + 20_000_000_000
    while lines.count < count, HostClock.now() < deadline {
      _ = Readiness([.init(descriptor: connection.descriptor)], until: deadline)
      guard connection.receive() == .open else { break }
      lines += received()
    }
    return lines
  }

  private func send(_ lines: String...) { connection.send(Array(lines.map { "\($0)\n" }.joined().utf8)) }

  private func sent() -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(daemon.rawValue, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test("a daemon that is not there is looked for later, nothing waits meanwhile, and a cancel ends it")
  func cancel() {
    send("@1 list", "@2 send p tap", "@3 count")
    expectEqual(sent(), "@1 list\n@2 send p tap\n@3 count\n")
    expectEqual(answer(". @1 p power on", "+ @1 1"), [". @1 p power on", "+ @1 1"])
    // What was asked after it is answered after it.
    expectEqual(answer("- @2 MOVED world=w host=b : b has world w", "- @3 MOVED world=w host=b : b has world w"), [])
    expect(connection.due.map { $0 > HostClock.now() } ?? false)
    send("@4 show p")
    expectEqual(sent(), "", "nothing is sent to a daemon that does not have the world")
    send("cancel")
    let lines = received()
    expectEqual(lines.map { String($0.prefix(24)) }, ["- @2 MOVED world=w host=", "- @3 MOVED world=w host="])
    expect(lines.allSatisfy { $0.hasSuffix("; it is not followed any more") }, "\(lines)")
    expectEqual(sent(), "@4 show p\n@.follow1 cancel\n")
    expectNil(connection.due)
  }

  @Test("a command can be the way to a daemon; what was asked is asked again there, in its order")
  func command() {
    send("@1 send p tap", "@2 count")
    _ = answer("- @1 MOVED world=w host=c : c has world w", "- @2 MOVED world=w host=c : c has world w")
    expectEqual(receive(2), ["+ @1 send p tap", "+ @2 count"])
  }

  @Test("a batch goes on as a whole, and a request without a tag has none in its answer")
  func batch() {
    send("begin", "send p tap", "@x count", "end")
    expectEqual(sent(), "@.follow1 begin\n@.follow2 send p tap\n@x count\n@.follow3 end\n")
    expectEqual(answer("+ @.follow1"), ["+"])
    // What a line was answered is of no interest if the whole is run elsewhere.
    expectEqual(answer("- @.follow2 MOVED world=w host=c : c has world w", "- @x BATCH index=2 : not run"), [])
    _ = answer("- @.follow3 MOVED world=w host=c : c has world w")
    expectEqual(receive(3), ["+ send p tap", "+ @x count", "+ end"])
  }

  @Test("a batch that is not ended is open on the next connection, too, with what was asked before it run first")
  func openBatch() {
    send("send p tap", "begin", "count")
    var lines = answer("- @.follow1 MOVED world=w host=c : c has world w", "+ @.follow2") + receive(2)
    send("end")
    lines += receive(4 - lines.count)
    expectEqual(lines, ["+ send p tap", "+", "+ count", "+ end"])
  }

  @Test("an unended batch is put aside while a daemon is asked again on the same connection")
  func openBatchHere() {
    var following = Following(hosts)
    Array("send p tap\nbegin\ncount\n".utf8).withUnsafeBytes { following.send($0) }
    let sent = String(decoding: following.ready(), as: UTF8.self)
    expectEqual(sent, "@.follow1 send p tap\n@.follow2 begin\n@.follow3 count\n")
    expectEqual(following.take("- @.follow1 MOVED world=w host=b : b has world w"), [])
    expectEqual(following.take("+ @.follow2"), [])
    expectEqual(String(decoding: following.resendHere(), as: UTF8.self), "@.follow4 discard\n\(sent)")
    expectEqual(following.take("+ @.follow4 discarded 1"), [])
    expectEqual(following.take("+ @.follow1 moved a b"), ["+ moved a b", "+"])
    expectEqual(following.take("+ @.follow2"), [])
  }

  @Test("with quiet on, what stays silent is known by a sync, and is not sent again")
  func quiet() {
    send("quiet on", "send p tap", "send p hold", "send p drop")
    expectEqual(answer("+ @.follow1"), ["+"])
    _ = sent()
    expectEqual(answer("- @.follow3 MOVED world=w host=c : c has world w"), [])
    expectEqual(sent(), "@.follow5 sync\n")
    _ = answer("+ @.follow5 t=0.000 seq=0")
    expectEqual(receive(1), ["+ send p hold"])
    send("list")
    expectEqual(receive(1), ["+ list"])
  }

  @Test("nothing is sent after a use before its answer, which says in which world it would be run")
  func use() {
    send("@1 list", "@2 use w", "@3 list")
    expectEqual(sent(), "@1 list\n@2 use w\n")
    expectEqual(answer("+ @1 0", "+ @2 world=w t=0.000 seq=0"), ["+ @1 0", "+ @2 world=w t=0.000 seq=0"])
    expectEqual(sent(), "@3 list\n")
  }
}
