/* Assembly with the short instructions of 1978: lods, stos and loop are microcode.
   build x86-64: gcc -O2
   says: front-end potential intrinsics
   remedy: front-end intrinsics -DREMEDY
   measured: front-end intrinsics golden-cove 5.50 */
typedef unsigned long number;
#include "arrays.h"

KERNEL void kernel(unsigned long *to, const unsigned long *from, long n)
{
#ifdef REMEDY
    __asm__ volatile("1: mov (%1), %%rax\n"
                     "   add $8, %1\n"
                     "   xor $0x55, %%rax\n"
                     "   mov %%rax, (%0)\n"
                     "   add $8, %0\n"
                     "   dec %2\n"
                     "   jnz 1b\n"
                     : "+D"(to), "+S"(from), "+c"(n)
                     :
                     : "rax", "memory", "cc");
#else
    __asm__ volatile("1: lodsq\n"
                     "   xor $0x55, %%rax\n"
                     "   stosq\n"
                     "   loop 1b\n"
                     : "+D"(to), "+S"(from), "+c"(n)
                     :
                     : "rax", "memory", "cc");
#endif
}

void run(void)
{
    kernel(y, x, N);
}
