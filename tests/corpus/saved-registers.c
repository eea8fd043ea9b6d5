/* Assembly that loads four numbers from the stack in each iteration and stores them back unchanged.
   build x86-64: gcc -O2
   says: useless-spills gain intrinsics
   remedy: useless-spills intrinsics -DREMEDY
   measured: useless-spills intrinsics golden-cove 2.20 */
typedef unsigned long number;
#include "arrays.h"

#ifdef REMEDY
#define LOAD(place, register_)
#define STORE(register_, place)
#else
#define LOAD(place, register_) "movq " place "(%rsp), " register_ "\n"
#define STORE(register_, place) "movq " register_ ", " place "(%rsp)\n"
#endif

/* y[i] = ((x[i] ^ 0x5555) + 17 & ~0xff) + 3, for i from 0 to n - 1; n in rdi, x in rsi, y in rdx. */
__asm__(".text\n"
        ".globl kernel\n"
        ".type kernel, @function\n"
        "kernel:\n"
        "    movl $0x5555, %r8d\n"
        "    movl $17, %r9d\n"
        "    movq $-256, %r10\n"
        "    movl $3, %r11d\n"
        "    movq %r8, -8(%rsp)\n"
        "    movq %r9, -16(%rsp)\n"
        "    movq %r10, -24(%rsp)\n"
        "    movq %r11, -32(%rsp)\n"
        "    xorl %ecx, %ecx\n"
        "    .p2align 5\n"
        "1:  movq (%rsi,%rcx,8), %rax\n"
        LOAD("-8", "%r8") LOAD("-16", "%r9") LOAD("-24", "%r10") LOAD("-32", "%r11")
        "    xorq %r8, %rax\n"
        "    addq %r9, %rax\n"
        "    andq %r10, %rax\n"
        "    addq %r11, %rax\n"
        "    movq %rax, (%rdx,%rcx,8)\n"
        STORE("%r8", "-8") STORE("%r9", "-16") STORE("%r10", "-24") STORE("%r11", "-32")
        "    addq $1, %rcx\n"
        "    cmpq %rdi, %rcx\n"
        "    jne 1b\n"
        "    ret\n"
        ".size kernel, . - kernel\n");
void kernel(long n, const unsigned long *from, unsigned long *to);

void run(void)
{
    kernel(N, x, y);
}
