#ifndef FSMD_CSYSTEM_H
#define FSMD_CSYSTEM_H

/* What Linux offers and Swift's Glibc module does not declare: epoll, accept4, peer credentials. */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

/* A GNU extension, hidden without _GNU_SOURCE. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/* Accepts a connection whose descriptor is non-blocking and closed on exec. */
static inline int fsm_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* struct ucred is a GNU extension too; this is its layout in the kernel's interface (unix(7)). */
struct fsm_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

#endif
