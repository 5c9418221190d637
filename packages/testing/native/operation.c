// Whether a stopped call is an operation that counts.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "killpoint.h"
#include "paths.h"
#include "tracee.h"

enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };

const char *only;
bool count_exec;

static bool is_selected(const char *name) {
  if (!only) return true;
  size_t length = strlen(name);
  for (const char *at = only; (at = strstr(at, name)); at += length)
    if ((at == only || at[-1] == ',') && (!at[length] || at[length] == ',')) return true;
  return false;
}

static bool opens_for_writing(const struct operation *op) {
  unsigned long long flags = 0; // the first field of struct open_how
  if (op->call->flags) flags = argument(op, op->call->flags);
  else if (!read_memory(op->tracee->tid, argument(op, op->call->how), &flags, sizeof flags)) return false;
  return flags & WRITES;
}

static bool changes_files(const struct operation *op) {
  const struct call *call = op->call;
  if (call->flags || call->how) return opens_for_writing(op);
  if (call->nr == SYS_ioctl) return argument(op, 2) == FICLONE || argument(op, 2) == FICLONERANGE;
  if (call->nr == SYS_mmap) {
    unsigned long protection = argument(op, 3), flags = argument(op, 4);
    return (protection & PROT_WRITE) && (flags & MAP_TYPE) != MAP_PRIVATE && !(flags & MAP_ANONYMOUS);
  }
  return true;
}

static bool read_entry(const struct operation *op, int dir, int path, char out[PATH_MAX]) {
  char text[PATH_MAX] = "";
  unsigned long address = argument(op, path); // utimensat takes NULL for "the open file itself"
  if (address && !read_string(op->tracee->tid, address, text)) return false;
  return path_of_text(op->tracee->tid, dir ? (int)argument(op, dir) : AT_FDCWD, text, out);
}

static bool touches_watched_files(struct operation *op) {
  const struct call *call = op->call;
  if (call->fd) return path_of_fd(op->tracee->tid, (int)argument(op, call->fd), op->path) && is_watched(op->path);
  bool target = read_entry(op, call->dir, call->path, op->path) && is_watched_entry(op->path, call->follows);
  bool other = call->from && read_entry(op, call->from_dir, call->from, op->from) && is_watched(op->from);
  return target || other;
}

// A search along PATH tries many names. Only the program that is there is an operation, wherever it lies.
static bool starts_program(struct operation *op) {
  struct stat program;
  return read_entry(op, op->call->dir, op->call->path, op->path) && stat(op->path, &program) == 0 &&
         S_ISREG(program.st_mode) && access(op->path, X_OK) == 0;
}

bool is_counted(struct operation *op) {
  if (is_exec(op->call)) return count_exec && starts_program(op);
  return is_selected(op->call->name) && changes_files(op) && touches_watched_files(op);
}
