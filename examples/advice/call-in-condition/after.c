/* The length of the string is computed once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 500 };
static char text[LENGTH + 1];

__attribute__((noipa)) void kernel(char *string)
{
    size_t length = strlen(string);
    for (size_t i = 0; i < length; i++)
        if (string[i] >= 'a' && string[i] <= 'z')
            string[i] ^= 1;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100, sum = 0;
    for (int i = 0; i < LENGTH; i++)
        text[i] = (char)('A' + i % 57);
    for (long k = 0; k < repetitions; k++)
        kernel(text);
    for (int i = 0; i < LENGTH; i++)
        sum += text[i];
    printf("%ld\n", sum);
}
