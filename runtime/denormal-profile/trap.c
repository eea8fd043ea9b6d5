/* SIGFPE and SIGTRAP.

   An SSE instruction that meets a denormal operand faults before it has done anything.  The handler counts,
   masks that exception in the saved MXCSR, sets the trap flag and returns: the instruction runs, and SIGTRAP
   comes after it, where everything is put back.  The underflow exception stays unmasked for the step, so an
   instruction with a denormal operand and a result that underflows faults twice and is counted as both.

   Where it can be done, the second signal is spared: the instruction runs as a copy in a stub (stubs.c),
   which puts MXCSR right by itself.  A fault inside of the stub is the second of those two.

   The flags of the two exceptions are kept clear while they are unmasked: after a fault the flags that are
   set and not masked tell what happened.  What the step leaves in them is what the program would have seen,
   and goes to `hidden`.

   An x87 exception is raised by the next x87 instruction that waits for it; x87.c settles it without a step.

   Whatever is not ours goes to the program (signals.c). */
#include "profile.h"

enum { TRAP_TRACE_CODE = 2 }; /* si_code of a single step */

void trap_count(struct profile_thread *thread, const ucontext_t *context, uintptr_t address, unsigned unit,
                unsigned events, uint64_t entered)
{
    uint64_t now = time_now();
    if (profile_settings.phase_seconds > 0)
        phase_tick();
    struct profile_site *site = site_at(address);
    if (!site)
        return;
    if (site->first == 0)
        site->first = now;
    site->last = now;
    if (!(site->units & unit))
        __atomic_fetch_or(&site->units, unit, __ATOMIC_RELAXED);
    if (events & PROFILE_OPERAND_EVENT) {
        uint64_t earlier = __atomic_fetch_add(&site->operand_events, 1, __ATOMIC_RELAXED);
        if (sample_is_due(earlier))
            sample_operand(context, address, unit, PROFILE_OPERAND_EVENT);
    }
    if (events & PROFILE_UNDERFLOW_EVENT) {
        uint64_t earlier = __atomic_fetch_add(&site->underflow_events, 1, __ATOMIC_RELAXED);
        if (sample_is_due(earlier))
            sample_operand(context, address, unit, PROFILE_UNDERFLOW_EVENT);
    }
    if (!profile_settings.is_exact)
        sleep_count(thread, site, events, entered);
}

/* Puts masks and flags of MXCSR right after a step, or instead of it. */
static void end_step(struct profile_thread *thread, ucontext_t *context)
{
    uint32_t mxcsr = context_mxcsr(context);
    thread->hidden |= mxcsr & thread->owned;
    mxcsr &= ~(uint32_t)thread->owned;
    mxcsr &= ~((uint32_t)thread->stepping << MXCSR_MASK_SHIFT);
    context_set_mxcsr(context, mxcsr);
    thread->stepping = 0;
}

static void begin_step(struct profile_thread *thread, ucontext_t *context, uint32_t mxcsr, unsigned masked)
{
    if (!thread->stepping && !thread->walk)
        thread->program_steps = context_is_stepping(context);
    thread->stepping |= masked;
    mxcsr |= masked << MXCSR_MASK_SHIFT;
    mxcsr &= ~masked;
    context_set_mxcsr(context, mxcsr);
    context_set_stepping(context, true);
}

/* true: the program continues in a stub. */
static bool enter_stub(struct profile_thread *thread, ucontext_t *context, uint32_t mxcsr, unsigned masked)
{
    unsigned enabled = ~(mxcsr >> MXCSR_MASK_SHIFT) & FLAGS_ALL;
    if (thread->stepping || thread->walk || thread->sample || thread->wants_sleep ||
        context_is_stepping(context) || enabled & ~thread->owned)
        return false;
    uintptr_t place = stub_of(context_ip(context));
    if (!place)
        return false;
    thread->in_stub = context_ip(context);
    thread->armed = mxcsr & ~(uint32_t)thread->owned;
    context_set_mxcsr(context, thread->armed | masked << MXCSR_MASK_SHIFT);
    context->uc_mcontext.gregs[REGISTER_IP] = (greg_t)place;
    return true;
}

/* A fault of the copy: its result underflows, after an operand that was denormal.  (Or somebody unmasked the
   operand's exception meanwhile: that was counted.)  It goes on where it is, with both masked, or by a step
   where the result is wanted. */
static void stub_fault(struct profile_thread *thread, ucontext_t *context, unsigned faults, uint64_t entered)
{
    unsigned both = FLAG_DENORMAL | FLAG_UNDERFLOW;
    uintptr_t place = context_ip(context);
    context->uc_mcontext.gregs[REGISTER_IP] = (greg_t)thread->in_stub;
    if (faults & FLAG_UNDERFLOW)
        trap_count(thread, context, thread->in_stub, PROFILE_UNIT_SSE, PROFILE_UNDERFLOW_EVENT, entered);
    if (thread->sample || thread->wants_sleep) {
        begin_step(thread, context, thread->armed, both & thread->owned);
        return;
    }
    context_set_mxcsr(context, thread->armed | both << MXCSR_MASK_SHIFT);
    context->uc_mcontext.gregs[REGISTER_IP] = (greg_t)place;
}

static void program_fault(struct profile_thread *thread, siginfo_t *info, ucontext_t *context, unsigned ours,
                          uint64_t entered)
{
    if (ours)
        trap_count(thread, context, context_ip(context), PROFILE_UNIT_SSE, PROFILE_OPERAND_EVENT, entered);
    if (thread->stepping || thread->walk) {
        thread->walk = 0;
        end_step(thread, context);
        context_set_stepping(context, thread->program_steps);
    }
    signals_pass_on(SIGFPE, info, context);
}

static void sse_fault(struct profile_thread *thread, siginfo_t *info, ucontext_t *context, uint64_t entered)
{
    uint32_t mxcsr = context_mxcsr(context);
    unsigned faults = mxcsr & ~(mxcsr >> MXCSR_MASK_SHIFT) & FLAGS_ALL;
    unsigned ours = faults & thread->owned;
    thread->hidden |= thread->after & FLAGS_ALL;
    thread->after = 0;
    if (thread->in_stub && stub_holds(context_ip(context))) {
        stub_fault(thread, context, faults, entered);
        return;
    }
    if (!ours && !thread->is_watched && faults & (FLAG_DENORMAL | FLAG_UNDERFLOW)) {
        thread_adopt(thread);
        ours = thread->owned = faults & (FLAG_DENORMAL | FLAG_UNDERFLOW);
    }
    if (ours & FLAG_UNDERFLOW && mxcsr & MXCSR_FLUSHES) {
        /* The program switched flushing on, which has no effect while underflow is unmasked: masked again,
           the instruction gives the zero that the program wants. */
        note(PROFILE_NOTE_FLUSHES_LATER, context_ip(context));
        thread->owned &= ~FLAG_UNDERFLOW;
        context_set_mxcsr(context, (mxcsr & ~FLAG_UNDERFLOW) | FLAG_UNDERFLOW << MXCSR_MASK_SHIFT);
        return;
    }
    if (faults & ~ours || !ours) {
        program_fault(thread, info, context, ours, entered);
        return;
    }
    unsigned events =
        (ours & FLAG_DENORMAL ? PROFILE_OPERAND_EVENT : 0) | (ours & FLAG_UNDERFLOW ? PROFILE_UNDERFLOW_EVENT : 0);
    trap_count(thread, context, context_ip(context), PROFILE_UNIT_SSE, events, entered);
    if (!enter_stub(thread, context, mxcsr, ours))
        begin_step(thread, context, mxcsr, ours);
}

void trap_fpe(int signal, siginfo_t *info, void *data)
{
    (void)signal;
    uint64_t entered = ticks_now();
    struct profile_thread *thread = &profile_thread;
    ucontext_t *context = data;
    bool is_fault = info->si_code > 0 && context_image(context);
    if (is_fault && !profile_settings.is_exact)
        sleep_entered(thread, entered);
    if (is_fault && context_trap(context) == TRAP_SSE)
        sse_fault(thread, info, context, entered);
    else if (!(is_fault && context_trap(context) == TRAP_X87 && x87_settle(thread, context, entered)))
        signals_pass_on(SIGFPE, info, context);
    if (!profile_settings.is_exact) {
        if (thread->wants_sleep && !thread->stepping && !thread->walk) {
            sleep_begin(thread);
            arm_show_context(thread, context);
        }
        thread->resumed = ticks_now();
    }
}

void trap_step(int signal, siginfo_t *info, void *data)
{
    (void)signal;
    struct profile_thread *thread = &profile_thread;
    ucontext_t *context = data;
    bool is_ours = (thread->stepping || thread->walk) && info->si_code == TRAP_TRACE_CODE &&
                   context_trap(context) == TRAP_DEBUG;
    if (!is_ours) {
        signals_pass_on(SIGTRAP, info, context);
        return;
    }
    if (thread->sample)
        sample_result(context);
    if (thread->stepping)
        end_step(thread, context);
    bool walks = !profile_settings.is_exact && sleep_walks(thread, context_ip(context));
    if (thread->wants_sleep && !walks) {
        sleep_begin(thread);
        arm_show_context(thread, context);
    }
    context_set_stepping(context, walks || thread->program_steps);
    if (thread->program_steps)
        signals_pass_on(SIGTRAP, info, context);
    if (!profile_settings.is_exact)
        thread->resumed = ticks_now();
}
