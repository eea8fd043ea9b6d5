/* Options parsed by hand, commands read from a file, and files that options name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long verbose, width, height;

__attribute__((noinline)) static int process(const char *name)
{
    double sum = 0;
    for (long i = 0; i < width; i++)
        for (const char *at = name; *at; at++)
            sum = sum / 2 + *at;
    return sum > 3;
}

__attribute__((noinline)) static void commands(FILE *file)
{
    char line[100];
    while (fgets(line, sizeof line, file)) {
        if (!strcmp(line, "wide\n"))
            width *= 2;
        else if (!strcmp(line, "high\n"))
            height *= 2;
        else if (!strcmp(line, "quiet\n"))
            verbose = 0;
    }
}

__attribute__((noinline)) static int parse(int argc, char **argv)
{
    int result = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--verbose"))
            verbose = 1;
        else if (!strcmp(argv[i], "--wide"))
            width = 100;
        else if (!strcmp(argv[i], "--high"))
            height = 100;
        else
            result += process(argv[i]);
    }
    return result;
}

int main(int argc, char **argv)
{
    int result = parse(argc, argv);
    commands(stdin);
    printf("%d %ld %ld %ld\n", result, verbose, width, height);
    return 0;
}
