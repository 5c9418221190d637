#define _GNU_SOURCE
#include "paths.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracee.h"

static struct {
  char path[PATH_MAX];
  int fd; // stays with the folder when it is renamed; -1 if it did not exist at the start
} folders[16];
static int folder_count;

// A path that does not fit becomes "", which is below no folder; the kernel refuses such a path too.
static void join(char out[PATH_MAX], const char *head, const char *tail) {
  bool root = !strcmp(head, "/");
  if (snprintf(out, PATH_MAX, "%s/%s", root ? "" : head, tail) >= PATH_MAX) out[0] = 0;
}

static bool is_same_file(const char *link, const char *path) {
  struct stat one, other;
  return stat(link, &one) == 0 && lstat(path, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// For a file without a name the kernel appends " (deleted)" to its last one. A file may also really be called that.
static bool read_link(const char *link, char out[PATH_MAX]) {
  static const char mark[] = " (deleted)";
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return false;
  out[length] = 0;
  char *end = out + length - (sizeof mark - 1);
  if (end > out && !strcmp(end, mark) && !is_same_file(link, out)) *end = 0;
  return true;
}

bool path_of_fd(pid_t tid, int fd, char out[PATH_MAX]) {
  char link[64];
  if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", tid);
  else snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, fd);
  return read_link(link, out);
}

// These mean the process that says them, so we must not resolve them as ours.
static const struct {
  const char *said, *meant;
} own_names[] = {
    {"/proc/self/", "/proc/%d/%s"}, {"/proc/thread-self/", "/proc/%d/%s"}, {"/dev/fd/", "/proc/%d/fd/%s"}};

static void copy_absolute(pid_t tid, const char *text, char out[PATH_MAX]) {
  for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++) {
    size_t length = strlen(own_names[i].said);
    if (strncmp(text, own_names[i].said, length)) continue;
    if (snprintf(out, PATH_MAX, own_names[i].meant, tid, text + length) >= PATH_MAX) out[0] = 0;
    return;
  }
  strcpy(out, text);
}

static void prepend(const char *component, char tail[PATH_MAX]) {
  char longer[PATH_MAX];
  if (!*tail) strcpy(longer, component);
  else join(longer, component, tail);
  strcpy(tail, longer);
}

// Takes components off the end until the rest exists and can be resolved. At least one is taken off, because it is the
// entry itself that a rename or an unlink changes, not what it points to.
static void resolve_entry(const char *path, char out[PATH_MAX]) {
  char head[PATH_MAX], tail[PATH_MAX] = "", real[PATH_MAX];
  strcpy(head, path);
  for (;;) {
    for (size_t end = strlen(head); end > 1 && head[end - 1] == '/'; end--) head[end - 1] = 0;
    char *slash = strrchr(head, '/');
    const char *last = slash + 1;
    bool is_folder_name = !strcmp(last, ".") || !strcmp(last, "..");
    if (!*last || (is_folder_name && realpath(head, real))) break;
    if (strcmp(last, ".")) prepend(last, tail);
    slash[slash == head] = 0;
    if (realpath(head, real)) break;
  }
  if (!strcmp(head, "/")) strcpy(real, head);
  if (*tail) join(out, real, tail);
  else strcpy(out, real);
}

bool path_of_text(pid_t tid, int fd, const char *text, char out[PATH_MAX]) {
  char base[PATH_MAX], whole[PATH_MAX];
  if (text[0] == '/') {
    copy_absolute(tid, text, whole);
  } else {
    if (!path_of_fd(tid, fd, base)) return false;
    if (!text[0]) { // AT_EMPTY_PATH: the open file itself
      strcpy(out, base);
      return true;
    }
    join(whole, base, text);
  }
  if (!whole[0]) return false;
  resolve_entry(whole, out);
  return true;
}

const char *watch_folder(const char *path) {
  if (folder_count == sizeof folders / sizeof *folders) return "too many folders";
  if (path[0] != '/' || strlen(path) >= PATH_MAX) return "the path is not absolute";
  char *resolved = folders[folder_count].path;
  if (!realpath(path, resolved)) resolve_entry(path, resolved);
  folders[folder_count].fd = open(resolved, O_PATH | O_CLOEXEC);
  folder_count++;
  return NULL;
}

static bool is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

bool is_watched(const char *path) {
  char now[PATH_MAX];
  for (int i = 0; i < folder_count; i++) {
    if (is_below(path, folders[i].path)) return true;
    if (folders[i].fd >= 0 && path_of_fd(getpid(), folders[i].fd, now) && is_below(path, now)) return true;
  }
  return false;
}

bool is_watched_entry(char entry[PATH_MAX], bool follows) {
  char real[PATH_MAX];
  if (is_watched(entry)) return true;
  if (!follows || !realpath(entry, real) || !is_watched(real)) return false;
  strcpy(entry, real);
  return true;
}
