#ifndef FSMD_CSQLITE_H
#define FSMD_CSQLITE_H

#include <sqlite3.h>

/* What Swift cannot say itself: functions with a variable number of arguments, and destructors that are no functions. */

/* Whether closing the last connection writes the WAL back to the database and removes it. */
static inline int fsm_checkpoint_on_close(sqlite3 *database, int wanted) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !wanted, (int *)0);
}

/* Reads the beginning of a connection's file and its length, without a lock, and without a descriptor of one's own: when
   that is closed, the kernel drops all locks that this process has on the file. Zeros stand for what is missing. */
static inline int fsm_read_start(sqlite3 *database, void *buffer, int count, sqlite3_int64 *length) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  code = file->pMethods->xFileSize(file, length);
  if (code != SQLITE_OK) return code;
  code = file->pMethods->xRead(file, buffer, count, 0);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/* What the kernel said last of the log or, before it was ever used, of the file of a connection; 0 if nothing. SQLite's own
   function for that does not know it of a COMMIT. */
static inline int fsm_last_errno(sqlite3 *database) {
  sqlite3_file *log = 0;
  int code = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log && log->pMethods)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code);
  if (code == 0) sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &code);
  return code;
}

/* Binds bytes that stay where they are until the statement is reset; nothing is copied. */
static inline int fsm_bind_lent(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
  return bytes ? sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_STATIC)
               : sqlite3_bind_zeroblob(statement, place, 0);
}

/* Binds a copy of a text. */
static inline int fsm_bind_text(sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, place, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Binds a copy of bytes. */
static inline int fsm_bind_copied(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
  return bytes ? sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT)
               : sqlite3_bind_zeroblob(statement, place, 0);
}

#endif
