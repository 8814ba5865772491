internal import Glibc
internal import UnixHost

/// The resources that a process uses, as counted by the kernel.
struct ProcessUse {
  let pid: Int32

  /// Its resident memory now.
  func residentBytes() throws -> Int {
    let words = try read("statm").split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else {
      throw BenchFailure.noServer("statm is not as proc(5) says")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Its peak resident memory.
  func peakResidentBytes() throws -> Int {
    let line = try read("status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kibibytes = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
    else {
      throw BenchFailure.noServer("status is not as proc(5) says")
    }
    return kibibytes << 10
  }

  private func read(_ name: String) throws -> String {
    let path = "/proc/\(pid)/\(name)"
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw BenchFailure.noServer("cannot read \(path): \(SystemError.last)") }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 8_192)
    let length = Glibc.read(file, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
  }

  /// Kills it at once.
  func kill() {
    Glibc.kill(pid, SIGKILL)
  }

  /// Its processor time so far in seconds, of all threads together.
  func processorSeconds() throws -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw BenchFailure.noServer("process \(pid) has no clock: \(SystemError.last)")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
