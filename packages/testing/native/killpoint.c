// killpoint: runs a command, counts the file-system changes it and all its threads and child processes make below a
// folder, and lets exactly the Nth of them meet a fault.
//
//   killpoint --under DIR [--under DIR]... --fault FAULT [--at N] [--only CALL,CALL] [--exec] --log FILE -- COMMAND...
//
// A seccomp filter stops the traced threads at the calls listed in `calls` and nowhere else, so the command runs at
// nearly full speed; ptrace then decides what becomes of the call. There is one counter for everything below the
// command, because "the 7th write of thread 3" is not something that a program's author can reason about.
//
// The log has one JSON object a line: {"op":…} for each counted operation, and {"end":…} when every process is gone.
// A log without the last line means that killpoint itself failed; it then says why on stderr and exits with 125.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- What counts ---------------------------------------------------------------------------------------------------

// Arguments are numbered from 1; 0 means that the call has no such argument. A path without a `dir` is relative to the
// working folder.
struct call {
  const char *name;
  long nr;
  int dir, path;       // the entry that is changed, created or removed
  int from_dir, from;  // the other entry of a two-path call
  int fd;              // the open file that is changed
  int source;          // the open file that is copied from
  int bytes;           // how many bytes to write
  int iov;             // the array of buffers to write; the next argument is its length
  int flags;           // open flags: only opening for writing counts
  int how;             // the same, in openat2's struct
  bool follows;        // a symbolic link at the end of `path` is followed
};

#define CALL(call, ...) {.name = #call, .nr = SYS_##call, __VA_ARGS__}

static const struct call calls[] = {
    CALL(openat, .dir = 1, .path = 2, .flags = 3, .follows = true),
    CALL(openat2, .dir = 1, .path = 2, .how = 3, .follows = true),
    CALL(write, .fd = 1, .bytes = 3),
    CALL(pwrite64, .fd = 1, .bytes = 3),
    CALL(writev, .fd = 1, .iov = 2),
    CALL(pwritev, .fd = 1, .iov = 2),
    CALL(pwritev2, .fd = 1, .iov = 2),
    CALL(sendfile, .fd = 1, .source = 2, .bytes = 4),
    CALL(copy_file_range, .source = 1, .fd = 3, .bytes = 5),
    CALL(splice, .source = 1, .fd = 3, .bytes = 5),
    CALL(ioctl, .fd = 1), // only the two clone requests, see counted_by_arguments
    CALL(mmap, .fd = 5),  // only shared writable maps; the stores into the map are invisible to us
    CALL(ftruncate, .fd = 1),
    CALL(truncate, .path = 1, .follows = true),
    CALL(fallocate, .fd = 1),
    CALL(fsync, .fd = 1),
    CALL(fdatasync, .fd = 1),
    CALL(sync_file_range, .fd = 1),
    CALL(syncfs, .fd = 1),
    CALL(renameat2, .from_dir = 1, .from = 2, .dir = 3, .path = 4),
    CALL(linkat, .from_dir = 1, .from = 2, .dir = 3, .path = 4),
    CALL(symlinkat, .dir = 2, .path = 3),
    CALL(unlinkat, .dir = 1, .path = 2),
    CALL(mkdirat, .dir = 1, .path = 2),
    CALL(mknodat, .dir = 1, .path = 2),
    CALL(fchmod, .fd = 1),
    CALL(fchmodat, .dir = 1, .path = 2, .follows = true),
    CALL(fchown, .fd = 1),
    CALL(fchownat, .dir = 1, .path = 2, .follows = true),
    CALL(utimensat, .dir = 1, .path = 2, .follows = true),
    CALL(setxattr, .path = 1, .follows = true),
    CALL(lsetxattr, .path = 1),
    CALL(fsetxattr, .fd = 1),
    CALL(removexattr, .path = 1, .follows = true),
    CALL(lremovexattr, .path = 1),
    CALL(fremovexattr, .fd = 1),
    CALL(execve, .path = 1, .follows = true),
    CALL(execveat, .dir = 1, .path = 2, .follows = true),
#ifdef SYS_renameat // not on the newest architectures
    CALL(renameat, .from_dir = 1, .from = 2, .dir = 3, .path = 4),
#endif
#ifdef SYS_fchmodat2 // Linux 6.6
    CALL(fchmodat2, .dir = 1, .path = 2, .follows = true),
#endif
#ifdef SYS_open // x86 has a second, older call for most of the above; ARM never had them
    CALL(open, .path = 1, .flags = 2, .follows = true),
    CALL(creat, .path = 1, .follows = true),
    CALL(rename, .from = 1, .path = 2),
    CALL(link, .from = 1, .path = 2),
    CALL(symlink, .path = 2),
    CALL(unlink, .path = 1),
    CALL(rmdir, .path = 1),
    CALL(mkdir, .path = 1),
    CALL(mknod, .path = 1),
    CALL(chmod, .path = 1, .follows = true),
    CALL(chown, .path = 1, .follows = true),
    CALL(lchown, .path = 1),
    CALL(utime, .path = 1, .follows = true),
    CALL(utimes, .path = 1, .follows = true),
    CALL(futimesat, .dir = 1, .path = 2, .follows = true),
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };

// ---- What happens to the Nth ---------------------------------------------------------------------------------------

enum action { NOTHING, KILL, KILL_AFTER, FAIL, SHORTEN };

static const struct fault {
  const char *name;
  enum action action;
  int error;
  bool persistent; // the Nth operation and every one after it
} faults[] = {
    {"list", NOTHING, 0, false},         {"kill", KILL, 0, false},
    {"kill-after", KILL_AFTER, 0, false}, {"enospc", FAIL, ENOSPC, false},
    {"enospc-persistent", FAIL, ENOSPC, true}, {"eio", FAIL, EIO, false},
    {"erofs", FAIL, EROFS, false},       {"eacces", FAIL, EACCES, false},
    {"short", SHORTEN, 0, false},
};

// ---- State ---------------------------------------------------------------------------------------------------------

struct folder {
  char path[PATH_MAX];
  int fd; // follows the folder when it is renamed; -1 if it did not exist at the start
};

struct tracee {
  pid_t tid, process;
  enum action at_exit; // what is still to be done when the current system call returns
  unsigned long iov_at; // where `iov` has to be put back, or 0
  struct iovec iov;
};

static struct folder folders[8];
static int folder_count;
static const struct fault *fault = faults;
static long target;
static const char *only;
static bool count_exec;
static FILE *report;

static struct tracee *tracees;
static int tracee_count, tracee_room;
static pid_t command;
static long operations;
static bool injected, dying, started;

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("killpoint: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(125); // PTRACE_O_EXITKILL takes the traced processes along
}

static struct tracee *find(pid_t tid) {
  for (int i = 0; i < tracee_count; i++)
    if (tracees[i].tid == tid) return &tracees[i];
  return NULL;
}

static pid_t process_of(pid_t tid) {
  char name[64], line[256];
  snprintf(name, sizeof name, "/proc/%d/status", tid);
  FILE *status = fopen(name, "re");
  int process = tid;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "Tgid: %d", &process) == 1) break;
  if (status) fclose(status);
  return process;
}

static struct tracee *find_or_add(pid_t tid) {
  struct tracee *known = find(tid);
  if (known) return known;
  if (tracee_count == tracee_room) {
    tracee_room = tracee_room ? tracee_room * 2 : 64;
    tracees = realloc(tracees, tracee_room * sizeof *tracees);
    if (!tracees) die("out of memory for %d threads", tracee_room);
  }
  tracees[tracee_count] = (struct tracee){.tid = tid, .process = process_of(tid)};
  return &tracees[tracee_count++];
}

static void forget(pid_t tid) {
  struct tracee *gone = find(tid);
  if (gone) *gone = tracees[--tracee_count];
}

static void kill_everything(void) {
  dying = true;
  for (int i = 0; i < tracee_count; i++) kill(tracees[i].tid, SIGKILL);
}

// ---- Registers -----------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
#error "killpoint knows x86_64 and aarch64 only"
#endif

static bool transfer_registers(int request, pid_t tid, struct user_regs_struct *registers) {
  struct iovec buffer = {registers, sizeof *registers};
  return ptrace(request, tid, NT_PRSTATUS, &buffer) == 0;
}

// Each of these may find the thread killed by somebody else meanwhile; its exit is then the next thing we hear of it.
static void set_argument(pid_t tid, int number, unsigned long value) {
  struct user_regs_struct registers;
  if (!transfer_registers(PTRACE_GETREGSET, tid, &registers)) return;
#if defined(__x86_64__)
  unsigned long long *arguments[] = {&registers.rdi, &registers.rsi, &registers.rdx,
                                     &registers.r10, &registers.r8,  &registers.r9};
  *arguments[number - 1] = value;
#else
  registers.regs[number - 1] = value;
#endif
  transfer_registers(PTRACE_SETREGSET, tid, &registers);
}

static void skip_call(pid_t tid) {
#if defined(__x86_64__)
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

static void set_result(pid_t tid, long value) {
  struct user_regs_struct registers;
  if (!transfer_registers(PTRACE_GETREGSET, tid, &registers)) return;
#if defined(__x86_64__)
  registers.rax = value;
#else
  registers.regs[0] = value;
#endif
  transfer_registers(PTRACE_SETREGSET, tid, &registers);
}

// ---- Memory and paths of a tracee ----------------------------------------------------------------------------------

static bool read_memory(pid_t tid, unsigned long address, void *out, size_t size) {
  struct iovec local = {out, size}, remote = {(void *)address, size};
  return process_vm_readv(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool write_memory(pid_t tid, unsigned long address, void *data, size_t size) {
  struct iovec local = {data, size}, remote = {(void *)address, size};
  return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

// Reads in pieces that never cross a page, because the page after the string may not be mapped.
static bool read_string(pid_t tid, unsigned long address, char out[PATH_MAX]) {
  for (size_t done = 0; address && done < PATH_MAX;) {
    size_t piece = 256 - (address + done) % 256;
    if (piece > PATH_MAX - done) piece = PATH_MAX - done;
    if (!read_memory(tid, address + done, out + done, piece)) return false;
    if (memchr(out + done, 0, piece)) return true;
    done += piece;
  }
  return false;
}

static void join(char out[PATH_MAX], const char *head, const char *tail) {
  bool root = head[0] == '/' && !head[1];
  if (snprintf(out, PATH_MAX, "%s/%s", root ? "" : head, tail) >= PATH_MAX) out[0] = 0; // the kernel refuses it too
}

// Where a link of /proc points now. For a file without a name the kernel appends " (deleted)" to its last one; a file
// may also really be called that, so the name on disk decides.
static bool read_link(char out[PATH_MAX], const char *link) {
  static const char mark[] = " (deleted)";
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return false;
  out[length] = 0;
  char *end = out + length - (sizeof mark - 1);
  if (end > out && !strcmp(end, mark)) {
    struct stat open_file, named;
    bool same = stat(link, &open_file) == 0 && lstat(out, &named) == 0 && open_file.st_dev == named.st_dev &&
                open_file.st_ino == named.st_ino;
    if (!same) *end = 0;
  }
  return true;
}

static bool read_proc_link(pid_t tid, const char *what, int fd, char out[PATH_MAX]) {
  char link[64];
  if (fd >= 0) snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, fd);
  else snprintf(link, sizeof link, "/proc/%d/%s", tid, what);
  return read_link(out, link);
}

// "/proc/self" and "/dev/fd" mean the tracee, not us. Bun and Node both name open files this way.
static void own_names(pid_t process, char path[PATH_MAX]) {
  static const struct { const char *seen, *means; } names[] = {
      {"/proc/self/", "/proc/%d/%s"}, {"/proc/thread-self/", "/proc/%d/%s"}, {"/dev/fd/", "/proc/%d/fd/%s"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i].seen);
    if (strncmp(path, names[i].seen, length)) continue;
    char rest[PATH_MAX];
    strcpy(rest, path + length);
    if (snprintf(path, PATH_MAX, names[i].means, process, rest) >= PATH_MAX) path[0] = 0;
    return;
  }
}

// Resolves links in every component but the last. Components that do not exist (yet) are taken as they are written.
static void resolve_entry(const char *path, char out[PATH_MAX]) {
  char head[PATH_MAX], tail[PATH_MAX] = "", longer[PATH_MAX], real[PATH_MAX];
  strcpy(head, path);
  for (;;) {
    size_t length = strlen(head);
    while (length > 1 && head[length - 1] == '/') head[--length] = 0;
    char *slash = strrchr(head, '/');
    if (!slash || length == 1) break;
    const char *last = slash + 1;
    if (!strcmp(last, "..") && realpath(head, real)) { // a name for a folder: nothing is left to keep apart
      strcpy(head, real);
      continue;
    }
    if (strcmp(last, ".")) {
      if (*tail) join(longer, last, tail);
      else strcpy(longer, last);
      strcpy(tail, longer);
    }
    if (slash == head) head[1] = 0;
    else *slash = 0;
    if (realpath(head, real)) {
      if (*tail) join(out, real, tail);
      else strcpy(out, real);
      return;
    }
  }
  if (*tail) join(out, "/", tail);
  else strcpy(out, "/");
}

static bool starts_with(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return length && !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static bool under(const char *path) {
  for (int i = 0; i < folder_count; i++) {
    if (starts_with(path, folders[i].path)) return true;
    char now[PATH_MAX];
    if (folders[i].fd >= 0 && read_proc_link(getpid(), NULL, folders[i].fd, now) && starts_with(path, now)) return true;
  }
  return false;
}

// ---- One stopped system call ---------------------------------------------------------------------------------------

struct operation {
  const struct call *call;
  struct tracee *tracee;
  const unsigned long long *arguments;
  char path[PATH_MAX], from[PATH_MAX];
  unsigned long bytes; // 0 when the call writes none
};

static unsigned long argument(const struct operation *op, int number) { return op->arguments[number - 1]; }

// Fills `out` with the entry that the two arguments name; false when they name nothing below our folders.
static bool names_our_entry(const struct operation *op, int dir, int path, bool follows, char out[PATH_MAX]) {
  char text[PATH_MAX] = "", base[PATH_MAX], whole[PATH_MAX], real[PATH_MAX];
  unsigned long at = argument(op, path);
  if (at && !read_string(op->tracee->tid, at, text)) return false;
  int folder = dir ? (int)argument(op, dir) : AT_FDCWD;
  if (text[0] == '/') {
    own_names(op->tracee->process, text);
    strcpy(whole, text);
  } else {
    if (!read_proc_link(op->tracee->tid, "cwd", folder == AT_FDCWD ? -1 : folder, base)) return false;
    if (!text[0]) { // AT_EMPTY_PATH, or utimensat(fd, NULL): the open file itself
      strcpy(out, base);
      return under(out);
    }
    join(whole, base, text);
  }
  if (!whole[0]) return false;
  resolve_entry(whole, out);
  return under(out) || (follows && realpath(whole, real) && under(real));
}

static bool opens_for_writing(const struct operation *op) {
  unsigned long long flags = 0; // the first field of struct open_how
  if (op->call->flags) flags = argument(op, op->call->flags);
  else if (!read_memory(op->tracee->tid, argument(op, op->call->how), &flags, sizeof flags)) return false;
  return flags & WRITES;
}

static bool counted_by_arguments(const struct operation *op) {
  const struct call *call = op->call;
  if (call->flags || call->how) return opens_for_writing(op);
  if (call->nr == SYS_ioctl) return argument(op, 2) == FICLONE || argument(op, 2) == FICLONERANGE;
  if (call->nr == SYS_mmap)
    return (argument(op, 3) & PROT_WRITE) && (argument(op, 4) & MAP_TYPE) != MAP_PRIVATE &&
           !(argument(op, 4) & MAP_ANONYMOUS);
  return true;
}

static bool is_selected(const char *name) {
  if (!only) return true;
  size_t length = strlen(name);
  for (const char *at = only; (at = strstr(at, name)); at += length)
    if ((at == only || at[-1] == ',') && (!at[length] || at[length] == ',')) return true;
  return false;
}

static bool is_exec(const struct call *call) { return call->nr == SYS_execve || call->nr == SYS_execveat; }

// A search along PATH tries many names; only the program that exists is an operation, wherever it lies.
static bool counts_as_exec(struct operation *op) {
  if (!started) return started = true, false; // the command itself
  names_our_entry(op, op->call->dir, op->call->path, true, op->path);
  return count_exec && access(op->path, X_OK) == 0;
}

static bool touches_our_files(struct operation *op) {
  const struct call *call = op->call;
  if (call->fd) return read_proc_link(op->tracee->tid, NULL, (int)argument(op, call->fd), op->path) && under(op->path);
  bool target_is_ours = names_our_entry(op, call->dir, call->path, call->follows, op->path);
  bool source_is_ours = call->from && names_our_entry(op, call->from_dir, call->from, false, op->from);
  return target_is_ours || source_is_ours;
}

// ---- Short writes --------------------------------------------------------------------------------------------------

enum { MOST_BUFFERS = 1024 }; // the kernel's own limit

static unsigned long sum_of_buffers(const struct operation *op, struct iovec *buffers, unsigned long *count) {
  unsigned long total = 0;
  *count = argument(op, op->call->iov + 1);
  if (*count > MOST_BUFFERS) return 0;
  if (!read_memory(op->tracee->tid, argument(op, op->call->iov), buffers, *count * sizeof *buffers)) return 0;
  for (unsigned long i = 0; i < *count; i++) total += buffers[i].iov_len;
  return total;
}

static unsigned long bytes_to_write(const struct operation *op) {
  static struct iovec buffers[MOST_BUFFERS];
  const struct call *call = op->call;
  unsigned long count;
  if (call->iov) return sum_of_buffers(op, buffers, &count);
  if (!call->bytes) return 0;
  unsigned long bytes = argument(op, call->bytes);
  if (call->source) { // copiers ask for "as much as there is": what is there is what counts
    char link[64];
    struct stat source;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", op->tracee->tid, (int)argument(op, call->source));
    if (stat(link, &source) == 0 && S_ISREG(source.st_mode) && (unsigned long)source.st_size < bytes)
      bytes = source.st_size;
  }
  return bytes;
}

// Half of the bytes are written and the call says so. For a vector the buffer in the middle is made smaller, and put
// back when the call returns.
static void shorten(struct operation *op) {
  static struct iovec buffers[MOST_BUFFERS];
  const struct call *call = op->call;
  struct tracee *tracee = op->tracee;
  if (!call->iov) {
    set_argument(tracee->tid, call->bytes, op->bytes / 2);
    return;
  }
  unsigned long count, left = sum_of_buffers(op, buffers, &count) / 2, i = 0;
  while (i < count && buffers[i].iov_len < left) left -= buffers[i++].iov_len;
  tracee->iov_at = argument(op, call->iov) + i * sizeof *buffers;
  tracee->iov = buffers[i];
  tracee->at_exit = SHORTEN;
  struct iovec smaller = {buffers[i].iov_base, left};
  if (!write_memory(tracee->tid, tracee->iov_at, &smaller, sizeof smaller)) die("cannot shorten a %s", call->name);
  set_argument(tracee->tid, call->iov + 1, i + 1);
}

// ---- The log -------------------------------------------------------------------------------------------------------

static void print_string(const char *text) {
  fputc('"', report);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(report, "\\%c", *c);
    else if (*c < 0x20 || *c == 0x7f) fprintf(report, "\\u%04x", *c);
    else fputc(*c, report);
  }
  fputc('"', report);
}

static void log_operation(const struct operation *op) {
  fprintf(report, "{\"op\":%ld,\"pid\":%d,\"tid\":%d,\"call\":\"%s\",\"path\":", operations, op->tracee->process,
          op->tracee->tid, op->call->name);
  print_string(op->path);
  if (op->from[0]) fputs(",\"from\":", report), print_string(op->from);
  if (op->bytes) fprintf(report, ",\"bytes\":%lu", op->bytes);
  fputs("}\n", report);
}

// ---- The tracer ----------------------------------------------------------------------------------------------------

// Fails only when the thread was killed meanwhile, and waitpid tells us about that.
static void resume(struct tracee *tracee, int signal) {
  ptrace(tracee->at_exit ? PTRACE_SYSCALL : PTRACE_CONT, tracee->tid, 0, signal);
}

static void inject(struct operation *op) {
  struct tracee *tracee = op->tracee;
  if (fault->action == SHORTEN && op->bytes < 2) return;
  injected = true;
  if (fault->action == KILL) {
    kill_everything(); // a call that is stopped by seccomp is not made any more once its thread is killed
  } else if (fault->action == KILL_AFTER) {
    tracee->at_exit = KILL_AFTER;
  } else if (fault->action == FAIL) {
    skip_call(tracee->tid);
    tracee->at_exit = FAIL;
  } else if (fault->action == SHORTEN) {
    shorten(op);
  }
}

static void on_call(struct tracee *tracee) {
  static struct operation op;
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, &info) <= 0) {
    if (errno == ESRCH) return;
    die("this kernel cannot describe a system call (Linux 5.3 is needed): %s", strerror(errno));
  }
  if (info.arch != ARCHITECTURE) die("a program for another architecture was started; its calls cannot be counted");

  op = (struct operation){.tracee = tracee, .arguments = (const unsigned long long *)info.seccomp.args};
  for (int i = 0; i < CALLS && !op.call; i++)
    if (calls[i].nr == (long)info.seccomp.nr) op.call = &calls[i];
  if (!op.call) die("stopped at call %ld, which the filter does not name", (long)info.seccomp.nr);

  bool counts = is_exec(op.call) ? counts_as_exec(&op)
                                 : is_selected(op.call->name) && counted_by_arguments(&op) && touches_our_files(&op);
  if (!counts) return;
  operations++;
  op.bytes = bytes_to_write(&op);
  log_operation(&op);
  if (operations == target || (fault->persistent && target && operations > target)) inject(&op);
}

static void on_call_returned(struct tracee *tracee) {
  enum action action = tracee->at_exit;
  tracee->at_exit = NOTHING;
  if (action == KILL_AFTER) kill_everything();
  if (action == FAIL) set_result(tracee->tid, -fault->error);
  if (action == SHORTEN) write_memory(tracee->tid, tracee->iov_at, &tracee->iov, sizeof tracee->iov);
}

// When a thread other than the first calls exec, it takes over the process id, and its own thread id vanishes.
static struct tracee *on_exec(struct tracee *tracee) {
  unsigned long former = tracee->tid;
  ptrace(PTRACE_GETEVENTMSG, tracee->tid, 0, &former);
  struct tracee *caller = find(former);
  if (!caller || caller == tracee) return tracee;
  pid_t tid = tracee->tid;
  tracee->at_exit = caller->at_exit;
  forget(former);
  return find(tid);
}

static void on_stop(pid_t tid, int status) {
  struct tracee *tracee = find_or_add(tid);
  int signal = WSTOPSIG(status), event = status >> 16;
  if (dying) {
    kill(tid, SIGKILL); // born while we were killing the others
    return;
  }
  if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) { // stopped by SIGSTOP and the like, until SIGCONT
    ptrace(PTRACE_LISTEN, tid, 0, 0);
    return;
  }
  if (event == PTRACE_EVENT_SECCOMP) on_call(tracee);
  else if (event == PTRACE_EVENT_EXEC) tracee = on_exec(tracee);
  else if (!event && signal == (SIGTRAP | 0x80)) on_call_returned(tracee);
  else if (!event) {
    resume(tracee, signal); // an ordinary signal on its way to the program
    return;
  }
  if (!dying) resume(tracee, 0);
}

static int trace(void) {
  int status, result = 0;
  for (;;) {
    pid_t tid = waitpid(-1, &status, __WALL);
    if (tid < 0 && errno == EINTR) continue;
    if (tid < 0) return result; // ECHILD: everything is gone, and reaped
    if (WIFSTOPPED(status)) {
      on_stop(tid, status);
      continue;
    }
    forget(tid);
    if (tid == command) result = status;
  }
}

// ---- The command ---------------------------------------------------------------------------------------------------

struct filter {
  struct sock_filter code[16 + 2 * CALLS];
  unsigned short length;
};

static void add(struct filter *filter, struct sock_filter instruction) { filter->code[filter->length++] = instruction; }

static void load(struct filter *filter, unsigned offset) {
  add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void return_if(struct filter *filter, int comparison, bool holds, unsigned value, unsigned result) {
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, value, !holds, holds));
  add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

static void install_filter(void) {
  struct filter filter = {.length = 0};
  load(&filter, offsetof(struct seccomp_data, arch));
  return_if(&filter, BPF_JEQ, false, ARCHITECTURE, SECCOMP_RET_TRACE); // on_call refuses it
  load(&filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  return_if(&filter, BPF_JGE, true, 0x40000000, SECCOMP_RET_ERRNO | ENOSYS); // x32 programs
#endif
  // What goes through io_uring passes no filter. Runtimes fall back to plain calls where the kernel has none.
  return_if(&filter, BPF_JEQ, true, SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS);
  for (int i = 0; i < CALLS; i++) return_if(&filter, BPF_JEQ, true, calls[i].nr, SECCOMP_RET_TRACE);
  add(&filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));

  struct sock_fprog program = {filter.length, filter.code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    die("seccomp is not allowed here: %s", strerror(errno));
}

static void start(char **arguments) {
  int gate[2];
  char go;
  if (pipe2(gate, O_CLOEXEC)) die("pipe: %s", strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1); // so that orphans of the command are ours to reap
  command = fork();
  if (command < 0) die("fork: %s", strerror(errno));
  if (!command) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // until we are traced, EXITKILL does not protect from being left behind
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1) _exit(125);
    prctl(PR_SET_PDEATHSIG, 0);
    install_filter();
    execvp(arguments[0], arguments);
    fprintf(stderr, "killpoint: cannot start %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
  }
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, command, 0, options)) {
    int error = errno;
    kill(command, SIGKILL);
    die("ptrace is not allowed here: %s", strerror(error));
  }
  find_or_add(command);
  if (write(gate[1], "!", 1) != 1) die("pipe: %s", strerror(errno));
  close(gate[0]);
  close(gate[1]);
}

static void add_folder(const char *path) {
  if (folder_count == sizeof folders / sizeof *folders) die("too many folders");
  struct folder *folder = &folders[folder_count++];
  char whole[PATH_MAX];
  if (path[0] != '/' || strlen(path) >= PATH_MAX) die("--under needs an absolute path, got %s", path);
  if (!realpath(path, folder->path)) {
    strcpy(whole, path);
    resolve_entry(whole, folder->path);
  }
  folder->fd = open(folder->path, O_PATH | O_CLOEXEC);
}

static void choose_fault(const char *name) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (!strcmp(faults[i].name, name)) {
      fault = &faults[i];
      return;
    }
  die("unknown fault %s", name);
}

static char **parse(char **arguments) {
  for (; *arguments && strcmp(*arguments, "--"); arguments++) {
    const char *option = *arguments;
    if (!strcmp(option, "--exec")) {
      count_exec = true;
      continue;
    }
    const char *value = *++arguments;
    if (!value) die("%s needs a value", option);
    if (!strcmp(option, "--under")) add_folder(value);
    else if (!strcmp(option, "--fault")) choose_fault(value);
    else if (!strcmp(option, "--at")) target = atol(value);
    else if (!strcmp(option, "--only")) only = value;
    else if (!strcmp(option, "--log")) report = fopen(value, "we");
    else die("unknown option %s", option);
  }
  if (!*arguments || !arguments[1]) die("no command after --");
  if (!folder_count) die("--under is missing");
  if (!report) die("--log is missing or cannot be written");
  return arguments + 1;
}

int main(int count, char **arguments) {
  (void)count;
  char **rest = parse(arguments + 1);
  setvbuf(report, NULL, _IOLBF, 0);
  start(rest);
  int status = trace();
  fprintf(report, "{\"end\":%ld,\"injected\":%s,", operations, injected ? "true" : "false");
  if (WIFSIGNALED(status)) fprintf(report, "\"signal\":%d}\n", WTERMSIG(status));
  else fprintf(report, "\"exit\":%d}\n", WEXITSTATUS(status));
  if (fclose(report)) die("cannot write the log: %s", strerror(errno));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
