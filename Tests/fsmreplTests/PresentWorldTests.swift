import LineProtocol
import TestSupport
import Testing

@testable import fsmrepl

struct PresentWorldTests {
  private func prompt(_ lines: [(String, Verb?)], _ condition: PromptCondition = .ready, colour: Bool = false) throws
    -> String
  {
    var place = PresentWorld()
    for (text, verb) in lines { place.update(from: try #require(ServerLine(text)), answering: verb) }
    let style = Style(usesColour: colour, usesUnicode: true)
    return place.prompt(condition, style: style).forReadline(style)
  }

  private let greeting: (String, Verb?) = ("+ fsmd protocol=1 version=1 world=main clock=real t=12.345 seq=0", nil)

  @Test("the prompt shows world, clock and time")
  func prompts() throws {
    try expectEqual(prompt([]), "main> ")
    try expectEqual(prompt([greeting]), "main real 12.3s> ")
    try expectEqual(
      prompt([greeting, ("+ world=lesson clock=virtual t=0.200000001 seq=3", .use)]), "lesson virtual 0.200> ")
    try expectEqual(
      prompt([greeting, ("+ clock virtual speed=1 paused=no t=13.000 seq=0", .clock)]), "main virtual 13.000> ")
    try expectEqual(prompt([greeting, ("+ t=13.125", .pause)]), "main paused 13.125> ")
    try expectEqual(prompt([greeting, ("+ t=13.125", .pause), ("+", .resume)]), "main real 13.1s> ")
    try expectEqual(prompt([greeting, ("+ speed=60", .speed)]), "main real×60 12.3s> ")
    try expectEqual(prompt([greeting, ("- REFUSED t=14.000", .send)]), "main real 14.0s> ")
    try expectEqual(prompt([greeting, ("- UNKNOWN-WORLD world=w", .use)]), "main real 12.3s> ")
  }

  @Test("the time is that of the last answer which tells one, whatever came of it, and of the last notice")
  func times() throws {
    let virtual: (String, Verb?) = ("+ world=w clock=virtual t=1.000 seq=0", .use)
    try expectEqual(
      prompt([virtual, ("- CANCELLED t=86400.000 seq=9 fired=4 : by cancel", .advance)]), "w virtual 1d 00:00:00> ")
    try expectEqual(prompt([virtual, ("- TIMEOUT state=off t=5.000", .await)]), "w virtual 5.000> ")
    try expectEqual(prompt([virtual, ("- CANCELLED done=2 t=5.000 seq=9", .cast)]), "w virtual 5.000> ")
    try expectEqual(prompt([virtual, ("- CANCELLED", .undo)]), "w virtual 1.000> ")
    try expectEqual(prompt([virtual, ("+ created v paused=yes t=0.500 seq=2", .world)]), "w virtual 1.000> ")
    var place = PresentWorld()
    place.update(from: try #require(ServerLine("+ world=w clock=real t=1.000 seq=0")), answering: .use)
    place.update(from: try #require(ServerLine("* 7 2.500 key moved off on event=tap")))
    expectEqual(place.time, "2.500")
    place.update(from: try #require(ServerLine("* 7 3.000 - clock mode=real speed=2 paused=yes")))
    expect(place.time == "3.000" && place.isPaused && place.speed == "2")
    place.update(from: try #require(ServerLine("* odd")))
    expectEqual(place.time, "3.000")
  }

  @Test("for a room the prompt has times as people say them")
  func presents() throws {
    var place = PresentWorld()
    place.update(from: try #require(ServerLine("+ world=w clock=virtual t=86743.500000001 seq=0")), answering: .use)
    let style = Style(usesColour: false, usesUnicode: true, isPresenting: true)
    expectEqual(place.prompt(.ready, style: style).forReadline(style), "w virtual 1d 00:05:43.5> ")
    place.update(from: try #require(ServerLine("+ world=v clock=real t=61.987 seq=0")), answering: .use)
    expectEqual(place.prompt(.ready, style: style).forReadline(style), "v real 00:01:01.9> ")
  }

  @Test("and what is going on")
  func conditions() throws {
    try expectEqual(prompt([greeting], .waiting), "main real 12.3s …> ")
    try expectEqual(prompt([greeting], .collecting), "main real 12.3s batch> ")
    try expectEqual(prompt([greeting], .disconnected), "not connected> ")
  }

  @Test("colours stand between readline's marks, so that it can count columns")
  func marks() throws {
    let text = try prompt([], colour: true)
    expectEqual(text, "\u{01}\u{1B}[1m\u{02}main\u{01}\u{1B}[0m\u{02}> ")
  }
}
