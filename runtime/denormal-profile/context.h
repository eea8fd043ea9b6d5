/* The state of the interrupted code in a signal handler, with one interface for x86-64 and i386.

   The kernel keeps the registers in a frame on the stack and puts them back when the handler returns.  On
   i386 the x87 part is there twice: in the old layout, which is the one that is put back, and in the image of
   FXSAVE after it, where MXCSR and the vector registers are. */
#ifndef RUNTIME_DENORMAL_PROFILE_CONTEXT_H
#define RUNTIME_DENORMAL_PROFILE_CONTEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum {
    FLAG_DENORMAL = 0x02,
    FLAG_UNDERFLOW = 0x10,
    FLAGS_ALL = 0x3f,
    MXCSR_ZEROES = 0x40,    /* denormals are zero */
    MXCSR_FLUSHES = 0x8000, /* flush to zero */
    MXCSR_MASK_SHIFT = 7,
    X87_PENDING = 0x8080, /* summary of unmasked flags, and busy */
    EFLAGS_TRAP = 0x100,
    TRAP_DEBUG = 1,
    TRAP_X87 = 16,
    TRAP_SSE = 19,
    FRAME_X87_BYTES = 112, /* i386: the old layout in front of the image */
    IMAGE_MXCSR = 24,
    IMAGE_BYTES = 512
};

#ifdef __x86_64__
enum { REGISTER_IP = REG_RIP, REGISTER_SP = REG_RSP };
#else
enum { REGISTER_IP = REG_EIP, REGISTER_SP = REG_ESP };
#endif

static inline uintptr_t context_ip(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REGISTER_IP];
}

static inline uintptr_t context_sp(const ucontext_t *context)
{
#ifdef __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_UESP];
#endif
}

static inline int context_trap(const ucontext_t *context)
{
    return (int)context->uc_mcontext.gregs[REG_TRAPNO];
}

static inline bool context_is_stepping(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_EFL] & EFLAGS_TRAP;
}

static inline void context_set_stepping(ucontext_t *context, bool on)
{
    if (on)
        context->uc_mcontext.gregs[REG_EFL] |= EFLAGS_TRAP;
    else
        context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)EFLAGS_TRAP;
}

/* NULL: the kernel saved none, or on i386 only the old layout (a processor without SSE). */
static inline uint8_t *context_image(const ucontext_t *context)
{
    uint8_t *state = (uint8_t *)context->uc_mcontext.fpregs;
#ifdef __x86_64__
    return state;
#else
    return state && context->uc_mcontext.fpregs->status >> 16 == 0 ? state + FRAME_X87_BYTES : NULL;
#endif
}

static inline uint32_t context_mxcsr(const ucontext_t *context)
{
    uint32_t value = 0x1f80;
    const uint8_t *image = context_image(context);
    if (image)
        memcpy(&value, image + IMAGE_MXCSR, sizeof value);
    return value;
}

static inline void context_set_mxcsr(ucontext_t *context, uint32_t value)
{
    uint8_t *image = context_image(context);
    if (image)
        memcpy(image + IMAGE_MXCSR, &value, sizeof value);
}

/* Control and status word of x87. */
static inline uint16_t context_control(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.fpregs->cwd;
#else
    return (uint16_t)context->uc_mcontext.fpregs->cw;
#endif
}

static inline void context_set_control(ucontext_t *context, uint16_t value)
{
#ifdef __x86_64__
    context->uc_mcontext.fpregs->cwd = value;
#else
    context->uc_mcontext.fpregs->cw = (context->uc_mcontext.fpregs->cw & ~0xfffful) | value;
#endif
}

static inline uint16_t context_status(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.fpregs->swd;
#else
    return (uint16_t)context->uc_mcontext.fpregs->sw;
#endif
}

static inline void context_set_status(ucontext_t *context, uint16_t value)
{
#ifdef __x86_64__
    context->uc_mcontext.fpregs->swd = value;
#else
    context->uc_mcontext.fpregs->sw = (context->uc_mcontext.fpregs->sw & ~0xfffful) | value;
#endif
}

/* The last x87 instruction that was not a control instruction, and its memory operand. */
static inline uintptr_t context_x87_instruction(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.fpregs->rip;
#else
    return context->uc_mcontext.fpregs->ipoff;
#endif
}

static inline uintptr_t context_x87_data(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.fpregs->rdp;
#else
    return context->uc_mcontext.fpregs->dataoff;
#endif
}

/* The ten bytes of st(number). */
static inline uint8_t *context_stack_register(const ucontext_t *context, unsigned number)
{
    return (uint8_t *)&context->uc_mcontext.fpregs->_st[number];
}

static inline uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}
#endif
