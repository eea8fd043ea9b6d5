/* A library that is loaded while the program runs. */
__attribute__((constructor)) static void begin(void)
{
}
__attribute__((noinline)) int late(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 2;
}
int late_many(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += late(i);
    return sum;
}
