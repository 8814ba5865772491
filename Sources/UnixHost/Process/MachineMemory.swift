internal import CSystem
internal import Glibc

/// The memory available to this process: the machine's, or less if a control group limits it.
package enum MachineMemory {
  /// In bytes; nil where the system does not say.
  package static var available: Int? { available(read: contents) }

  /// The resident memory of this process now, in bytes; nil where the system does not say.
  package static var resident: Int? {
    guard let words = contents("/proc/self/statm")?.split(separator: " "), words.count > 1 else { return nil }
    return Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
  }

  /// Makes the allocator return large pieces of memory to the system as soon as they are freed.
  ///
  /// Otherwise it keeps pieces up to the largest size ever freed, so a buffer that grows by copying leaves as much
  /// behind as it holds. Call it before any large allocation.
  package static func returnLargePieces() {
    let (mmapThreshold, trimThreshold): (Int32, Int32) = (-3, -1)  // M_MMAP_THRESHOLD, M_TRIM_THRESHOLD.
    _ = mallopt(mmapThreshold, 1 << 20)
    _ = mallopt(trimThreshold, 4 << 20)
  }

  /// Returns free memory to the system.
  ///
  /// - Complexity: O(memory of the process), some milliseconds per gigabyte.
  package static func giveBack() {
    _ = malloc_trim(0)
  }

  /// - Parameter read: The text of a file; nil if there is none.
  static func available(read: (_ path: String) -> String?) -> Int? {
    var least: Int?
    func consider(_ bytes: Int?) {
      if let bytes, bytes > 0 { least = min(least ?? bytes, bytes) }
    }
    consider(totalOfMachine(read))
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      // Version 2 of control groups has one hierarchy without a name; in version 1 memory is one of several.
      let isSecond = parts[0] == "0" && parts[1].isEmpty
      guard isSecond || parts[1].split(separator: ",").contains("memory") else { continue }
      for folder in foldersUpwards(String(parts[2])) {
        // In a container the path may be that of the host, of which only the root is visible.
        if isSecond {
          consider(read("/sys/fs/cgroup\(folder)/memory.max").flatMap(number))
        } else {
          consider(read("/sys/fs/cgroup/memory\(folder)/memory.limit_in_bytes").flatMap(number))
        }
      }
    }
    return least
  }

  /// A path and all folders above it: `/a/b`, `/a` and the empty string, which is the root.
  private static func foldersUpwards(_ path: String) -> [String] {
    let names = path.split(separator: "/")
    return (0...names.count).reversed().map { count in names[..<count].map { "/\($0)" }.joined() }
  }

  private static func number(_ text: String) -> Int? {
    // `max` means no limit; version 1 writes a number near the size of the address space.
    Int(text.split(whereSeparator: \.isWhitespace).first ?? "")
  }

  private static func totalOfMachine(_ read: (String) -> String?) -> Int? {
    let line = (read("/proc/meminfo") ?? "").split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    return line.flatMap { number(String($0.dropFirst("MemTotal:".count))) }.map { $0 << 10 }
  }

  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file, &bytes, bytes.count)
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
