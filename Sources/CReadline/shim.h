#ifndef FSMREPL_CREADLINE_H
#define FSMREPL_CREADLINE_H

#include <stdio.h>
#include <wchar.h>
#include <readline/readline.h>
#include <readline/history.h>

/* How many columns a character takes; <wchar.h> has it for those alone who ask for X/Open. */
extern int wcwidth(wchar_t character);

/* Readline is single-threaded. Its globals are redeclared as main-actor state, which is what Swift 6's
   concurrency checking asks for: the compiler then refuses to touch them from anywhere else. */
#define FSM_MAIN(name) extern __typeof__(name) name __attribute__((swift_attr("@MainActor")))
FSM_MAIN(rl_line_buffer);
FSM_MAIN(rl_readline_state);
FSM_MAIN(rl_catch_signals);
FSM_MAIN(rl_catch_sigwinch);
FSM_MAIN(rl_change_environment);
FSM_MAIN(rl_attempted_completion_over);
FSM_MAIN(rl_attempted_completion_function);
FSM_MAIN(rl_completion_append_character);
FSM_MAIN(rl_completion_display_matches_hook);
FSM_MAIN(rl_completer_word_break_characters);
FSM_MAIN(rl_readline_name);
FSM_MAIN(rl_outstream);
FSM_MAIN(rl_point);
FSM_MAIN(rl_end);
FSM_MAIN(rl_display_prompt);
FSM_MAIN(rl_sort_completion_matches);
FSM_MAIN(rl_deprep_term_function);
FSM_MAIN(history_base);
FSM_MAIN(history_length);
#undef FSM_MAIN

#endif
