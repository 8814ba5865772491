#include "page.h"

/* The files beside this one, embedded at build time. A new file needs two lines: its bytes and its row. */

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "index.html"
};
static const unsigned char page_css[] = {
#embed "page.css"
};
static const unsigned char dom_js[] = {
#embed "dom.js"
};
static const unsigned char times_js[] = {
#embed "times.js"
};
static const unsigned char requests_js[] = {
#embed "requests.js"
};
static const unsigned char connection_js[] = {
#embed "connection.js"
};
static const unsigned char recording_js[] = {
#embed "recording.js"
};
static const unsigned char world_js[] = {
#embed "world.js"
};
static const unsigned char words_js[] = {
#embed "words.js"
};
static const unsigned char facts_js[] = {
#embed "facts.js"
};
static const unsigned char picture_js[] = {
#embed "picture.js"
};
static const unsigned char diagram_js[] = {
#embed "diagram.js"
};
static const unsigned char table_js[] = {
#embed "table.js"
};
static const unsigned char kinds_js[] = {
#embed "kinds.js"
};
static const unsigned char fields_js[] = {
#embed "fields.js"
};
static const unsigned char events_js[] = {
#embed "events.js"
};
static const unsigned char panel_js[] = {
#embed "panel.js"
};
static const unsigned char timescale_js[] = {
#embed "timescale.js"
};
static const unsigned char lanes_js[] = {
#embed "lanes.js"
};
static const unsigned char curves_js[] = {
#embed "curves.js"
};
static const unsigned char wave_js[] = {
#embed "wave.js"
};
static const unsigned char log_js[] = {
#embed "log.js"
};
static const unsigned char machines_js[] = {
#embed "machines.js"
};
static const unsigned char clockbar_js[] = {
#embed "clockbar.js"
};
static const unsigned char slider_js[] = {
#embed "slider.js"
};
static const unsigned char dialogs_js[] = {
#embed "dialogs.js"
};
static const unsigned char announcer_js[] = {
#embed "announcer.js"
};
static const unsigned char theme_js[] = {
#embed "theme.js"
};
static const unsigned char main_js[] = {
#embed "main.js"
};

#define ROW(name, bytes) {name, bytes, sizeof bytes}

static const struct fsm_page_file files[] = {
    ROW("index.html", index_html),
    ROW("page.css", page_css),
    ROW("dom.js", dom_js),
    ROW("times.js", times_js),
    ROW("requests.js", requests_js),
    ROW("connection.js", connection_js),
    ROW("recording.js", recording_js),
    ROW("world.js", world_js),
    ROW("words.js", words_js),
    ROW("facts.js", facts_js),
    ROW("picture.js", picture_js),
    ROW("diagram.js", diagram_js),
    ROW("table.js", table_js),
    ROW("kinds.js", kinds_js),
    ROW("fields.js", fields_js),
    ROW("events.js", events_js),
    ROW("panel.js", panel_js),
    ROW("timescale.js", timescale_js),
    ROW("lanes.js", lanes_js),
    ROW("curves.js", curves_js),
    ROW("wave.js", wave_js),
    ROW("log.js", log_js),
    ROW("machines.js", machines_js),
    ROW("clockbar.js", clockbar_js),
    ROW("slider.js", slider_js),
    ROW("dialogs.js", dialogs_js),
    ROW("announcer.js", announcer_js),
    ROW("theme.js", theme_js),
    ROW("main.js", main_js),
};

const struct fsm_page_file *fsm_page_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
