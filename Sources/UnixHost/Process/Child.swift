internal import CSystem
internal import Glibc

/// A process that this one started.
///
/// It leads a process group of its own, so that what is typed at our terminal (Ctrl-C) does not reach it, and it
/// starts with the default signal actions and nothing blocked.
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
  ///   - program: A path, or a name that is looked for in `PATH`.
  ///   - arguments: Without the program's own name.
  ///   - input: Becomes its standard input, likewise the other two; those left out are shared with this process.
  /// - Throws: The system's error when there is no such program or no process to be had.
  package static func spawn(
    _ program: String, _ arguments: [String], input: Descriptor? = nil, output: Descriptor? = nil,
    error: Descriptor? = nil
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
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))

    // Safety: copies that live until the child has its own, ended by a null pointer as the call wants it.
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program, &actions, &attributes, words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    return Child(pid: pid)
  }

  /// Where a program of the same package is: beside the running one, else its bare name, to be looked for in `PATH`.
  package static func siblingProgram(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return name }
    let own = String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let sibling = "\(SocketPath.directory(of: own))/\(name)"
    return access(sibling, X_OK) == 0 ? sibling : name
  }

  /// Sends a signal; a process that has ended already is no failure.
  package func signal(_ number: Int32 = SIGTERM) {
    _ = kill(pid, number)
  }

  /// Ends the process at once, with all that it has started and that has stayed in its group.
  package func killGroup() {
    _ = kill(-pid, SIGKILL)
  }

  /// How it ended, if it has; asks only once after that, as the kernel forgets.
  package func ending() -> Ending? {
    wait(WNOHANG)
  }

  /// Waits until it has ended; `nil` when that is known already.
  @discardableResult
  package func waitForEnding() -> Ending? {
    wait(0)
  }

  private func wait(_ options: Int32) -> Ending? {
    var status: Int32 = 0
    guard retryingOnInterrupt({ waitpid(pid, &status, options) }) == pid else { return nil }
    let signal = status & 0x7F  // The layout behind WIFEXITED and WTERMSIG, which are macros.
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

/// A one-way channel between processes, closed on exec.
package struct Pipe: Hashable, Sendable {
  package let reading: Descriptor
  package let writing: Descriptor

  /// - Throws: The system's error when there are no descriptors left.
  package init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard fsm_pipe(&ends) == 0 else { throw .last }
    reading = Descriptor(rawValue: ends[0])
    writing = Descriptor(rawValue: ends[1])
  }
}
