/* Functions of libc as old programs know them, so that a preloaded library runs with every glibc since 2.17
   (2012).

   glibc 2.34 took libdl and libpthread in and gave their functions a new version, which no older glibc has.
   The versions below are there in every one.  Before 2.34 libdl.so.2 and libpthread.so.0 have them: whoever
   uses this is linked with those files by name, which later ones still have, as empty libraries.  glibc 2.38
   gave strtol and its kin new names, for numbers in binary.  It is included by -include;
   tests/commands/house/old_libc.py looks at the result. */
#ifndef RUNTIME_COMMON_OLD_LIBC_H
#define RUNTIME_COMMON_OLD_LIBC_H
#ifndef __ASSEMBLER__

#include <features.h>
#undef __GLIBC_USE_C2X_STRTOL /* its name up to 2.39 */
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined(__aarch64__)
#define OLD_LIBC_FIRST "GLIBC_2.17"
#define OLD_LIBC_DLOPEN "GLIBC_2.17"
#elif defined(__x86_64__)
#define OLD_LIBC_FIRST "GLIBC_2.2.5"
#define OLD_LIBC_DLOPEN "GLIBC_2.2.5"
#elif defined(__i386__)
#define OLD_LIBC_FIRST "GLIBC_2.0"
#define OLD_LIBC_DLOPEN "GLIBC_2.1"
#endif

#ifdef OLD_LIBC_FIRST
#ifdef __i386__ /* a version of 2.28 takes large files */
__asm__(".symver fcntl, fcntl@" OLD_LIBC_FIRST);
#endif
__asm__(".symver dladdr, dladdr@" OLD_LIBC_FIRST);
__asm__(".symver dlopen, dlopen@" OLD_LIBC_DLOPEN);
__asm__(".symver dlsym, dlsym@" OLD_LIBC_FIRST);
__asm__(".symver pthread_key_create, pthread_key_create@" OLD_LIBC_FIRST);
__asm__(".symver pthread_setspecific, pthread_setspecific@" OLD_LIBC_FIRST);
#endif

#endif
#endif
