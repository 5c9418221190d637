// killpoint: runs a command, counts the changes that it and all its threads and child processes make to files below a
// folder, and lets exactly the Nth of them meet a fault.
//
//   killpoint --under DIR [--under DIR]... --fault FAULT [--at N] [--only CALL,CALL] [--exec] --log FILE -- COMMAND...
//
// A seccomp filter stops the threads at the calls of calls.c and nowhere else, so the command runs at nearly full
// speed; ptrace then decides what becomes of the call. There is one counter for everything below the command, because
// "the 7th write of thread 3" is not something that the author of a program can reason about.
//
// The log has one JSON object a line: {"op":…} for each counted operation, and {"end":…} when every process is gone.
// A log without the last line means that killpoint itself failed; it then says why on stderr and exits with 125.
#define _GNU_SOURCE
#include "killpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter.h"
#include "paths.h"
#include "tracee.h"

static const struct fault faults[] = {
    {"list", NOTHING, 0, false},
    {"kill", KILL, 0, false},
    {"kill-after", KILL_AFTER, 0, false},
    {"enospc", FAIL, ENOSPC, false},
    {"enospc-persistent", FAIL, ENOSPC, true},
    {"eio", FAIL, EIO, false},
    {"erofs", FAIL, EROFS, false},
    {"eacces", FAIL, EACCES, false},
    {"short", SHORTEN, 0, false},
};

static const struct fault *fault = &faults[0];
static long target; // the number of the operation that meets the fault
static FILE *report;

static pid_t command;
static struct tracee *tracees;
static int tracee_count, tracee_room;
static long operations;
static bool injected, dying, started;

static void kill_everything(void);
static int trace(void);

// Leaves nothing of the command behind. (Whoever kills killpoint itself gets the same from PTRACE_O_EXITKILL.)
_Noreturn void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("killpoint: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  kill_everything();
  trace();
  exit(125);
}

// ---- Who is traced -------------------------------------------------------------------------------------------------

static struct tracee *find(pid_t tid) {
  for (int i = 0; i < tracee_count; i++)
    if (tracees[i].tid == tid) return &tracees[i];
  return NULL;
}

static struct tracee *find_or_add(pid_t tid) {
  struct tracee *known = find(tid);
  if (known) return known;
  if (tracee_count == tracee_room) {
    tracee_room = tracee_room ? 2 * tracee_room : 64;
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

// ---- The log -------------------------------------------------------------------------------------------------------

static void print_string(const char *name, const char *text) {
  fprintf(report, ",\"%s\":\"", name);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(report, "\\%c", *c);
    else if (*c < ' ') fprintf(report, "\\u%04x", *c);
    else fputc(*c, report);
  }
  fputc('"', report);
}

static void log_operation(const struct operation *op) {
  fprintf(report, "{\"op\":%ld,\"pid\":%d,\"tid\":%d", operations, op->tracee->process, op->tracee->tid);
  print_string("call", op->call->name);
  print_string("path", op->path);
  if (op->from[0]) print_string("from", op->from);
  if (op->bytes) fprintf(report, ",\"bytes\":%lu", op->bytes);
  fputs("}\n", report);
}

static void log_end(int status) {
  fprintf(report, "{\"end\":%ld,\"injected\":%s", operations, injected ? "true" : "false");
  if (WIFSIGNALED(status)) fprintf(report, ",\"signal\":%d}\n", WTERMSIG(status));
  else fprintf(report, ",\"exit\":%d}\n", WEXITSTATUS(status));
  if (fclose(report)) die("cannot write the log: %s", strerror(errno));
}

// ---- What happens at a stop ----------------------------------------------------------------------------------------

static void inject(struct operation *op) {
  if (fault->action == SHORTEN && op->bytes < 2) return;
  injected = true;
  if (fault->action == KILL) {
    kill_everything(); // the kernel does not make a filtered call any more once its thread is killed
  } else if (fault->action == SHORTEN) {
    shorten(op);
  } else {
    if (fault->action == FAIL) skip_call(op->tracee->tid);
    op->tracee->at_return = fault->action;
  }
}

static void on_call(struct tracee *tracee) {
  static struct operation op;
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, &info) < 0) {
    if (errno == ESRCH) return; // killed meanwhile
    die("this kernel cannot describe a system call, Linux 5.3 can: %s", strerror(errno));
  }
  if (info.arch != ARCHITECTURE) die("a program for another architecture was started; its calls cannot be counted");

  op = (struct operation){.tracee = tracee, .call = find_call(info.seccomp.nr)};
  op.arguments = (const unsigned long long *)info.seccomp.args;
  if (!op.call) die("stopped at call %llu, which is not ours", (unsigned long long)info.seccomp.nr);
  if (!started || !is_counted(&op)) return;
  operations++;
  op.bytes = bytes_to_write(&op);
  log_operation(&op);
  bool is_target = operations == target || (fault->persistent && operations > target);
  if (fault->action != NOTHING && is_target) inject(&op);
}

static void on_return(struct tracee *tracee) {
  enum action action = tracee->at_return;
  tracee->at_return = NOTHING;
  if (action == KILL_AFTER) kill_everything();
  if (action == FAIL) set_result(tracee->tid, -fault->error);
  if (action == SHORTEN) undo_shorten(tracee);
}

// When a thread other than the first calls exec, it takes over the id of the process, and its own vanishes.
static struct tracee *on_exec(struct tracee *tracee) {
  unsigned long caller = tracee->tid;
  pid_t tid = tracee->tid;
  started = true;
  ptrace(PTRACE_GETEVENTMSG, tid, 0, &caller);
  if ((pid_t)caller == tid || !find(caller)) return tracee;
  tracee->at_return = find(caller)->at_return;
  forget(caller);
  return find(tid);
}

// Fails only when the thread was killed meanwhile, and waitpid tells us about that.
static void resume(const struct tracee *tracee, int signal) {
  ptrace(tracee->at_return ? PTRACE_SYSCALL : PTRACE_CONT, tracee->tid, 0, signal);
}

static void on_stop(pid_t tid, int status) {
  struct tracee *tracee = find_or_add(tid);
  int event = status >> 16, signal = WSTOPSIG(status);
  if (dying) {
    kill(tid, SIGKILL); // born while the others were killed
    return;
  }
  if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) { // SIGSTOP and the like: it stays stopped until SIGCONT
    ptrace(PTRACE_LISTEN, tid, 0, 0);
    return;
  }
  bool is_return = !event && signal == (SIGTRAP | 0x80);
  if (event == PTRACE_EVENT_SECCOMP) on_call(tracee);
  else if (event == PTRACE_EVENT_EXEC) tracee = on_exec(tracee);
  else if (is_return) on_return(tracee);
  bool is_signal_for_the_program = !event && !is_return;
  if (!dying) resume(tracee, is_signal_for_the_program ? signal : 0);
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

// ---- Start ---------------------------------------------------------------------------------------------------------

static _Noreturn void become_command(char **arguments, int gate) {
  char go;
  if (read(gate, &go, 1) != 1) _exit(125); // killpoint is gone
  const char *problem = install_filter();
  if (problem) die("seccomp is not allowed here: %s", problem);
  execvp(arguments[0], arguments);
  die("cannot start %s: %s", arguments[0], strerror(errno));
}

// Seizing lets a group stop be told from a signal, and needs the command to wait until it is traced.
static void start(char **arguments) {
  int gate[2];
  if (pipe2(gate, O_CLOEXEC)) die("pipe: %s", strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1); // orphans of the command become ours to reap
  fflush(NULL);
  command = fork();
  if (command < 0) die("fork: %s", strerror(errno));
  if (!command) {
    close(gate[1]);
    become_command(arguments, gate[0]);
  }
  close(gate[0]);
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  find_or_add(command);
  if (ptrace(PTRACE_SEIZE, command, 0, options)) die("ptrace is not allowed here: %s", strerror(errno));
  if (write(gate[1], "!", 1) != 1) die("pipe: %s", strerror(errno));
  close(gate[1]);
}

static void choose_fault(const char *name) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    if (strcmp(faults[i].name, name)) continue;
    fault = &faults[i];
    return;
  }
  die("there is no fault called %s", name);
}

static void use_option(const char *option, const char *value) {
  if (!value) die("%s needs a value", option);
  if (!strcmp(option, "--under")) {
    const char *problem = watch_folder(value);
    if (problem) die("--under %s: %s", value, problem);
  } else if (!strcmp(option, "--fault")) choose_fault(value);
  else if (!strcmp(option, "--at")) target = atol(value);
  else if (!strcmp(option, "--only")) only = value;
  else if (!strcmp(option, "--log")) report = fopen(value, "we");
  else die("there is no option %s", option);
}

static char **parse(char **arguments) {
  while (*arguments && strcmp(*arguments, "--")) {
    const char *option = *arguments++;
    if (!strcmp(option, "--exec")) count_exec = true;
    else use_option(option, *arguments ? *arguments++ : NULL);
  }
  if (!*arguments || !arguments[1]) die("there is no command after --");
  if (!report) die("--log is missing, or its file cannot be written");
  if (fault->action != NOTHING && target < 1) die("--fault %s needs --at", fault->name);
  return arguments + 1;
}

int main(int count, char **arguments) {
  (void)count;
  char **rest = parse(arguments + 1);
  setvbuf(report, NULL, _IOLBF, 0); // a killed killpoint leaves what it saw
  start(rest);
  int status = trace();
  if (!started) return 125; // the child said why
  log_end(status);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
