/* The length is counted once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1000 };
static char text[LENGTH + 1];

__attribute__((noinline)) static void kernel(char *letters)
{
    for (size_t i = 0, length = strlen(letters); i < length; i++)
        letters[i] = letters[i] == 'a' ? 'b' : 'a';
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned sum = 0;
    memset(text, 'a', LENGTH);
    for (long k = 0; k < repetitions; k++) {
        text[k % LENGTH] = 'c';
        kernel(text);
        sum = sum * 31 + (unsigned char)text[k * 7 % LENGTH];
    }
    printf("%u\n", sum);
}
