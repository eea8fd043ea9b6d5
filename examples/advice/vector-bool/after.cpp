/* A byte for each element. */
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef char element;

enum { LENGTH = 1000 };

extern "C" __attribute__((noipa)) int kernel(const std::vector<element> &marks, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += marks[i];
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    std::vector<element> marks(LENGTH);
    long sum = 0;
    for (int i = 0; i < LENGTH; i++)
        marks[i] = i % 3 == 0;
    for (long k = 0; k < repetitions; k++)
        sum += kernel(marks, LENGTH);
    printf("%ld\n", sum);
}
