import Simulator
import Synchronization
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("The budget of memory")
struct MemoryBudgetTests {
  /// The memory of the process, as set by a test.
  private final class Measured: Sendable {
    let bytes = Atomic<Int>(0)
  }

  private func budget(_ bytes: Int, measure: @escaping @Sendable () -> Int? = { nil }) -> MemoryBudget {
    var limits = Limits()
    limits.memory = bytes
    return MemoryBudget(limits, measure: measure)
  }

  @Test("counts what is reported, takes it back with the one who held it, and admits what is left")
  func shares() {
    let budget = self.budget(128_000)
    func holding() {
      var world = WorldShare()
      world.join(budget)
      var footprint = Footprint()
      footprint[.machines] = 100_000
      footprint[.journal] = 20_000
      world.report(footprint)
      expectEqual(budget.counted, 120_000)
      expectEqual(budget.counted(for: .world(.journal)), 20_000)
      expect(world.admits(8_000) == true && world.admits(8_001) == false)
      expect(budget.isNearlyUsedUp)
      var client = ClientShare()
      client.join(budget)
      client.report(requests: 6_000, replies: 2_000)
      expectEqual(budget.counted, 128_000)
      expect(world.admits(1) == false && client.admits(1, beside: 200) == false)
      client.report(requests: 0, replies: 2_000)
      expectEqual(world.admits(6_000), true)
    }
    holding()
    expectEqual(budget.counted, 0)
    expect(MemoryBudget.Use.all.allSatisfy { budget.counted(for: $0) == 0 })
    expect(!budget.isNearlyUsedUp)
  }

  @Test("a small world and a small client have what they need, however full it is")
  func free() {
    let budget = self.budget(128_000)
    budget.add(200_000, for: .world(.machines))
    var world = WorldShare()
    world.join(budget)
    var footprint = Footprint()
    footprint[.machines] = 900
    world.report(footprint)
    expect(world.admits(100) == true && world.admits(101) == false)
    var client = ClientShare()
    client.join(budget)
    client.report(requests: 100, replies: 0)
    expect(client.admits(25, beside: 100) == true && client.admits(26, beside: 100) == false)
  }

  @Test("the more worlds and clients there may be, the less each has for certain")
  func freeForMany() {
    var limits = Limits()
    limits.memory = 1 << 30
    limits.makeRoomForUsers()
    let budget = MemoryBudget(limits) { nil }
    expect(budget.freeForWorld * limits.worlds <= budget.bytes / 2)
    expect(budget.freeForClient * limits.clients <= budget.bytes / 4)
    limits.worlds = 1
    limits.clients = 1
    expectEqual(MemoryBudget(limits) { nil }.freeForWorld, budget.bytes / 128)
    expectEqual(MemoryBudget(limits) { nil }.freeForClient, budget.bytes / 1_024)
  }

  @Test("what a worker is going to add counts until it is there")
  func promised() {
    let budget = self.budget(128_000)
    var limits = Limits()
    limits.userMemory = 50_000
    limits.userMachines = 10
    let quota = UserQuota(limits)
    var growth: PromisedGrowth? = PromisedGrowth(bytes: 40_000, machines: 8, budget, quota)
    expect(growth != nil)
    expect(budget.counted == 40_000 && quota.countedBytes == 40_000 && quota.countedMachines == 8)
    expect(!quota.hasRoom(forMachines: 3) && !quota.hasRoom(for: 10_001))
    growth = nil
    expect(budget.counted == 0 && quota.countedBytes == 0 && quota.countedMachines == 0)
  }

  @Test("what the process has counts where it is more than may be by a sixteenth")
  func resident() {
    let measured = Measured()
    let budget = self.budget(128_000) { measured.bytes.load(ordering: .relaxed) }
    budget.measureNow()
    expect(budget.hasRoom(for: 100_000))
    measured.bytes.store(132_000, ordering: .relaxed)
    budget.measureNow()
    expect(budget.hasRoom(for: 4_000) && !budget.hasRoom(for: 4_001))
    measured.bytes.store(150_000, ordering: .relaxed)
    // Nothing has changed enough to measure again.
    budget.remeasure()
    expect(budget.hasRoom(for: 0))
    budget.add(1_000, for: .requests)
    budget.remeasure()
    expect(!budget.hasRoom(for: 0))
  }

  @Test("one that is never used up")
  func unlimited() {
    expect(MemoryBudget.unlimited.hasRoom(for: 1 << 60))
    expect(!MemoryBudget.unlimited.isNearlyUsedUp)
  }

  @Test("many threads may report at once")
  func threads() async {
    let budget = self.budget(1 << 40)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var share = ClientShare()
          share.join(budget)
          for number in 0..<10_000 { share.report(requests: number, replies: 2 * number) }
        }
      }
    }
    expectEqual(budget.counted, 0)
  }

  @Test(
    "a size is bytes, or K, M and G of them",
    arguments: [
      ("16M", 16 << 20), ("20000K", 20_000 << 10), ("2G", 2 << 30), ("16777216", 16 << 20), ("1048576G", 1 << 50),
    ] as [(String, Int)])
  func size(text: String, bytes: Int) {
    expectEqual(Limits.memory(text), bytes)
  }

  @Test(
    "what is no size, too little or too much",
    arguments: [
      "", "M", "15M", "16777215", "1048577G", "16m", "1.5G", "-1G", "99999999999999999999", "16 M", "2GB",
    ])
  func noSize(text: String) {
    expectNil(Limits.memory(text))
  }

  @Test("half of what there is, unless that is very little")
  func ordinary() {
    expectEqual(Limits.memory(of: 8 << 30), 4 << 30)
    expectEqual(Limits.memory(of: 1 << 20), 16 << 20)
    expect(Limits.memory(of: nil) >= 1 << 30)
  }

  @Test("limits of one world and one client are lower where there is little, and as always where there is much")
  func fitting() {
    let (little, much) = (Limits.fitting(memory: 64 << 20), Limits.fitting(memory: 8 << 30))
    for entry in Limits.table where entry.name != "memory" {
      expectEqual(much[keyPath: entry.path], Limits()[keyPath: entry.path], "\(entry.name)")
      expect(entry.range.contains(little[keyPath: entry.path]), "\(entry.name)")
    }
    expect(little.replyQueue == 256 << 10 && little.world.checkpointBytes == 4 << 20)
  }
}
