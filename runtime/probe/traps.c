/* Patches that are traps, and the program's own SIGTRAP.

   The handler finds the patch and lets the program go on at its trampoline.  The library owns SIGTRAP from
   the first such patch on: what the program asks for is kept here, and honoured for traps that are not ours.
   A trap while SIGTRAP is blocked would end the program, so it is never really blocked: functions that set
   masks leave it out. */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"
#include "runtime/common/set_simply.h"

#include <errno.h>
#include <ucontext.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static struct sigaction wish; /* of the program */
static bool is_ours;
static __thread bool is_masked __attribute__((tls_model("initial-exec"))); /* the program believes */

#ifdef __aarch64__
static uintptr_t place_of(const ucontext_t *context)
{
    return context->uc_mcontext.pc;
}

static void go_on_at(ucontext_t *context, uintptr_t address)
{
    context->uc_mcontext.pc = address;
}
#else
static uintptr_t place_of(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - 1;
}

static void go_on_at(ucontext_t *context, uintptr_t address)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)address;
}
#endif

static const struct probe_plan_patch *patch_at(const struct probe_plan_module *module, uint64_t address)
{
    const struct probe_plan_patch *patches = &plan.patches[module->first_patch];
    uint64_t low = 0, high = module->patch_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (patches[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->patch_count && patches[low].address == address ? &patches[low] : NULL;
}

/* Where the trap at an address leads; 0: it is not ours. */
static uintptr_t trampoline_of(uintptr_t address)
{
    uint32_t count = __atomic_load_n(&placed_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t in_file = address - placed[i].bias;
        if (placed[i].is_gone || !placed[i].has_traps || in_file < placed[i].module->low ||
            in_file >= placed[i].module->high)
            continue;
        const struct probe_plan_patch *patch = patch_at(placed[i].module, in_file);
        if (patch)
            return placed[i].copies[0] + patch->trampoline;
    }
    return 0;
}

/* The search for the target of a branch takes long; a branch that was found once is remembered. */
enum { REMEMBERED = 4096 };
static struct {
    uintptr_t address, target;
    bool is_call;
} branches[REMEMBERED];

static uintptr_t remembered(uintptr_t address, bool *is_call)
{
    unsigned i = (unsigned)(address >> 2) % REMEMBERED;
    if (__atomic_load_n(&branches[i].address, __ATOMIC_ACQUIRE) != address)
        return 0;
    uintptr_t target = branches[i].target;
    *is_call = branches[i].is_call;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&branches[i].address, __ATOMIC_RELAXED) == address ? target : 0;
}

static void remember(uintptr_t address, uintptr_t target, bool is_call)
{
    static int writing;
    unsigned i = (unsigned)(address >> 2) % REMEMBERED;
    if (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&branches[i].address, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    branches[i].target = target;
    branches[i].is_call = is_call;
    __atomic_store_n(&branches[i].address, address, __ATOMIC_RELEASE);
    __atomic_store_n(&writing, 0, __ATOMIC_RELEASE);
}

void traps_forget(void)
{
    for (unsigned i = 0; i < REMEMBERED && is_ours; i++)
        __atomic_store_n(&branches[i].address, 0, __ATOMIC_RELEASE);
}

/* Where a branch of a trampoline leads that did not reach; 0: it is none. */
static uintptr_t far_target(ucontext_t *context)
{
    bool is_call = false;
    uintptr_t address = place_of(context), target = remembered(address, &is_call);
    uint32_t count = __atomic_load_n(&placed_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && !target; i++) {
        target = trampolines_target(&placed[i], address, &is_call);
        if (target)
            remember(address, target, is_call);
    }
#ifdef __aarch64__
    if (target && is_call)
        context->uc_mcontext.regs[30] = address + 4;
#endif
    return target;
}

static bool has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static void set_mask(const sigset_t *mask)
{
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)mask, 0, 8, 0, 0);
}

static void call_program(int signal, siginfo_t *info, ucontext_t *context)
{
    struct sigaction action = wish;
    uint64_t mask = *(const uint64_t *)(const void *)&context->uc_sigmask |
                    *(const uint64_t *)(const void *)&action.sa_mask;
    if (action.sa_flags & (int)SA_RESETHAND) {
        wish.sa_flags = 0;
        wish.sa_handler = SIG_DFL;
    }
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    set_mask((const sigset_t *)(const void *)&mask);
    action.sa_sigaction(signal, info, context); /* more arguments than it may take do no harm */
}

struct kernel_action { /* as the system call has it */
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
#ifndef __aarch64__
    void (*restorer)(void);
#endif
    uint64_t mask;
};

static void die(void)
{
    struct kernel_action action;
    action.handler = NULL;
    action.flags = 0;
    action.mask = 0;
    probe_finish(PROBE_END_SIGNAL, SIGTRAP);
    system_call(SYS_rt_sigaction, SIGTRAP, (long)&action, 0, 8, 0, 0);
    system_call(SYS_tgkill, system_process(), system_thread(), SIGTRAP, 0, 0, 0);
}

static void on_trap(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    uintptr_t trampoline = info->si_code > 0 ? trampoline_of(place_of(context)) : 0;
    if (trampoline) {
        if (recording)
            __atomic_fetch_add(&recording->traps, 1, __ATOMIC_RELAXED);
        go_on_at(context, trampoline);
    } else if (info->si_code > 0 && (trampoline = far_target(context)))
        go_on_at(context, trampoline);
    else if (has_handler(&wish))
        call_program(signal, info, context);
    else if (wish.sa_handler == SIG_DFL || info->si_code > 0)
        die();
}

void traps_begin(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};
    sigset_t ours;
    if (is_ours)
        return;
    action.sa_sigaction = on_trap;
    if (real()->sigaction(SIGTRAP, &action, &wish) != 0)
        return;
    is_ours = true;
    sigemptyset(&ours);
    sigaddset(&ours, SIGTRAP);
    real()->pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

PROBE_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction changed;
    if (!is_ours)
        return real()->sigaction(signal, action, old);
    if (signal != SIGTRAP) {
        if (action) {
            changed = *action;
            sigdelset(&changed.sa_mask, SIGTRAP);
            action = &changed;
        }
        return real()->sigaction(signal, action, old);
    }
    changed = wish;
    if (action)
        wish = *action;
    if (old)
        *old = changed;
    return 0;
}

/* Other signals are libc's business: siginterrupt changes what signal does. */
#define SET_SIMPLY(name, flags)                                                                              \
    PROBE_EXPORT sighandler_t(name)(int number, sighandler_t handler)                                        \
    {                                                                                                        \
        return is_ours && number == SIGTRAP ? set_simply(number, handler, flags)                             \
                                            : real()->name##_simply(number, handler);                        \
    }
EVERY_SIMPLE_SIGNAL(SET_SIMPLY)

static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t rest;
    bool was_masked = is_masked;
    if (!is_ours || !set)
        goto plain;
    rest = *set;
    bool names_it = sigismember(set, SIGTRAP) == 1;
    if (how != SIG_UNBLOCK)
        sigdelset(&rest, SIGTRAP);
    set = &rest;
    if (how == SIG_SETMASK)
        is_masked = names_it;
    else if (names_it)
        is_masked = how == SIG_BLOCK;
plain:;
    int result = real()->pthread_sigmask(how, set, old);
    if (result == 0 && old && is_ours && was_masked)
        sigaddset(old, SIGTRAP);
    return result;
}

PROBE_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(how, set, old);
}

PROBE_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int error = change_mask(how, set, old);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* Handlers that run meanwhile have this mask. */
PROBE_EXPORT int sigsuspend(const sigset_t *set)
{
    if (!is_ours)
        return real()->sigsuspend(set);
    sigset_t rest = *set;
    sigdelset(&rest, SIGTRAP);
    return real()->sigsuspend(&rest);
}
