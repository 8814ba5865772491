internal import CSystem
internal import Glibc

/// A child process.
///
/// As a rule it leads its own process group, so that Ctrl-C at our terminal does not reach it. It starts with the default
/// signal actions and no blocked signals.
package struct Child: Hashable, Sendable {
  package let pid: Int32

  /// How a process ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked up in `PATH`.
  ///   - arguments: Without the program's own name.
  ///   - input: Its standard input; `output` and `error` likewise. A stream without a value is shared with this
  ///     process.
  ///   - sharesTerminal: Whether it stays in our process group, so that it may read from our terminal, and Ctrl-C and
  ///     Ctrl-Z reach both.
  /// - Throws: The system's error when there is no such program or no process can be made.
  package static func spawn(
    _ program: String, _ arguments: [String], input: Descriptor? = nil, output: Descriptor? = nil,
    error: Descriptor? = nil, sharesTerminal: Bool = false
  ) throws(SystemError) -> Child {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (given, standard) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (error, STDERR_FILENO)] {
      if let given { posix_spawn_file_actions_adddup2(&actions, given.rawValue, standard) }
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let group = sharesTerminal ? 0 : POSIX_SPAWN_SETPGROUP
    let flags = group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // Safety: copies that live until the child has its own, terminated by a null pointer as the call requires.
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program, &actions, &attributes, words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    return Child(pid: pid)
  }

  /// The path of another program of this package: next to the running one, else its name, to be looked up in `PATH`.
  package static func siblingProgram(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return name }
    let own = String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let sibling = "\(SocketPath.directory(of: own))/\(name)"
    return access(sibling, X_OK) == 0 ? sibling : name
  }

  /// Sends a signal; a process that has ended is ignored.
  package func signal(_ number: Int32 = SIGTERM) {
    _ = kill(pid, number)
  }

  /// Kills the process and all other processes in its group.
  package func killGroup() {
    _ = kill(-pid, SIGKILL)
  }

  /// How it ended, if it has. Returns a value only once, since the kernel then forgets the process.
  package func ending() -> Ending? {
    wait(WNOHANG)
  }

  /// Waits until it has ended; `nil` if the ending was already read.
  @discardableResult
  package func waitForEnding() -> Ending? {
    wait(0)
  }

  private func wait(_ options: Int32) -> Ending? {
    var status: Int32 = 0
    guard retryingOnInterrupt({ waitpid(pid, &status, options) }) == pid else { return nil }
    let signal = status & 0x7F  // As the macros WIFEXITED and WTERMSIG read it.
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

/// A one-way channel between processes, closed on exec.
package struct Pipe: Hashable, Sendable {
  package let reading: Descriptor
  package let writing: Descriptor

  /// - Throws: The system's error when no descriptors are left.
  package init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard fsm_pipe(&ends) == 0 else { throw .last }
    reading = Descriptor(rawValue: ends[0])
    writing = Descriptor(rawValue: ends[1])
  }
}
