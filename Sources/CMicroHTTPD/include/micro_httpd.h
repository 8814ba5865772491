#ifndef FSMD_CMICROHTTPD_H
#define FSMD_CMICROHTTPD_H

/* libmicrohttpd, which is loaded when a page is asked for: the daemon starts where it is not installed. `micro_httpd.c`
   defines the functions of <microhttpd.h> that are used, under their names, and passes each call on. Nobody outside this
   program sees them, so that the library goes on calling its own. */
#define _MHD_EXTERN extern __attribute__((visibility("hidden")))
#include <microhttpd.h>

/* Loads the library; the functions below and those of the library must not be called before. NULL, or why it cannot be
   loaded: a text that lives until the next call. */
const char *fsm_http_load(void);

/* What of the library takes a variable number of arguments or returns a union, which Swift cannot call or read well. */

/* Starts a server without threads on a listening socket, which it then owns. NULL if there is no memory or descriptor. */
struct MHD_Daemon *fsm_http_start(
    int listener, unsigned int most_connections, size_t memory_per_connection, unsigned int idle_seconds,
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify,
    void *context);

/* The descriptor that is readable while the server has work. */
int fsm_http_descriptor(struct MHD_Daemon *server);
unsigned int fsm_http_connections(struct MHD_Daemon *server);
/* The socket of a connection. */
int fsm_http_socket(struct MHD_Connection *connection);

#endif
