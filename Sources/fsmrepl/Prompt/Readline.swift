internal import CReadline
internal import Glibc
internal import UnixHost

/// GNU readline, which is loaded when a prompt is shown.
enum Readline {
  /// Loads it; it may be called again. ``Terminal`` and ``HistoryFile`` work only afterwards.
  ///
  /// - Returns: Nil, or a line for the user that says what is missing and what needs no prompt.
  static func load() -> String? {
    guard let reason = fsm_readline_load() else { return nil }
    return """
      the prompt needs GNU readline 8 (Debian: apt install libreadline8): \(String(cString: reason)); \
      'run', 'check', -e, -f and requests from a pipe do without it
      """
  }
}

// Its variables, under their names. Safety: each pointer is that of a variable of the loaded library, which is never
// unloaded, with the type that its header says.

@MainActor var rl_line_buffer: UnsafeMutablePointer<CChar>? { fsm_readline_variables().rl_line_buffer.pointee }
@MainActor var rl_point: Int32 {
  get { fsm_readline_variables().rl_point.pointee }
  set { fsm_readline_variables().rl_point.pointee = newValue }
}
@MainActor var rl_end: Int32 { fsm_readline_variables().rl_end.pointee }
@MainActor var rl_display_prompt: UnsafeMutablePointer<CChar>? { fsm_readline_variables().rl_display_prompt.pointee }
@MainActor var rl_readline_state: UInt { fsm_readline_variables().rl_readline_state.pointee }
@MainActor var rl_outstream: UnsafeMutablePointer<FILE>? { fsm_readline_variables().rl_outstream.pointee }
@MainActor var history_base: Int32 { fsm_readline_variables().history_base.pointee }
@MainActor var history_length: Int32 { fsm_readline_variables().history_length.pointee }
@MainActor var rl_completion_append_character: Int32 {
  get { fsm_readline_variables().rl_completion_append_character.pointee }
  set { fsm_readline_variables().rl_completion_append_character.pointee = newValue }
}
@MainActor var rl_attempted_completion_over: Int32 {
  get { fsm_readline_variables().rl_attempted_completion_over.pointee }
  set { fsm_readline_variables().rl_attempted_completion_over.pointee = newValue }
}
