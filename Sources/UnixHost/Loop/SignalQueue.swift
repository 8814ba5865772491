internal import CSystem
internal import Glibc

/// Signals as readable events, for a program with its own loop.
///
/// While a queue exists, its signals have no other effect; they wait to be read. Each signal is read once, by whichever
/// thread reads first.
package final class SignalQueue: Sendable {
  /// Readable while a signal waits.
  package let descriptor: Descriptor
  private let before: sigset_t

  /// Takes over the signals. Call it before a second thread starts, which could receive them otherwise.
  ///
  /// An ignored signal stays ignored, as whoever started the process wanted.
  ///
  /// - Throws: The system's error when no descriptor is available.
  package init(_ numbers: [Int32]) throws(SystemError) {
    var wanted = Self.set(of: numbers.filter { !Self.isIgnored($0) })
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &wanted, &before)
    self.before = before
    let made = signalfd(-1, &wanted, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard made >= 0 else {
      let error = SystemError.last
      pthread_sigmask(SIG_SETMASK, &before, nil)
      throw error
    }
    descriptor = Descriptor(rawValue: made)
  }

  deinit {
    descriptor.close()
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// The next waiting signal, if any.
  package func next() -> Int32? {
    var found = signalfd_siginfo()
    let transfer = withUnsafeMutableBytes(of: &found) { descriptor.read(into: $0) }
    guard case .bytes = transfer else { return nil }
    return Int32(bitPattern: found.ssi_signo)
  }

  /// Ends the process by a signal with its default action, so that the parent process sees that signal.
  package static func endProcess(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var only = set(of: [number])
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    raise(number)
    exit(128 + number)
  }

  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Safety: only compared, never called. SIG_IGN is the number 1, cast to a function.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
