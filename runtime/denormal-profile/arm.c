/* Turns trapping on and off, and keeps the program's view of its floating-point environment.

   In the program's view, denormal-operand and underflow exceptions are masked, unless it unmasked them
   itself, and flags that the profiler keeps clear (`hidden`) are set. "Show" makes the real environment match
   that view, "take" turns it back into the profiler's; between the two, functions of the C library may change
   the environment freely.

   With flush-to-zero, underflow stays masked (results are zero and cost nothing); with denormals-are-zero,
   operands are never denormal. x87 has neither. */
#include "profile.h"

/* What is unmasked already, and not by us, is the program's. */
static unsigned wanted(const struct profile_thread *thread, uint32_t mxcsr)
{
    unsigned enabled = ~(mxcsr >> MXCSR_MASK_SHIFT) & FLAGS_ALL & ~thread->owned;
    unsigned bits = (FLAG_DENORMAL | FLAG_UNDERFLOW) & ~enabled;
    if (mxcsr & MXCSR_FLUSHES)
        bits &= ~FLAG_UNDERFLOW;
    if (mxcsr & MXCSR_ZEROES)
        bits &= ~FLAG_DENORMAL;
    return bits;
}

static uint32_t read_mxcsr(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

static void write_mxcsr(uint32_t value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value));
}

static uint32_t show_mxcsr(struct profile_thread *thread, uint32_t mxcsr)
{
    mxcsr |= (uint32_t)(thread->owned | thread->stepping) << MXCSR_MASK_SHIFT | thread->hidden |
             (thread->after & FLAGS_ALL);
    thread->owned = 0;
    thread->hidden = 0;
    thread->after = 0;
    return mxcsr;
}

static uint32_t take_mxcsr(struct profile_thread *thread, uint32_t mxcsr)
{
    unsigned bits = wanted(thread, mxcsr);
    thread->hidden |= mxcsr & bits;
    thread->owned = bits;
    return mxcsr & ~(bits | bits << MXCSR_MASK_SHIFT);
}

static void clear_x87_flag(void)
{
    uint32_t environment[7];
    __asm__ volatile("fnstenv %0" : "=m"(environment));
    environment[1] &= ~(uint32_t)FLAG_DENORMAL;
    __asm__ volatile("fldenv %0" : : "m"(environment));
}

void arm_show(struct profile_thread *thread)
{
    if (thread->owns_x87) {
        uint16_t control;
        /* An exception that is pending belongs to an instruction that is not done yet: it must come now. */
        __asm__ volatile("fwait\n\tfnstcw %0" : "=m"(control) : : "memory");
        control |= FLAG_DENORMAL;
        thread->owns_x87 = false;
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
    if (thread->owned | thread->hidden | thread->after)
        write_mxcsr(show_mxcsr(thread, read_mxcsr()));
}

void arm_take(struct profile_thread *thread)
{
    if (!thread->is_watched || thread->is_asleep)
        return;
    uint16_t control, status;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=m"(status));
    if (control & FLAG_DENORMAL) {
        if (status & FLAG_DENORMAL)
            clear_x87_flag();
        control &= ~FLAG_DENORMAL;
        thread->owns_x87 = true;
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
    write_mxcsr(take_mxcsr(thread, read_mxcsr()));
}

void arm_show_context(struct profile_thread *thread, ucontext_t *context)
{
    if (!context_image(context))
        return;
    if (thread->owns_x87) {
        x87_settle(thread, context, ticks_now());
        context_set_control(context, context_control(context) | FLAG_DENORMAL);
        thread->owns_x87 = false;
    }
    context_set_mxcsr(context, show_mxcsr(thread, context_mxcsr(context)));
}

void arm_take_context(struct profile_thread *thread, ucontext_t *context)
{
    if (!thread->is_watched || thread->is_asleep || !context_image(context))
        return;
    uint16_t control = context_control(context), status = context_status(context);
    if (control & FLAG_DENORMAL) {
        context_set_control(context, control & ~FLAG_DENORMAL);
        context_set_status(context, status & ~FLAG_DENORMAL);
        thread->owns_x87 = true;
    }
    context_set_mxcsr(context, take_mxcsr(thread, context_mxcsr(context)));
}

bool arm_is_masked(const struct profile_thread *thread, const ucontext_t *context)
{
    if (thread->is_asleep || thread->stepping || !context_image(context))
        return false;
    uint32_t mxcsr = context_mxcsr(context);
    return mxcsr >> MXCSR_MASK_SHIFT & wanted(thread, mxcsr) & thread->owned ||
           (thread->owns_x87 && context_control(context) & FLAG_DENORMAL);
}

void arm_look_at_start(void)
{
    uint32_t mxcsr = read_mxcsr();
    if (mxcsr & MXCSR_ZEROES)
        note(PROFILE_NOTE_ZEROES_FROM_START, 0);
    else if (mxcsr & MXCSR_FLUSHES)
        note(PROFILE_NOTE_FLUSHES_FROM_START, 0);
    if (mxcsr & (MXCSR_ZEROES | MXCSR_FLUSHES)) {
        arm_show(&profile_thread);
        arm_take(&profile_thread);
    }
}
