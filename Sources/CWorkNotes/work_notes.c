#define _GNU_SOURCE
#include "work_notes.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* In C, because a handler of signals may neither allocate nor lock, and because it needs variables per thread. */

static const int fatal[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { kinds = sizeof fatal / sizeof fatal[0] };

/* What was done about each of them before. */
static struct sigaction before[kinds];

static _Thread_local struct fsm_work *volatile present;

/* A recursion without end leaves no room on the thread's own stack. */
static _Thread_local char spare_stack[32 << 10];
static _Thread_local int has_spare_stack;

static void handle(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  int is_sent = info->si_code <= 0;
  /* From here on the same signal ends the process, also one of this handler. */
  for (size_t place = 0; place < kinds; place++) sigaction(fatal[place], &before[place], NULL);
  struct fsm_work *work = present;
  if (work && work->kind && (!is_sent || info->si_pid == getpid())) {
    *(volatile uint32_t *)&work->signal = (uint32_t)number;
    if (work->line) fsm_name_work(work, work->line, (uint32_t)work->line_length);
  }
  errno = error;
  /* An instruction that failed fails again, but for a breakpoint, which may be passed by now. A signal that was sent does not come again: it is sent to whoever handled it
     before, and then to nobody, which ends the process. */
  if (!is_sent && number != SIGTRAP) return;
  raise(number);
  struct sigaction nobody = {0};
  nobody.sa_handler = SIG_DFL;
  sigaction(number, &nobody, NULL);
  raise(number);
}

void fsm_note_fatal_signals(void) {
  /* A second time `before` would get this handler. */
  static int are_noted;
  if (__atomic_exchange_n(&are_noted, 1, __ATOMIC_RELAXED)) return;
  struct sigaction action = {0};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t place = 0; place < kinds; place++) sigaction(fatal[place], &action, &before[place]);
}

static void use_spare_stack(void) {
  stack_t stack = {.ss_sp = spare_stack, .ss_size = sizeof spare_stack};
  sigaltstack(&stack, NULL);
  has_spare_stack = 1;
}

struct fsm_work *fsm_begin_work(struct fsm_work *places, uint32_t count, uint32_t kind, int64_t world,
                                uint32_t is_running, struct fsm_work **outer) {
  if (!has_spare_stack) use_spare_stack();
  *outer = present;
  for (uint32_t place = 0; place < count; place++) {
    struct fsm_work *work = &places[place];
    if (__atomic_load_n(&work->is_taken, __ATOMIC_RELAXED)) continue;
    if (__atomic_exchange_n(&work->is_taken, 1, __ATOMIC_ACQUIRE)) continue;
    work->input = 0;
    work->world = world;
    work->signal = 0;
    work->is_running = is_running;
    work->length = 0;
    work->line = NULL;
    work->line_length = 0;
    __atomic_store_n(&work->kind, kind, __ATOMIC_RELEASE);
    present = work;
    return work;
  }
  present = NULL;
  return NULL;
}

void fsm_end_work(struct fsm_work *work, struct fsm_work *outer) {
  present = outer;
  if (!work) return;
  __atomic_store_n(&work->kind, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&work->is_taken, 0, __ATOMIC_RELEASE);
}

void fsm_name_work(struct fsm_work *work, const void *text, uint32_t length) {
  if (length > sizeof work->text) length = sizeof work->text;
  if (length > 0) memcpy(work->text, text, length);
  work->length = length;
}
