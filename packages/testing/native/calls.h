// Which system calls change files, and where each keeps what we need to know about it.
#ifndef CALLS_H
#define CALLS_H
#include <stdbool.h>

// Arguments are numbered from 1; 0 means that the call has no such argument. A path without a folder argument is
// relative to the working folder.
struct call {
  const char *name;
  long nr;
  int dir, path;      // the entry that is changed, created or removed
  int from_dir, from; // the other entry of a two-path call
  int fd;             // the open file that is changed
  int source;         // the open file that is copied from
  int bytes;          // how many bytes to write
  int iov;            // the array of buffers to write; the next argument is its length
  int flags;          // open flags: only opening for writing counts
  int how;            // the same, in openat2's struct
  bool follows;       // a symbolic link at the end of `path` is followed
};

extern const struct call calls[];
extern const int call_count;

const struct call *find_call(long nr);
bool is_exec(const struct call *call);

#endif
