/* Instructions of x86-64 that may leave the register alone that they are said to write: what was there before is the result. */
#include <stdio.h>

/* The function gets 0 in rdi, rcx and rax, sets the register to 77, and returns it; `before` in between makes the flags or operands. */
#define KEPT(name, reg, before, instruction)                                                                                      \
    long name(long zero);                                                                                                         \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                                                   \
            "xor %eax, %eax\nxor %ecx, %ecx\n" before "\nmov $77, %" #reg "\nnop\n" instruction "\nnop\n"                         \
            "mov %" #reg ", %rax\nret\n.size " #name ", .-" #name "\n");

KEPT(bsf, rcx, "", "bsf %rdi, %rcx")
KEPT(bsr, rdx, "", "bsr %rdi, %rdx")
KEPT(lar, rcx, "", "lar %edi, %ecx")
KEPT(lsl, rsi, "", "lsl %edi, %esi")
KEPT(cmov, rcx, "test %edi, %edi", "cmovne %rdi, %rcx")
KEPT(shift, rdx, "", "shl %cl, %rdx")
KEPT(double_shift, rdx, "", "shld %cl, %rdi, %rdx")
KEPT(repeated, rdi, "", "rep stosb")
KEPT(exchange, rax, "push $77", "cmpxchg %rcx, (%rsp)\npop %rdx")
KEPT(shadow, rcx, "", "rdsspq %rcx")
KEPT(shadow32, rdx, "", "rdsspd %edx")

/* The same for flags: the carry stays. */
#define CARRIED(name, instruction)                                                                                                \
    long name(long zero);                                                                                                         \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                                                   \
            "xor %ecx, %ecx\nmov $76, %eax\nstc\nnop\n" instruction "\nnop\n"                                                     \
            "adc %rcx, %rax\nret\n.size " #name ", .-" #name "\n");

CARRIED(carry_by_shift, "shl %cl, %rdx")
CARRIED(carry_by_rotation, "ror %cl, %edx")
CARRIED(carry_by_double_shift, "shrd %cl, %rdi, %rdx")
CARRIED(carry_by_increment, "inc %edx")
CARRIED(carry_by_comparison, "repe cmpsb")

/* As the unwinder has it: without a shadow stack nothing is dropped from it. */
long unwinder(long zero);
__asm__(".text\n.globl unwinder\n.type unwinder, @function\nunwinder:\n"
        "xor %eax, %eax\nrdsspq %rax\ntest %rax, %rax\nje 1f\nret\n1: mov $77, %eax\nret\n.size unwinder, .-unwinder\n");

int main(void)
{
    static long (*const all[])(long) = {bsf, bsr, lar, lsl, cmov, shift, double_shift, repeated, exchange, shadow, shadow32,
                                        carry_by_shift, carry_by_rotation, carry_by_double_shift, carry_by_increment,
                                        carry_by_comparison, unwinder};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        long sum = 0;
        for (int k = 0; k < 100; k++)
            sum += all[i](0);
        printf("%ld ", sum);
    }
    printf("\n");
    return 0;
}
