/* Functions that are hard to take out of their file: tests/commands/change/extract.py does it. */
#include <stdint.h>
#include <string.h>
#include <assert.h>
#include <stdlib.h>
#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define BODY(T) T sum_##T(const T *x, int n) { T s = 0; EACH(i, n) s += x[i]; return s; }
typedef double vec4 __attribute__((vector_size(32)));
typedef float f32;
BODY(f32)
BODY(int)
/* K&R */
double knr(x, n, y)
    double *x, *y;
    int n;
{
    double s = 0;
    int i;
    for (i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
enum color { RED, GREEN = 5, BLUE };
struct bits { unsigned a : 3, b : 5; int : 0; enum color c; };
typedef int (*compare_t)(const void *, const void *);
static inline int is_big(struct bits b) { return b.a > GREEN; }
static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static compare_t chosen = compare_ints;
int count_bits(struct bits *b, int n)
{
    static int calls, table[BLUE + 2] = {[BLUE] = 3};
    int c = 0;
    calls++;
    for (int i = 0; i < n; i++)
        c += is_big(b[i]) + table[b[i].c & 3] + chosen(&i, &n);
    table[0]++;
    return c;
}
void vla(int n, int m, double a[n][m], double b[restrict static n][m])
{
    double row[m];
    for (int i = 0; i < n; i++) {
        memcpy(row, b[i], sizeof row);
        for (int j = 0; j < m; j++)
            a[i][j] += row[j];
    }
}
int jumps(int *x, int n)
{
    int i = 0, s = 0;
again:
    while (i < n) {
        if (x[i] < 0) goto out;
        s += x[i++];
    }
    if (s < 100 && n > 1000) goto again;
out:
    return s;
}
#define abs_of(x) _Generic((x), int: abs(x), long: labs(x), default: __builtin_fabs(x))
__attribute__((noinline, hot)) long generic(long *x, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) { assert(x[i] != 7); s += abs_of(x[i]); }
    return s;
}
extern vec4 external_vec(vec4);
vec4 vectors(vec4 *restrict v, int n)
{
    vec4 s = {0};
    for (int i = 0; i < n; i++) s += external_vec(v[i]);
    return s;
}
struct node { struct node *next; union { int i; double d; } u; };
static const struct { const char *name; int value; } names[] = {{"a", 1}, {"b", 2}};
int walk(struct node *p)
{
    int s = 0;
    do { s += p->u.i + names[s & 1].value; p = p->next; } while (p);
    return s;
}
static double state[2] = {1, 2};
double *address(void) { return state; }
double recur(double x, int n) { for (int i = 0; i < n; i++) x = x * state[0] + (n > 3 ? recur(x, n - 1) : 0); return x; }
_Thread_local static int per_thread = 3;
int tls(int n) { int s = 0; for (int i = 0; i < n; i++) s += per_thread++; return s; }
_Static_assert(sizeof(int) == 4, "int");
#pragma pack(push, 1)
struct packed { char c; int i; };
#pragma pack(pop)
int packed_sum(struct packed *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i].i; return s; }
#ifdef __FAST_MATH__
double mode(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
#else
double mode(double *x, int n) { double s = 1; for (int i = 0; i < n; i++) s += x[i]; return s; }
#endif
asm(".globl hidden_thing\nhidden_thing = 3\n");
int nested_if(int *x, int n, int f)
{
    if (f) for (int i = 0; i < n; i++) x[i] = f;
    else
        for (int i = 0; i < n; i++) x[i] = 0;
    return 0;
}
