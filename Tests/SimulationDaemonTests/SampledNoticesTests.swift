import LineProtocol
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Notices of a session that gets samples")
struct SampledNoticesTests {
  private let host = HostedService()
  private let busy: Guest
  private let viewer: Guest

  init() {
    busy = host.connect(toWorld: "w")
    _ = busy.say("new power lamp")
    viewer = host.connect(SessionTerms(isSampled: true))
    _ = viewer.say("use w")
    _ = viewer.say("watch *")
  }

  private func change(_ times: Int) {
    _ = busy.say(Array(repeating: "send lamp buttonClick", count: times).joined(separator: "\n"))
  }

  private func numbers(_ lines: [String]) -> [Int] {
    lines.filter { $0.hasPrefix("* ") }.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
  }

  @Test("the first comes at once, the next 50 ms later, together")
  func pace() {
    change(1)
    expectEqual(numbers(viewer.lines()), [2])
    change(1)
    change(1)
    expect(viewer.lines().isEmpty)
    expectEqual(host.service.nextWake(), host.now + SessionTerms.sampleDistance)
    host.passTime(0.049)
    expect(viewer.lines().isEmpty)
    host.passTime(0.001)
    expectEqual(numbers(viewer.lines()), [3, 4])
    expectNil(host.service.nextWake())
  }

  @Test("of many inputs it gets the last, and a gap for those before")
  func gap() {
    change(1)
    _ = viewer.lines()
    change(10_000)
    host.passTime(0.05)
    let lines = viewer.lines()
    let most = Int(SessionTerms.inputsInASample)
    expectEqual(lines.first, "! gap from=3 to=\(10_002 - most)")
    expectEqual(numbers(lines), Array((10_003 - most)...10_002))
  }

  @Test("its own request is answered behind the notices of its inputs, and at once")
  func own() {
    change(1)
    _ = viewer.lines()
    expectEqual(viewer.say("send lamp buttonClick").map { $0.prefix(1) }, ["*", "+"])
  }

  @Test("one that does not read holds 16 KiB of notices, and others all of theirs")
  func neverReads() {
    let all = host.connect()
    _ = all.say("use w")
    _ = all.say("watch *")
    viewer.isReading = false
    for _ in 0..<100 {
      change(300)
      host.passTime(0.05)
    }
    expect(viewer.client.session.outbox.noticeBytes < 2 * SessionTerms.sampledQueue)
    expectEqual(numbers(all.lines()).count, 30_000)
    viewer.isReading = true
    viewer.collect()
    change(1)
    host.passTime(0.05)
    let lines = viewer.lines()
    expect(lines.last, hasPrefix: "* 30002 ")
    expect(lines.contains { $0.hasPrefix("! gap ") })
  }
}
