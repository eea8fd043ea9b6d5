/* Loops that count their entries and iterations and print them: "function entries iterations".  The counters are
   volatile, so that compilers neither vectorise nor remove them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES(M)                                                                                              \
    M(up) M(down) M(by_three) M(wide) M(two_exits) M(chase) M(text) M(from_negative) M(pointers) M(nested) M(calls)        \
        M(recursive) M(wraps) M(long_one) M(skips)
#define COUNT(name) static volatile unsigned long entries_##name, turns_##name;
NAMES(COUNT)
#if defined __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
#if defined __clang__
#define PLAIN _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define PLAIN _Pragma("GCC unroll 1")
#endif
#define ENTER(name) (entries_##name++)
#define TURN(name) (turns_##name++)

static volatile int sink, one = 1;
struct node { struct node *next; int value; } nodes[100];

APART void up(int n) { ENTER(up); int i = 0; PLAIN do TURN(up); while (++i < n); }
APART void down(unsigned n) { ENTER(down); PLAIN for (unsigned i = n; i > 0; i--) TURN(down); }
APART void by_three(int n) { ENTER(by_three); PLAIN for (int i = 0; i < n; i += 3) { TURN(by_three); sink = i; } }
APART void wide(unsigned long n) { ENTER(wide); PLAIN for (unsigned long i = 0; i < n; i += 24) { TURN(wide); sink = (int)i; } }
APART int two_exits(const int *a, int n)
{
    ENTER(two_exits);
    PLAIN for (int i = 0; i < n; i++) {
        TURN(two_exits);
        if (a[i] == 7)
            return i;
        sink = a[i];
    }
    return -1;
}
APART void chase(const struct node *at) { ENTER(chase); PLAIN do { TURN(chase); at = at->next; } while (at); }
APART void text(const char *at) { ENTER(text); PLAIN do TURN(text); while (*++at); }
APART void from_negative(int n) { ENTER(from_negative); PLAIN for (int i = -n; i < n; i++) { TURN(from_negative); sink = i; } }
APART void pointers(const int *from, const int *to) { ENTER(pointers); PLAIN while (from != to) { TURN(pointers); sink = *from++; } }
APART void nested(int n)
{
    PLAIN for (int i = 0; i < n; i++) {
        ENTER(nested);
        PLAIN for (int j = 0; j <= i; j++)
            TURN(nested);
    }
}
APART int helper(int x) { return x + sink; }
APART void calls(int n) { ENTER(calls); PLAIN for (int i = 0; i < n; i++) { TURN(calls); sink = helper(i); } }
APART void recursive(int n)
{
    ENTER(recursive);
    PLAIN for (int i = 0; i < n; i++) {
        TURN(recursive);
        if (i == one && n > 2)
            recursive(n - 1);
        sink = helper(i);
    }
}
APART void wraps(unsigned char n) { ENTER(wraps); unsigned char i = 250; PLAIN do { TURN(wraps); sink = i; } while (++i != n); }
APART void long_one(int n) { ENTER(long_one); PLAIN for (int i = 0; i < n; i++) TURN(long_one); }
APART void skips(int n)
{
    ENTER(skips);
    PLAIN for (int i = 0; i < n; i++) {
        TURN(skips);
        if (i % 3 == 1)
            continue;
        sink = i;
    }
}

int main(void)
{
    int numbers[50];
    for (int i = 0; i < 50; i++)
        numbers[i] = i;
    for (int i = 0; i < 99; i++)
        nodes[i].next = &nodes[i + 1];
    for (int i = 1; i <= 200; i++) {
        up(5);
        down((unsigned)i % 17 + 1);
        by_three(i);
        wide((unsigned long)i * 10);
        two_exits(numbers, i % 40 + 1);
        chase(&nodes[i % 100]);
        text(&"a text of some length"[i % 20]);
        from_negative(i % 9 + 1);
        pointers(numbers, numbers + i % 30 + 1);
        calls(i % 11 + 1);
        wraps((unsigned char)i);
        skips(i);
    }
    nested(40);
    recursive(9);
    long_one(100000);
    long_one(300);
#define PRINT(name) printf("%s %lu %lu\n", #name, entries_##name, turns_##name);
    NAMES(PRINT)
    return 0;
}
