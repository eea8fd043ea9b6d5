/* runner: runs the tests that were linked to it and prints a line for each; assay bench --result reads them.

       make && ./runner > results

   It goes on where an interrupted run ended: ./runner results-so-far >> results-so-far */
#include "runtime/bench/bench.h"

#include <stdlib.h>
#include <string.h>

extern const struct bench_test bench_tests[];
extern const size_t bench_test_count;
extern const struct bench_event bench_test_events[];
extern const size_t bench_test_event_count;
extern const char bench_tests_isa[], bench_tests_version[];

enum { SECONDS = 10 };

struct work {
    const struct bench_test *tests;
    size_t count, done;
};

static int note(void *context, size_t test, const struct bench_result *result)
{
    struct work *work = context;
    bench_print_result(stdout, work->tests[test].name, result);
    putchar('\n');
    fflush(stdout);
    if (++work->done % 20 == 0)
        fprintf(stderr, "\r%zu of %zu tests", work->done, work->count);
    return !ferror(stdout);
}

/* Leaves out the tests whose results a file has; the number that is left. */
static size_t leave_out(struct bench_test *tests, size_t count, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        char *end = strchr(line, '\t');
        if (!strchr(line, '\n'))
            puts(" # cut"); /* goes after a line that was cut short, which then counts as a comment */
        if (!end || !strchr(line, '\n'))
            continue;
        *end = '\0';
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (strcmp(tests[i].name, line))
                tests[kept++] = tests[i];
        count = kept;
    }
    fclose(file);
    return count;
}

int main(int argc, char **argv)
{
    struct bench_test *tests = malloc(bench_test_count * sizeof *tests + 1);
    size_t count = bench_test_count;
    if (!tests)
        return 2;
    memcpy(tests, bench_tests, count * sizeof *tests);
    if (argc > 1)
        count = leave_out(tests, count, argv[1]);
    else {
        printf("# assay bench results 1 %s\n", bench_tests_isa);
        bench_print_computer(stdout);
    }
    if (count) {
        bench_print_session(stdout, bench_tests_version);
        bench_print_events(stdout, bench_test_events, bench_test_event_count);
    }
    fflush(stdout);
    struct work work = {tests, count, 0};
    struct bench_batch batch = {tests, count, bench_test_events, bench_test_event_count, SECONDS};
    int failed = bench_run(&batch, note, &work);
    fprintf(stderr, "\r%zu of %zu tests\n", work.done, count);
    if (failed)
        fprintf(stderr, "runner: %s\n", strerror(failed));
    free(tests);
    return failed ? 2 : 0;
}
