/* What the system knows about the computer: its processors, and numbers in files.

   A test of the layout SYSTEM is a question: its unit is a text, `processors` or the path of a file such as
   /sys/devices/system/cpu/cpu0/cache/index0/size, and its result a number.  48K is 49152; a list
   of numbers such as 0-3,8 counts as how many there are; a word is the code of its first letter.  A result of a computer
   so says all that is needed to understand it elsewhere. */
#include "runtime/bench/bench.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int processors[CPU_SETSIZE];
static unsigned processor_count;

/* Whether it is the first of the processors that share its core. */
static int is_first_of_core(int processor)
{
    char path[96];
    int first = processor;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &first) != 1)
        first = processor;
    if (file)
        fclose(file);
    return first == processor;
}

void bench_find_processors(void)
{
    cpu_set_t set;
    int now = sched_getcpu();
    processor_count = 0;
    if (sched_getaffinity(0, sizeof set, &set))
        return;
    /* The one at hand, then one of each core, then the others. */
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET((unsigned)i, &set) && (i == now ? 0 : is_first_of_core(i) ? 1 : 2) == pass)
                processors[processor_count++] = i;
}

unsigned bench_processor_count(void)
{
    return processor_count;
}

void bench_stay_on_processor(unsigned place)
{
    cpu_set_t set;
    if (place >= processor_count)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)processors[place], &set);
    sched_setaffinity(0, sizeof set, &set);
}

static double count_list(const char *text)
{
    double count = 0;
    while (isdigit((unsigned char)*text)) {
        char *end;
        long first = strtol(text, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        count += (double)(last - first + 1);
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

static double number_in(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text)
        return (unsigned char)*text;
    if (*end == '-' || *end == ',')
        return count_list(text);
    return number * (*end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : *end == 'G' ? 1 << 30 : 1);
}

void bench_ask_system(const struct bench_test *test, struct bench_result *result)
{
    char name[160], text[64] = "";
    *result = (struct bench_result){.status = bench_MISSING};
    if (test->unit_size >= sizeof name)
        return;
    memcpy(name, test->unit, test->unit_size);
    name[test->unit_size] = '\0';
    FILE *file = *name == '/' ? fopen(name, "re") : NULL;
    if (file && fgets(text, sizeof text, file)) {
        result->status = bench_MEASURED;
        result->best = result->median = number_in(text);
    }
    if (file)
        fclose(file);
    if (!strcmp(name, "processors") && processor_count) {
        result->status = bench_MEASURED;
        result->best = result->median = processor_count;
    }
}
