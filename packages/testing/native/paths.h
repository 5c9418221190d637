// Which file a call means, and whether it lies below a watched folder.
#ifndef PATHS_H
#define PATHS_H
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

// NULL, or what is wrong with the folder.
const char *watch_folder(const char *path);
bool is_watched(const char *path);

// Where the open file, or (with AT_FDCWD) the working folder, of the tracee is.
bool path_of_fd(pid_t tid, int fd, char out[PATH_MAX]);

// The entry that `text` names, seen from there. Every component but the last is resolved.
bool path_of_text(pid_t tid, int fd, const char *text, char out[PATH_MAX]);

// With `follows`, a symbolic link that leads to a watched file from elsewhere is replaced by that file.
bool is_watched_entry(char entry[PATH_MAX], bool follows);

#endif
