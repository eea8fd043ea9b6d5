/* System calls and the clock, without libc: functions of libc may be patched themselves, and none of them may
   be called between two instructions of a program.  Errors are negative numbers, as the kernel returns them.
 */
#ifndef RUNTIME_PROBE_SYSTEM_H
#define RUNTIME_PROBE_SYSTEM_H
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef __aarch64__
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
#else
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory", "cc");
    return result;
#endif
}

static inline uint64_t clock_ticks(void)
{
#ifdef __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#endif
}

static inline uintptr_t system_thread_pointer(void)
{
    uintptr_t pointer;
#ifdef __aarch64__
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
#endif
    return pointer;
}

static inline bool system_failed(long result)
{
    return result < 0 && result >= -4095;
}

static inline void *system_map(void *address, size_t size, int protection, int flags, int file,
                               uint64_t offset)
{
    long result = system_call(SYS_mmap, (long)address, (long)size, protection, flags, file, (long)offset);
    return system_failed(result) ? NULL : (void *)result;
}

/* A place for memory of our own, away from code: the room near code is for trampolines, and sanitizers have
   fixed places for their memory everywhere else. */
static inline void *system_away(size_t size)
{
    extern uintptr_t system_next __attribute__((visibility("hidden")));
    static const uintptr_t distance = (uintptr_t)1 << 30;
    if (!system_next)
        system_next = (uintptr_t)&system_next / 65536 * 65536 - distance;
    uintptr_t bytes = (size + 65535) / 65536 * 65536;
    return (void *)__atomic_sub_fetch(&system_next, bytes, __ATOMIC_RELAXED);
}

static inline void *system_memory(size_t size)
{
    return system_map(system_away(size), size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static inline void system_unmap(void *address, size_t size)
{
    system_call(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
}

static inline long system_protect(uintptr_t address, size_t size, int protection)
{
    return system_call(SYS_mprotect, (long)address, (long)size, protection, 0, 0, 0);
}

static inline int system_open(const char *path, int flags, int mode)
{
    return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode, 0, 0);
}

static inline void system_close(int file)
{
    system_call(SYS_close, file, 0, 0, 0, 0, 0);
}

static inline long system_read(int file, void *into, size_t size)
{
    return system_call(SYS_read, file, (long)into, (long)size, 0, 0, 0);
}

static inline uint32_t system_process(void)
{
    return (uint32_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t system_thread(void)
{
    return (uint32_t)system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline uint64_t system_nanoseconds(void)
{
    struct timespec now = {0, 0};
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* All signals are blocked between the two. */
static inline uint64_t system_block_signals(void)
{
    uint64_t all = ~(uint64_t)0, before = 0;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8, 0, 0);
    return before;
}

static inline void system_restore_signals(uint64_t before)
{
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8, 0, 0);
}

/* A lock for a few instructions; its holder has blocked all signals. */
static inline void lock_take(int *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static inline void lock_give(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static inline bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static inline size_t text_length(const char *text);
static inline bool bytes_equal(const void *a, const void *b, size_t count);

/* NULL: it is not there. */
static inline const char *environment_value(char **environment, const char *name)
{
    size_t length = text_length(name);
    for (; environment && *environment; environment++)
        if (bytes_equal(*environment, name, length) && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static inline size_t text_length(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static inline bool bytes_equal(const void *a, const void *b, size_t count)
{
    const uint8_t *p = a, *q = b;
    for (size_t i = 0; i < count; i++)
        if (p[i] != q[i])
            return false;
    return true;
}

static inline void bytes_copy(void *to, const void *from, size_t count)
{
    uint8_t *p = to;
    const uint8_t *q = from;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        __builtin_memcpy(&word, q + i, 8);
        __builtin_memcpy(p + i, &word, 8);
    }
    for (; i < count; i++)
        p[i] = q[i];
}
#endif
