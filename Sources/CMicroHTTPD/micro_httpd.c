#include "micro_httpd.h"
#include <dlfcn.h>

/* The functions of the library that are used. */
#define FUNCTIONS(F) \
  F(MHD_start_daemon) F(MHD_stop_daemon) F(MHD_run) F(MHD_get_timeout) F(MHD_get_daemon_info) F(MHD_get_connection_info) \
  F(MHD_get_connection_values) F(MHD_suspend_connection) F(MHD_resume_connection) F(MHD_create_response_from_buffer) \
  F(MHD_create_response_from_callback) F(MHD_add_response_header) F(MHD_queue_response) F(MHD_destroy_response)

static struct {
#define FIELD(name) __typeof__(name) *name;
  FUNCTIONS(FIELD)
} library;

const char *fsm_http_load(void) {
  /* It stays loaded. The number is that of its interface; Debian 12 and 13 have it. */
  void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define FIND(name) \
  if (!(library.name = (__typeof__(name) *)dlsym(handle, #name))) return dlerror();
  FUNCTIONS(FIND)
  return 0;
}

#define PASS_ON(result, name, parameters, arguments) \
  result name parameters { return library.name arguments; }

PASS_ON(void, MHD_stop_daemon, (struct MHD_Daemon * daemon), (daemon))
PASS_ON(enum MHD_Result, MHD_run, (struct MHD_Daemon * daemon), (daemon))
PASS_ON(enum MHD_Result, MHD_get_timeout, (struct MHD_Daemon * daemon, MHD_UNSIGNED_LONG_LONG *time), (daemon, time))
PASS_ON(
    int, MHD_get_connection_values,
    (struct MHD_Connection * connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator, void *context),
    (connection, kind, iterator, context))
PASS_ON(void, MHD_suspend_connection, (struct MHD_Connection * connection), (connection))
PASS_ON(void, MHD_resume_connection, (struct MHD_Connection * connection), (connection))
PASS_ON(
    struct MHD_Response *, MHD_create_response_from_buffer, (size_t size, void *buffer, enum MHD_ResponseMemoryMode mode),
    (size, buffer, mode))
PASS_ON(
    struct MHD_Response *, MHD_create_response_from_callback,
    (uint64_t size, size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback free),
    (size, block, read, context, free))
PASS_ON(
    enum MHD_Result, MHD_add_response_header, (struct MHD_Response * response, const char *name, const char *value),
    (response, name, value))
PASS_ON(
    enum MHD_Result, MHD_queue_response,
    (struct MHD_Connection * connection, unsigned int status, struct MHD_Response *response),
    (connection, status, response))
PASS_ON(void, MHD_destroy_response, (struct MHD_Response * response), (response))

struct MHD_Daemon *fsm_http_start(
    int listener, unsigned int most_connections, size_t memory_per_connection, unsigned int idle_seconds,
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context) {
  return library.MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, 0, 0, answer, context,
      MHD_OPTION_LISTEN_SOCKET, listener,
      MHD_OPTION_CONNECTION_LIMIT, most_connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_per_connection,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, notify, context,
      MHD_OPTION_END);
}

int fsm_http_descriptor(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = library.MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

unsigned int fsm_http_connections(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = library.MHD_get_daemon_info(server, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

int fsm_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
