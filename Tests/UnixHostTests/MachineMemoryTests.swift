import TestSupport
import Testing

@testable import UnixHost

@Suite("How much memory there is")
struct MachineMemoryTests {
  private func available(_ files: [String: String]) -> Int? { MachineMemory.available { files[$0] } }

  private let machine = ["/proc/meminfo": "MemTotal:       16000000 kB\nMemFree:         1 kB\n"]

  @Test("the machine's, where no control group has less")
  func machineOnly() {
    expectEqual(available(machine), 16_000_000 << 10)
    expectNil(available([:]))
    expectNil(available(["/proc/meminfo": "MemTotal: a lot"]))
  }

  @Test("the least of all groups that the process is in, of the second version")
  func secondVersion() {
    var files = machine
    files["/proc/self/cgroup"] = "0::/user.slice/job\n"
    files["/sys/fs/cgroup/user.slice/job/memory.max"] = "max\n"
    expectEqual(available(files), 16_000_000 << 10)
    files["/sys/fs/cgroup/user.slice/memory.max"] = "1073741824\n"
    expectEqual(available(files), 1 << 30)
    files["/sys/fs/cgroup/user.slice/job/memory.max"] = "536870912\n"
    expectEqual(available(files), 1 << 29)
  }

  @Test("in a container, where the group is the root that can be seen")
  func container() {
    var files = machine
    files["/proc/self/cgroup"] = "0::/\n"
    files["/sys/fs/cgroup/memory.max"] = "268435456\n"
    expectEqual(available(files), 1 << 28)
  }

  @Test("of the first version, where no limit is a very large one")
  func firstVersion() {
    var files = machine
    files["/proc/self/cgroup"] = "5:cpu,cpuacct:/job\n4:memory:/docker/abc\n"
    files["/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes"] = "9223372036854771712\n"
    expectEqual(available(files), 16_000_000 << 10)
    files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "2147483648\n"
    expectEqual(available(files), 2 << 30)
  }

  @Test("this machine and this process say something")
  func here() throws {
    let available = try #require(MachineMemory.available)
    let resident = try #require(MachineMemory.resident)
    expect(resident > 1 << 20 && resident < available)
  }
}
