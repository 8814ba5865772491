#include "page.h"

/* The files of Sources/Page/Web, embedded at build time. A new file needs two lines: its bytes and its row. */

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../Page/Web/index.html"
};
static const unsigned char page_css[] = {
#embed "../Page/Web/page.css"
};
static const unsigned char dom_js[] = {
#embed "../Page/Web/dom.js"
};
static const unsigned char times_js[] = {
#embed "../Page/Web/times.js"
};
static const unsigned char requests_js[] = {
#embed "../Page/Web/requests.js"
};
static const unsigned char tabs_js[] = {
#embed "../Page/Web/tabs.js"
};
static const unsigned char lesson_js[] = {
#embed "../Page/Web/lesson.js"
};
static const unsigned char connection_js[] = {
#embed "../Page/Web/connection.js"
};
static const unsigned char recording_js[] = {
#embed "../Page/Web/recording.js"
};
static const unsigned char world_js[] = {
#embed "../Page/Web/world.js"
};
static const unsigned char words_js[] = {
#embed "../Page/Web/words.js"
};
static const unsigned char facts_js[] = {
#embed "../Page/Web/facts.js"
};
static const unsigned char picture_js[] = {
#embed "../Page/Web/picture.js"
};
static const unsigned char diagram_js[] = {
#embed "../Page/Web/diagram.js"
};
static const unsigned char table_js[] = {
#embed "../Page/Web/table.js"
};
static const unsigned char kinds_js[] = {
#embed "../Page/Web/kinds.js"
};
static const unsigned char fields_js[] = {
#embed "../Page/Web/fields.js"
};
static const unsigned char events_js[] = {
#embed "../Page/Web/events.js"
};
static const unsigned char panel_js[] = {
#embed "../Page/Web/panel.js"
};
static const unsigned char timescale_js[] = {
#embed "../Page/Web/timescale.js"
};
static const unsigned char lanes_js[] = {
#embed "../Page/Web/lanes.js"
};
static const unsigned char curves_js[] = {
#embed "../Page/Web/curves.js"
};
static const unsigned char wave_js[] = {
#embed "../Page/Web/wave.js"
};
static const unsigned char log_js[] = {
#embed "../Page/Web/log.js"
};
static const unsigned char machines_js[] = {
#embed "../Page/Web/machines.js"
};
static const unsigned char clockbar_js[] = {
#embed "../Page/Web/clockbar.js"
};
static const unsigned char slider_js[] = {
#embed "../Page/Web/slider.js"
};
static const unsigned char dialogs_js[] = {
#embed "../Page/Web/dialogs.js"
};
static const unsigned char announcer_js[] = {
#embed "../Page/Web/announcer.js"
};
static const unsigned char theme_js[] = {
#embed "../Page/Web/theme.js"
};
static const unsigned char drawers_js[] = {
#embed "../Page/Web/drawers.js"
};
static const unsigned char minimap_js[] = {
#embed "../Page/Web/minimap.js"
};
static const unsigned char parts_js[] = {
#embed "../Page/Web/parts.js"
};
static const unsigned char main_js[] = {
#embed "../Page/Web/main.js"
};

#define ROW(name, bytes) {name, bytes, sizeof bytes}

static const struct fsm_page_file files[] = {
    ROW("index.html", index_html),
    ROW("page.css", page_css),
    ROW("dom.js", dom_js),
    ROW("times.js", times_js),
    ROW("requests.js", requests_js),
    ROW("tabs.js", tabs_js),
    ROW("lesson.js", lesson_js),
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
    ROW("drawers.js", drawers_js),
    ROW("minimap.js", minimap_js),
    ROW("parts.js", parts_js),
    ROW("main.js", main_js),
};

const struct fsm_page_file *fsm_page_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
