/* Functions that leave for others in every way: to cold parts by branches and jump tables, to other functions by tail
   calls, and to functions of the same library through stubs, some of them with versions.  Data flow and advice look at
   what is there.  It includes nothing, so that every compiler here can compile it for every machine. */
__attribute__((noreturn)) void abort(void);
int printf(const char *, ...);

/* Names of versions, for -Wl,--version-script: the default one of "versioned" is large and comes first. */
int versioned_2(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum += i ^ printf("%d", x);
    return sum + printf("a%d", sum) + printf("b%d", sum) + printf("c%d", sum) + printf("d%d", sum);
}
int versioned_1(int x)
{
    return x * 5;
}
int only_old_1(int x)
{
    return x * 9;
}
__asm__(".symver versioned_1, versioned@OLD, remove\n\t.symver versioned_2, versioned@@NEW, remove\n\t.symver only_old_1, only_old@OLD, remove");
int versioned(int);
int only_old(int);

__attribute__((noinline, cold)) void fail(int reason)
{
    printf("%d", reason);
    abort();
}

int small(int x)
{
    return x * 3 + 1;
}
int looping(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum ^= i * x;
    return sum;
}
void changing(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = looping(p[i]);
}

int stops(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0)
            abort();
        sum += p[i];
    }
    return sum;
}
int fails(const int *p, int n, int most)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i >= most)
            fail(i);
        sum += p[i] * 3;
    }
    return sum;
}
double fails_twice(const double *p, unsigned n, unsigned most)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (i >= most)
            fail(i);
        if (p[i] > 1e9)
            fail(7);
        sum += p[i];
    }
    return sum;
}
double stops_at_large(const double *p, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (p[i] > 1e9)
            abort();
        sum += p[i];
    }
    return sum;
}
double stops_early(const double *p, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (i == 100)
            abort();
        sum += p[i];
    }
    return sum;
}
void stops_at_negative(double *restrict p, const double *restrict q, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (q[i] < 0)
            abort();
        p[i] = q[i] * 3;
    }
}
int choosing(const unsigned char *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        switch (p[i]) {
        case 0: sum += 3; break;
        case 1: sum ^= 5; break;
        case 2: sum *= 7; break;
        case 3: abort();
        case 4: sum -= 11; break;
        case 5: sum <<= 2; break;
        case 6: sum >>= 1; break;
        case 7: fail(sum);
        case 8: sum = ~sum; break;
        case 9: sum += i; break;
        default: fail(2);
        }
    return sum;
}
int choosing_calls(int kind, int a, int b)
{
    switch (kind) {
    case 0: return looping(a);
    case 1: return looping(b);
    case 2: return a + b;
    case 3: return a * b;
    case 4: return stops(&a, b);
    case 5: abort();
    case 6: return a - b;
    case 7: fail(a);
    default: __builtin_unreachable();
    }
}
void leaving(int *p, int n)
{
    while (n--) {
        if (*p == 0) {
            changing(p, n);
            return;
        }
        *p++ += n;
    }
}
void calling_versioned(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = versioned(p[i]);
}
void calling_only_old(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = only_old(p[i]);
}
void calling_small(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = small(p[i]);
}
