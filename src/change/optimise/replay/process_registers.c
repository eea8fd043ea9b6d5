/* Registers of a stopped thread, at the first instruction of the call. SVE registers are not taken: they hold
   arguments of functions with vector types alone, which function_symbol.c refuses. AVX-512's are part of what
   XSAVE lays out. */
#include "change/optimise/replay/draft.h"
#include "change/optimise/replay/tracing.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

static bool get_set(pid_t thread, unsigned kind, void *into, size_t *size)
{
    struct iovec place = {into, *size};
    if (ptrace(PTRACE_GETREGSET, thread, kind, &place))
        return false;
    *size = place.iov_len;
    return true;
}

#ifdef __aarch64__
bool draft_take_registers(struct draft *draft, pid_t thread, struct error *error)
{
    struct codelet_aarch64 *registers = &draft->registers.aarch64;
    struct user_pt_regs general;
    struct user_fpsimd_state vectors;
    uint64_t pointer = 0;
    size_t general_size = sizeof general, vector_size = sizeof vectors, pointer_size = sizeof pointer;
    if (!get_set(thread, NT_PRSTATUS, &general, &general_size) ||
        !get_set(thread, NT_PRFPREG, &vectors, &vector_size) ||
        !get_set(thread, NT_ARM_TLS, &pointer, &pointer_size))
        return error_set_errno(error, NULL, "the program's registers cannot be read");
    memcpy(registers->x, general.regs, sizeof registers->x);
    registers->sp = general.sp;
    registers->pc = general.pc;
    registers->flags = general.pstate;
    registers->thread_pointer = pointer;
    registers->fpsr = vectors.fpsr;
    registers->fpcr = vectors.fpcr;
    memcpy(registers->v, vectors.vregs, sizeof registers->v);
    draft->header.isa = codelet_AARCH64;
    draft->header.entry = general.pc;
    draft->header.stack_pointer = general.sp;
    draft->header.thread_pointer = pointer;
    return true;
}
#else
bool draft_take_registers(struct draft *draft, pid_t thread, struct error *error)
{
    struct codelet_x86 *registers = &draft->registers.x86;
    struct user_regs_struct general;
    size_t general_size = sizeof general, extended_size = sizeof registers->extended;
    if (!get_set(thread, NT_PRSTATUS, &general, &general_size))
        return error_set_errno(error, NULL, "the program's registers cannot be read");
    if (!get_set(thread, NT_X86_XSTATE, registers->extended, &extended_size)) {
        extended_size = sizeof registers->extended;
        if (!get_set(thread, NT_PRFPREG, registers->extended, &extended_size))
            return error_set_errno(error, NULL, "the program's vector registers cannot be read");
    }
    registers->extended_size = extended_size;
    registers->rax = general.rax, registers->rcx = general.rcx, registers->rdx = general.rdx;
    registers->rbx = general.rbx, registers->rsp = general.rsp, registers->rbp = general.rbp;
    registers->rsi = general.rsi, registers->rdi = general.rdi, registers->r8 = general.r8;
    registers->r9 = general.r9, registers->r10 = general.r10, registers->r11 = general.r11;
    registers->r12 = general.r12, registers->r13 = general.r13, registers->r14 = general.r14;
    registers->r15 = general.r15, registers->rip = general.rip, registers->flags = general.eflags;
    registers->fs = general.fs_base, registers->gs = general.gs_base;
    draft->header.isa = codelet_X86_64;
    draft->header.entry = general.rip;
    draft->header.stack_pointer = general.rsp;
    draft->header.thread_pointer = general.fs_base;
    return true;
}
#endif
