/* Static variables of functions, of the same names in another function. */
#include <stdio.h>

static double weight(int i)
{
    static double seen[2] = {0, 1};
    seen[i & 1] += 0.5;
    return seen[i & 1];
}

__attribute__((noinline)) double smooth(double *x, const double *y, int n)
{
    static int count;
    static double total[4] = {1, 2, 3, 4};
    double s = 0;
    for (int i = 1; i < n - 1; i++) {
        x[i] = (y[i - 1] + y[i + 1]) * 0.5 + total[i & 3] + count + weight(i);
        s += x[i];
    }
    total[++count & 3] += 1;
    return s;
}

__attribute__((noinline)) double others(int n)
{
    static int count = 7;
    static double total[4], seen[2];
    for (int i = 0; i < n; i++)
        total[i & 3] += count++ + seen[i & 1]++;
    return total[0] + count;
}

int main(void)
{
    static double x[200], y[200];
    double s = 0;
    for (int i = 0; i < 200; i++)
        y[i] = i % 17;
    for (int i = 0; i < 5; i++)
        s += others(3) + smooth(x, y, 200);
    printf("%g\n", s);
    return 0;
}
