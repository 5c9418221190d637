#include "calls.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(call, ...) {.name = #call, .nr = SYS_##call, __VA_ARGS__}

const struct call calls[] = {
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
    CALL(ioctl, .fd = 1), // only the two requests that clone a file
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
#ifdef SYS_renameat // the newest architectures have renameat2 only
    CALL(renameat, .from_dir = 1, .from = 2, .dir = 3, .path = 4),
#endif
#ifdef SYS_fchmodat2 // headers before Linux 6.6 do not know it
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

const int call_count = sizeof calls / sizeof *calls;

const struct call *find_call(long nr) {
  for (int i = 0; i < call_count; i++)
    if (calls[i].nr == nr) return &calls[i];
  return NULL;
}

bool is_exec(const struct call *call) { return call->nr == SYS_execve || call->nr == SYS_execveat; }
