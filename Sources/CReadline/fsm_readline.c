#include "fsm_readline.h"
#include <dlfcn.h>

/* The library's functions that are used. */
#define FUNCTIONS(F) \
  F(add_history) F(append_history) F(clear_history) F(history_get) F(history_truncate_file) F(read_history) \
  F(stifle_history) F(using_history) F(rl_callback_handler_install) F(rl_callback_handler_remove) \
  F(rl_callback_read_char) F(rl_callback_sigcleanup) F(rl_clear_visible_line) F(rl_crlf) F(rl_deprep_terminal) \
  F(rl_echo_signal_char) F(rl_forced_update_display) F(rl_free_line_state) F(rl_get_screen_size) F(rl_on_new_line) \
  F(rl_prep_terminal) F(rl_redisplay) F(rl_reset_screen_size) F(rl_resize_terminal) F(rl_set_prompt) F(rl_variable_bind)

static struct {
#define FIELD(name) __typeof__(name) *name;
  FUNCTIONS(FIELD)
} library;
static struct fsm_readline_variables variables;

const char *fsm_readline_load(void) {
  /* It stays loaded. The number is that of its interface; Debian 12 and 13 have it. */
  void *handle = dlopen("libreadline.so.8", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define FIND_FUNCTION(name) \
  if (!(library.name = (__typeof__(name) *)dlsym(handle, #name))) return dlerror();
  FUNCTIONS(FIND_FUNCTION)
#define FIND_VARIABLE(name) \
  if (!(variables.name = (__typeof__(name) *)dlsym(handle, #name))) return dlerror();
  FSM_READLINE_VARIABLES(FIND_VARIABLE)
  return 0;
}

struct fsm_readline_variables fsm_readline_variables(void) { return variables; }

#define PASS_ON(result, name, parameters, arguments) \
  result name parameters { return library.name arguments; }

PASS_ON(void, add_history, (const char *line), (line))
PASS_ON(int, append_history, (int count, const char *path), (count, path))
PASS_ON(void, clear_history, (void), ())
PASS_ON(HIST_ENTRY *, history_get, (int place), (place))
PASS_ON(int, history_truncate_file, (const char *path, int lines), (path, lines))
PASS_ON(int, read_history, (const char *path), (path))
PASS_ON(void, stifle_history, (int most), (most))
PASS_ON(void, using_history, (void), ())
PASS_ON(void, rl_callback_handler_install, (const char *prompt, rl_vcpfunc_t *handler), (prompt, handler))
PASS_ON(void, rl_callback_handler_remove, (void), ())
PASS_ON(void, rl_callback_read_char, (void), ())
PASS_ON(void, rl_callback_sigcleanup, (void), ())
PASS_ON(int, rl_clear_visible_line, (void), ())
PASS_ON(int, rl_crlf, (void), ())
PASS_ON(void, rl_deprep_terminal, (void), ())
PASS_ON(void, rl_echo_signal_char, (int number), (number))
PASS_ON(int, rl_forced_update_display, (void), ())
PASS_ON(void, rl_free_line_state, (void), ())
PASS_ON(void, rl_get_screen_size, (int *rows, int *columns), (rows, columns))
PASS_ON(int, rl_on_new_line, (void), ())
PASS_ON(void, rl_prep_terminal, (int meta), (meta))
PASS_ON(void, rl_redisplay, (void), ())
PASS_ON(void, rl_reset_screen_size, (void), ())
PASS_ON(void, rl_resize_terminal, (void), ())
PASS_ON(int, rl_set_prompt, (const char *prompt), (prompt))
PASS_ON(int, rl_variable_bind, (const char *name, const char *value), (name, value))
