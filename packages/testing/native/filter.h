#ifndef FILTER_H
#define FILTER_H
#include <linux/audit.h>

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
#error "killpoint knows x86_64 and aarch64 only"
#endif

// Makes this thread, and everything it starts, stop for the tracer at the calls of `calls`. NULL, or what went wrong.
const char *install_filter(void);

#endif
