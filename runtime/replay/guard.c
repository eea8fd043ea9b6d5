/* System calls are for the replay program alone: the kernel asks a filter, which looks at the address of the
   instruction that makes the call and at its number.  What is refused raises SIGSYS, which faults.c tells. */
#include "runtime/replay/replay.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#ifdef __aarch64__
static const uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
static const uint32_t architecture = AUDIT_ARCH_X86_64;
#endif

static const uint32_t allowed[] = {SYS_mprotect, SYS_write,     SYS_exit_group,   SYS_rt_sigreturn,
                                   SYS_mmap,     SYS_setitimer, SYS_clock_gettime};
enum { ALLOWED = sizeof allowed / sizeof *allowed, MOST_STEPS = 16 + ALLOWED };

static struct sock_filter step(unsigned code, uint32_t value, unsigned if_true, unsigned if_false)
{
    struct sock_filter made;
    made.code = (uint16_t)code;
    made.jt = (uint8_t)if_true;
    made.jf = (uint8_t)if_false;
    made.k = value;
    return made;
}

/* The program lies within 4 GiB boundaries (link.c sees to it), so one comparison of the high half does. */
void replay_forbid_system_calls(void)
{
    static struct sock_filter steps[MOST_STEPS];
    const unsigned load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K,
                   not_below = BPF_JMP | BPF_JGE | BPF_K, give = BPF_RET | BPF_K;
    const uint32_t place = offsetof(struct seccomp_data, instruction_pointer);
    uint64_t start = (uint64_t)replay_code_start, end = (uint64_t)replay_code_end;
    unsigned count = 0;
    steps[count++] = step(load, offsetof(struct seccomp_data, arch), 0, 0);
    steps[count++] = step(equal, architecture, 0, 6 + ALLOWED);
    steps[count++] = step(load, place + 4, 0, 0);
    steps[count++] = step(equal, (uint32_t)(start >> 32), 0, 4 + ALLOWED);
    steps[count++] = step(load, place, 0, 0);
    steps[count++] = step(not_below, (uint32_t)start, 0, 2 + ALLOWED);
    steps[count++] = step(not_below, (uint32_t)end, 1 + ALLOWED, 0);
    steps[count++] = step(load, offsetof(struct seccomp_data, nr), 0, 0);
    for (unsigned i = 0; i < ALLOWED; i++)
        steps[count++] = step(equal, allowed[i], ALLOWED - i, 0);
    steps[count++] = step(give, SECCOMP_RET_TRAP, 0, 0);
    steps[count++] = step(give, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program;
    program.len = (unsigned short)count;
    program.filter = steps;
    long result = system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
    if (!system_failed(result))
        result = system_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0, 0);
    if (system_failed(result))
        replay_fail(replay_step_GUARD, result);
}
