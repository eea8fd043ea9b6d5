/* Functions whose loops were counted by hand.  `keep` stops the compiler from removing, merging or
   vectorising a loop, and inner loops run at least once so that they are not moved out under a
   condition; the counts hold at every level of optimisation:
   EXPECT function loops deepest irreducible */
#define keep __asm__ volatile("" ::: "memory")
#ifdef __clang__
#define hidden __attribute__((noinline))
#else
#define hidden __attribute__((noinline, noclone))
#endif

/* EXPECT no_loop 0 0 0 */
hidden int no_loop(int n)
{
    keep;
    return n + 1;
}

/* EXPECT one_loop 1 1 0 */
hidden void one_loop(int n)
{
    for (int i = 0; i < n; i++)
        keep;
}

/* EXPECT two_in_sequence 2 1 0 */
hidden void two_in_sequence(int n)
{
    for (int i = 0; i < n; i++)
        keep;
    for (int i = n; i > 3; i -= 2)
        keep;
}

/* EXPECT nest_of_two 2 2 0 */
hidden void nest_of_two(int n, int m)
{
    for (int i = 0; i < n; i++) {
        keep;
        int j = 0;
        do
            keep;
        while (++j < m);
        keep;
    }
}

/* EXPECT nest_of_three 3 3 0 */
hidden void nest_of_three(int n, int m, int k)
{
    for (int i = 0; i < n; i++) {
        int j = 0;
        keep;
        do {
            int l = 0;
            keep;
            do
                keep;
            while (++l < k);
            keep;
        } while (++j < m);
        keep;
    }
}

/* EXPECT two_inside_one 3 2 0 */
hidden void two_inside_one(int n, int m)
{
    while (n > 0) {
        keep;
        for (int j = 0; j < n; j++)
            keep;
        keep;
        do {
            keep;
            n--;
        } while (n > m);
        keep;
    }
}

/* EXPECT early_exits 1 1 0 */
hidden int early_exits(const volatile int *data, int n)
{
    for (int i = 0; i < n; i++) {
        int value = data[i];
        if (value == 7)
            return i;
        if (value == 9)
            break;
        if (value == 11)
            continue;
        keep;
    }
    return -1;
}

/* EXPECT never_ends 1 1 0 */
hidden void never_ends(void)
{
    for (;;)
        keep;
}

/* EXPECT enters_in_the_middle 1 1 1 */
hidden void enters_in_the_middle(volatile int *n)
{
    if (*n & 1)
        goto middle;
top:
    *n -= 1;
    keep;
middle:
    *n -= 3;
    keep;
    if (*n > 0)
        goto top;
}

/* EXPECT with_switch 1 1 0 */
hidden int with_switch(const volatile int *data, int n)
{
    int state = 0;
    for (int i = 0; i < n; i++) {
        switch (data[i]) {
        case 0: state += 3; keep; break;
        case 1: state ^= 9; keep; break;
        case 2: state -= 5; keep; break;
        case 3: state *= 7; keep; break;
        case 4: state |= 2; keep; break;
        case 5: state &= 77; keep; break;
        case 6: state <<= 1; keep; break;
        case 7: state = ~state; keep; break;
        default: keep; break;
        }
    }
    return state;
}

static inline __attribute__((always_inline)) void inlined_loop(int n)
{
    for (int i = 0; i < n; i++) /* INLINED LINE */
        keep;
}

/* EXPECT calls_inlined_loop 1 1 0 */
hidden void calls_inlined_loop(int n)
{
    inlined_loop(n);
}

int main(int argc, char **argv)
{
    volatile int data[4] = {argc, 1, 2, 3};
    (void)argv;
    if (argc > 100)
        never_ends();
    one_loop(argc);
    two_in_sequence(argc);
    nest_of_two(argc, argc);
    nest_of_three(argc, argc, argc);
    two_inside_one(argc, argc);
    enters_in_the_middle(data);
    calls_inlined_loop(argc);
    return no_loop(argc) + early_exits(data, 4) + with_switch(data, 4) > 1000;
}
