internal import Glibc
internal import UnixHost

/// What a process uses of the machine, as the kernel counts it.
struct ProcessUse {
  let pid: Int32

  /// The memory that it has now.
  func residentBytes() throws -> Int {
    let path = "/proc/\(pid)/statm"
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw BenchFailure.noServer("cannot read \(path): \(SystemError.last)") }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = read(file, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else {
      throw BenchFailure.noServer("\(path) is not as proc(5) says")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Ends it at once, without a word.
  func kill() {
    Glibc.kill(pid, SIGKILL)
  }

  /// Seconds of processor time that it has had so far, all threads together.
  func processorSeconds() throws -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw BenchFailure.noServer("process \(pid) has no clock: \(SystemError.last)")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
