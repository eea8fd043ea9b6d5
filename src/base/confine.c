/* seccomp with a filter: a list of calls that are allowed, some of them with conditions on an argument;
   everything else fails with EPERM, which is an error like any other to whoever calls it. Two calls fail with
   ENOSYS instead, because the C library then takes the older call, whose arguments a filter can see.

   The filter is a program for the kernel's small machine (struct sock_filter) that gets the number of the
   call and its arguments. It is the rows below, one after the other, each as a few instructions: no library
   is needed for so little.

   Files may be opened without a name for writing (O_TMPFILE): SQLite sorts in them, nobody else can open
   them, and they are gone with the process.

   A filter sees no names. Landlock, where the kernel has it, takes the folders of devices and processes away:
   terminals, where somebody types, are files to read, and so is the memory of other processes. */
#include "base/confine.h"

#include "base/forked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* gives memory a name; newer C libraries do */
#endif

/* Allowed whatever the arguments are: they compute, or work on what is open. */
static const int plain[] = {
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_exit,
    SYS_exit_group,
    SYS_faccessat,
    SYS_fadvise64,
    SYS_fstat,
    SYS_fstatfs,
    SYS_ftruncate,
    SYS_futex,
    SYS_getcpu,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getpid,
    SYS_getppid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_getuid,
    SYS_lseek,
    SYS_madvise,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_newfstatat,
    SYS_ppoll,
    SYS_pread64,
    SYS_pwrite64,
    SYS_read,
    SYS_readlinkat,
    SYS_readv,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_setitimer,
    SYS_sigaltstack,
    SYS_statfs,
    SYS_statx,
    SYS_sysinfo,
    SYS_times,
    SYS_uname,
    SYS_write,
    SYS_writev,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
/* What x86 has beside these, from earlier times. */
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
#endif
#ifdef SYS_access
    SYS_access,
#endif
#ifdef SYS_readlink
    SYS_readlink,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

/* Allowed if an argument, of which the lower half counts, has one of these values under a mask; several rows
   of one call are alternatives. */
enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND };
static const struct condition {
    int call, argument;
    uint32_t mask, value;
    bool is_pointer; /* the upper half has to be 0, too */
} conditions[] = {
    {SYS_openat, 2, WRITES, O_RDONLY},
    {SYS_openat, 2, O_TMPFILE | O_CREAT, O_TMPFILE},
#ifdef SYS_open
    {SYS_open, 1, WRITES, O_RDONLY},
    {SYS_open, 1, O_TMPFILE | O_CREAT, O_TMPFILE},
#endif
    {SYS_mmap, 2, PROT_EXEC, 0},
    {SYS_mprotect, 2, PROT_EXEC, 0},
    {SYS_clone, 0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM},
    {SYS_fcntl, 1, ~0u, F_DUPFD_CLOEXEC},
    {SYS_fcntl, 1, ~0u, F_GETFD},
    {SYS_fcntl, 1, ~0u, F_SETFD},
    {SYS_fcntl, 1, ~0u, F_GETFL},
    {SYS_fcntl, 1, ~0u, F_GETLK},
    {SYS_fcntl, 1, ~0u, F_SETLK},
    {SYS_fcntl, 1, ~0u, F_SETLKW},
    {SYS_ioctl, 1, ~0u, TCGETS},
    {SYS_ioctl, 1, ~0u, TIOCGWINSZ},
    {SYS_prctl, 0, ~0u, PR_SET_NAME},
    {SYS_prctl, 0, ~0u, PR_SET_VMA},
    {SYS_prlimit64, 2, ~0u, 0, true}, /* only asks */
};

#if defined __x86_64__
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64, OTHER_NUMBERS = 0x40000000 }; /* x32's begin there */
#elif defined __aarch64__
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64, OTHER_NUMBERS = 0x7fffffff };
#endif

enum { CONDITIONS = sizeof conditions / sizeof *conditions, PLAIN = sizeof plain / sizeof *plain };

struct program {
    struct sock_filter code[2 * PLAIN + 8 * CONDITIONS + 64];
    unsigned short count;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
    program->code[program->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct program *program, size_t offset)
{
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end_with(struct program *program, uint32_t action)
{
    add(program, BPF_RET | BPF_K, action, 0, 0);
}

static void skip_unless_equal(struct program *program, uint32_t value, uint8_t skipped)
{
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}

static void answer(struct program *program, int call, uint32_t action)
{
    skip_unless_equal(program, (uint32_t)call, 1);
    end_with(program, action);
}

/* The number of the call is loaded before, and again after it. */
static void allow_if(struct program *program, const struct condition *condition)
{
    size_t place = offsetof(struct seccomp_data, args) + 8 * (size_t)condition->argument;
    skip_unless_equal(program, (uint32_t)condition->call, condition->is_pointer ? 7 : 5);
    if (condition->is_pointer) {
        load(program, place + 4);
        skip_unless_equal(program, 0, 4);
    }
    load(program, place);
    add(program, BPF_ALU | BPF_AND | BPF_K, condition->mask, 0, 0);
    skip_unless_equal(program, condition->value, 1);
    end_with(program, SECCOMP_RET_ALLOW);
    load(program, offsetof(struct seccomp_data, nr));
}

static void write_program(struct program *program)
{
    uint32_t own = (uint32_t)getpid();
    const struct condition to_itself[] = {{SYS_tgkill, 0, ~0u, own, false}, {SYS_kill, 0, ~0u, own, false}};
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ARCHITECTURE, 1, 0);
    end_with(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
    add(program, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)OTHER_NUMBERS, 0, 1);
    end_with(program, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < PLAIN; i++)
        answer(program, plain[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < CONDITIONS; i++)
        allow_if(program, &conditions[i]);
    for (size_t i = 0; i < sizeof to_itself / sizeof *to_itself; i++)
        allow_if(program, &to_itself[i]);
#ifdef SYS_clone3
    answer(program, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
#endif
#ifdef SYS_openat2
    answer(program, SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    end_with(program, SECCOMP_RET_ERRNO | EPERM);
}

#ifdef LANDLOCK_ACCESS_FS_READ_FILE
/* What may still be done with a file, or with all that lies in a folder. */
static void allow(int rules, int root, const char *name, uint64_t access)
{
    int place = openat(root, name, O_PATH | O_CLOEXEC);
    struct stat facts;
    if (place >= 0 && !fstat(place, &facts)) {
        struct landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(facts.st_mode) ? access : LANDLOCK_ACCESS_FS_READ_FILE,
            .parent_fd = place};
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    if (place >= 0)
        close(place);
}

/* All folders of the root but those of devices and processes, of which some files say what computer this is.
   Without Landlock nothing happens. */
static void leave_devices(void)
{
    static const char *const hidden[] = {".", "..", "dev", "proc"};
    static const char *const harmless[] = {"/proc/cpuinfo",     "/proc/meminfo", "/proc/stat",
                                           "/proc/filesystems", "/dev/null",     "/dev/zero",
                                           "/dev/urandom",      "/proc/self",    "/dev/shm"};
    const uint64_t access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                            LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
    struct landlock_ruleset_attr wanted = {.handled_access_fs = access};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0);
    DIR *root = rules < 0 ? NULL : opendir("/");
    for (struct dirent *entry; root && (entry = readdir(root));) {
        bool is_hidden = false;
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
            is_hidden |= !strcmp(entry->d_name, hidden[i]);
        if (!is_hidden)
            allow(rules, dirfd(root), entry->d_name, access);
    }
    for (size_t i = 0; root && i < sizeof harmless / sizeof *harmless; i++)
        allow(rules, dirfd(root), harmless[i], access);
    if (root) {
        closedir(root);
        syscall(SYS_landlock_restrict_self, rules, 0);
    }
    if (rules >= 0)
        close(rules);
}
#else
static void leave_devices(void)
{
}
#endif

/* If memory is short, this process goes before others. */
static void offer_itself(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, "1000", 4) < 0)
        errno = 0;
    if (file >= 0)
        close(file);
}

bool confine(void)
{
    enum { MOST_FILES = 256 };
    offer_itself();
    forked_limit(RLIMIT_NOFILE, MOST_FILES);
    struct program program = {.count = 0};
    write_program(&program);
    struct sock_fprog whole = {.len = program.count, .filter = program.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return false;
    leave_devices();
    return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole);
}
