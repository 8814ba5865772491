import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

/// Every argument out of range is named, with what was found and what is allowed, and nothing has changed.
@Suite("Out of range")
struct RangeTests {
  /// A request, its wrong argument, the text found, and what is allowed.
  private typealias Wrong = (request: String, argument: String, got: String, allowed: String)

  private static let duration = "\"a number with one of ns us ms s m h d, up to 36500d\""
  private static let time = "\"a number with one of ns us ms s m h d, up to 100000d\""
  private static let name = "\"1 to 64 of A-Z a-z 0-9 . _ -, first a letter\""
  private static let celsius = "\"-100..100 °C\""

  private static let wrong: [Wrong] =
    ["9", "-a", "a b", "a/b", "é", ".a", "", "*", String(repeating: "n", count: 65)].flatMap { text -> [Wrong] in
      let quoted = text.isEmpty || text.contains(" ") ? "\"\(text)\"" : text
      return [
        ("new power \(quoted)", "name", quoted, name), ("new phoneCall \(quoted)", "name", quoted, name),
        ("world new \(quoted)", "name", quoted, name),
      ]
    }
    + [
      "-1s", "+1s", "1e3", "1.5ns", "100000.1d", "100001d", "0.0000000001", "1 s", "1S", "1min", "1s1ms", ".5s", "5.",
      "s", "",
    ]
    .flatMap { text -> [Wrong] in
      let quoted = text.isEmpty || text.contains(" ") ? "\"\(text)\"" : text
      return [
        ("advance \(quoted)", "duration", quoted, duration), ("advance until \(quoted)", "time", quoted, time),
        ("goto \(quoted)", "time", quoted, time),
        ("await k off within=\(quoted)", "within", quoted, duration),
        ("new shiftKey x doubleTap=\(quoted)", "doubleTap", quoted, "0s..1m"),
      ]
    }
    + ["36500.1d", "36501d"].map { ("advance \($0)", "duration", $0, duration) }
    + ["-100.1", "100.000001", "1e1", "nan", "inf", "0x10", "--1", "1,5", "", "-", "1.2.3"].flatMap { text -> [Wrong] in
      let quoted = text.isEmpty ? "\"\"" : text
      return ["min", "max", "ambient", "coolingTarget"].map { ("new fridge x \($0)=\(quoted)", $0, quoted, celsius) }
        + [("new fridge x start=\(quoted)", "start", quoted, "\"-100..100 °C, or nil\"")]
    }
    + [
      ("new shiftKey x doubleTap=60.000000001s", "doubleTap", "60.000000001s", "0s..1m"),
      ("new fridge x coolingTau=999us", "coolingTau", "999us", "1ms..365d"),
      ("new fridge x coolingTau=365.1d", "coolingTau", "365.1d", "1ms..365d"),
      ("new phoneCall x ring=366d", "ring", "366d", "0s..365d"),
      ("new fridge x physics=1", "physics", "1", "on,off,true,false"),
      ("new power x initial=ON", "initial", "ON", "off,on"),
      ("send t add 0", "amount", "0", "1..99"), ("send t add 100", "amount", "100", "1..99"),
      ("send t add 1.0", "amount", "1.0", "1..99"), ("send t add -5", "amount", "-5", "1..99"),
      ("send t add 99999999999999999999", "amount", "99999999999999999999", "1..99"),
      (
        "send t open \(String(repeating: "x", count: 21))", "note", String(repeating: "x", count: 21),
        "\"text of 1 to 20 bytes, or nil\""
      ),
      ("send k character ab", "c", "ab", "\"one character\""),
      ("send p set maybe", "to", "maybe", "on,off,true,false"),
      ("step 0", "count", "0", "1..1000000000"), ("step 1000000001", "count", "1000000001", "1..1000000000"),
      ("step 1.5", "count", "1.5", "1..1000000000"), ("step +1", "count", "+1", "1..1000000000"),
      ("list limit=-1", "limit", "-1", "0..1000000000"), ("agenda limit=1e3", "limit", "1e3", "0..1000000000"),
      ("journal limit=1000001", "limit", "1000001", "0..1000000"),
      ("journal since=-1", "since", "-1", "0..18446744073709551615"),
      ("watch * since=18446744073709551616", "since", "18446744073709551616", "0..18446744073709551615"),
      ("world new x seed=-1", "seed", "-1", "0..18446744073709551615"),
      ("journal what=none", "what", "none", "moves,all"), ("watch * what=", "what", "\"\"", "moves,all"),
      ("world new x clock=fast", "clock", "fast", "virtual,real"), ("quiet perhaps", "quiet", "perhaps", "on,off"),
      ("expect k ON", "state", "ON", "off,on,capsLock"), ("await k nothing", "state", "nothing", "off,on,capsLock"),
      ("wave width=39", "width", "39", "40..1000"), ("wave last=-1", "last", "-1", duration),
      ("list kind=power state=capsLock", "state", "capsLock", "off,on"),
    ]
    + ["list P", "count P", "cast P tap", "watch P", "unwatch P", "journal P", "wave P", "coverage P", "agenda P"].map {
      form in
      let pattern = String(repeating: "p", count: 256) + "*"
      return (form.replacing("P", with: pattern), "pattern", "\"257 bytes\"", "\"at most 256 bytes\"")
    }

  @Test("every name, number, duration and temperature")
  func everything() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = guest.play("new shiftKey k", "new till t", "new power p", "advance 1h", "send t open", "watch p")
    let journal = guest.say("journal limit=1000")
    let world = guest.say("world")
    for (request, argument, got, allowed) in RangeTests.wrong {
      let lines = guest.say("@r \(request)")
      expectEqual(lines.count, 1)
      let expected = "- @r BAD-ARGUMENT argument=\(argument) got=\(got) allowed=\(allowed)"
      let line = lines.first ?? ""
      expect(line.hasPrefix(expected + " : ") || line.hasPrefix(expected + " did-you-mean="), "\(request)\n\(line)")
    }
    expectEqual(guest.say("journal limit=1000"), journal)
    expectEqual(guest.say("world"), world)
    expectEqual(guest.say("worlds").count, 3)
    expectEqual(guest.say("unwatch p"), ["+ watching 0"])
  }

  @Test("what is at the very end of a range is taken")
  func ends() {
    let longest = String(repeating: "p", count: 255) + "*"
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    for request in [
      "new power \(String(repeating: "n", count: 64))", "new shiftKey a doubleTap=60s", "new shiftKey b doubleTap=0",
      "new fridge c min=-100 max=100 ambient=100 coolingTarget=-100 start=-100",
      "new fridge d coolingTau=365d waitingTau=1ms",
      "new till t", "send t open 12345678901234567890", "send t add 99", "send t add 1", "advance 0", "advance 36500d",
      "advance until 36500d", "journal limit=1000000 since=18446744073709551615", "list limit=1000000000",
      "list \(longest)", "count \(longest)", "cast \(longest) tap", "watch \(longest)", "unwatch \(longest)",
      "journal \(longest)", "coverage \(longest)", "wave \(longest)", "agenda \(longest)",
      "world new \(String(repeating: "w", count: 64)) seed=18446744073709551615",
    ] {
      expectEqual(guest.say(request).last?.first, "+", "\(request)")
    }
  }

  @Test("a speed out of range changes no clock")
  func speeds() {
    let host = HostedService()
    let guest = host.connect()
    for text in ["0", "0.000999999", "1000000.000000001", "-1", "1e2", "x", "\"\""] {
      let expected =
        "- BAD-ARGUMENT argument=speed got=\(text) allowed=\"0.001 to 1000000, with at most nine decimals\" : "
      expect(guest.say("speed \(text)").first, hasPrefix: expected, "\(text)")
    }
    expectEqual(guest.say("clock"), ["+ clock real speed=1 paused=no t=0.000 seq=0"])
    for text in ["0.001", "1000000", "0.333333333"] {
      expectEqual(guest.say("speed \(text)"), ["+ speed=\(text) paused=no t=0.000 seq=0"])
    }
  }
}
