/* The handler of the timer's signal.

   It calls no function of libc and keeps errno.  The stack is copied by the kernel (process_vm_readv), which
   stops where memory ends: stacks of coroutines and alternate signal stacks have bounds that nobody knows.
   Where that call is forbidden, or an emulator does not know it, each page is tried first by a system call
   that reads from it and fails. */
#include "runtime/sample/sample.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <ucontext.h>

static const uintptr_t PAGE = 4096; /* larger ones consist of these */

#ifdef __aarch64__
enum { REGISTER_SP = 31, REGISTER_PC = 32 };
static void copy_registers(uint64_t *to, const ucontext_t *context)
{
    for (unsigned i = 0; i < 31; i++)
        to[i] = context->uc_mcontext.regs[i];
    to[REGISTER_SP] = context->uc_mcontext.sp;
    to[REGISTER_PC] = context->uc_mcontext.pc;
}

/* As they are at the first instruction of the function that one of ours stands in for. */
static void stand_in(uint64_t *registers, const struct standing *standing)
{
    registers[29] = standing->caller_frame;
    registers[30] = standing->return_address;
    registers[REGISTER_SP] = standing->top;
    registers[REGISTER_PC] = standing->function;
}
#else
enum { REGISTER_SP = 7, REGISTER_PC = 16 };
static void copy_registers(uint64_t *to, const ucontext_t *context)
{
    static const uint8_t order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < sizeof order; i++)
        to[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    for (unsigned i = sizeof order; i < SAMPLE_REGISTERS; i++)
        to[i] = 0;
}

static void stand_in(uint64_t *registers, const struct standing *standing)
{
    registers[6] = standing->caller_frame;
    registers[REGISTER_SP] = standing->top - 8; /* the return address is there */
    registers[REGISTER_PC] = standing->function;
}
#endif

static bool is_our_code(uint64_t address)
{
    extern const char __ehdr_start __attribute__((visibility("hidden")));
    extern const char _end __attribute__((visibility("hidden")));
    return address >= (uintptr_t)&__ehdr_start && address < (uintptr_t)&_end;
}

/* The call knows no such way to change a mask, but looks at the mask first. */
static bool is_readable(uintptr_t address)
{
    return system_call(SYS_rt_sigprocmask, 0x7fff, (long)address, 0, 8, 0, 0) != -EFAULT;
}

static uint32_t copy_pages(uint8_t *to, uintptr_t from, uint32_t size)
{
    uint32_t done = 0;
    while (done < size && is_readable((from + done) & ~(uintptr_t)7)) {
        uint32_t left = (uint32_t)(PAGE - (from + done) % PAGE);
        uint32_t count = left < size - done ? left : size - done;
        bytes_copy(to + done, (const void *)(from + done), count);
        done += count;
    }
    return done;
}

static uint32_t copy_stack(uint8_t *to, uintptr_t from, uint32_t size)
{
    static bool is_forbidden;
    struct iovec into = {to, size}, out_of = {(void *)from, size};
    if (!size)
        return 0;
    if (!is_forbidden) {
        long got = system_call(SYS_process_vm_readv, ring->process, (long)&into, 1, (long)&out_of, 1, 0);
        if (!system_failed(got))
            return (uint32_t)got;
        if (got == -EFAULT)
            return 0;
        is_forbidden = true;
    }
    return copy_pages(to, from, size);
}

static void write_sample(const ucontext_t *context)
{
    struct thread *thread = &sample_thread;
    uint64_t ran = thread_ran(), since = ran - thread->ran, position;
    uint32_t size = (uint32_t)sizeof(struct sample_taken) + settings.stack;
    thread->ran = ran;
    struct sample_taken *taken = ring_take(size, &position);
    if (!taken)
        return;
    taken->thread = thread->number;
    taken->time = system_nanoseconds();
    taken->ran = since;
    copy_registers(taken->registers, context);
    if (thread->standing.function && is_our_code(taken->registers[REGISTER_PC]))
        stand_in(taken->registers, &thread->standing);
    taken->stack_address = taken->registers[REGISTER_SP];
    taken->stack_size = copy_stack((uint8_t *)(taken + 1), taken->stack_address, settings.stack);
    system_call(SYS_prctl, PR_GET_NAME, (long)taken->name, 0, 0, 0, 0);
    ring_finish(taken, position, size, SAMPLE_TAKEN);
}

void take_sample(int signal, siginfo_t *info, void *context)
{
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &ring) {
        signals_pass_on(signal, info, context);
        return;
    }
    if (!sample_thread.number || !ring || !ring_has_room())
        return;
    maps_write();
    write_sample(context);
}
