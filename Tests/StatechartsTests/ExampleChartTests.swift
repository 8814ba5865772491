import Foundation
import StateMachines
import Testing

@testable import Statecharts

/// The charts of `Examples/Statecharts`, walked through.
@Suite("An example chart")
struct ExampleChartTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/Statecharts")

  static func compile(_ name: String) throws -> (definition: Definition, warnings: [String]) {
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
    switch name.hasSuffix(".mmd") ? Definition.compile(mermaid: bytes) : Definition.compile(bytes) {
    case .definition(let definition, let warnings): return (definition, warnings.map(\.description))
    case .mistakes(let findings, let missing): throw Definition.Mistakes(findings: findings, missing: missing)
    }
  }

  static func run(_ name: String) throws -> VirtualRun { VirtualRun(try compile(name).definition) }

  private static func data(_ members: [(String, DataValue)]) throws -> DataValue {
    var object = DataObject()
    for (name, value) in members { try object.set(value, for: name) }
    return .object(object)
  }

  private static func outputs(_ run: VirtualRun) -> [String] {
    run.told.compactMap { effect in if case .output(let name, _) = effect { name } else { nil } }
  }

  @Test("has no warnings, unless it is an exercise, and is written and read again")
  func all() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
      .filter { $0.hasSuffix(".mmd") || $0.hasSuffix(".scxml") }
    #expect(names.count >= 13)
    for name in names {
      let (definition, warnings) = try Self.compile(name)
      #expect(warnings.isEmpty || name.hasPrefix("exercise"), "\(name): \(warnings)")
      let (text, omissions) = definition.stateDiagram()
      guard omissions.isEmpty else { continue }
      let read = try Definition.of(mermaid: text)
      let events = definition.charts[0].chart.events.names
      for seed in 0..<5 as Range<UInt64> {
        let difference = DiagramTests.difference(definition, read, seed: seed, events: events)
        #expect(difference == nil, "\(name) \(seed): \(difference ?? "")\n\(text)")
      }
    }
  }

  @Test("of exercises has a mistake that a warning or a walk brings to light")
  func exercises() throws {
    #expect(
      try Self.compile("exercise-doors.mmd").warnings == [
        "7:19 warning : nothing leads out of closd; did you mean closed?",
        "8:42 warning : nothing declares innerLocked; write %% data innerLocked = …",
      ])
    var parking = try Self.run("exercise-parking.scxml")
    // When a car leaves the full park, nobody counts it.
    for _ in 0..<4 { parking.send("enter") }
    #expect(parking.word == "full")
    parking.send("leave")
    parking.send("enter")
    #expect(parking.word == "full")
  }

  @Test("traffic light: cars have green for ten seconds and until the button is pressed")
  func trafficLight() throws {
    var run = try Self.run("traffic-light.mmd")
    run.advance(by: .seconds(60))
    #expect(run.word == "free")
    run.send("button")
    #expect(run.word == "yellow")
    run.advance(by: .seconds(3))
    #expect(run.word == "clearing")
    run.advance(by: .seconds(14))
    #expect(run.word == "redYellow")
    run.advance(by: .seconds(1))
    #expect(run.word == "busy")
    run.send("button")
    #expect(run.word == "busy")
    run.advance(by: .seconds(10))
    #expect(run.word == "yellow")
    #expect(Self.outputs(run) == ["carsGo", "carsStop", "walk", "blink", "dontWalk", "carsGo"])
  }

  @Test("microwave: it heats while the door is closed")
  func microwave() throws {
    var run = try Self.run("microwave.mmd")
    #expect(run.send("start") == .ignored)
    run.send("minute")
    run.send("open")
    #expect(run.send("start") == .ignored)
    run.send("close")
    run.send("start")
    #expect(run.word == "heating+closed")
    run.advance(by: .seconds(10))
    run.send("open")
    #expect(run.word == "idle+opened")
    run.send("close")
    run.send("start")
    run.advance(by: .seconds(49))
    #expect(run.word == "heating+closed")
    run.advance(by: .seconds(1))
    #expect(run.word == "idle+closed")
    #expect(Self.outputs(run).suffix(3) == ["beep", "beep", "beep"])
  }

  @Test("stopwatch: it counts while the display is frozen")
  func stopwatch() throws {
    var run = try Self.run("stopwatch.mmd")
    run.send("startStop")
    run.advance(by: .milliseconds(1_250))
    run.send("lap")
    #expect(run.word == "ticking+frozen" && run.told == [.log(label: "lap", value: .number(12))])
    run.advance(by: .milliseconds(500))
    run.send("startStop")
    #expect(run.word == "stopped" && !run.hasTimers)
    let slot = run.definition.charts[0].chart.symbols.known("tenths") ?? 0
    #expect(run.machine.root.variables[slot] == .number(17))
    run.send("reset")
    #expect(run.word == "zero")
  }

  @Test("coffee machine: what is missing is asked for")
  func coffeeMachine() throws {
    var run = try Self.run("coffee-machine.mmd")
    run.send("power")
    run.advance(by: .seconds(30))
    for _ in 0..<2 {
      run.send("espresso")
      #expect(run.word == "grinding")
      run.advance(by: .seconds(25))
      #expect(run.word == "ready")
    }
    run.send("espresso")
    #expect(run.word == "needsBeans")
    run.send("beansFilled")
    run.advance(by: .minutes(15))
    #expect(run.word == "off")
    #expect(Self.outputs(run) == ["coffee", "coffee", "fillBeans"])
  }

  @Test("media player: it goes on where it was")
  func mediaPlayer() throws {
    var run = try Self.run("media-player.mmd")
    for (event, word) in [
      ("play", "normal"), ("forward", "fast"), ("pause", "paused"), ("play", "fast"), ("call", "interrupted"),
      ("hangUp", "fast"), ("pause", "paused"), ("call", "interrupted"), ("hangUp", "paused"), ("stop", "stopped"),
    ] {
      run.send(event)
      #expect(run.word == word, "\(event)")
    }
  }

  @Test("garage door: one button, and an obstacle")
  func garageDoor() throws {
    var run = try Self.run("garage-door.mmd")
    for (event, word) in [
      ("button", "opening"), ("button", "stoppedOpening"), ("button", "closing"), ("obstacle", "opening"),
      ("top", "open"), ("button", "closing"), ("bottom", "closed"),
    ] {
      run.send(event)
      #expect(run.word == word, "\(event)")
    }
    #expect(Self.outputs(run).last == "motorOff")
  }

  @Test("vending machine: it sells, and gives change")
  func vendingMachine() throws {
    var run = try Self.run("vending-machine.scxml")
    func coin(_ value: Double) throws -> DataValue { try Self.data([("value", .number(value))]) }
    func choice(_ what: String) throws -> DataValue { try Self.data([("what", .string(what))]) }
    run.send("coin", try coin(30))
    run.send("coin", try coin(100))
    run.send("choose", try choice("tea"))
    #expect(run.word == "paying")
    run.send("coin", try coin(100))
    run.send("choose", try choice("tea"))
    #expect(run.word == "idle")
    #expect(Self.outputs(run) == ["rejected", "tooLittle", "vend", "change", "change", "change"])
    run.send("coin", try coin(50))
    run.advance(by: .seconds(30))
    #expect(run.word == "idle" && Self.outputs(run).count == 7)
  }

  @Test("elevator: it keeps its direction while there is a call in it")
  func elevator() throws {
    var run = try Self.run("elevator.scxml")
    func floor(_ number: Double) throws -> DataValue { try Self.data([("floor", .number(number))]) }
    #expect(run.word == "waiting")
    run.send("call", try floor(3))
    #expect(run.word == "moving")
    run.send("call", try floor(4))
    run.send("call", try floor(1))
    #expect(run.send("call", try floor(9)) == .ignored)
    run.advance(by: .seconds(6))
    #expect(run.word == "open")
    run.advance(by: .seconds(8))
    #expect(run.word == "open")
    run.advance(by: .seconds(14))
    #expect(run.word == "open")
    let floors = run.told.compactMap { effect -> String? in
      guard case .output("floor", .object(let data)) = effect else { return nil }
      return data["number"]?.text
    }
    #expect(floors == ["2", "3", "4", "3", "2", "1"])
  }

  @Test("login: three wrong passwords lock it for a minute")
  func login() throws {
    var run = try Self.run("login.scxml")
    func password(_ text: String) throws -> DataValue { try Self.data([("password", .string(text))]) }
    for _ in 0..<3 { run.send("login", try password("guess")) }
    #expect(run.word == "locked")
    #expect(run.send("login", try password("secret")) == .ignored)
    run.advance(by: .seconds(60))
    run.send("login", try password("secret"))
    #expect(run.word == "loggedIn")
    run.advance(by: .seconds(299))
    run.send("request")
    run.advance(by: .seconds(299))
    #expect(run.word == "loggedIn")
    run.advance(by: .seconds(1))
    #expect(run.word == "loggedOut")
  }

  @Test("dining philosophers: a fork goes to one at a time, and a wish is kept")
  func philosophers() throws {
    var philosopher = try Self.run("philosopher.mmd")
    for (event, word) in [("hungry", "wantsLeft"), ("leftTaken", "wantsRight"), ("rightTaken", "eating")] {
      philosopher.send(event)
      #expect(philosopher.word == word)
    }
    philosopher.advance(by: .seconds(10))
    #expect(Self.outputs(philosopher) == ["takeLeft", "takeRight", "putLeft", "putRight"])
    var fork = try Self.run("fork.mmd")
    for (event, word) in [
      ("takeA", "aAlone"), ("takeB", "bWaits"), ("putA", "bAlone"), ("takeA", "aWaits"), ("putB", "aAlone"),
      ("putA", "free"),
    ] {
      fork.send(event)
      #expect(fork.word == word)
    }
    #expect(Self.outputs(fork) == ["givenA", "givenB", "givenA"])
  }
}
