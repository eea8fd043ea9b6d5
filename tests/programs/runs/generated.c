/* Half of the time in code that the program makes at run time: a loop that counts down. */
#include "own_clock.h"
#include <string.h>
#include <sys/mman.h>

#ifdef __aarch64__
static const unsigned code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0}; /* subs x0, x0, #1; b.ne; ret */
#else
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3}; /* dec rdi; jne; ret */
#endif
__attribute__((noinline)) double plain(double x, long n)
{
    for (long i = 0; i < n; i++)
        x = x * 0.999999 + 0.5;
    return x;
}
int main(int argc, char **argv)
{
    double wanted = argc > 1 ? atof(argv[1]) : 1, made = 0, own = 0, x = 1;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 2;
    memcpy(memory, code, sizeof code);
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
        return 2;
    __builtin___clear_cache(memory, (char *)memory + sizeof code);
    void (*count_down)(long);
    memcpy(&count_down, &memory, sizeof memory);
    while (made + own < wanted) {
        double a = own_seconds();
        count_down(300000);
        double b = own_seconds();
        x = plain(x, 100000);
        made += b - a;
        own += own_seconds() - b;
    }
    printf("made %g\nplain %g\n", made, own);
    return x == 0;
}
