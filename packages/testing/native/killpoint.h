#ifndef KILLPOINT_H
#define KILLPOINT_H
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "calls.h"

enum action { NOTHING, KILL, KILL_AFTER, FAIL, SHORTEN };

struct fault {
  const char *name;
  enum action action;
  int error;
  bool persistent; // the Nth operation and every one after it
};

struct tracee {
  pid_t tid, process;
  // What is still to be done when the call that it is in returns.
  enum action at_return;
  int argument;           // to be put back after a short write, with its value
  unsigned long value;
  unsigned long iov_at;   // the same for a buffer of a vector, or 0
  struct iovec iov;
};

struct operation {
  const struct call *call;
  struct tracee *tracee;
  const unsigned long long *arguments;
  char path[PATH_MAX], from[PATH_MAX];
  unsigned long bytes; // 0 when the call writes none
};

static inline unsigned long argument(const struct operation *op, int number) { return op->arguments[number - 1]; }

// operation.c
extern const char *only;  // names of calls between commas, or NULL for all
extern bool count_exec;
bool is_counted(struct operation *op);

// short-write.c
unsigned long bytes_to_write(const struct operation *op);
void shorten(const struct operation *op);
void undo_shorten(struct tracee *tracee);

// killpoint.c: says what is wrong and ends killpoint, and with it everything that is traced.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
