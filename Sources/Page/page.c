#include "page.h"

/* The files beside this one, embedded at build time. A new file needs two lines: its bytes and its row. */

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "index.html"
};

#define ROW(name, bytes) {name, bytes, sizeof bytes}

static const struct fsm_page_file files[] = {
    ROW("index.html", index_html),
};

const struct fsm_page_file *fsm_page_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
