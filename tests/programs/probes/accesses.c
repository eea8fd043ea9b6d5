/* Loops whose accesses are known; tests/commands/run/probe_values.py knows how.  The arrays are not static, so that no
   compiler knows what they hold. */
#include <stdio.h>

struct row {
    double value;
    int key, other;
    double rest;
};
double plain[1000] __attribute__((aligned(64)));
struct row rows[500] __attribute__((aligned(64)));
char bytes[4096] __attribute__((aligned(4096)));

double strides(void)
{
    double sum = 0;
    for (int i = 0; i < 500; i++) /* loads of 8 bytes, 24 apart */
        sum += rows[i].value;
    return sum;
}

void stores(int n, double with)
{
    for (int i = 0; i < n; i++) /* stores of 8 bytes, 8 apart, downwards */
        plain[n - 1 - i] = with;
}

/* The low half of i is the index. */
int indexed(const char *at, int from, int to)
{
    int sum = 0;
    for (int i = from; i < to; i += 3)
        sum += at[i];
    return sum;
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < 10; i++) {
        stores(1000, i);
        sum += strides() + indexed(bytes + 100, -99, 3000);
    }
    printf("%g\n", sum);
    return 0;
}
