/* See from_ranks.h.  Times of a loop by rank come from the samples.  Iterations were counted in another run of the same program,
   whose processes have no ranks: they go to ranks in the order of the times, because who takes longer had more of them.  Ranks
   whose values are the same to a hundredth (iterations), or to a fifth and what chance makes of samples (times), are one group. */
#include "show/report/modelling/from_ranks.h"
#include "show/report/modelling/queries.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RANKS = 256, MOST_GROUPS = 16, MOST_NAMED = 12 };

struct from_rank {
    int64_t rank;
    double value, samples;
    uint32_t group;
};

static int by_value(const void *one, const void *other)
{
    const struct from_rank *a = one, *b = other;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool read_times(const struct asked *asked, int64_t run, int64_t loop, struct array *ranks,
                       struct error *error)
{
    sqlite3_stmt *rows = report_ask(asked, query_named(modelling_queries, "loop_by_rank"), run, loop, error);
    bool is_fine = rows != NULL;
    while (rows && sqlite3_step(rows) == SQLITE_ROW && ranks->count <= MOST_RANKS)
        *(struct from_rank *)array_add(ranks) = (struct from_rank){
            sqlite3_column_int64(rows, 0), report_column_real(rows, 1), report_column_real(rows, 2), 0};
    sqlite3_finalize(rows);
    return is_fine;
}

/* false: an error.  Whether iterations of each rank are known: *is_counted.  The slowest ranks get the most. */
static bool read_iterations(const struct asked *asked, int64_t run, int64_t loop, double iterations,
                            struct array *ranks, bool *is_counted, struct error *error)
{
    struct array counts = ARRAY_OF(double);
    double sum = 0;
    bool is_whole = true;
    sqlite3_stmt *rows =
        report_ask(asked, query_named(modelling_queries, "loop_by_process"), run, loop, error);
    bool is_fine = rows != NULL;
    while (rows && sqlite3_step(rows) == SQLITE_ROW && counts.count <= MOST_RANKS) {
        double count = report_column_real(rows, 0);
        *(double *)array_add(&counts) = count;
        sum += count;
        is_whole = is_whole && count > 0 && !sqlite3_column_int(rows, 1);
    }
    sqlite3_finalize(rows);
    *is_counted = is_whole && counts.count <= ranks->count && fabs(sum - iterations) <= 1e-6 * iterations;
    size_t without = ranks->count - counts.count; /* ranks that never came there */
    for (size_t i = 0; *is_counted && i < ranks->count; i++)
        ARRAY_AT(struct from_rank, ranks, i)->value =
            i < without ? 0 : *ARRAY_AT(double, &counts, i - without);
    array_free(&counts);
    return is_fine;
}

static bool is_apart(const struct from_rank *less, const struct from_rank *more, bool is_counted)
{
    static const double counted = 1.01, sampled = 1.2, chance = 4; /* standard deviations */
    if (is_counted)
        return more->value > counted * less->value;
    return more->value > sampled * less->value &&
           more->samples - less->samples > chance * sqrt(more->samples + less->samples);
}

static void group(struct from_ranks *found)
{
    struct from_rank *ranks = found->ranks.data;
    size_t first = 0;
    if (found->ranks.count)
        qsort(ranks, found->ranks.count, sizeof *ranks, by_value);
    for (size_t i = 0; i < found->ranks.count; i++) {
        if (!i || is_apart(&ranks[first], &ranks[i], found->is_counted)) {
            first = i;
            found->group_count++;
        }
        ranks[i].group = found->group_count - 1;
    }
}

bool from_ranks_read(const struct asked *asked, int64_t run, int64_t loop, double ranks, double iterations,
                     struct from_ranks *found, struct error *error)
{
    *found = (struct from_ranks){.ranks = ARRAY_OF(struct from_rank)};
    if (!(ranks > 1))
        return true;
    bool is_fine = read_times(asked, run, loop, &found->ranks, error);
    if (is_fine && iterations > 0)
        is_fine = read_iterations(asked, run, loop, iterations, &found->ranks, &found->is_counted, error);
    bool has_all = (double)found->ranks.count == ranks && (found->is_counted || !(iterations > 0));
    if (is_fine && has_all)
        group(found);
    if (found->group_count < 2 || found->group_count > MOST_GROUPS)
        from_ranks_free(found);
    return is_fine;
}

void from_ranks_free(struct from_ranks *found)
{
    array_free(&found->ranks);
    *found = (struct from_ranks){.ranks = ARRAY_OF(struct from_rank)};
}

/* The mean of a group; with its ranks in words. */
static double describe(const struct from_ranks *found, uint32_t group, FILE *out)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < found->ranks.count; i++) {
        const struct from_rank *rank = ARRAY_AT(struct from_rank, &found->ranks, i);
        if (rank->group != group)
            continue;
        if (count < MOST_NAMED)
            fprintf(out, "%s%lld", count ? ", " : "", (long long)rank->rank);
        sum += rank->value;
        count++;
    }
    if (count > MOST_NAMED)
        fprintf(out, " and %zu more", count - MOST_NAMED);
    return sum / (double)count;
}

void from_ranks_write(const struct from_ranks *found, const char *name, FILE *out)
{
    for (uint32_t g = 0; g < found->group_count; g++) {
        char *words = NULL;
        size_t size;
        FILE *text = open_memstream(&words, &size);
        double value = describe(found, g, text);
        fclose(text);
        fprintf(out,
                found->is_counted ? "parameter %s_%u = %.0f \"of rank %s\";\n"
                                  : "free parameter %s_%u = %.6g s \"of rank %s\";\n",
                name, g + 1, value, words);
        free(words);
    }
    fprintf(out, "function %s(r) =", name);
    for (uint32_t g = 0; g + 1 < found->group_count; g++) {
        const char *between = " ";
        for (size_t i = 0; i < found->ranks.count; i++) {
            const struct from_rank *rank = ARRAY_AT(struct from_rank, &found->ranks, i);
            if (rank->group == g) {
                fprintf(out, "%sr == %lld", between, (long long)rank->rank);
                between = " || ";
            }
        }
        fprintf(out, " ? %s_%u :", name, g + 1);
    }
    fprintf(out, " %s_%u;\n", name, found->group_count);
}
