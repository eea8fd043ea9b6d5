/* Signals: pages that are used for the first time, and the ends of a call that does not come back.

   While pages are watched, none of them may be used.  A fault marks its page as touched and lets it be read
   and executed as the process could; a fault on such a page is a write.  Anything else is an end, and the
   answer says which; a trial just comes back.  Handlers run on a stack of their own: the captured one may be what faulted. */
#include "runtime/replay/replay.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/time.h>
#include <ucontext.h>

struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static uint8_t handler_stack[65536] __attribute__((aligned(64)));

static uint64_t instruction_of(const ucontext_t *context)
{
#ifdef __aarch64__
    return context->uc_mcontext.pc;
#else
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#endif
}

static bool ends_trial(ucontext_t *context)
{
    if (!replay.is_trial)
        return false;
    replay.has_trial_failed = true;
#ifdef __aarch64__
    context->uc_mcontext.pc = (uint64_t)replay_leave;
#else
    context->uc_mcontext.gregs[REG_RIP] = (long long)replay_leave;
#endif
    return true;
}

static int rights_of(const struct codelet_region *region, bool may_write)
{
    return (region->rights & codelet_READ ? PROT_READ : 0) |
           (may_write && region->rights & codelet_WRITE ? PROT_WRITE : 0) |
           (region->rights & codelet_EXECUTE ? PROT_EXEC : 0);
}

/* A kernel that has no room for so many ranges: the whole region counts as used. */
static void open_region(const struct replay_region *region)
{
    const struct codelet_region *facts = region->facts;
    bool may_write = facts->rights & codelet_WRITE;
    for (uint64_t page = facts->start; page < facts->end; page += replay.page_size)
        if (!replay_is_dropped(page))
            replay.states[region->first_page + (page - facts->start) / replay.page_size] |=
                (uint8_t)(page_TOUCHED | (may_write ? page_WRITTEN : 0));
    long result = system_protect(facts->start, facts->end - facts->start, rights_of(facts, true));
    if (system_failed(result))
        replay_fail(replay_step_MEMORY, result);
}

/* false: this use of the page is not what the process could do. */
static bool open_page(uint64_t address)
{
    uint64_t page = address / replay.page_size * replay.page_size;
    const struct replay_region *region = replay_region_at(address);
    if (!region || region->facts->kind == codelet_UNREADABLE || replay_is_dropped(page))
        return false;
    uint8_t *state = replay_state_at(page);
    uint8_t wanted = *state & page_TOUCHED ? page_WRITTEN : page_TOUCHED;
    if (*state & wanted || (wanted == page_WRITTEN && !(region->facts->rights & codelet_WRITE)) ||
        !(region->facts->rights & codelet_READ))
        return false;
    *state |= wanted;
    if (system_failed(
            system_protect(page, replay.page_size, rights_of(region->facts, wanted == page_WRITTEN))))
        open_region(region);
    return true;
}

static void on_fault(int signal, siginfo_t *facts, void *context)
{
    uint64_t address = (uint64_t)facts->si_addr;
    bool has_address = signal == SIGSEGV || signal == SIGBUS;
    if (signal == SIGSEGV && replay.is_tracing && open_page(address))
        return;
    if (ends_trial(context))
        return;
    replay.answer.address = has_address ? address : 0;
    replay.answer.instruction = instruction_of(context);
    const struct replay_region *region = has_address ? replay_region_at(address) : NULL;
    bool is_unsaved = region && (region->facts->kind == codelet_UNREADABLE ||
                                 replay_is_dropped(address / replay.page_size * replay.page_size));
    replay_finish(is_unsaved ? replay_end_UNSAVED : replay_end_SIGNAL, signal);
}

/* To wake threads of a process that has no other ones does nothing: OpenMP with one thread does so. */
static bool is_vain(int number, ucontext_t *context)
{
#ifdef __aarch64__
    uint64_t operation = context->uc_mcontext.regs[1];
#else
    uint64_t operation = (uint64_t)context->uc_mcontext.gregs[REG_RSI];
#endif
    operation &= FUTEX_CMD_MASK;
    if (number != SYS_futex || replay.header->threads != 1 ||
        (operation != FUTEX_WAKE && operation != FUTEX_WAKE_BITSET))
        return false;
#ifdef __aarch64__
    context->uc_mcontext.regs[0] = 0;
#else
    context->uc_mcontext.gregs[REG_RAX] = 0;
#endif
    return true;
}

static bool is_about_memory(long number, ucontext_t *context)
{
    uint64_t words[5];
    long result;
#ifdef __aarch64__
    for (unsigned i = 0; i < 5; i++)
        words[i] = context->uc_mcontext.regs[i];
#else
    static const int places[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
    for (unsigned i = 0; i < 5; i++)
        words[i] = (uint64_t)context->uc_mcontext.gregs[places[i]];
#endif
    if (!replay_kernel_memory(number, words, &result))
        return false;
#ifdef __aarch64__
    context->uc_mcontext.regs[0] = (uint64_t)result;
#else
    context->uc_mcontext.gregs[REG_RAX] = result;
#endif
    return true;
}

static void on_system_call(int signal, siginfo_t *facts, void *context)
{
    (void)signal;
    if (is_vain(facts->si_syscall, context) || is_about_memory(facts->si_syscall, context) ||
        ends_trial(context))
        return;
    replay.answer.instruction = instruction_of(context);
    replay_finish(replay_end_SYSTEM, facts->si_syscall);
}

static void on_time(int signal, siginfo_t *facts, void *context)
{
    (void)signal, (void)facts;
    if (ends_trial(context))
        return;
    replay.answer.instruction = instruction_of(context);
    replay_finish(replay_end_SLOW, 0);
}

void replay_take_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    stack_t stack;
    stack.ss_sp = handler_stack;
    stack.ss_size = sizeof handler_stack;
    stack.ss_flags = 0;
    long result = system_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < 7 && !system_failed(result); i++) {
        struct kernel_action action;
        action.handler = i < 5 ? on_fault : i == 5 ? on_system_call : on_time;
        action.flags = SA_SIGINFO | SA_ONSTACK | 0x04000000; /* SA_RESTORER */
        action.restorer = replay_restorer;
        action.mask = 0;
        int signal = i < 5 ? faults[i] : i == 5 ? SIGSYS : SIGPROF;
        result = system_call(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
    }
    if (system_failed(result))
        replay_fail(replay_step_SIGNALS, result);
}

static void protect_all(bool is_watched)
{
    for (uint64_t i = 0; i < replay.region_count; i++) {
        const struct codelet_region *region = &replay.regions[i];
        if (region->kind == codelet_UNREADABLE)
            continue;
        long result = system_protect(region->start, region->end - region->start,
                                     is_watched ? PROT_NONE : rights_of(region, true));
        if (system_failed(result))
            replay_fail(replay_step_MEMORY, result);
    }
}

/* Pages that were dropped have no contents: they stay closed. */
static void close_dropped(void)
{
    for (uint64_t i = 0; i < replay.header->stretches.count; i++) {
        const struct codelet_stretch *stretch = &replay.stretches[i];
        if (!stretch->offset && system_failed(system_protect(stretch->address, stretch->bytes, PROT_NONE)))
            replay_fail(replay_step_MEMORY, -ENOMEM);
    }
}

void replay_watch_pages(void)
{
    for (uint64_t i = 0; i < replay.page_count; i++)
        replay.states[i] &= (uint8_t) ~(page_TOUCHED | page_WRITTEN);
    protect_all(true);
    replay.is_tracing = true;
}

void replay_unwatch_pages(void)
{
    replay.is_tracing = false;
    protect_all(false);
    close_dropped();
}

void replay_limit_time(double seconds)
{
    struct itimerval limit;
    limit.it_interval.tv_sec = limit.it_interval.tv_usec = 0;
    limit.it_value.tv_sec = (long)seconds;
    limit.it_value.tv_usec = (long)((seconds - (double)(long)seconds) * 1e6);
    system_call(SYS_setitimer, ITIMER_PROF, (long)&limit, 0, 0, 0, 0);
}
