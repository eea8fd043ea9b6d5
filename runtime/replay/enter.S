/* The way into a captured call and back: all registers from the codelet, its stack, and a return address that
   leads here.  The clock is read as late and as early as possible.  replay.h has the offsets of the context. */
#ifdef __aarch64__
    .text
    .globl _start
_start:
    mov x0, sp
    adrp x1, replay_stack_top
    add x1, x1, #:lo12:replay_stack_top
    mov sp, x1
    mov x29, #0
    mov x30, #0
    bl replay_main
    brk #1

    .globl replay_restorer
replay_restorer:
    mov x8, #139 /* rt_sigreturn */
    svc #0

    .globl replay_empty
    .p2align 6
replay_empty:
    ret

    .globl replay_enter
    .type replay_enter, %function
    .p2align 6
replay_enter:
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
    adrp x0, replay_context
    add x0, x0, #:lo12:replay_context
    mov x1, sp
    str x1, [x0, #24]
    ldr x1, [x0, #32]
    add x2, x1, #512
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ldr q\r, [x2, #16*\r]
    .endr
    ldr x2, [x1, #280]
    msr fpsr, x2
    ldr x2, [x1, #288]
    msr fpcr, x2
    ldr x2, [x1, #248]
    mov sp, x2
    ldp x2, x3, [x1, #16]
    ldp x4, x5, [x1, #32]
    ldp x6, x7, [x1, #48]
    ldp x8, x9, [x1, #64]
    ldp x10, x11, [x1, #80]
    ldp x12, x13, [x1, #96]
    ldp x14, x15, [x1, #112]
    ldp x18, x19, [x1, #144]
    ldp x20, x21, [x1, #160]
    ldp x22, x23, [x1, #176]
    ldp x24, x25, [x1, #192]
    ldp x26, x27, [x1, #208]
    ldp x28, x29, [x1, #224]
    ldr x16, [x0, #0]
    adrp x30, replay_leave
    add x30, x30, #:lo12:replay_leave
    ldp x0, x1, [x1]
    msr nzcv, xzr
    isb
    mrs x17, cntvct_el0
    stp x16, x17, [sp, #-16] /* below the stack pointer is nobody's */
    adrp x16, replay_context
    add x16, x16, #:lo12:replay_context
    str x17, [x16, #8]
    ldr x16, [sp, #-16]
    br x16
    .size replay_enter, .-replay_enter

    .globl replay_leave
    .type replay_leave, %function
replay_leave:
    isb
    mrs x16, cntvct_el0
    adrp x17, replay_context
    add x17, x17, #:lo12:replay_context
    str x16, [x17, #16]
    stp x0, x1, [x17, #64]
    str q0, [x17, #80]
    str q1, [x17, #96]
    str q2, [x17, #112]
    str q3, [x17, #128]
    ldr x16, [x17, #24]
    mov sp, x16
    msr fpcr, xzr
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
    .size replay_leave, .-replay_leave
#else
    .text
    .globl _start
_start:
    mov %rsp, %rdi
    lea replay_stack_top(%rip), %rsp
    xor %ebp, %ebp
    call replay_main
    ud2

    .globl replay_restorer
replay_restorer:
    mov $15, %eax /* rt_sigreturn */
    syscall

    .globl replay_empty
    .p2align 6
replay_empty:
    ret

    .globl replay_enter
    .type replay_enter, @function
    .p2align 6
replay_enter:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    lea replay_context(%rip), %rbx
    mov %rsp, 24(%rbx)
    mov 32(%rbx), %rsi
    mov 40(%rbx), %eax
    mov 44(%rbx), %edx
    test %eax, %eax
    jz 1f
    xrstor64 192(%rsi)
    jmp 2f
1:  fxrstor64 192(%rsi)
2:  mov 32(%rsi), %rsp
    lea replay_leave(%rip), %rax
    mov %rax, (%rsp)
    mov %rsi, %r11
    lfence
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
    mov %rax, 8(%rbx)
    push 0(%rbx)
    mov 0(%r11), %rax
    mov 8(%r11), %rcx
    mov 16(%r11), %rdx
    mov 24(%r11), %rbx
    mov 40(%r11), %rbp
    mov 48(%r11), %rsi
    mov 56(%r11), %rdi
    mov 64(%r11), %r8
    mov 72(%r11), %r9
    mov 80(%r11), %r10
    mov 96(%r11), %r12
    mov 104(%r11), %r13
    mov 112(%r11), %r14
    mov 120(%r11), %r15
    cld
    ret /* to the target, which was pushed; above it stands the way back */
    .size replay_enter, .-replay_enter

    .globl replay_leave
    .type replay_leave, @function
replay_leave:
    lea replay_context(%rip), %rbx
    mov %rax, 64(%rbx)
    mov %rdx, 72(%rbx)
    rdtscp
    lfence
    shl $32, %rdx
    or %rdx, %rax
    mov %rax, 16(%rbx)
    movups %xmm0, 80(%rbx)
    movups %xmm1, 96(%rbx)
    fnstsw %ax
    and $0x3800, %eax
    jz 3f /* the x87 stack is empty */
    fstpt 144(%rbx)
3:  mov 24(%rbx), %rsp
    fninit
    movl $0x1f80, 4(%rsp)
    ldmxcsr 4(%rsp)
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size replay_leave, .-replay_leave
#endif
    .section .note.GNU-stack,"",%progbits
