#include "fsm_postgres.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* An option of a URL, as libpq lays it out. */
struct option {
  char *keyword, *envvar, *compiled, *value, *label, *dispchar;
  int dispsize;
};

typedef void (*notice_receiver)(void *context, const fsm_pg_result *result);

static struct {
  struct option *(*PQconninfoParse)(const char *, char **);
  void (*PQconninfoFree)(struct option *);
  void (*PQfreemem)(void *);
  fsm_pg_connection *(*PQconnectdbParams)(const char *const *, const char *const *, int);
  int (*PQstatus)(const fsm_pg_connection *);
  char *(*PQerrorMessage)(const fsm_pg_connection *);
  void (*PQfinish)(fsm_pg_connection *);
  int (*PQsocket)(const fsm_pg_connection *);
  int (*PQbackendPID)(const fsm_pg_connection *);
  int (*PQserverVersion)(const fsm_pg_connection *);
  int (*PQsetnonblocking)(fsm_pg_connection *, int);
  notice_receiver (*PQsetNoticeReceiver)(fsm_pg_connection *, notice_receiver, void *);
  int (*PQenterPipelineMode)(fsm_pg_connection *);
  int (*PQsendQueryParams)(
      fsm_pg_connection *, const char *, int, const unsigned int *, const char *const *, const int *, const int *, int);
  int (*PQpipelineSync)(fsm_pg_connection *);
  int (*PQflush)(fsm_pg_connection *);
  int (*PQconsumeInput)(fsm_pg_connection *);
  int (*PQisBusy)(fsm_pg_connection *);
  fsm_pg_result *(*PQgetResult)(fsm_pg_connection *);
  int (*PQresultStatus)(const fsm_pg_result *);
  char *(*PQresultErrorField)(const fsm_pg_result *, int);
  char *(*PQcmdStatus)(fsm_pg_result *);
  int (*PQntuples)(const fsm_pg_result *);
  int (*PQnfields)(const fsm_pg_result *);
  char *(*PQgetvalue)(const fsm_pg_result *, int, int);
  int (*PQgetlength)(const fsm_pg_result *, int, int);
  int (*PQgetisnull)(const fsm_pg_result *, int, int);
  void (*PQclear)(fsm_pg_result *);
} library;

#define FUNCTIONS(F) \
  F(PQconninfoParse) F(PQconninfoFree) F(PQfreemem) F(PQconnectdbParams) F(PQstatus) F(PQerrorMessage) F(PQfinish) \
  F(PQsocket) F(PQbackendPID) F(PQserverVersion) F(PQsetnonblocking) F(PQsetNoticeReceiver) F(PQenterPipelineMode) \
  F(PQsendQueryParams) F(PQpipelineSync) F(PQflush) F(PQconsumeInput) F(PQisBusy) F(PQgetResult) F(PQresultStatus) \
  F(PQresultErrorField) F(PQcmdStatus) F(PQntuples) F(PQnfields) F(PQgetvalue) F(PQgetlength) F(PQgetisnull) F(PQclear)

const char *fsm_pg_load(void) {
  /* It stays loaded. The number is that of its interface; since PostgreSQL 14 it has pipelines. */
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define FIND(name) \
  if (!(library.name = (__typeof__(library.name))dlsym(handle, #name))) return dlerror();
  FUNCTIONS(FIND)
  return 0;
}

static char *copy_of(const char *text) { return text ? strdup(text) : 0; }

int fsm_pg_parse(const char *url, char **hosts, char **ports, char **database, char **user) {
  char *error = 0;
  struct option *options = library.PQconninfoParse(url, &error);
  /* The text of the error may quote the password. */
  if (error) library.PQfreemem(error);
  if (!options) return 0;
  *hosts = *ports = *database = *user = 0;
  for (struct option *option = options; option->keyword; option++) {
    if (!strcmp(option->keyword, "host")) *hosts = copy_of(option->value);
    if (!strcmp(option->keyword, "port")) *ports = copy_of(option->value);
    if (!strcmp(option->keyword, "dbname")) *database = copy_of(option->value);
    if (!strcmp(option->keyword, "user")) *user = copy_of(option->value);
  }
  library.PQconninfoFree(options);
  return 1;
}

fsm_pg_connection *fsm_pg_connect(const char *url, const char *seconds, const char *application) {
  /* What the URL says comes after these, and counts. */
  const char *keywords[] = {"connect_timeout", "fallback_application_name", "dbname", 0};
  const char *values[] = {seconds, application, url, 0};
  fsm_pg_connection *connection = library.PQconnectdbParams(keywords, values, 1);
  if (connection && library.PQstatus(connection) == 0) library.PQsetnonblocking(connection, 1);
  return connection;
}

static void note(void *context, const fsm_pg_result *result) {
  const char *severity = library.PQresultErrorField(result, FSM_PG_SEVERITY);
  const char *state = library.PQresultErrorField(result, FSM_PG_STATE);
  if (severity && state && !strcmp(severity, "WARNING")) strncpy(((fsm_pg_warning *)context)->state, state, 5);
}

void fsm_pg_note_warnings(fsm_pg_connection *connection, fsm_pg_warning *warning) {
  library.PQsetNoticeReceiver(connection, note, warning);
}

int fsm_pg_send(
    fsm_pg_connection *connection, const char *text, int count, const unsigned int *types, const char *const *values,
    const int *lengths, const int *formats) {
  return library.PQsendQueryParams(connection, text, count, types, values, lengths, formats, 1);
}

int fsm_pg_is_good(const fsm_pg_connection *connection) { return library.PQstatus(connection) == 0; }
const char *fsm_pg_error(const fsm_pg_connection *connection) { return library.PQerrorMessage(connection); }
void fsm_pg_finish(fsm_pg_connection *connection) { library.PQfinish(connection); }
int fsm_pg_socket(const fsm_pg_connection *connection) { return library.PQsocket(connection); }
int fsm_pg_process(const fsm_pg_connection *connection) { return library.PQbackendPID(connection); }
int fsm_pg_server_version(const fsm_pg_connection *connection) { return library.PQserverVersion(connection); }
int fsm_pg_begin_pipeline(fsm_pg_connection *connection) { return library.PQenterPipelineMode(connection); }
int fsm_pg_sync(fsm_pg_connection *connection) { return library.PQpipelineSync(connection); }
int fsm_pg_flush(fsm_pg_connection *connection) { return library.PQflush(connection); }
int fsm_pg_consume(fsm_pg_connection *connection) { return library.PQconsumeInput(connection); }
int fsm_pg_is_busy(fsm_pg_connection *connection) { return library.PQisBusy(connection); }
fsm_pg_result *fsm_pg_get_result(fsm_pg_connection *connection) { return library.PQgetResult(connection); }
int fsm_pg_status(const fsm_pg_result *result) { return library.PQresultStatus(result); }
const char *fsm_pg_field(const fsm_pg_result *result, int field) { return library.PQresultErrorField(result, field); }
const char *fsm_pg_command(fsm_pg_result *result) { return library.PQcmdStatus(result); }
int fsm_pg_rows(const fsm_pg_result *result) { return library.PQntuples(result); }
int fsm_pg_columns(const fsm_pg_result *result) { return library.PQnfields(result); }
const char *fsm_pg_value(const fsm_pg_result *result, int row, int column) {
  return library.PQgetvalue(result, row, column);
}
int fsm_pg_length(const fsm_pg_result *result, int row, int column) { return library.PQgetlength(result, row, column); }
int fsm_pg_is_null(const fsm_pg_result *result, int row, int column) { return library.PQgetisnull(result, row, column); }
void fsm_pg_clear(fsm_pg_result *result) { library.PQclear(result); }
