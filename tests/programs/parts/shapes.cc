/* Functions whose shape depends on others: callees that never return, cold parts, exceptions, jump tables, tail calls,
   recursion, and small functions that a loop calls.  It includes nothing, so that every compiler here can compile it
   for every machine. */
extern "C" {
[[noreturn]] void abort();
int puts(const char *);
int printf(const char *, ...);
}

#define APART __attribute__((noinline, noclone))

/* None of these says that it never returns. */
APART static void last_words(const char *text)
{
    puts(text);
    abort();
}
APART static void give_up(int reason)
{
    if (reason > 3)
        last_words("large\n");
    else
        last_words("small\n");
}
APART static void one_of_two(int depth);
APART static void other_of_two(int depth)
{
    if (depth > 100)
        give_up(depth);
    one_of_two(depth + 1);
}
APART static void one_of_two(int depth)
{
    other_of_two(depth * 3);
}
/* These two call each other and return. */
APART static int even(unsigned n);
APART static int odd(unsigned n)
{
    return n ? even(n - 1) + 1 : 0;
}
APART static int even(unsigned n)
{
    return n ? odd(n - 1) + 2 : 1;
}

APART static double square(double x)
{
    return x * x;
}

APART double sum_of_squares(const double *x, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++) {
        if (x[i] < 0)
            give_up((int)i);
        sum += square(x[i]);
    }
    return sum;
}

APART int deep(int n)
{
    if (n > 5)
        one_of_two(n);
    return even((unsigned)n);
}

APART long choose(long kind, long a, long b)
{
    switch (kind) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : 0;
    case 4: return a & b;
    case 5: return a | b;
    case 6: return a ^ b;
    case 7: return a << (b & 63);
    case 8: return a >> (b & 63);
    default: throw kind;
    }
}

struct shape {
    virtual double area() const = 0;
};
struct disc : shape {
    double r = 1;
    APART double area() const override { return 3.14159 * square(r); }
};

APART double areas(const shape *const *shapes, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += shapes[i]->area();
    return sum;
}

struct guard {
    const char *name;
    explicit guard(const char *text) : name(text) { puts(text); }
    ~guard() { puts(name); }
};

APART long sum_of_choices(const long *kinds, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        guard around("around");
        try {
            guard inside("inside");
            sum += choose(kinds[i], sum, i);
        } catch (long kind) {
            sum -= kind;
        }
    }
    return sum;
}

/* A tail call, and one under a condition. */
APART double either(const double *x, long n, int which)
{
    if (which)
        return sum_of_squares(x, n);
    return square(x[0]);
}

__attribute__((cold)) APART static int rare(int x)
{
    printf("rare %d\n", x);
    return x + 1;
}

/* gcc moves the branch with rare() into find.cold. */
APART int find(const int *x, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(x[i] < 0, 0)) {
            found += rare(x[i]);
            found ^= 3;
        }
        found += x[i];
    }
    return found;
}

int main(int count, char **)
{
    double x[100];
    int y[100];
    long kinds[] = {1, 2, 30};
    for (int i = 0; i < 100; i++)
        x[i] = y[i] = i;
    disc one;
    const shape *all[] = {&one};
    printf("%g %d %ld %g %g %d\n", sum_of_squares(x, 100), deep(count), sum_of_choices(kinds, 3), areas(all, 1),
           either(x, 3, count), find(y, 100));
}
