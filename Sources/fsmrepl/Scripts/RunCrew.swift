internal import Glibc
internal import UnixHost

/// Workers that run files side by side, each on a thread and with a connection of its own.
final class RunCrew: Sendable {
  private struct State {
    /// The next file that no worker has taken.
    var next = 0
    var outcomes: [Int: FileRun.Outcome] = [:]
    /// Whether files are still played.
    var isPlaying = true
    /// Why a worker has ended early.
    var stop: Dialogue.Stop?
    var working: Int
  }

  private let files: [RunFile]
  private let state: Locked<State>
  /// Signalled after each file, and at the end of each worker.
  private let progress = Semaphore()

  init(_ files: [RunFile], workers: Int) {
    self.files = files
    state = Locked(State(working: workers))
  }

  /// Runs all files, and hands over their outcomes in order.
  ///
  /// - Parameters:
  ///   - make: Makes a worker, on its thread; nil if it has no connection.
  ///   - take: Returns whether files are still to be played. What it throws ends the workers.
  /// - Throws: What has ended a worker, once all have ended. Nothing is handed over after a file without an outcome.
  func run(
    workers: Int, make: @escaping @Sendable (Int) -> RunWorker?,
    take: (Int, FileRun.Outcome) throws(Dialogue.Stop) -> Bool
  ) throws(Dialogue.Stop) {
    let pool = WorkerPool(places: workers)
    for number in 0..<workers {
      pool.submit { [self] in
        work(make(number))
        state.withLock { $0.working -= 1 }
        progress.signal()
      }
    }
    var index = 0
    var isWorking = true
    var isTaking = true
    while isWorking {
      progress.wait()
      isWorking = state.withLock { $0.working > 0 }
      while isTaking, let outcome = state.withLock({ $0.outcomes.removeValue(forKey: index) }) {
        do throws(Dialogue.Stop) {
          if try !take(index, outcome) { state.withLock { $0.isPlaying = false } }
        } catch {
          isTaking = false
          end(error)
        }
        index += 1
      }
    }
    if let stop = state.withLock({ $0.stop }) { throw stop }
    if index < files.count { throw .lost }
  }

  private func work(_ worker: RunWorker?) {
    guard let worker else { return }
    defer { worker.close() }
    do throws(Dialogue.Stop) {
      while let (index, isPlayed) = state.withLock({ state -> (Int, Bool)? in
        guard state.stop == nil, state.next < files.count else { return nil }
        state.next += 1
        return (state.next - 1, state.isPlaying)
      }) {
        let outcome = try worker.run(files[index], isPlayed: isPlayed)
        state.withLock { $0.outcomes[index] = outcome }
        progress.signal()
        if case .stopped(_, let reason) = outcome { throw reason }
      }
    } catch {
      end(error)
    }
  }

  /// Ends all workers: those at work wait for their daemons, so one of them gets a signal.
  private func end(_ reason: Dialogue.Stop) {
    state.withLock { $0.stop = $0.stop ?? reason }
    switch reason {
    case .lost: break
    // Each signal is read once: the next worker gets it again.
    case .signal(let number): kill(getpid(), number)
    case .unwritable: kill(getpid(), SIGTERM)
    }
  }
}
