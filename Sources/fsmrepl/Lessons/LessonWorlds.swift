internal import Glibc
internal import LineProtocol

/// The worlds of lessons on a shared daemon: `lesson-PID`, where several people may take lessons at once.
enum LessonWorlds {
  static func name(of process: pid_t) -> String { "lesson-\(process)" }

  /// The user's own worlds that belong to lessons which are over: nobody is in any world of the lesson, and its process
  /// is gone. A process between two worlds is in none.
  ///
  /// - Parameters:
  ///   - worlds: The rows of `worlds`.
  ///   - clients: The rows of `who`. It must have all of the user's own; without one, nothing is known.
  static func leftBehind(
    _ worlds: [ServerLine], clients: [ServerLine], isRunning: (pid_t) -> Bool
  ) -> [String] {
    guard !clients.isEmpty else { return [] }
    let inUse = Set(clients.compactMap { $0["world"]?.split(separator: "/").last.flatMap { process(of: String($0)) } })
    return worlds.compactMap(\.words.first).filter { name in
      process(of: name).map { !inUse.contains($0) && !isRunning($0) } ?? false
    }
  }

  /// The process whose lesson is played in a world, or in a numbered or copied one beside it: `lesson-7-2-trial`.
  private static func process(of world: String) -> pid_t? {
    var parts = world.split(separator: "-", omittingEmptySubsequences: false)
    if parts.last == "trial" { parts.removeLast() }
    let numbers = parts.dropFirst()
    guard parts.first == "lesson", numbers.count <= 2, numbers.allSatisfy({ UInt64($0) != nil }) else { return nil }
    return numbers.first.flatMap { pid_t($0) }
  }
}
