import StateMachines

/// What the store keeps of a world besides its journal: the seed, the clock and who may use it, as `key=value` words.
///
/// It is text, so that other tools can read it.
struct WorldSettings: Equatable {
  var seed: UInt64
  var mode: WorldClock.Mode
  var speed: Speed
  var isPaused: Bool
  var sharing: Sharing
  /// When this was written, in milliseconds since 1970.
  var written: Int64

  init(seed: UInt64, _ clock: WorldClock, _ sharing: Sharing = .nobody, written: Int64) {
    self.seed = seed
    self.sharing = sharing
    self.written = written
    mode = clock.mode
    speed = clock.speed
    isPaused = clock.isPaused
  }

  /// Parses `bytes`; nil for anything else.
  init?(_ bytes: [UInt8]) {
    var values: [Substring: Substring] = [:]
    for word in String(decoding: bytes, as: UTF8.self).split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
    }
    guard let seed = values["seed"].flatMap({ UInt64($0) }),
      let mode = values["clock"].flatMap({ WorldClock.Mode(rawValue: String($0)) }),
      let speed = values["speed"].flatMap({ Speed(String($0)) }),
      let isPaused = values["paused"].flatMap({ ["yes": true, "no": false][$0] }),
      let written = values["written"].flatMap({ Int64($0) }),
      // Not there in worlds that are not shared, as in those of older releases.
      let sharing = Sharing(rawValue: String(values["shared"] ?? "nobody"))
    else { return nil }
    self.sharing = sharing
    self.seed = seed
    self.mode = mode
    self.speed = speed
    self.isPaused = isPaused
    self.written = written
  }

  var bytes: [UInt8] {
    let shared = sharing == .nobody ? "" : " shared=\(sharing.rawValue)"
    return Array(
      "seed=\(seed) clock=\(mode.rawValue) speed=\(speed.text) paused=\(isPaused ? "yes" : "no") written=\(written)\(shared)"
        .utf8)
  }

  /// A clock with these settings that starts at a moment.
  func clock(host: UInt64, moment: Instant) -> WorldClock {
    var clock = WorldClock(mode, host: host, moment: moment)
    clock.set(speed, host: host, moment: moment)
    if isPaused { clock.pause() }
    return clock
  }
}
