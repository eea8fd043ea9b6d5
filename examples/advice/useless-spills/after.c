/* The numbers stay in their registers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static uint64_t x[COUNT], y[COUNT];

/* y[i] = ((x[i] ^ 0x5555) + 17 & ~0xff) + 3, for i from 0 to n - 1; n in rdi, x in rsi, y in rdx. */
__asm__(".text\n"
        ".globl kernel\n"
        ".type kernel, @function\n"
        "kernel:\n"
        "    movq $0x5555, %r8\n"
        "    movq $17, %r9\n"
        "    movq $-256, %r10\n"
        "    movq $3, %r11\n"
        "    xorl %ecx, %ecx\n"
        "    .p2align 5\n"
        "1:  movq (%rsi,%rcx,8), %rax\n"
        "    xorq %r8, %rax\n"
        "    addq %r9, %rax\n"
        "    andq %r10, %rax\n"
        "    addq %r11, %rax\n"
        "    movq %rax, (%rdx,%rcx,8)\n"
        "    addq $1, %rcx\n"
        "    cmpq %rdi, %rcx\n"
        "    jne 1b\n"
        "    ret\n"
        ".size kernel, . - kernel\n");
void kernel(long n, const uint64_t *from, uint64_t *to);

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (uint64_t)i * 2654435761U;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
        sum += y[i];
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
