#ifndef FSMD_WORK_NOTES_H
#define FSMD_WORK_NOTES_H

#include <stdint.h>

/* What one thread works on. It is in a mapped file, so it outlives the process, however that ends. */
struct fsm_work {
  /* The input under way; written before each step. 0 between inputs. */
  uint64_t input;
  /* The world; 0 for one that is not stored. */
  int64_t world;
  /* What is done there; 0 for nothing. */
  uint32_t kind;
  /* The fatal signal that ended it; 0 for none. */
  uint32_t signal;
  /* Whether the world's clock runs by itself. */
  uint32_t is_running;
  /* The length of the text. */
  uint32_t length;
  /* The request under way, in the memory of the process, and its length. */
  const void *line;
  uint64_t line_length;
  /* Whether a thread has this place. */
  uint32_t is_taken;
  uint32_t reserved;
  /* The request, or a word for it. */
  char text[200];
};

_Static_assert(sizeof(struct fsm_work) == 256, "a place never crosses a page");

/* Notes fatal signals of a step, SIGILL for one, in the place of the thread that gets them; then the process ends as it
   would have. A signal of another process is not noted. */
void fsm_note_fatal_signals(void);

/* Takes a free place for the calling thread, empty except for world and clock; NULL if there is none. From then on the
   thread handles fatal signals on a stack of its own. `outer` gets the place that the thread had. */
struct fsm_work *fsm_begin_work(struct fsm_work *places, uint32_t count, uint32_t kind, int64_t world,
                                uint32_t is_running, struct fsm_work **outer);

/* Gives the place back. */
void fsm_end_work(struct fsm_work *work, struct fsm_work *outer);

/* Writes a word for the request under way. */
void fsm_name_work(struct fsm_work *work, const void *text, uint32_t length);

#endif
