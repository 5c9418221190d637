#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "calls.h"

static struct sock_filter code[256];
static unsigned short length;

static void add(struct sock_filter instruction) { code[length++] = instruction; }

static void load(unsigned offset) { add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }

static void return_now(unsigned result) { add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result)); }

static void return_if(int comparison, unsigned value, bool holds, unsigned result) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, value, !holds, holds));
  return_now(result);
}

const char *install_filter(void) {
  load(offsetof(struct seccomp_data, arch));
  return_if(BPF_JEQ, ARCHITECTURE, false, SECCOMP_RET_TRACE); // the tracer refuses it
  load(offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  return_if(BPF_JGE, 0x40000000, true, SECCOMP_RET_ERRNO | ENOSYS); // x32: other numbers for the same calls
#endif
  // What goes through io_uring passes no filter. Runtimes fall back to plain calls where the kernel has none.
  return_if(BPF_JEQ, SYS_io_uring_setup, true, SECCOMP_RET_ERRNO | ENOSYS);
  for (int i = 0; i < call_count; i++) return_if(BPF_JEQ, calls[i].nr, true, SECCOMP_RET_TRACE);
  return_now(SECCOMP_RET_ALLOW);

  struct sock_fprog program = {length, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return strerror(errno);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return strerror(errno);
  return NULL;
}
