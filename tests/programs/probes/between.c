/* Functions written by hand that hand numbers over in x16 and x17, as OpenSSL's elliptic curves do.  Prints 4950 and a
   number that depends on every call. */
#include <stdint.h>
#include <stdio.h>

__asm__(".text\n"
        ".type add_to, %function\n"
        "add_to:\n" /* x17 += x16 */
        "    add x17, x17, x16\n"
        "    ret\n"
        ".size add_to, .-add_to\n"
        ".globl add_up\n"
        ".type add_up, %function\n"
        "add_up:\n" /* of 0 … x0 - 1 */
        "    stp x29, x30, [sp, #-16]!\n"
        "    mov x29, sp\n"
        "    mov x16, x0\n"
        "    mov x17, #0\n"
        "1:  cbz x16, 2f\n"
        "    sub x16, x16, #1\n"
        "    bl add_to\n"
        "    add x17, x17, #0\n"
        "    b 1b\n"
        "2:  mov x0, x17\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        ".size add_up, .-add_up\n");

uint64_t add_up(uint64_t count);

int main(void)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i < 300; i++)
        all = all * 3 + add_up(i);
    printf("%llu %llu\n", (unsigned long long)add_up(100), (unsigned long long)all);
    return 0;
}
