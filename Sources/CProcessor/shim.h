#ifndef FSMD_CPROCESSOR_H
#define FSMD_CPROCESSOR_H

/* What the processor can do and Swift has no word for. */

/* Asks for the cache line of an address, without waiting for it. Any address will do, also one where nothing is: nothing
   is read and nothing can fail, so no result depends on it. */
static inline void fsm_fetch(const void *place) { __builtin_prefetch(place); }

#endif
