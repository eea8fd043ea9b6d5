/* Counts its own calls and prints them: "name calls".  Recursion, tail calls, longjmp, returns in many places,
   a function that starts with a loop, one that never returns. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES(M)                                                                                              \
    M(leaf) M(twice) M(fibonacci) M(even) M(odd) M(many) M(jumps) M(catches) M(loops_at_once) M(by_pointer) M(empty)
#define COUNT(name) static volatile unsigned long count_##name;
NAMES(COUNT)
#define CALLED(name) (count_##name++)
#if defined __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

static jmp_buf back;
static volatile int sink;

APART int leaf(int x)
{
    CALLED(leaf);
    return x + 1;
}
APART int twice(int x)
{
    CALLED(twice);
    return leaf(x) + leaf(x + 1);
}
APART int fibonacci(int n)
{
    CALLED(fibonacci);
    if (n < 2)
        return n;
    int first = fibonacci(n - 1), second = fibonacci(n - 2);
    sink = second; /* the last call is no tail call */
    return first + second;
}
int odd(unsigned n);
APART int even(unsigned n)
{
    CALLED(even);
    if (n == 0)
        return 1;
    return odd(n - 1);
}
APART int odd(unsigned n)
{
    CALLED(odd);
    if (n == 0)
        return 0;
    return even(n - 1);
}
APART int many(int x)
{
    CALLED(many);
    switch (x % 7) {
    case 0: return 3;
    case 1: return sink;
    case 2: return leaf(x);
    case 3: if (x > 100) return x * 3; return x * x;
    case 4: sink = x; return x - 1;
    case 5: for (int i = 0; i < x; i++) if (i * i > x) return i; return -1;
    }
    return x ^ 5;
}
APART void jumps(int x)
{
    CALLED(jumps);
    if (x % 3 == 0)
        longjmp(back, 1);
    sink = x;
}
APART int catches(int x)
{
    CALLED(catches);
    if (setjmp(back))
        return 1;
    jumps(x);
    return 0;
}
/* No frame, and its first instruction may be the head of the loop; it is counted by its caller. */
APART const char *loops_at_once(const char *text)
{
    do
        text++;
    while (*text);
    return text;
}
APART int by_pointer(int x)
{
    CALLED(by_pointer);
    return x * 7;
}
APART void empty(void)
{
    __asm__ volatile("");
}
int (*volatile pointer)(int) = by_pointer;

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++) {
        sum += twice(i) + many(i) + pointer(i);
        sum += catches(i);
        if (i % 10 == 0)
            sum += even((unsigned)i) + fibonacci(i % 15);
        CALLED(loops_at_once);
        sum += *loops_at_once("hello, world") + (int)(loops_at_once("ab") - (char *)0) % 2;
        CALLED(loops_at_once);
        CALLED(empty);
        empty();
    }
    sink = sum;
#define PRINT(name) printf("%s %lu\n", #name, count_##name);
    NAMES(PRINT)
    return 0;
}
