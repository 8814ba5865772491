import Glibc
import TestSupport

/// What the kernel says of a process.
struct ProcessFacts {
  let pid: Int32

  /// Open descriptors.
  var descriptors: Int { TemporaryFolder.names(in: "/proc/\(pid)/fd").count }

  /// Those of the store's files among them.
  var storeDescriptors: Int {
    TemporaryFolder.names(in: "/proc/\(pid)/fd").count { name in
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard readlink("/proc/\(pid)/fd/\(name)", &target, target.count - 1) > 0 else { return false }
      return target.withUnsafeBufferPointer { String(cString: $0.baseAddress!).contains("/journal.sqlite") }
    }
  }

  /// Memory that is in use now, in KiB.
  var residentKiB: Int { number("VmRSS:") ?? 0 }

  /// Of that what is no part of a file: neither the program nor its libraries, whose pages come and go with their use.
  var anonymousKiB: Int { number("RssAnon:") ?? 0 }

  /// The most memory that was in use at a time, in KiB.
  var peakResidentKiB: Int { number("VmHWM:") ?? 0 }

  var threads: Int { number("Threads:") ?? 0 }

  /// Processor time used so far, in clock ticks (hundredths of a second).
  var processorTicks: Int {
    // The name of the process may hold spaces; the fields are counted behind its bracket. utime and stime are 14 and 15.
    let fields = contents(of: "/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return 0 }
    return user + system
  }

  /// The same exactly, in nanoseconds.
  var processorTime: UInt64 {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Whether a signal has stopped it, with all its threads.
  var isStopped: Bool {
    let threads = TemporaryFolder.names(in: "/proc/\(pid)/task")
    return !threads.isEmpty
      && threads.allSatisfy { thread in
        // The state is behind the bracket of the name.
        contents(of: "/proc/\(pid)/task/\(thread)/stat").split(separator: ")").last?.hasPrefix(" T") == true
      }
  }

  private func number(_ name: String) -> Int? {
    for line in contents(of: "/proc/\(pid)/status").split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
    return nil
  }
}
