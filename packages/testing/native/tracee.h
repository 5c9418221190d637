// A stopped thread of the command: its registers, its memory, and the paths that it means.
#ifndef TRACEE_H
#define TRACEE_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// A thread may be killed by somebody else at any time. What follows then does nothing, or returns false; its exit is
// the next thing that waitpid tells about it.
void set_argument(pid_t tid, int number, unsigned long value);
void set_result(pid_t tid, long value);
void skip_call(pid_t tid);

bool read_memory(pid_t tid, unsigned long address, void *out, size_t size);
bool write_memory(pid_t tid, unsigned long address, const void *data, size_t size);
bool read_string(pid_t tid, unsigned long address, char out[PATH_MAX]);

pid_t process_of(pid_t tid);

#endif
