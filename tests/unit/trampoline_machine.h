/* Runs code with chosen contents of all registers of an AArch64 processor and gives their contents
   afterwards.

   The code starts at trampoline_machine_code and ends with a branch to trampoline_machine_next or
   trampoline_machine_taken. There are the entries of a runtime, too: a full buffer starts again, large
   tallies are noted; both destroy what they may. */
#ifndef TESTS_UNIT_TRAMPOLINE_MACHINE_H
#define TESTS_UNIT_TRAMPOLINE_MACHINE_H
#include <stdint.h>

struct machine_state {
    uint64_t x[31], sp, nzcv, is_taken;
    uint64_t v[32][2];
};

#ifdef __aarch64__
#define HIDDEN __attribute__((visibility("hidden"), used))
enum { MACHINE_CODE_BYTES = 1 << 20 };
HIDDEN uint8_t trampoline_machine_code[MACHINE_CODE_BYTES] __attribute__((aligned(65536)));
HIDDEN struct machine_state trampoline_machine_after;
HIDDEN uint64_t trampoline_machine_saved;
struct machine_runtime {
    uint64_t position; /* address of the runtime's local */
    uint64_t buffer;   /* where the buffer starts again */
    uint64_t full_calls, tally_calls, tally, iterations;
};
HIDDEN struct machine_runtime trampoline_machine_runtime;

void trampoline_machine_run(const struct machine_state *before);
extern const uint8_t trampoline_machine_next[], trampoline_machine_taken[], trampoline_machine_full[],
    trampoline_machine_large[];

__asm__(".text\n"
        ".macro vectors operation\n"
        "  \\operation q0, q1, [x0, #272]\n"
        "  \\operation q2, q3, [x0, #304]\n"
        "  \\operation q4, q5, [x0, #336]\n"
        "  \\operation q6, q7, [x0, #368]\n"
        "  \\operation q8, q9, [x0, #400]\n"
        "  \\operation q10, q11, [x0, #432]\n"
        "  \\operation q12, q13, [x0, #464]\n"
        "  \\operation q14, q15, [x0, #496]\n"
        "  \\operation q16, q17, [x0, #528]\n"
        "  \\operation q18, q19, [x0, #560]\n"
        "  \\operation q20, q21, [x0, #592]\n"
        "  \\operation q22, q23, [x0, #624]\n"
        "  \\operation q24, q25, [x0, #656]\n"
        "  \\operation q26, q27, [x0, #688]\n"
        "  \\operation q28, q29, [x0, #720]\n"
        "  \\operation q30, q31, [x0, #752]\n"
        ".endm\n"
        ".macro generals operation\n"
        "  \\operation x2, x3, [x0, #16]\n"
        "  \\operation x4, x5, [x0, #32]\n"
        "  \\operation x6, x7, [x0, #48]\n"
        "  \\operation x8, x9, [x0, #64]\n"
        "  \\operation x10, x11, [x0, #80]\n"
        "  \\operation x12, x13, [x0, #96]\n"
        "  \\operation x14, x15, [x0, #112]\n"
        "  \\operation x16, x17, [x0, #128]\n"
        "  \\operation x18, x19, [x0, #144]\n"
        "  \\operation x20, x21, [x0, #160]\n"
        "  \\operation x22, x23, [x0, #176]\n"
        "  \\operation x24, x25, [x0, #192]\n"
        "  \\operation x26, x27, [x0, #208]\n"
        "  \\operation x28, x29, [x0, #224]\n"
        ".endm\n"
        ".macro callee_saved operation\n"
        "  \\operation x19, x20, [sp, #16]\n"
        "  \\operation x21, x22, [sp, #32]\n"
        "  \\operation x23, x24, [sp, #48]\n"
        "  \\operation x25, x26, [sp, #64]\n"
        "  \\operation x27, x28, [sp, #80]\n"
        "  \\operation d8, d9, [sp, #96]\n"
        "  \\operation d10, d11, [sp, #112]\n"
        "  \\operation d12, d13, [sp, #128]\n"
        "  \\operation d14, d15, [sp, #144]\n"
        ".endm\n"
        ".globl trampoline_machine_run\n"
        "trampoline_machine_run:\n"
        "  stp x29, x30, [sp, #-160]!\n"
        "  callee_saved stp\n"
        "  adrp x1, trampoline_machine_saved\n"
        "  mov x2, sp\n"
        "  str x2, [x1, #:lo12:trampoline_machine_saved]\n"
        "  vectors ldp\n"
        "  ldr x1, [x0, #256]\n"
        "  msr nzcv, x1\n"
        "  ldr x1, [x0, #248]\n"
        "  mov sp, x1\n"
        "  generals ldp\n"
        "  ldr x30, [x0, #240]\n"
        "  ldp x0, x1, [x0]\n"
        "  b trampoline_machine_code\n"
        ".globl trampoline_machine_next\n"
        "trampoline_machine_next:\n"
        "  stp x0, x1, [sp, #-16]!\n"
        "  mov x1, #0\n"
        "  b 1f\n"
        ".globl trampoline_machine_taken\n"
        "trampoline_machine_taken:\n"
        "  stp x0, x1, [sp, #-16]!\n"
        "  mov x1, #1\n"
        "1:\n"
        "  adrp x0, trampoline_machine_after\n"
        "  add x0, x0, #:lo12:trampoline_machine_after\n"
        "  str x1, [x0, #264]\n"
        "  generals stp\n"
        "  str x30, [x0, #240]\n"
        "  mrs x1, nzcv\n"
        "  str x1, [x0, #256]\n"
        "  vectors stp\n"
        "  ldp x2, x3, [sp], #16\n"
        "  stp x2, x3, [x0]\n"
        "  mov x1, sp\n"
        "  str x1, [x0, #248]\n"
        "  adrp x1, trampoline_machine_saved\n"
        "  ldr x1, [x1, #:lo12:trampoline_machine_saved]\n"
        "  mov sp, x1\n"
        "  callee_saved ldp\n"
        "  ldp x29, x30, [sp], #160\n"
        "  ret\n"
        ".globl trampoline_machine_full\n"
        "trampoline_machine_full:\n"
        "  stp x0, x1, [sp, #-16]!\n"
        "  adrp x16, trampoline_machine_runtime\n"
        "  add x16, x16, #:lo12:trampoline_machine_runtime\n"
        "  ldr x0, [x16, #16]\n"
        "  add x0, x0, #1\n"
        "  str x0, [x16, #16]\n"
        "  ldp x0, x1, [x16]\n"
        "  str x1, [x0]\n"
        "  ldp x0, x1, [sp], #16\n"
        "  mov x16, #12345\n"
        "  mov x17, #54321\n"
        "  ret\n"
        ".globl trampoline_machine_large\n"
        "trampoline_machine_large:\n"
        "  stp x0, x1, [sp, #-16]!\n"
        "  adrp x0, trampoline_machine_runtime\n"
        "  add x0, x0, #:lo12:trampoline_machine_runtime\n"
        "  stp x16, x17, [x0, #32]\n"
        "  ldr x1, [x0, #24]\n"
        "  add x1, x1, #1\n"
        "  str x1, [x0, #24]\n"
        "  ldp x0, x1, [sp], #16\n"
        "  mov x16, #12345\n"
        "  mov x17, #54321\n"
        "  ret\n");
#endif
#endif
