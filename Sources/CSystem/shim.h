#ifndef FSMD_CSYSTEM_H
#define FSMD_CSYSTEM_H

/* What Linux offers and Swift's Glibc module does not declare: epoll, eventfd, accept4, peer credentials, getopt_long,
   extended attributes, a priority per thread. */
#include <fcntl.h>
#include <getopt.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/xattr.h>

/* Of glibc's malloc.h: gives memory that is free back to the system. */
extern int malloc_trim(size_t);
extern int mallopt(int, int);

/* GNU extensions, hidden without _GNU_SOURCE. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int[2], int);

/* Accepts a connection whose descriptor is non-blocking and closed on exec. */
static inline int fsm_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Makes a pipe whose ends are closed on exec. */
static inline int fsm_pipe(int *ends) {
  return pipe2(ends, O_CLOEXEC);
}

/* Makes a counter that is readable while it is not zero. */
static inline int fsm_eventfd(void) {
  return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

/* Lowers the priority of the calling thread alone: on Linux a niceness belongs to a thread (setpriority(2)). */
static inline void fsm_be_nice(int niceness) {
  setpriority(PRIO_PROCESS, 0, niceness);
}

/* The size of the stack that threads have unless they ask for another; GNU extensions. */
extern int pthread_getattr_default_np(pthread_attr_t *);
extern int pthread_setattr_default_np(const pthread_attr_t *);
extern int pthread_attr_getstacksize(const pthread_attr_t *, size_t *);
extern int pthread_attr_setstacksize(pthread_attr_t *, size_t);
extern int pthread_attr_destroy(pthread_attr_t *);

static inline size_t fsm_stack_size(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_getattr_default_np(&attributes)) return 0;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

/* Gives threads that are made later at least so much, and the first thread as far as the user's hard limit allows. */
static inline void fsm_ensure_stacks(size_t least) {
  pthread_attr_t attributes;
  struct rlimit limit;
  size_t size = 0;
  if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < least) {
    limit.rlim_cur = limit.rlim_max < least ? limit.rlim_max : least;
    setrlimit(RLIMIT_STACK, &limit);
  }
  if (pthread_getattr_default_np(&attributes)) return;
  pthread_attr_getstacksize(&attributes, &size);
  if (size < least && !pthread_attr_setstacksize(&attributes, least)) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/* struct ucred is a GNU extension too; this is its layout in the kernel's interface (unix(7)). */
struct fsm_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

/* getopt_long speaks through global variables, which Swift rightly does not let anyone touch. */

/* Starts a new scan of an argument vector, without messages from the library (a GNU meaning of zero). */
static inline void fsm_getopt_restart(void) {
  optind = 0;
  opterr = 0;
}
/* The value of the option found last, or NULL. */
static inline const char *fsm_getopt_value(void) { return optarg; }
/* The place in the vector behind the option found last. */
static inline int fsm_getopt_index(void) { return optind; }
/* The short letter or the number of the option that was wrong, 0 for an unknown long one. */
static inline int fsm_getopt_culprit(void) { return optopt; }

#endif
