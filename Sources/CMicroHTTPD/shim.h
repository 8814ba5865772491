#ifndef FSMD_CMICROHTTPD_H
#define FSMD_CMICROHTTPD_H

#include <microhttpd.h>

/* What of libmicrohttpd takes a variable number of arguments or returns a union, which Swift cannot call or read well. */

/* Starts a server without threads on a listening socket, which it then owns. NULL if there is no memory or descriptor. */
static inline struct MHD_Daemon *fsm_http_start(
    int listener, unsigned int most_connections, size_t memory_per_connection, unsigned int idle_seconds,
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context) {
  return MHD_start_daemon(
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

/* The descriptor that is readable while the server has work. */
static inline int fsm_http_descriptor(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

static inline unsigned int fsm_http_connections(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/* The socket of a connection. */
static inline int fsm_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

#endif
