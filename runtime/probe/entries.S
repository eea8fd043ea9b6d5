/* What trampolines call: everything is kept but what plan_file.h names, the stack is aligned, and a C
   function that uses general registers alone does the work. */
#ifdef __aarch64__
.macro entry name, function
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 4
\name:
    hint #34 /* bti c */
    stp x29, x30, [sp, #-160]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x9, [sp, #80]
    stp x10, x11, [sp, #96]
    stp x12, x13, [sp, #112]
    stp x14, x15, [sp, #128]
    mov x0, x17
    mov x1, x16
    mrs x16, nzcv
    stp x18, x16, [sp, #144]
    bl \function
    ldp x18, x16, [sp, #144]
    msr nzcv, x16
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x8, x9, [sp, #80]
    ldp x10, x11, [sp, #96]
    ldp x12, x13, [sp, #112]
    ldp x14, x15, [sp, #128]
    ldp x29, x30, [sp], #160
    ret
    .size \name, .-\name
.endm
#else
.macro entry name, function
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    endbr64
    pushfq
    push %rax
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    push %rbp
    mov %rsp, %rbp
    and $-16, %rsp
    cld
    mov %rax, %rdi
    mov %rcx, %rsi
    call \function
    mov %rbp, %rsp
    pop %rbp
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rax
    popfq
    ret
    .size \name, .-\name
.endm
#endif
    .text
    entry probe_entry_full, probe_full
    .globl assay_probe_full /* the same for nodes, which the linker binds by name */
    .type assay_probe_full, %function
    .set assay_probe_full, probe_entry_full
    entry probe_entry_tally, probe_tally
#ifndef PROBE_LAUNCHER
    entry probe_entry_loaded, probe_loaded
#endif
#ifdef PROBE_LAUNCHER
    .globl _start
_start:
#ifdef __aarch64__
    mov x29, #0
    mov x30, #0
    mov x0, sp
    bl launcher_begin
    mov x16, x0
    mov x0, #0 /* nothing to be called at the end */
    br x16
#else
    xor %ebp, %ebp
    mov %rsp, %rdi
    call launcher_begin
    xor %edx, %edx /* nothing to be called at the end */
    jmp *%rax
#endif
#endif
    .section .note.GNU-stack, "", %progbits
