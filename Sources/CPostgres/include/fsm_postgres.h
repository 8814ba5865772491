#ifndef FSMD_CPOSTGRES_H
#define FSMD_CPOSTGRES_H

#include <stddef.h>

/* libpq, which is loaded when a store is on PostgreSQL: the daemon is built and starts where it is not installed. The
   functions that are used are declared here as in libpq's documentation, with names of our own, and pass each call on. */

typedef struct pg_conn fsm_pg_connection;
typedef struct pg_result fsm_pg_result;

/* As libpq numbers them. */
enum {
  FSM_PG_COMMAND_OK = 1,
  FSM_PG_TUPLES_OK = 2,
  FSM_PG_PIPELINE_SYNC = 10,
  FSM_PG_PIPELINE_ABORTED = 11,
};

/* Fields of an error. */
enum { FSM_PG_SEVERITY = 'V', FSM_PG_STATE = 'C', FSM_PG_MESSAGE = 'M', FSM_PG_HINT = 'H' };

/* Loads the library; the other functions must not be called before. NULL, or why it cannot be loaded: a text that lives
   until the next call. */
const char *fsm_pg_load(void);

/* The hosts, ports, database and the user that a URL names, NULL where it names none; 0 if it is not a URL of libpq's.
   The password is not given. The caller frees each text with free(). */
int fsm_pg_parse(const char *url, char **hosts, char **ports, char **database, char **user);

/* Connects, at most `seconds` per host. NULL only if there is no memory; then ask for the status. */
fsm_pg_connection *fsm_pg_connect(const char *url, const char *seconds, const char *application);

/* The last warning of a connection: its SQLSTATE, empty if there was none. */
typedef struct {
  char state[6];
} fsm_pg_warning;

/* Notes warnings in `warning`, which must live as long as the connection. Nothing is written to standard error. */
void fsm_pg_note_warnings(fsm_pg_connection *connection, fsm_pg_warning *warning);

int fsm_pg_is_good(const fsm_pg_connection *connection);
const char *fsm_pg_error(const fsm_pg_connection *connection);
void fsm_pg_finish(fsm_pg_connection *connection);
int fsm_pg_socket(const fsm_pg_connection *connection);
int fsm_pg_process(const fsm_pg_connection *connection);
int fsm_pg_server_version(const fsm_pg_connection *connection);
int fsm_pg_begin_pipeline(fsm_pg_connection *connection);
int fsm_pg_send(
    fsm_pg_connection *connection, const char *text, int count, const unsigned int *types, const char *const *values,
    const int *lengths, const int *formats);
int fsm_pg_sync(fsm_pg_connection *connection);
int fsm_pg_flush(fsm_pg_connection *connection);
int fsm_pg_consume(fsm_pg_connection *connection);
int fsm_pg_is_busy(fsm_pg_connection *connection);
fsm_pg_result *fsm_pg_get_result(fsm_pg_connection *connection);
int fsm_pg_status(const fsm_pg_result *result);
const char *fsm_pg_field(const fsm_pg_result *result, int field);
const char *fsm_pg_command(fsm_pg_result *result);
int fsm_pg_rows(const fsm_pg_result *result);
int fsm_pg_columns(const fsm_pg_result *result);
const char *fsm_pg_value(const fsm_pg_result *result, int row, int column);
int fsm_pg_length(const fsm_pg_result *result, int row, int column);
int fsm_pg_is_null(const fsm_pg_result *result, int row, int column);
void fsm_pg_clear(fsm_pg_result *result);

#endif
