#ifndef FSMREPL_CREADLINE_H
#define FSMREPL_CREADLINE_H

/* GNU readline, which is loaded when a prompt is shown: scripts are played where it is not installed. `fsm_readline.c`
   defines the functions of <readline/readline.h> that are used, under their names, and passes each call on. They are
   hidden, so that the library's own calls do not reach them. What its headers include comes first: it must not be hidden. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <time.h>
#include <wchar.h>
#pragma GCC visibility push(hidden)
#include <readline/history.h>
#include <readline/readline.h>
#pragma GCC visibility pop

/* How many columns a character takes; <wchar.h> has it for those alone who ask for X/Open. */
extern int wcwidth(wchar_t character);

/* Loads the library; nothing else of it may be used before. NULL, or why it cannot be loaded: a text that lives until the
   next call. */
const char *fsm_readline_load(void);

/* The library's variables that are used. */
#define FSM_READLINE_VARIABLES(V) \
  V(rl_line_buffer) V(rl_point) V(rl_end) V(rl_display_prompt) V(rl_readline_state) V(rl_readline_name) V(rl_outstream) \
  V(rl_catch_signals) V(rl_catch_sigwinch) V(rl_change_environment) V(rl_sort_completion_matches) \
  V(rl_completer_word_break_characters) V(rl_completion_append_character) V(rl_attempted_completion_over) \
  V(rl_attempted_completion_function) V(rl_completion_display_matches_hook) V(rl_deprep_term_function) \
  V(history_base) V(history_length)

struct fsm_readline_variables {
#define FSM_READLINE_FIELD(name) __typeof__(name) *name;
  FSM_READLINE_VARIABLES(FSM_READLINE_FIELD)
};

/* Where they are. Readline is single-threaded, which the compiler checks in Swift. */
__attribute__((swift_attr("@MainActor"))) struct fsm_readline_variables fsm_readline_variables(void);

#endif
