import StateMachines
import TestSupport
import Testing

/// Which timers run after an input, by what the machine declared before it and declares now.
struct StateTimersTests {
  /// A machine that was made at the beginning, with `bell` due after ten seconds; it is told something at 3 s.
  private func runner(in state: Obedient.State? = nil) -> MachineRunner<Obedient> {
    let runner = MachineRunner(Obedient.self, timers: Obedient.timers)
    if let state { runner.send(.tell([], .move(state))) }
    runner.now = .beginning + .seconds(3)
    return runner
  }

  /// When timers are due, in seconds.
  private func seconds(_ runner: MachineRunner<Obedient>) -> [String: Int64] {
    runner.timers.mapValues { $0 / 1_000_000_000 }
  }

  @Test("a machine begins with the timers of its first state, after what it says on entering it")
  func creation() {
    let runner = MachineRunner(Obedient.self, timers: Obedient.timers)
    expectEqual(runner.beginning, " > entered")
    expectEqual(runner.effects, ["emit entered", "arm bell 10000000000"])
    let busy = MachineRunner(Obedient.self, in: "busy", timers: Obedient.timers)
    expect(busy.state == "busy" && busy.beginning == " > entered")
    expectEqual(seconds(busy), ["bell": 10])
  }

  @Test("a move disarms what is declared no longer, and arms what is newly declared and what still is")
  func move() {
    let runner = runner(in: .calm(.after(10, .bell), .after(20, .chime)))
    runner.send(.tell([], .move(.busy(.after(20, .chime), .after(30, .gong)))))
    expectEqual(runner.effects, ["disarm bell", "emit entered", "arm chime 23000000000", "arm gong 33000000000"])
    expectEqual(seconds(runner), ["chime": 23, "gong": 33])
    runner.now = .beginning + .seconds(5)
    runner.send(.tell([], .move(.busy(.after(20, .chime), .after(30, .gong)))))
    expectEqual(seconds(runner), ["chime": 25, "gong": 35], "a move to the same state too")
  }

  @Test("what is continuing goes on across moves between states that both declare it, as it was armed")
  func continuing() {
    let runner = runner(in: .calm(.after(10, .bell).continuing, .after(10, .chime)))
    runner.send(.tell([], .move(.busy(.after(4, .bell).continuing, .after(10, .chime)))))
    expectEqual(seconds(runner), ["bell": 10, "chime": 13])
    runner.send(.tell([], .move(.calm())))
    expect(runner.timers.isEmpty)
    runner.send(.tell([], .move(.busy(.after(4, .bell).continuing))))
    expectEqual(seconds(runner), ["bell": 7])
    expectEqual(runner.expire(.bell), "stayed busy")
    runner.send(.tell([], .move(.calm(.after(4, .bell).continuing))))
    expect(runner.timers.isEmpty, "once it has expired it does not come back")
  }

  @Test("staying leaves alone what is declared before and now, and follows what is not")
  func stay() {
    let runner = runner(in: .calm(.after(10, .bell), .after(20, .chime)))
    runner.send(.tell([], .stay))
    expectEqual(runner.effects, [])
    runner.send(.tell([], .stayAs(.calm(.after(50, .chime), .after(1, .gong)))))
    expectEqual(runner.effects, ["disarm bell", "arm gong 4000000000"])
    expectEqual(seconds(runner), ["chime": 20, "gong": 4])
  }

  @Test("a timer that has expired does not run again while the machine stays; a move arms it")
  func expired() {
    let runner = runner()
    expectEqual(runner.expire(.bell), "stayed calm")
    expectEqual(runner.effects, [])
    runner.send(.tell([], .stay))
    expectEqual(runner.effects, [])
    runner.send(.tell([], .move(.busy(.after(2, .bell)))))
    expectEqual(seconds(runner), ["bell": 5])
    runner.send(.prepare([], .move(.busy(.after(2, .bell)))))
    expectEqual(runner.expire(.bell), "moved busy busy > entered")
    expectEqual(seconds(runner), ["bell": 5])
  }

  @Test("a periodic timer runs again each time, whatever is made of its expiry", arguments: Obedient.Answer.nothing)
  func every(answer: Obedient.Answer) {
    let runner = runner(in: .calm(.every(4, .bell), .after(9, .chime)))
    runner.send(.prepare([], answer))
    runner.now = .beginning + .seconds(4)
    runner.expire(.bell)
    expectEqual(runner.effects, ["arm bell 8000000000"])
    runner.now = .beginning + .seconds(8)
    runner.expire(.bell)
    expectEqual(seconds(runner), ["bell": 12, "chime": 9])
    runner.expire(.chime)
    expectEqual(runner.effects, [], "another's expiry is none of its own")
    runner.send(.tell([], .stayAs(.calm())))
    expect(runner.timers.isEmpty)
  }

  @Test("a moment is a moment, however often it is armed; one that is past is now")
  func at() {
    let runner = runner()
    runner.send(.tell([], .move(.busy(.at(7, .bell), .at(2, .chime)))))
    expectEqual(seconds(runner), ["bell": 7, "chime": 3])
    runner.now = .beginning + .seconds(5)
    runner.send(.tell([], .move(.busy(.at(7, .bell), .at(2, .chime)))))
    expectEqual(seconds(runner), ["bell": 7, "chime": 5])
  }

  @Test("what the rule arms and disarms by itself holds for this input, and the declarations from the next one on")
  func override() {
    let runner = runner(in: .calm(.after(10, .bell), .after(10, .chime)))
    runner.send(
      .tell([.arm(.bell, seconds: 1), .disarm(.chime)], .move(.busy(.after(10, .bell), .after(10, .chime)))))
    expectEqual(runner.effects, ["arm bell 4000000000", "disarm chime", "emit entered"])
    runner.send(.tell([], .stay))
    expectEqual(seconds(runner), ["bell": 4], "staying does not bring back what was disarmed")
    runner.send(.tell([], .move(.calm(.after(10, .bell), .after(10, .chime)))))
    expectEqual(seconds(runner), ["bell": 13, "chime": 13])
    runner.send(.tell([.arm(.bell, seconds: 1)], .move(.calm())))
    expectEqual(seconds(runner), ["bell": 4], "it outlives the state that declared it")
  }

  @Test("a timer that no state declares is nobody's but the rule's")
  func undeclared() {
    let runner = runner(in: .calm())
    runner.send(.tell([.arm(.gong, seconds: 50)], .stay))
    runner.send(.tell([], .move(.busy(.after(1, .bell)))))
    runner.send(.tell([], .stayAs(.busy())))
    expectEqual(seconds(runner), ["gong": 53])
    runner.send(.tell([], .stayAs(.busy(.after(1, .gong)))))
    expectEqual(seconds(runner), ["gong": 53], "it runs already")
    runner.send(.tell([], .move(.calm(.after(1, .gong)))))
    expectEqual(seconds(runner), ["gong": 4])
  }

  @Test("what is ignored and what is refused leave all timers alone", arguments: Obedient.Answer.nothing)
  func nothing(answer: Obedient.Answer) {
    let runner = runner(in: .calm(.after(10, .bell), .every(2, .chime)))
    let actions: [Obedient.Action] = answer == .refuse ? [.say, .arm(.gong, seconds: 1), .disarm(.bell)] : []
    runner.send(.tell(actions, answer))
    expectEqual(runner.effects, [])
    runner.send(.prepare(actions, answer))
    runner.expire(.bell)
    expectEqual(runner.effects, [])
    expectEqual(seconds(runner), ["chime": 2])
  }

  @Test("disarmed, then what the rule asks for, then what entering says, then armed")
  func order() {
    let runner = runner(in: .calm(.after(10, .bell), .after(10, .chime), .after(10, .gong)))
    runner.send(
      .tell([.say, .arm(.parcel, seconds: 1), .say], .move(.busy(.after(1, .gong), .after(2, .chime)))))
    expectEqual(
      runner.effects,
      [
        "disarm bell", "emit said", "arm parcel 4000000000", "emit said", "emit entered", "arm gong 4000000000",
        "arm chime 5000000000",
      ])
  }

  @Test("entering is told of each move, to the same state too, and of nothing else")
  func entering() {
    let runner = runner()
    expectEqual(runner.send(.tell([], .move(.busy()))), "moved calm busy > entered")
    expectEqual(runner.send(.tell([], .move(.busy()))), "moved busy busy > entered")
    expectEqual(runner.send(.tell([], .stayAs(.calm()))), "stayed calm")
    expectEqual(runner.send(.tell([], .ignore)), "ignored calm")
  }

  @Test("an event with data brings what is declared when its timer expires")
  func data() {
    let declared = { (contents: Int) in Obedient.Declared(timer: .parcel, contents: contents) }
    let runner = runner(in: .calm(declared(1)))
    runner.send(.tell([], .stayAs(.calm(declared(2)))))
    expectEqual(runner.effects, [], "the same timer with other data")
    expectEqual(runner.expire(.parcel(0)), "stayed calm > brought 2")
    runner.send(.tell([.arm(.parcel, seconds: 1)], .move(.busy())))
    expectEqual(runner.expire(.parcel(0)), "stayed busy > brought 0", "what nobody declares brings what the kind says")
  }

  @Test("a rule may ask whether a timer runs; one that has just expired does not")
  func running() {
    let runner = runner(in: .calm(.after(10, .bell), .after(10, .chime)))
    expectEqual(
      runner.send(.tell([.look(.bell), .disarm(.bell), .look(.bell), .arm(.gong, seconds: 1), .look(.gong)], .stay)),
      "stayed calm > runs true > runs false > runs true")
    runner.send(.prepare([.look(.chime)], .stay))
    expectEqual(runner.expire(.chime), "stayed calm > runs false")
  }

  @Test("a timer that the kind does not list is a defect", .enabled(if: Thorough.isFull))
  func unlisted() async {
    await #expect(processExitsWith: .failure) {
      MachineRunner(Obedient.self, timers: [.bell, .chime]).send(.tell([.arm(.gong, seconds: 1)], .stay))
    }
  }

  /// The rule once more, in the words of its documentation, against random inputs.
  @Test("any inputs", arguments: Thorough.rounds(0..<100))
  func walk(seed: UInt64) {
    var dice = Generator(salt: seed)
    func declarations() -> [Obedient.Declared] {
      Obedient.Timer.allCases.filter { _ in dice.draw(in: 0...1) == 0 }.map { timer in
        let form: Obedient.Declared.Form = [.after, .at, .every][dice.draw(in: 0...2)]
        return .init(
          timer: timer, form: form, seconds: Int64(dice.draw(in: 1...9)), isContinuing: dice.draw(in: 0...2) == 0)
      }
    }
    func state() -> Obedient.State { .init(name: dice.draw(in: 0...1) == 0 ? .calm : .busy, timers: declarations()) }
    func answer() -> Obedient.Answer {
      switch dice.draw(in: 0...5) {
      case 0: .stay
      case 1: .stayAs(state())
      case 2: .ignore
      case 3: .refuse
      case _: .move(state())
      }
    }
    func actions() -> [Obedient.Action] {
      (0..<dice.draw(in: 0...1)).map { _ in
        let timer = Obedient.Timer.allCases[dice.draw(in: 0...3)]
        return dice.draw(in: 0...1) == 0 ? .disarm(timer) : .arm(timer, seconds: Int64(dice.draw(in: 0...9)))
      }
    }
    let runner = MachineRunner(Obedient.self, timers: Obedient.timers)
    var model = ["bell": Int64(10)]
    for second in 1...60 {
      runner.now = .beginning + .seconds(Int64(second))
      let before = runner.value.state
      let (actions, answer) = (actions(), answer())
      var expired: String?
      if let timer = Obedient.Timer.allCases.first(where: { runner.timers["\($0)"] != nil }), dice.draw(in: 0...2) == 0
      {
        runner.send(.prepare(actions, answer))
        runner.expire(timer.event(0))
        expired = "\(timer)"
        model["\(timer)"] = nil
      } else {
        runner.send(.tell(actions, answer))
      }
      Self.follow(&model, before, actions, answer, expired: expired, at: Int64(second))
      expectEqual(seconds(runner), model, "seed \(seed), second \(second): \(actions) \(answer)")
    }
  }

  private static func follow(
    _ model: inout [String: Int64], _ before: Obedient.State, _ actions: [Obedient.Action], _ answer: Obedient.Answer,
    expired: String?, at now: Int64
  ) {
    func due(_ declared: Obedient.Declared) -> Int64 {
      declared.form == .at ? max(now, declared.seconds) : now + declared.seconds
    }
    let next: Obedient.State
    var isMove = false
    switch answer {
    case .move(let state): (next, isMove) = (state, true)
    case .stayAs(let state): next = state
    case .stay: next = before
    case .ignore, .refuse:
      for declared in before.timers where declared.form == .every && "\(declared.timer)" == expired {
        model["\(declared.timer)"] = due(declared)
      }
      // What is ignored may have armed something, which is then as if it had stayed; a refusal takes it back.
      if answer == .ignore { _ = act(actions, &model, now) }
      return
    }
    let own = act(actions, &model, now)
    for declared in before.timers where !own.contains(declared.timer) {
      if !next.timers.contains(where: { $0.timer == declared.timer }) { model["\(declared.timer)"] = nil }
    }
    for declared in next.timers where !own.contains(declared.timer) {
      let name = "\(declared.timer)"
      let isNew = !before.timers.contains { $0.timer == declared.timer }
      if isMove && !declared.isContinuing || isNew && model[name] == nil || declared.form == .every && expired == name {
        model[name] = due(declared)
      }
    }
  }

  private static func act(_ actions: [Obedient.Action], _ model: inout [String: Int64], _ now: Int64)
    -> Set<Obedient.Timer>
  {
    var own: Set<Obedient.Timer> = []
    for action in actions {
      switch action {
      case .say, .look: break
      case .arm(let timer, let seconds):
        model["\(timer)"] = now + seconds
        own.insert(timer)
      case .disarm(let timer):
        model["\(timer)"] = nil
        own.insert(timer)
      }
    }
    return own
  }
}

extension Obedient.Answer {
  /// The answers by which nothing happens.
  static let nothing: [Self] = [.ignore, .refuse]
}
