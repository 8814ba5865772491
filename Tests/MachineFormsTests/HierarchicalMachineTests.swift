import MachineForms
import StateMachines
import TestSupport
import Testing

/// What a chart enters, leaves and does, and in which order.
struct HierarchicalMachineTests {
  private typealias Place = StatechartNode<Probe.Leaf, Probe.Composite>

  private func send(_ order: Probe.Order, at place: StatechartNode<Probe.Leaf, Probe.Composite>?, in leaf: String)
    -> String
  {
    MachineRunner(Probe.self, in: leaf, timers: Probe.timers).send(.tell(place, order))
  }

  @Test("a transition leaves upwards, then acts, then enters downwards")
  func order() {
    expectEqual(
      send(.go(.f, locally: false), at: .leaf(.c), in: "a.b.c"),
      "moved a.b.c a.e.f > left c > left b > did > entered e > entered f")
    expectEqual(
      send(.go(.z, locally: false), at: .composite(.a), in: "a.e.g.h"),
      "moved a.e.g.h z > left h > left g > left e > left a > did > entered z")
  }

  @Test("a machine that starts in a state has entered all that is around it")
  func start() {
    let runner = MachineRunner(Probe.self, in: "a.e.g.i", timers: Probe.timers)
    expectEqual(runner.beginning, " > entered a > entered e > entered g > entered i")
    expectEqual(MachineRunner(Probe.self, timers: Probe.timers).beginning, " > entered z")
  }

  @Test("a transition to a composite goes on to its initial states")
  func defaultEntry() {
    expectEqual(
      send(.enter(.a, locally: false), at: .leaf(.z), in: "z"),
      "moved z a.b.c > left z > did > entered a > entered b > entered c")
    expectEqual(
      send(.enter(.g, locally: false), at: .leaf(.d), in: "a.b.d"),
      "moved a.b.d a.e.g.h > left d > left b > did > entered e > entered g > entered h")
  }

  @Test("a composite that goes to a state within it is left and entered, unless the transition is local")
  func local() {
    expectEqual(
      send(.go(.d, locally: false), at: .composite(.b), in: "a.b.c"),
      "moved a.b.c a.b.d > left c > left b > did > entered b > entered d")
    expectEqual(
      send(.go(.d, locally: true), at: .composite(.b), in: "a.b.c"), "moved a.b.c a.b.d > left c > did > entered d")
  }

  @Test("who is asked first answers: the leaf, then outwards; nobody further out is asked")
  func innermostFirst() {
    expectEqual(send(.ignore, at: .leaf(.c), in: "a.b.c"), "ignored a.b.c")
    expectEqual(send(.stay, at: .composite(.a), in: "a.e.g.h"), "stayed a.e.g.h")
    expectEqual(send(.refuse, at: .composite(.e), in: "a.e.g.h"), "refused a.e.g.h")
    expectEqual(send(.stay, at: .composite(.e), in: "a.b.c"), "ignored a.b.c", "another branch is not asked")
    expectEqual(send(.stay, at: nil, in: "a.b.c"), "ignored a.b.c", "unhandled")
  }

  /// The same from the paths in the names alone, for every place that can answer and every leaf to go to.
  @Test("every transition of the tree, external and local", arguments: Probe.Leaf.allCases, [false, true])
  func allTransitions(from leaf: Probe.Leaf, locally: Bool) {
    let active = leaf.word.split(separator: ".").map(String.init)
    for depth in active.indices {
      let composite = Probe.Composite.allCases.first { "\($0)" == active[depth] }
      let place = composite.map(Place.composite) ?? .leaf(leaf)
      for target in Probe.Leaf.allCases where target != .end && leaf != .end {
        let path = target.word.split(separator: ".").map(String.init)
        let isInside = path.count > depth + 1 && path[depth] == active[depth]
        let limit = min(locally && isInside ? depth + 1 : depth, path.count - 1)
        let common = zip(active, path).prefix { $0 == $1 }.count
        let scope = min(common, limit)
        var expected = "moved \(leaf.word) \(target.word)"
        for name in active[scope...].reversed() { expected += " > left \(name)" }
        expected += " > did"
        for name in path[scope...] { expected += " > entered \(name)" }
        expectEqual(send(.go(target, locally: locally), at: place, in: leaf.word), expected)
      }
    }
  }

  @Test("timers die with the state that they belong to, and not before")
  func timers() {
    let runner = MachineRunner(Probe.self, in: "a.b.c", timers: Probe.timers)
    expectEqual(Set(runner.timers.keys), ["alarm", "bell", "chime"])
    runner.send(.tell(.composite(.b), .go(.d, locally: true)))
    expectEqual(Set(runner.timers.keys), ["alarm", "bell"])
    runner.send(.tell(.leaf(.d), .go(.f, locally: false)))
    expectEqual(Set(runner.timers.keys), ["alarm"])
    runner.send(.tell(.composite(.a), .go(.z, locally: false)))
    expect(runner.timers.isEmpty)
  }

  @Test("a raised event comes at once, once, and outlives what raised it")
  func raise() {
    let runner = MachineRunner(Probe.self, in: "a.b.c", timers: Probe.timers)
    runner.send(.tell(.leaf(.c), .raise))
    runner.send(.tell(.leaf(.c), .raise))
    expectEqual(runner.timers["raised"], 0)
    runner.send(.tell(.composite(.a), .go(.z, locally: false)))
    expectEqual(runner.expire(.raised), "stayed z")
    expect(runner.timers.isEmpty)
  }

  @Test(
    "deep history is the leaf that was left, shallow history the child around it; without history it is the initial state"
  )
  func history() {
    func back(_ history: History, after leaf: String?) -> String {
      let runner = MachineRunner(Probe.self, in: leaf, timers: Probe.timers)
      if leaf != nil { runner.send(.tell(.composite(.a), .go(.z, locally: false))) }
      return runner.send(.tell(.leaf(.z), .back(.a, history)))
    }
    expectEqual(
      back(.deep, after: "a.e.g.i"), "moved z a.e.g.i > left z > did > entered a > entered e > entered g > entered i")
    expectEqual(back(.shallow, after: "a.e.g.i"), "moved z a.e.f > left z > did > entered a > entered e > entered f")
    expectEqual(back(.shallow, after: "a.b.d"), "moved z a.b.c > left z > did > entered a > entered b > entered c")
    expectEqual(back(.deep, after: nil), back(.shallow, after: nil))
    expectEqual(back(.deep, after: nil), "moved z a.b.c > left z > did > entered a > entered b > entered c")
  }

  @Test(
    "history lasts until the composite is left again, and a composite that goes back into itself comes back as it was")
  func lastingHistory() {
    let runner = MachineRunner(Probe.self, in: "a.e.g.i", timers: Probe.timers)
    runner.send(.tell(.composite(.a), .go(.z, locally: false)))
    runner.send(.tell(.leaf(.z), .go(.z, locally: false)))
    expectEqual(runner.value.state.memory, .i)
    runner.send(.tell(.leaf(.z), .go(.d, locally: false)))
    runner.send(.tell(.composite(.a), .go(.z, locally: false)))
    expectEqual(runner.value.state.memory, .d)
    expectEqual(
      send(.back(.a, .deep), at: .composite(.a), in: "a.b.d"),
      "moved a.b.d a.b.d > left d > left b > left a > did > entered a > entered b > entered d")
  }

  @Test("a final state completes the composite around it, within the same step")
  func completion() {
    expectEqual(
      send(.end(then: .z), at: .leaf(.c), in: "a.b.c"),
      "moved a.b.c z > left c > left b > entered end > left end > left a > did > entered z")
    expectEqual(
      send(.end(then: .d), at: .leaf(.c), in: "a.b.c"),
      "moved a.b.c a.b.d > left c > left b > entered end > left end > left a > did > entered a > entered b > entered d")
    expectEqual(send(.end(then: nil), at: .leaf(.c), in: "a.b.c"), "moved a.b.c a.end > left c > left b > entered end")
  }

  @Test("a chart that completes without end is stopped", .enabled(if: Thorough.isFull))
  func endless() async {
    await #expect(processExitsWith: .failure) {
      MachineRunner(Probe.self, in: "a.b.c", timers: Probe.timers).send(.tell(.leaf(.c), .end(then: .end)))
    }
  }

  @Test("leaves print as their path, and know what they are within")
  func words() {
    expectEqual(Probe.Leaf.words, ["z", "a.b.c", "a.b.d", "a.e.f", "a.e.g.h", "a.e.g.i", "a.end"])
    expectEqual(Probe.Leaf.i.ancestors, [.g, .e, .a])
    expectEqual(Probe.Leaf.z.ancestors, [])
  }
}
