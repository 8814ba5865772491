import CSQLite
import TestSupport
import Testing

@testable import JournalStore

/// One call to the disk fails, whichever it is: what was acknowledged is there, nothing twice, nothing missing.
@Suite("Faults")
struct FaultTests {
  /// Runs all steps until one fails.
  ///
  /// - Returns: The step that failed and how, if one did.
  private func run(_ scenario: inout Scenario) -> (Scenario.Step, StoreFailure)? {
    for step in Scenario.all {
      do throws(StoreFailure) {
        try scenario.run(step)
      } catch {
        return (step, error)
      }
    }
    return nil
  }

  @Test("without a fault the scenario ends as its model says")
  func noFault() throws {
    let fixture = Fixture()
    var scenario = Scenario(fixture)
    for step in Scenario.all {
      try scenario.run(step)
      if let store = scenario.store {
        try expectEqual(Snapshot(of: store, numbers: Scenario.numbers), scenario.model, "after \(step)")
      }
    }
    expectEqual(scenario.model.worlds.map(\.head), [40])
    expect(scenario.model.worlds[0].first > 1)
  }

  @Test(
    "the n-th call fails, for every n",
    arguments: [
      (FaultPlan.Timing.insteadOfCall, SQLITE_IOERR), (.insteadOfCall, SQLITE_FULL), (.fromThenOn, SQLITE_FULL),
      (.afterCall, SQLITE_IOERR),
    ])
  func everyCall(timing: FaultPlan.Timing, code: Int32) throws {
    // Each with `FSMD_THOROUGH=10`, or one in so many, from any of the first on.
    var dice = Dice(seed: code)
    var call = 1 + dice.number(below: Thorough.distance) - Thorough.distance
    while true {
      call += Thorough.distance
      let fixture = Fixture()
      let plan = FaultPlan(call: call, timing, code: code)
      fixture.faults = plan
      var scenario = Scenario(fixture)
      let failed = run(&scenario)
      fixture.faults = nil
      var possible: Set = [scenario.model]
      if let (step, failure) = failed, case .unknown = failure { possible.insert(scenario.after(step)) }
      // The process ends.
      scenario.store?.close()
      let place = "call \(call) \(timing) \(code), \(failed.map { "\($0.0): \($0.1)" } ?? "nothing failed")"
      do throws(StoreFailure) {
        let store = try fixture.open()
        let found = try Snapshot(of: store, numbers: Scenario.numbers)
        expect(possible.contains(found), "\(place)")
        // And it can be written.
        for world in found.worlds { try store.append(try store.take(world.name).lease, after: world.head, [1]) }
        try store.inspect()
      } catch {
        Issue.record("\(place): \(error)")
      }
      if !plan.hasStruck { break }
    }
    expect(call > 500)
  }

  @Test(
    "after a failure the daemon takes its worlds again and goes on in the same store",
    arguments: FaultPlan.Timing.allCases)
  func goingOn(timing: FaultPlan.Timing) throws {
    // A disk that stays dead has nothing to go on with.
    if timing == .fromThenOn { return }
    var dice = Dice(seed: 0)
    var call = 1 + dice.number(below: Thorough.distance) - Thorough.distance
    while true {
      call += Thorough.distance
      let fixture = Fixture()
      let plan = FaultPlan(call: call, timing, code: SQLITE_IOERR)
      fixture.faults = plan
      var scenario = Scenario(fixture)
      for step in Scenario.all {
        do throws(StoreFailure) {
          try scenario.run(step)
        } catch {
          let place = "call \(call) \(timing), \(step): \(error)"
          let wanted = scenario.after(step)
          do throws(StoreFailure) {
            if scenario.store == nil { try scenario.run(.open) }
            let store = try require(scenario.store, "\(place)", throwing: error)
            let found = try Snapshot(of: store, numbers: Scenario.numbers)
            for world in scenario.leases.keys where found[world] != nil {
              scenario.leases[world] = try store.take(world).lease
            }
            if case .unknown = error, found == wanted, found != scenario.model {
              scenario.model = found
            } else {
              expectEqual(found, scenario.model, "\(place)")
              if step != .open { try scenario.run(step) }
            }
          } catch {
            Issue.record("\(place), then \(error)")
          }
        }
      }
      fixture.faults = nil
      try expectEqual(Snapshot(of: try fixture.open(), numbers: Scenario.numbers), scenario.model, "call \(call)")
      if !plan.hasStruck { break }
    }
  }
}

/// As `#require`, for a function with a typed error.
private func require<Value>(
  _ value: Value?, _ comment: Comment, throwing failure: StoreFailure
) throws(StoreFailure) -> Value {
  guard let value else {
    Issue.record(comment)
    throw failure
  }
  return value
}
