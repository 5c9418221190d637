#define _GNU_SOURCE
#include "tracee.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

static bool transfer_registers(int request, pid_t tid, struct user_regs_struct *registers) {
  struct iovec buffer = {registers, sizeof *registers};
  return ptrace(request, tid, NT_PRSTATUS, &buffer) == 0;
}

void set_argument(pid_t tid, int number, unsigned long value) {
  struct user_regs_struct registers;
  if (!transfer_registers(PTRACE_GETREGSET, tid, &registers)) return;
#ifdef __x86_64__
  __typeof__(registers.rdi) *arguments[] = {&registers.rdi, &registers.rsi, &registers.rdx,
                                            &registers.r10, &registers.r8,  &registers.r9};
  *arguments[number - 1] = value;
#else
  registers.regs[number - 1] = value;
#endif
  transfer_registers(PTRACE_SETREGSET, tid, &registers);
}

void set_result(pid_t tid, long value) {
  struct user_regs_struct registers;
  if (!transfer_registers(PTRACE_GETREGSET, tid, &registers)) return;
#ifdef __x86_64__
  registers.rax = value;
#else
  registers.regs[0] = value;
#endif
  transfer_registers(PTRACE_SETREGSET, tid, &registers);
}

// The kernel skips a call with the number -1 and goes straight to its return.
void skip_call(pid_t tid) {
#ifdef __x86_64__
  struct user_regs_struct registers;
  if (!transfer_registers(PTRACE_GETREGSET, tid, &registers)) return;
  registers.orig_rax = -1;
  transfer_registers(PTRACE_SETREGSET, tid, &registers);
#else
  int none = -1;
  struct iovec buffer = {&none, sizeof none};
  ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &buffer);
#endif
}

bool read_memory(pid_t tid, unsigned long address, void *out, size_t size) {
  struct iovec local = {out, size}, remote = {(void *)address, size};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool write_memory(pid_t tid, unsigned long address, const void *data, size_t size) {
  struct iovec local = {(void *)data, size}, remote = {(void *)address, size};
  return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

// Reads in pieces that never cross a page, because the page after the string may not be mapped.
bool read_string(pid_t tid, unsigned long address, char out[PATH_MAX]) {
  for (size_t done = 0; done < PATH_MAX;) {
    size_t piece = 256 - (address + done) % 256;
    if (piece > PATH_MAX - done) piece = PATH_MAX - done;
    if (!read_memory(tid, address + done, out + done, piece)) return false;
    if (memchr(out + done, 0, piece)) return true;
    done += piece;
  }
  return false;
}

pid_t process_of(pid_t tid) {
  char name[64], line[256];
  int process = tid;
  snprintf(name, sizeof name, "/proc/%d/status", tid);
  FILE *status = fopen(name, "re");
  if (!status) return tid;
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "Tgid: %d", &process) == 1) break;
  fclose(status);
  return process;
}
