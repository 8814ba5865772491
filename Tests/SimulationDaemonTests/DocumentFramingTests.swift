import LineProtocol
import TestSupport
import Testing

@testable import SimulationDaemon

/// The bytes behind `define`: how many they are is said before them, and they are no lines.
@Suite("Bytes behind define")
struct DocumentFramingTests {
  private func host(_ limits: String...) -> HostedService {
    var all = Limits()
    for limit in limits { expectNil(all.set(limit)) }
    return HostedService(limits: all)
  }

  private func said(_ text: String, to guest: Guest, of host: HostedService, inPiecesOf size: Int = .max) -> [String] {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      host.round { guest.arrive(Array(bytes.prefix(size))) }
      bytes = bytes.dropFirst(size)
    }
    host.settle()
    return guest.lines()
  }

  @Test("what follows them is a request again, however the bytes come", arguments: 1...9)
  func pieces(size: Int) {
    let host = host()
    let document = "cancel\nbegin\n\u{1}@x quit\r\n"
    let text = "define a format=scxml bytes=\(document.utf8.count) resource=b\n\(document)@next sync\n"
    expectEqual(said(text, to: host.connect(), of: host, inPiecesOf: size), ["+ resource b", "+ @next"])
  }

  @Test("none at all may follow")
  func empty() {
    let guest = host().connect()
    expectEqual(guest.say("@t define a format=scxml bytes=0 resource=file:b.xml"), ["+ @t resource b.xml"])
  }

  @Test(
    "without a number of bytes nobody knows where the next line begins, so the connection ends",
    arguments: ["", "bytes=", "bytes=x", "bytes=-1", "bytes=1.5", "bytes=1 bytes=1", "bytes=99999999999999999999"])
  func unclear(bytes: String) {
    for before in ["", "begin\n"] {
      let guest = host().connect()
      guest.arrive("\(before)@d define a format=scxml \(bytes)\nsync\n")
      let lines = guest.finish().suffix(2)
      expect(lines.first, hasPrefix: "- @d BAD-ARGUMENT argument=bytes ", "\(lines)")
      expectEqual(lines.last, "! bye reason=framing")
    }
  }

  @Test("more than the limit is read, dropped and refused")
  func limit() {
    let host = host("definitionBytes=100")
    let guest = host.connect()
    func define(_ count: Int, _ more: String = "") -> [String] {
      let text = "define a format=scxml bytes=\(count)\(more)\n\(String(repeating: "\n", count: count))sync\n"
      return said(text, to: guest, of: host)
    }
    expectEqual(define(101).map { $0.prefix { $0 != ":" } }, ["- LIMIT name=definitionBytes value=100 ", "+"])
    expectEqual(define(60, " resource=b"), ["+ resource b", "+"])
    expect(define(41, " resource=c").first, hasPrefix: "- LIMIT name=definitionBytes ")
    // What was kept is forgotten with that, so that a client can begin again.
    expectEqual(define(100, " resource=c"), ["+ resource c", "+"])
  }

  @Test("in a batch the request is refused, and its bytes are no lines of the batch")
  func batch() {
    let host = host()
    let guest = host.connect()
    let lines = said("begin\n@d define a format=scxml bytes=4\nend\n@n new power p\n@e end\n", to: guest, of: host)
    expectEqual(
      lines.map { $0.prefix { $0 != ":" } }, ["+", "- @d USAGE ", "- @n BATCH index=2 ", "- @e BATCH index=1 "])
  }

  @Test("an end of input within them is no request")
  func end() {
    let host = host()
    let guest = host.connect()
    guest.arrive("define a format=scxml bytes=10 resource=b\n12345")
    host.round { host.service.inputEnded(guest.client) }
    guest.collect()
    expectEqual(guest.lines(), ["! bye"])
  }

  @Test("a cancel among them cancels nothing, one behind them does")
  func cancel() {
    let host = host()
    let guest = host.connect()
    let lines = said(
      "new power p\n@a await p on within=36500d\ndefine a format=scxml bytes=17 resource=b\ncancel\n@x cancel\n"
        + "@y cancel\n", to: guest, of: host)
    expect(lines.contains("+ @y") && !lines.contains("+ @x"), "\(lines)")
    expect(lines.contains { $0.hasPrefix("- @a ") } && lines.last == "+ resource b", "\(lines)")
  }
}
