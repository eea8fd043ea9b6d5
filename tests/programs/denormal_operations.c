/* One kind of operation, move or event in each function, as often as its name's place says in main; the tests
   of the tracer know the counts.  The argument chooses what runs. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
enum { N = 64 };
typedef float four __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16)));
typedef int32_t four_numbers __attribute__((vector_size(16)));

volatile float tiny = 1e-40f, one = 1, half = 0.5f, smallest = 1.17549435e-38f, nothing = 0;
volatile double tiny_double = 1e-310, smallest_double = 2.2250738585072014e-308, one_double = 1;
volatile float result;
volatile double result_double;
volatile int result_integer;

APART float add(float a, float b)
{
    return a + b;
}
APART float multiply(float a, float b)
{
    return a * b;
}
APART float divide(float a, float b)
{
    return a / b;
}
APART float root(float a)
{
    return __builtin_sqrtf(a);
}
APART double widen(float a)
{
    return a;
}
APART float narrow(double a)
{
    return (float)a;
}
APART int compare(float a, float b)
{
    return a < b;
}
APART int truncate_to_integer(float a)
{
    return (int)a;
}
APART double add_double(double a, double b)
{
    return a + b;
}
APART float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
APART float negate_then_add(float a, float b)
{
    return -a + b;
}

APART void four_lanes(four *to, const four *a, const four *b, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = a[i] * b[i];
}

APART void two_lanes(two *to, const two *a, const two *b, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = a[i] * b[i];
}

APART void reverse_then_halve(four *to, const four *from, int count)
{
    const four halves = {0.5f, 0.5f, 0.5f, 0.5f};
    for (int i = 0; i < count; i++)
        to[i] = __builtin_shuffle(from[i], (four_numbers){3, 2, 1, 0}) * halves;
}

APART void move_by_vectors(four *to, const four *from, int count)
{
    for (int i = 0; i < count; i++) {
        four value = from[i];
        __asm__ volatile("" : : : "memory");
        to[i] = value;
    }
}

APART void move_by_integers(uint32_t *to, const uint32_t *from, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t value = from[i];
        __asm__ volatile("" : "+r"(value) : : "memory");
        to[i] = value;
    }
}

/* Two at a time, in a register of eight bytes, as compilers copy complex numbers. */
APART void move_pairs(float *to, const float *from, int count)
{
    for (int i = 0; i < count; i++, to += 2, from += 2)
#ifdef __aarch64__
        __asm__ volatile("ldr d0, [%1]\n\tstr d0, [%0]" : : "r"(to), "r"(from) : "v0", "memory");
#else
        __asm__ volatile("movsd (%1), %%xmm0\n\tmovsd %%xmm0, (%0)"
                         :
                         : "r"(to), "r"(from)
                         : "xmm0", "memory");
#endif
}

APART void make(float *to, float value, float factor, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] = value * factor;
        __asm__ volatile("" : "+m"(value));
    }
}

APART void make_doubles(double *to, double value, double factor, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] = value * factor;
        __asm__ volatile("" : "+m"(value));
    }
}

APART void consume(const float *from, int count)
{
    for (int i = 0; i < count; i++) {
        result = from[i] + one;
        __asm__ volatile("" : : : "memory");
    }
}

static void operations(void)
{
    for (int i = 0; i < 10; i++)
        result = add(tiny, one);
    for (int i = 0; i < 11; i++)
        result = multiply(smallest, half);
    for (int i = 0; i < 12; i++)
        result = divide(tiny, half);
    for (int i = 0; i < 13; i++)
        result = root(tiny);
    for (int i = 0; i < 14; i++)
        result_double = widen(tiny);
    for (int i = 0; i < 15; i++)
        result = narrow(smallest_double + 1e-40 * one_double);
    for (int i = 0; i < 16; i++)
        result_integer = compare(tiny, one);
    for (int i = 0; i < 17; i++)
        result_integer = truncate_to_integer(tiny);
    for (int i = 0; i < 18; i++)
        result_double = add_double(tiny_double, tiny_double);
    for (int i = 0; i < 19; i++)
        result = negate_then_add(tiny, nothing);
    for (int i = 0; i < 20; i++)
        result = add(tiny, NAN);
}

static void fusions(void)
{
    for (int i = 0; i < 10; i++)
        result = fused(tiny, half, nothing);
    for (int i = 0; i < 11; i++)
        result = fused(smallest, half, nothing);
}

static void lanes(void)
{
    float *a = aligned_alloc(64, N * 4), *b = aligned_alloc(64, N * 4), *c = aligned_alloc(64, N * 4);
    double *x = aligned_alloc(64, N * 8), *y = aligned_alloc(64, N * 8), *z = aligned_alloc(64, N * 8);
    for (int i = 0; i < N; i++) {
        a[i] = x[i] = 1;
        b[i] = y[i] = 0.5;
    }
    make(a, smallest, half, 5);
    make_doubles(x, smallest_double, half, 3);
    four_lanes((four *)c, (four *)a, (four *)b, N / 4);
    two_lanes((two *)z, (two *)x, (two *)y, N / 2);
    reverse_then_halve((four *)b, (four *)c, N / 4);
    result = b[0] + (float)z[0];
}

static void moves(void)
{
    float *a = aligned_alloc(64, N * 4), *b = aligned_alloc(64, N * 4), *c = aligned_alloc(64, N * 4);
    uint32_t *numbers = aligned_alloc(64, N * 4), *others = aligned_alloc(64, N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = 1;
        numbers[i] = (uint32_t)i;
    }
    make(a, smallest, half, 20);
    move_by_integers((uint32_t *)b, (uint32_t *)a, N);
    move_by_vectors((four *)c, (four *)b, N / 4);
    move_by_vectors((four *)others, (four *)numbers, N / 4); /* small integers look like denormals */
    move_by_integers(numbers, others, N);
    a = realloc(c, 100 * N * 4);
    consume(a, N);
    memset(a, 0, N * 4);
    consume(a, N);
}

/* With a denormal in either half or in both, beside 1 and beside 0; some are denormal as doubles, too. */
static void pairs(void)
{
    float *a = aligned_alloc(64, N * 4), *b = aligned_alloc(64, N * 4), *c = aligned_alloc(64, N * 4);
    for (int i = 0; i < N; i++)
        a[i] = i < 16 ? 1 : 0;
    make(a, smallest, half, 2);
    make(a + 2, smallest, half, 1);
    make(a + 5, smallest, half, 1);
    make(a + 7, smallest, half / 8, 1);
    make(a + 16, smallest, half, 1);
    make(a + 19, smallest, half, 1);
    make(a + 21, smallest, half / 8, 1);
    move_pairs(b, a, N / 2);
    move_pairs(c, b, N / 2);
    consume(c, N);
}

APART void first_caller(float *to)
{
    make(to, smallest, half, 7);
    __asm__ volatile("");
}
APART void second_caller(float *to)
{
    make(to, smallest, half, 9);
    __asm__ volatile("");
}

static void births(void)
{
    float *a = malloc(N * 4), *b = malloc(N * 4);
    first_caller(a);
    second_caller(b);
    consume(a, 7);
    consume(b, 9);
    for (int i = 0; i < 7; i++)
        result = a[i] + b[i];
}

static void *thread(void *nobody)
{
    for (int i = 0; i < 1000; i++)
        result = multiply(tiny, half);
    return nobody;
}

static void threads(void)
{
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

static void forks(void)
{
    for (int i = 0; i < 30; i++)
        result = multiply(tiny, half);
    if (fork() == 0) {
        for (int i = 0; i < 70; i++)
            result = multiply(tiny, half);
        _exit(0);
    }
    wait(NULL);
}

static void crash(void)
{
    for (int i = 0; i < 30; i++)
        result = multiply(tiny, half);
    *(volatile int *)8 = 1;
}

static void near(void)
{
    for (int i = 0; i < 10; i++)
        result = multiply(smallest, 2); /* one binade above the smallest */
    for (int i = 0; i < 11; i++)
        result = multiply(smallest, 64);
    for (int i = 0; i < 12; i++)
        result_double = add_double(smallest_double, smallest_double);
}

#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((noinline, target("avx2,fma"))) void eight_lanes(float *to, const float *a, const float *b,
                                                               int count)
{
    for (int i = 0; i < count; i += 8)
        _mm256_storeu_ps(
            to + i, _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), _mm256_setzero_ps()));
}
static void wide(void)
{
    float a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = 0.5f;
    make(a, smallest, half, 11);
    eight_lanes(b, a, b, N);
}
__attribute__((noinline, target("sse3"))) void add_and_subtract(float *to, const float *a, const float *b)
{
    _mm_storeu_ps(to, _mm_addsub_ps(_mm_loadu_ps(a), _mm_loadu_ps(b)));
}
static void turns(void)
{
    float a[4] = {1, 1, 1, 1}, b[4] = {1, 1, 1, 1};
    make(a, smallest, half, 2);
    add_and_subtract(b, a, b);
    result = b[0];
}
static void stack_of_x87(void)
{
    double value = tiny_double, twice;
    for (int i = 0; i < 10; i++)
        __asm__ volatile("fldl %1\n\tfaddl %1\n\tfstpl %0" : "=m"(twice) : "m"(value));
    long double ten_bytes = value;
    __asm__ volatile("fldt %0\n\tfstp %%st(0)" : : "m"(ten_bytes));
}
#else
static void wide(void)
{
}
static void turns(void)
{
}
static void stack_of_x87(void)
{
}
#endif

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"operations", operations}, {"fusions", fusions}, {"lanes", lanes},     {"moves", moves},
               {"pairs", pairs},           {"births", births},   {"threads", threads}, {"forks", forks},
               {"crash", crash},           {"near", near},       {"wide", wide},       {"turns", turns},
               {"x87", stack_of_x87}};
    for (unsigned i = 0; count > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(words[1], all[i].name) == 0)
            all[i].run();
    return 0;
}
