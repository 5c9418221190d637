// A short write: half of the bytes are written, and the call says so.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>

#include "killpoint.h"
#include "tracee.h"

enum { MOST_BUFFERS = 1024 }; // the kernel's own limit

struct vector {
  struct iovec buffers[MOST_BUFFERS];
  unsigned long count, bytes;
};

static void read_vector(const struct operation *op, struct vector *vector) {
  vector->bytes = 0;
  vector->count = argument(op, op->call->iov + 1);
  unsigned long size = vector->count * sizeof *vector->buffers;
  if (vector->count > MOST_BUFFERS || !read_memory(op->tracee->tid, argument(op, op->call->iov), vector->buffers, size))
    vector->count = 0; // the kernel refuses it too
  for (unsigned long i = 0; i < vector->count; i++) vector->bytes += vector->buffers[i].iov_len;
}

// Copiers ask for "as much as there is".
static unsigned long bytes_to_copy(const struct operation *op) {
  char link[64];
  struct stat source;
  unsigned long asked = argument(op, op->call->bytes);
  snprintf(link, sizeof link, "/proc/%d/fd/%d", op->tracee->tid, (int)argument(op, op->call->source));
  bool is_file = stat(link, &source) == 0 && S_ISREG(source.st_mode);
  return is_file && (unsigned long)source.st_size < asked ? (unsigned long)source.st_size : asked;
}

unsigned long bytes_to_write(const struct operation *op) {
  static struct vector vector;
  if (op->call->source) return op->call->bytes ? bytes_to_copy(op) : 0;
  if (op->call->bytes) return argument(op, op->call->bytes);
  if (!op->call->iov) return 0;
  read_vector(op, &vector);
  return vector.bytes;
}

static void lower_argument(const struct operation *op, int number, unsigned long value) {
  struct tracee *tracee = op->tracee;
  tracee->argument = number;
  tracee->value = argument(op, number);
  set_argument(tracee->tid, number, value);
}

static void lower_vector(const struct operation *op) {
  static struct vector vector;
  struct tracee *tracee = op->tracee;
  read_vector(op, &vector);
  unsigned long left = vector.bytes / 2, last = 0;
  while (vector.buffers[last].iov_len < left) left -= vector.buffers[last++].iov_len;
  tracee->iov = vector.buffers[last];
  tracee->iov_at = argument(op, op->call->iov) + last * sizeof(struct iovec);
  struct iovec smaller = {tracee->iov.iov_base, left};
  if (!write_memory(tracee->tid, tracee->iov_at, &smaller, sizeof smaller))
    die("the vector of a %s lies in memory that cannot be written, so it cannot be made shorter", op->call->name);
  lower_argument(op, op->call->iov + 1, last + 1);
}

// The program may rely on its registers and its vector after the call, so both are put back when it returns.
void shorten(const struct operation *op) {
  op->tracee->at_return = SHORTEN;
  op->tracee->iov_at = 0;
  if (op->call->iov) lower_vector(op);
  else lower_argument(op, op->call->bytes, op->bytes / 2);
}

void undo_shorten(struct tracee *tracee) {
  // The first argument shares its register with the result on some architectures; no call has its size there.
  set_argument(tracee->tid, tracee->argument, tracee->value);
  if (tracee->iov_at) write_memory(tracee->tid, tracee->iov_at, &tracee->iov, sizeof tracee->iov);
}
