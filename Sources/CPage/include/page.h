#ifndef FSMD_PAGE_H
#define FSMD_PAGE_H

#include <stddef.h>

/* A file of the live page, as it was when the program was built. */
struct fsm_page_file {
  /* Its name in the folder. */
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

/* All files of the page: the first of `*count`. */
const struct fsm_page_file *fsm_page_files(size_t *count);

#endif
