/* Things that programs do to themselves: a SIGTRAP handler of their own, writable code, code made at run time.
   Prints a sum, and how many traps it saw. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int traps;

static void on_trap(int number, siginfo_t *facts, void *context)
{
    (void)number, (void)facts;
#ifdef __aarch64__
    ((ucontext_t *)context)->uc_mcontext.pc += 4;
#else
    (void)context;
#endif
    traps++;
}

__attribute__((noinline)) int f(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x * 3 + 1;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    int sum = 0;
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 100; i++)
        sum += f(i);
#ifdef __aarch64__
    __asm__ volatile("brk #7");
    static const uint32_t code[] = {0x11001400, 0xd65f03c0}; /* add w0, w0, #5; ret */
#else
    __asm__ volatile("int3");
    static const unsigned char code[] = {0x8d, 0x47, 0x05, 0xc3}; /* lea eax, [rdi + 5]; ret */
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *place = (void *)((uintptr_t)f & ~(page - 1));
    int failed = mprotect(place, page, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int i = 0; i < 100; i++)
        sum += f(i);
    failed |= mprotect(place, page, PROT_READ | PROT_EXEC);
    char *made = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(made, code, sizeof code);
    __builtin___clear_cache(made, made + sizeof code);
    sum += ((int (*)(int))(uintptr_t)made)(4);
    printf("%d traps %d failed %d\n", sum, traps, failed);
    return 3;
}
