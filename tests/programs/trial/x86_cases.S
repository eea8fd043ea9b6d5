# Cases of a trial: rdi and rsi are arrays of 4096 bytes, rdx a number from 1 to 16, everything else is random.
# r10 and r11 are never used; r15 counts for the probes.
        .intel_syntax noprefix
        .text

# trial_invoke: registers and flags from trial_in, call, registers and flags to trial_out.
        .globl trial_invoke
trial_invoke:
        push rbx
        push rbp
        push r12
        push r13
        push r14
        push r15
        mov saved_stack[rip], rsp
        .set number, 0
        .irp reg, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15
        movups \reg, trial_in[rip + 136 + 16 * number]
        .set number, number + 1
        .endr
        mov rax, trial_in[rip]
        mov rcx, trial_in[rip + 8]
        mov rdx, trial_in[rip + 16]
        mov rbx, trial_in[rip + 24]
        mov rbp, trial_in[rip + 40]
        mov rsi, trial_in[rip + 48]
        mov rdi, trial_in[rip + 56]
        mov r8, trial_in[rip + 64]
        mov r9, trial_in[rip + 72]
        mov r10, trial_in[rip + 80]
        mov r11, trial_in[rip + 88]
        mov r12, trial_in[rip + 96]
        mov r13, trial_in[rip + 104]
        mov r14, trial_in[rip + 112]
        mov r15, trial_in[rip + 120]
        push qword ptr trial_in[rip + 128]
        popfq
        call qword ptr trial_function[rip]
        mov trial_out[rip], rax
        mov trial_out[rip + 8], rcx
        mov trial_out[rip + 16], rdx
        mov trial_out[rip + 24], rbx
        mov trial_out[rip + 32], rsp
        mov trial_out[rip + 40], rbp
        mov trial_out[rip + 48], rsi
        mov trial_out[rip + 56], rdi
        mov trial_out[rip + 64], r8
        mov trial_out[rip + 72], r9
        mov trial_out[rip + 80], r10
        mov trial_out[rip + 88], r11
        mov trial_out[rip + 96], r12
        mov trial_out[rip + 104], r13
        mov trial_out[rip + 112], r14
        mov trial_out[rip + 120], r15
        pushfq
        mov rax, [rsp]
        mov trial_out[rip + 128], rax
        and dword ptr [rsp], ~0x100
        popfq
        cld
        .set number, 0
        .irp reg, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15
        movups trial_out[rip + 136 + 16 * number], \reg
        .set number, number + 1
        .endr
        mov rsp, saved_stack[rip]
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbp
        pop rbx
        ret

# The runtime's entries: they change nothing, or rax and rcx.
        .macro call_c function
        pushfq
        cld
        .irp reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11
        push \reg
        .endr
        mov rbp, rsp
        sub rsp, 512 + 16
        and rsp, -64
        fxsave [rsp]
        call \function
        fxrstor [rsp]
        mov rsp, rbp
        .irp reg, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax
        pop \reg
        .endr
        popfq
        .endm
        .globl trial_full, trial_tally
trial_full:
        call_c trial_drain
        ret
trial_tally:
        push rdi
        push rsi
        mov rdi, rcx
        mov rsi, rax
        call_c trial_note_tally
        pop rsi
        pop rdi
        mov eax, 0x5555
        mov ecx, 0x6666
        ret

        .macro begin name
        .p2align 4
        .globl case_\name
        .type case_\name, @function
case_\name:
        .endm
        .macro end name
        .size case_\name, . - case_\name
        .endm

# Carry goes through a chain of additions, and the bytes below rsp hold something all the time.
        begin flags
        xor eax, eax
        mov [rsp - 8], rdx
        mov [rsp - 128], rsi
        mov ecx, edx
        clc
1:      mov r8, [rdi + rax * 8]
        adc r8, [rsi + rax * 8]
        mov [rdi + rax * 8], r8
        lea rax, [rax + 1]
        dec ecx
        jnz 1b
        setc cl
        seto ch
        lahf
        add rdx, [rsp - 8]
        xor rsi, [rsp - 128]
        ret
        end flags

# Branches over one byte: the window would be too small without the ones around.
        begin short_branches
        test dl, 1
        jz 1f
        inc r8
1:      test dl, 2
        jnz 2f
        dec r9
        nop
2:      cmp dl, 9
        ja 3f
        push rbx
        pop rbx
        ret
3:      pop rax
        push rax
        ret
        end short_branches

# Operands relative to rip, with and without an immediate behind.
        begin relative
        mov rax, trial_data[rip]
        add rax, trial_data[rip + 8]
        cmp dword ptr trial_data[rip + 16], 0x12345678
        sete cl
        cmp byte ptr trial_data[rip + 20], 7
        setb ch
        mov byte ptr trial_data[rip + 24], 9
        mov word ptr trial_data[rip + 26], 0x1234
        mov qword ptr trial_data[rip + 32], -5
        imul r8d, dword ptr trial_data[rip + 40], 1000
        shld trial_data[rip + 48], rax, 5
        movups xmm3, trial_data[rip + 64]
        pshufd xmm4, trial_data[rip + 64], 0x1b
        lea r9, trial_data[rip + 100]
        lea r12, case_relative[rip]
        add trial_data[rip + 80], rdx
        lock xadd trial_data[rip + 88], rbx
        ret
        end relative

# loop, loope, jrcxz, jecxz have one byte for their way.
        begin counting
        mov ecx, edx
        xor eax, eax
1:      add eax, ecx
        loop 1b
        mov ecx, edx
2:      inc eax
        cmp eax, 40
        loopne 2b
        mov rcx, rdx
        and ecx, 3
        jrcxz 3f
        add eax, 100
3:      and ecx, 1
        jecxz 4f
        add eax, 1000
4:      ret
        end counting

# Calls: direct, through a register, through memory, through memory at rsp.
        begin helper
        lea rax, [rax + rdx * 2 + 1]
        ret
        end helper
        begin helper_that_pops
        mov rax, [rsp + 8]
        add rax, rdx
        ret 16
        end helper_that_pops
        begin calls
        push rbx
        call case_helper
        lea rbx, case_helper[rip]
        call rbx
        call pointer_to_helper[rip]
        push rbx
        call [rsp]
        sub rsp, 200
        mov [rsp + 16], rbx
        mov ecx, 2
        call [rsp + rcx * 8]
        mov [rsp + 120], rbx
        call [rsp + 120]
        mov [rsp + 128], rbx
        call [rsp + 128]
        add rsp, 200
        mov [rsp], rdx
        push rdx
        call case_helper_that_pops
        mov r12, rsp
        push rbx
        push 5
        call [rsp + 8]
        pop r13
        pop r13
        pop rbx
        ret
        end calls

# A tail call, direct and through a register.
        begin tail
        test dl, 1
        jz case_helper
        lea rcx, case_helper[rip]
        test dl, 2
        jz 1f
        jmp rcx
1:      jmp case_helper
        end tail

# The first instruction is the head of a loop.
        begin head_first
        add rax, rdx
        dec rdx
        jnz case_head_first
        ret
        end head_first

# The same with a head of one byte.
        begin small_head
        push rdx
        pop rcx
        lea rdx, [rdx - 1]
        test edx, edx
        jne case_small_head
        ret
        end small_head

# A switch through a table, and repeated string instructions; the direction flag.
        begin table
        and edx, 7
        lea rcx, jumps[rip]
        cmp edx, 3
        ja 9f
        movsxd rax, [rcx + rdx * 4]
        add rax, rcx
        jmp rax
1:      mov ecx, 17
        rep movsb
        jmp 9f
2:      std
        mov ecx, 5
        lea rdi, [rdi + 100]
        rep stosb
        cld
        ret
3:      mov ecx, 30
        repne scasb
        ret
4:      xor eax, eax
9:      add eax, 1
        ret
        .section .rodata
        .p2align 2
jumps:  .long 1b - jumps, 2b - jumps, 3b - jumps, 4b - jumps
        .text
        end table

# Frames, enter-like code, leave, wide pushes and pops.
        begin frame
        push rbp
        mov rbp, rsp
        sub rsp, 64
        mov [rbp - 8], rdx
        mov [rsp], rdx
        push qword ptr [rsp]
        pop qword ptr [rsp + 8]
        pushfq
        and dword ptr [rsp], ~0x100         # stepping shows in the flags
        pop rcx
        mov rax, [rbp - 8]
        xchg rax, [rsp + 8]
        leave
        ret
        end frame

# One byte between targets of jumps: only a trap fits.
        begin tight
        mov ecx, edx
1:      nop
2:      nop
        dec ecx
        jz 3f
        test ecx, 1
        jz 1b
        jmp 2b
3:      ret
        end tight

# Vector code and conversions; nothing of it may change.
        begin vectors
        cvtsi2sd xmm0, rdx
        sqrtsd xmm1, xmm0
        mulpd xmm2, xmm1
        addsd xmm0, constant[rip]
        ucomisd xmm0, xmm1
        jp 1f
        ja 2f
1:      pxor xmm5, xmm5
2:      movq rax, xmm0
        cvttsd2si ecx, xmm0
        ret
        end vectors

        .section .rodata
        .p2align 3
constant: .double 2.5
        .data
        .p2align 3
pointer_to_helper: .quad case_helper
saved_stack: .quad 0
        .p2align 6
        .globl trial_data
trial_data:
        .set seed, 1
        .rept 4096
        .byte seed & 255
        .set seed, (seed * 75 + 74) % 65537
        .endr

        .section .data.rel.ro, "aw"
        .p2align 3
        .globl trial_cases
trial_cases:
        .irp name, flags, short_branches, relative, counting, calls, tail, head_first, small_head, table, frame, tight, vectors, c_sort, c_hash, c_text, c_float, c_calls, c_switch
        .quad name_of_\name, case_\name
        .endr
        .quad 0, 0
        .section .rodata
        .irp name, flags, short_branches, relative, counting, calls, tail, head_first, small_head, table, frame, tight, vectors, c_sort, c_hash, c_text, c_float, c_calls, c_switch
name_of_\name: .asciz "\name"
        .endr
        .section .note.GNU-stack, "", @progbits
