/* Calls of a few nanoseconds: one that can be made again on what it left, one that cannot, one that would crash, one that would not end. */
#include <stdio.h>

static int numbers[64], sums[64], *next = numbers;
static volatile int steps = 1;

__attribute__((noinline)) void again(void)
{
    for (int i = 0; i < 64; i++)
        sums[i] = numbers[i] + 1;
}

__attribute__((noinline)) void grow(void)
{
    for (int i = 0; i < 64; i++)
        numbers[i] += i;
}

__attribute__((noinline)) int crash(void)
{
    int value = *next;
    next = (int *)8;
    return value;
}

__attribute__((noinline)) int hang(void)
{
    int count = 0;
    for (; steps != 0; steps--)
        count++;
    steps = -1;
    return count;
}

/* With a file's name: many calls in the first run, which makes the file, and few in the next one. */
int main(int count, char **words)
{
    FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
    int calls = count < 2 ? 1 : file ? 5 : 60;
    if (count > 1 && !file)
        file = fopen(words[1], "w");
    if (file)
        fclose(file);
    for (int i = 0; i < calls; i++)
        again();
    grow();
    printf("%d %d %d %d\n", crash(), hang(), numbers[3], sums[3]);
}
