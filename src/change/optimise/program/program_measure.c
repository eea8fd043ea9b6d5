/* Two programs run by turns, so that a busy computer slows both; which of them begins changes each time.  Each
   pair has a ratio of processor times; their median is the answer, and their quartiles say how sure it is. */
#include "base/clock.h"
#include "change/optimise/program/program_parts.h"
#include "change/optimise/replay/shell_command.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 41, FEWEST = 2 };
static const double LEAST_DIFFERENCE = 0.01, SURE = 2;
/* The standard error of a median of normal numbers, from the distance of their quartiles. */
static const double ERROR_OF_MEDIAN = 1.2533 / 1.349;

bool program_is_clear(double ratio, double error)
{
    return fabs(1 - ratio) > fmax(LEAST_DIFFERENCE, SURE * error);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Puts them in order. */
static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, by_size);
    return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static double quartile(const double *numbers, size_t count, double part)
{
    double place = part * (double)(count - 1), before = floor(place);
    size_t first = (size_t)before, next = first + 1 < count ? first + 1 : first;
    return numbers[first] + (place - before) * (numbers[next] - numbers[first]);
}

bool program_run_once(const char *run, const char *program, double most, char **output, double *seconds,
                      char **problem, struct error *error)
{
    struct shell_command outcome = {0};
    setenv("ASSAY_PROGRAM", program, 1);
    if (!shell_command_run(run, most, &outcome, error))
        return false;
    *output = outcome.output;
    *seconds = outcome.seconds;
    *problem = outcome.problem;
    return true;
}

static bool time_run(const char *run, const char *program, double *seconds, struct error *error)
{
    autofree char *output = NULL, *problem = NULL;
    if (!program_run_once(run, program, SHELL_COMMAND_LONGEST, &output, seconds, &problem, error))
        return false;
    return !problem || error_set(error, NULL, "a run failed that was fine before: %s", problem);
}

static void summarise(const double one[], const double other[], unsigned count, struct program_times *times)
{
    double ratios[MOST_ROUNDS], copy[MOST_ROUNDS];
    for (unsigned i = 0; i < count; i++)
        ratios[i] = other[i] > 0 ? one[i] / other[i] : 1;
    times->rounds = count;
    times->ratio = median(ratios, count);
    times->error = ERROR_OF_MEDIAN * (quartile(ratios, count, 0.75) - quartile(ratios, count, 0.25)) /
                   sqrt((double)count);
    for (unsigned i = 0; i < count; i++)
        copy[i] = one[i];
    times->seconds = median(copy, count);
    for (unsigned i = 0; i < count; i++)
        copy[i] = other[i];
    times->other_seconds = median(copy, count);
}

/* What took longer each time is no find, however much longer it took. */
static bool is_never_faster(const double one[], const double other[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (one[i] < other[i])
            return false;
    return true;
}

bool program_measure(const char *run, const char *program, const char *other, unsigned least, unsigned most,
                     double seconds, bool stops_early, struct program_times *times, struct error *error)
{
    double one[MOST_ROUNDS], two[MOST_ROUNDS], begin = clock_monotonic_seconds();
    unsigned count = 0;
    *times = (struct program_times){.ratio = NAN, .error = NAN};
    while (count < most && count < MOST_ROUNDS) {
        bool is_first = count % 2 == 0;
        bool is_fine =
            time_run(run, is_first ? program : other, is_first ? &one[count] : &two[count], error) &&
            time_run(run, is_first ? other : program, is_first ? &two[count] : &one[count], error);
        if (!is_fine)
            return false;
        summarise(one, two, ++count, times);
        if (stops_early && count >= FEWEST && is_never_faster(one, two, count))
            break;
        bool is_sure = count >= least && fabs(1 - times->ratio) > 0.05 && times->error < 0.01;
        if (count >= least && (is_sure || clock_monotonic_seconds() - begin > seconds))
            break;
    }
    return true;
}
