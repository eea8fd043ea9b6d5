/* Words joined by strcat, which looks for the end of the text from its beginning each time. GCC makes strlen and stpcpy of it.
   build: gcc -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper cascade-lake 3.55 */
#include <string.h>
#include "corpus.h"

enum { WORDS = 200, LONGEST = 12 };
static char words[WORDS][LONGEST], text[WORDS * LONGEST];

KERNEL void kernel(char *text, char (*words)[LONGEST], int n)
{
    text[0] = 0;
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        text = stpcpy(stpcpy(text, words[i]), ",");
#else
    for (int i = 0; i < n; i++) {
        strcat(text, words[i]);
        strcat(text, ",");
    }
#endif
}

void set_up(void)
{
    for (int i = 0; i < WORDS; i++)
        memset(words[i], 'a' + i % 26, (size_t) (i % (LONGEST - 3) + 1));
}

void run(void)
{
    kernel(text, words, WORDS);
}

double result(void)
{
    double sum = 0;
    for (size_t i = 0; text[i]; i++)
        sum += text[i] * (double) (i % 5 + 1);
    return sum;
}
