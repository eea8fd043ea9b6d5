/* Enters a test with all registers from a struct bench_context (bench.h has the offsets), and leaves it with
   those of the caller.  One thread: the context at hand is a variable.

   AArch64: vector registers with low numbers, which tests have their sources in, are loaded last.  On a Neoverse V1 the
   dozen that was written last before a loop can be read by four instructions a cycle, older ones by two. */
#ifdef __aarch64__
    .text
    .globl bench_enter
    .hidden bench_enter
    .type bench_enter, %function
    .p2align 4
bench_enter:
    hint #34 /* bti c */
    stp x29, x30, [sp, #-160]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x1, sp
    str x1, [x0, #2312]
    adrp x1, bench_current
    str x0, [x1, #:lo12:bench_current]
    add x1, x0, #256
    .irp r, 31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
    ldr q\r, [x1, #64*\r]
    .endr
    ldr x1, [x0, #2320]
    cmp x1, #64
    b.ne 1f
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    .inst 0x2518e3e0 + \r /* ptrue p.b: tests with predicates */
    .endr
1:  ldr x1, [x0, #2304]
    mov sp, x1
    ldr x30, [x0, #2328]
    msr nzcv, xzr
    ldp x2, x3, [x0, #16]
    ldp x4, x5, [x0, #32]
    ldp x6, x7, [x0, #48]
    ldp x8, x9, [x0, #64]
    ldp x10, x11, [x0, #80]
    ldp x12, x13, [x0, #96]
    ldp x14, x15, [x0, #112]
    ldp x16, x17, [x0, #128]
    ldp x18, x19, [x0, #144]
    ldp x20, x21, [x0, #160]
    ldp x22, x23, [x0, #176]
    ldp x24, x25, [x0, #192]
    ldp x26, x27, [x0, #208]
    ldp x28, x29, [x0, #224]
    ldp x0, x1, [x0]
    br x30
    .size bench_enter, .-bench_enter

    .globl bench_leave
    .hidden bench_leave
    .type bench_leave, %function
    .p2align 4
bench_leave:
    hint #36 /* bti j */
    adrp x0, bench_current
    ldr x0, [x0, #:lo12:bench_current]
    str x1, [x0, #2336]
    ldr x1, [x0, #2312]
    mov sp, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #160
    ret
    .size bench_leave, .-bench_leave
#else
    .text
    .globl bench_enter
    .hidden bench_enter
    .type bench_enter, @function
    .p2align 4
bench_enter:
    endbr64
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    stmxcsr (%rsp)
    mov %rsp, 2312(%rdi)
    mov %rdi, bench_current(%rip)
    mov 2328(%rdi), %rax
    mov %rax, bench_target(%rip)
    lea 256(%rdi), %rsi
    mov 2320(%rdi), %rax
    cmp $64, %rax
    je 2f
    cmp $32, %rax
    je 1f
    cmp $8, %rax
    jne 4f
    .irp r, 0,1,2,3,4,5,6,7
    movq \r*64(%rsi), %mm\r
    .endr
    jmp 5f
4:  fninit /* x87: six numbers on the stack */
    .rept 6
    fld1
    .endr
5:  .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups \r*64(%rsi), %xmm\r
    .endr
    jmp 3f
1:  .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovups \r*64(%rsi), %ymm\r
    .endr
    jmp 3f
2:  .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovups \r*64(%rsi), %zmm\r
    .endr
    .irp r, 0,1,2,3,4,5,6,7
    kxnorw %k\r, %k\r, %k\r
    .endr
3:  mov 0(%rdi), %rax
    mov 8(%rdi), %rcx
    mov 16(%rdi), %rdx
    mov 24(%rdi), %rbx
    mov 40(%rdi), %rbp
    mov 48(%rdi), %rsi
    mov 64(%rdi), %r8
    mov 72(%rdi), %r9
    mov 80(%rdi), %r10
    mov 88(%rdi), %r11
    mov 96(%rdi), %r12
    mov 104(%rdi), %r13
    mov 112(%rdi), %r14
    mov 120(%rdi), %r15
    mov 2304(%rdi), %rsp
    mov 56(%rdi), %rdi
    jmp *bench_target(%rip)
    .size bench_enter, .-bench_enter

    .globl bench_leave
    .hidden bench_leave
    .type bench_leave, @function
    .p2align 4
bench_leave:
    endbr64
    mov bench_current(%rip), %rdi
    mov %rcx, 2336(%rdi)
    mov 2312(%rdi), %rsp
    cmpq $16, 2320(%rdi)
    jbe 1f
    vzeroupper
1:  fninit
    ldmxcsr (%rsp)
    cld
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size bench_leave, .-bench_leave

    .local bench_target
    .comm bench_target, 8, 8
#endif
    .local bench_current
    .comm bench_current, 8, 8
    .section .note.GNU-stack, "", %progbits
