/* Functions of x86-64 that run through the no-ops that align the next one, as __memcpy_chk of glibc does. */
#include <stdio.h>

/* FROM adds 0 … count-1 in blocks too short for a jump, and goes on to INTO by way of its no-ops; that one adds 1000.
   Before FROM is code of instructions of 5 bytes each, so that no other spare room is as near. */
#define FALLEN(from, into, end, before)                                                                                           \
    long from(long count);                                                                                                        \
    __asm__(".text\n.rept 32\nmov $1, %eax\n.endr\nret\n.globl " #from "\n.type " #from ", @function\n" #from ":\n"              \
            "mov %edi, %ecx\nxor %eax, %eax\njmp 2f\n1: add %ecx, %eax\n2: dec %ecx\njns 1b\n" end "\n.size " #from ", .-" #from  \
            "\n" before "\n.p2align 6\n.globl " #into "\n.type " #into ", @function\n" #into ":\n"                               \
            "add $1000, %eax\nret\n.size " #into ", .-" #into "\n");

FALLEN(by_branch, behind_branch, "", "")
FALLEN(by_falling, behind_falling, "nop", "")
FALLEN(by_call, behind_call, "call nothing", "")
FALLEN(by_jump, behind_jump, "jmp 3f", "3:")
__asm__("nothing:\nret\n");

int main(void)
{
    static long (*const all[])(long) = {by_branch, by_falling, by_call, by_jump};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        long sum = 0;
        for (int k = 0; k < 100; k++)
            sum += all[i](10);
        printf("%ld ", sum);
    }
    printf("\n");
    return 0;
}
