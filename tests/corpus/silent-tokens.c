/* A scanner that skips blanks and comments, with a switch for each character.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static const char text[] = "alpha = beta + 12; # comment\n   gamma = (delta * 3) - 4;\n";
static double total;

KERNEL int kernel(const char *at)
{
    int words = 0, inside = 0;
    for (; *at; at++) {
        switch (*at) {
        case ' ': case '\t': case '\n':
            inside = 0;
            break;
        case '#':
            while (at[1] && at[1] != '\n')
                at++;
            break;
        default:
            words += !inside;
            inside = 1;
        }
    }
    return words;
}

void set_up(void)
{
}

void run(void)
{
    total = kernel(text);
}

double result(void)
{
    return total;
}
