/* Rows have four buckets for each octave. Neighbours are put together until the picture fits; where a whole
   number is a bucket of its own and there are few, each keeps its bar. Bars without rows between others stay,
   so that the distance between two humps is seen; but the last few of all are one bar, however far it
   reaches. */
#include "show/report/probe/histogram.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARKS = 12 };
static const double RARE = 0.005; /* of all: neighbours below become one bar */

/* How values become positions of bars. */
struct scale {
    bool is_linear;
    double step;   /* linear: width of a bar; else octaves of a bar */
    double origin; /* position of the first bar, in steps */
};

static double middle_of(const struct bar *bar)
{
    return bar->low == bar->high ? bar->low : (bar->low + bar->high) / 2;
}

static double position_of(const struct scale *scale, double value, double least)
{
    if (scale->is_linear)
        return floor(value / scale->step);
    return value > 0 ? floor(log2(value) / scale->step) : floor(log2(least) / scale->step) - 1;
}

/* Smallest value above 0, for where 0 lies on a logarithmic scale. */
static double least_of(const struct array *rows)
{
    double least = INFINITY;
    for (size_t i = 0; i < rows->count; i++) {
        double middle = middle_of(ARRAY_AT(struct bar, rows, i));
        if (middle > 0 && middle < least)
            least = middle;
    }
    return isfinite(least) ? least : 1;
}

static struct scale choose_scale(const struct array *rows, size_t most)
{
    double low = INFINITY, high = -INFINITY, least = least_of(rows);
    bool is_exact = true;
    for (size_t i = 0; i < rows->count; i++) {
        const struct bar *row = ARRAY_AT(struct bar, rows, i);
        low = fmin(low, middle_of(row));
        high = fmax(high, middle_of(row));
        is_exact &= row->low == row->high && row->low == floor(row->low);
    }
    struct scale scale = {.is_linear = low < 0 || (is_exact && high - low < (double)most), .step = 0.25};
    if (scale.is_linear)
        scale.step =
            is_exact && high - low < (double)most ? 1 : fmax((high - low) / (double)(most - 1), 1e-300);
    while (!scale.is_linear &&
           position_of(&scale, high, least) - position_of(&scale, low, least) >= (double)most)
        scale.step *= 2;
    scale.origin = position_of(&scale, low, least);
    return scale;
}

static void fold(const struct array *rows, size_t most, struct histogram *histogram)
{
    if (!rows->count)
        return;
    struct scale scale = choose_scale(rows, most);
    double least = least_of(rows);
    for (size_t i = 0; i < rows->count; i++) {
        const struct bar *row = ARRAY_AT(struct bar, rows, i);
        double place = position_of(&scale, middle_of(row), least) - scale.origin;
        size_t at = place < 0 ? 0 : place >= (double)most ? most - 1 : (size_t)place;
        while (histogram->bars.count <= at)
            array_add(&histogram->bars);
        struct bar *bar = ARRAY_AT(struct bar, &histogram->bars, at);
        bar->low = bar->count ? fmin(bar->low, row->low) : row->low;
        bar->high = bar->count ? fmax(bar->high, row->high) : row->high;
        bar->count += row->count;
        histogram->total += row->count;
        if (bar->count > histogram->largest)
            histogram->largest = bar->count;
    }
}

/* Takes the last rows off, if they are few of all: a single interrupt would make the others one bar. */
static struct bar cut_tail(struct array *rows)
{
    struct bar tail = {0};
    uint64_t total = 0;
    for (size_t i = 0; i < rows->count; i++)
        total += ARRAY_AT(struct bar, rows, i)->count;
    while (rows->count) {
        const struct bar *last = ARRAY_AT(struct bar, rows, rows->count - 1);
        if ((double)(tail.count + last->count) >= RARE * (double)total)
            break;
        tail = (struct bar){last->low, tail.count ? tail.high : last->high, tail.count + last->count};
        rows->count--;
    }
    return tail;
}

bool histogram_load(const struct asked *asked, int64_t run, const char *quantity, int64_t subject,
                    size_t most, struct histogram *histogram, struct error *error)
{
    struct array rows = ARRAY_OF(struct bar);
    int state = -1;
    *histogram = (struct histogram){.bars = ARRAY_OF(struct bar)};
    sqlite3_stmt *statement =
        report_ask(asked, query_named(probe_queries, "histogram_load"), run, subject, error);
    if (statement)
        sqlite3_bind_text(statement, 3, quantity, -1, SQLITE_STATIC);
    while (statement && (state = report_step(statement, error)) == 1) {
        struct bar row = {sqlite3_column_double(statement, 0), sqlite3_column_double(statement, 1),
                          (uint64_t)sqlite3_column_int64(statement, 2)};
        if (isfinite(row.low) && isfinite(row.high))
            *(struct bar *)array_push(&rows) = row;
    }
    sqlite3_finalize(statement);
    struct bar tail = cut_tail(&rows);
    fold(&rows, tail.count && most > 2 ? most - 1 : most, histogram);
    if (tail.count) {
        *(struct bar *)array_push(&histogram->bars) = tail;
        histogram->total += tail.count;
    }
    array_free(&rows);
    return state == 0;
}

static bool is_rare(const struct histogram *histogram, size_t at)
{
    return (double)ARRAY_AT(struct bar, &histogram->bars, at)->count < RARE * (double)histogram->total;
}

void histogram_join_rare(struct histogram *histogram)
{
    struct array bars = ARRAY_OF(struct bar);
    for (size_t at = 0, end; at < histogram->bars.count; at = end) {
        struct bar joined = *ARRAY_AT(struct bar, &histogram->bars, at);
        bool joins = joined.count && is_rare(histogram, at);
        for (end = at + 1; joins && end < histogram->bars.count && is_rare(histogram, end); end++) {
            const struct bar *next = ARRAY_AT(struct bar, &histogram->bars, end);
            joined.high = next->count ? next->high : joined.high;
            joined.count += next->count;
        }
        *(struct bar *)array_push(&bars) = joined;
    }
    array_free(&histogram->bars);
    histogram->bars = bars;
}

bool histogram_is_picture(const struct histogram *histogram)
{
    return histogram->bars.count > 1 && (double)histogram->largest < 0.95 * (double)histogram->total;
}

void histogram_free(struct histogram *histogram)
{
    array_free(&histogram->bars);
}

static char *number_words(double number)
{
    if (fabs(number) >= 1e15)
        return memory_format("%.3g", number);
    if (number == floor(number) || fabs(number) >= 100) {
        autofree char *digits = phrase_count((uint64_t)llround(fabs(number)));
        return memory_format("%s%s", number < 0 ? "-" : "", digits);
    }
    return memory_format("%.3g", number);
}

char *histogram_range(const struct bar *bar, bool is_time)
{
    autofree char *low = is_time ? phrase_ns(bar->low) : number_words(bar->low);
    autofree char *high = is_time ? phrase_ns(bar->high) : number_words(bar->high);
    return !strcmp(low, high) ? memory_format("%s", low) : memory_format("%s to %s", low, high);
}

struct distribution distribution_of(const struct probe_finding *finding)
{
    bool is_constant =
        !strcmp(finding->kind, "short constant loop") || !strcmp(finding->kind, "constant loop");
    switch (finding->group) {
    case PROBE_FUNCTIONS:
        if (!strcmp(finding->kind, "burst function")) /* the clock cannot tell their times */
            break;
        return (struct distribution){"function time", finding->function, "time of a call", true};
    case PROBE_LOOPS:
        if (is_constant)
            return (struct distribution){"loop time", finding->loop, "time of an entry", true};
        return (struct distribution){"iterations", finding->loop, "iterations of an entry", false};
    case PROBE_CALLS:
        return (struct distribution){"call time", finding->instruction, "time of a call", true};
    case PROBE_VALUES:
        if (!strcmp(finding->kind, "one value"))
            break;
        return (struct distribution){"value", finding->value, "values", false};
    default:
        break;
    }
    return (struct distribution){0};
}

/* ---- in a few characters ---- */

static const char PLAIN[] = "plain";

static void sql_sparkline(sqlite3_context *context, int count, sqlite3_value **values)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
    (void)count;
    const char *const *inks = sqlite3_user_data(context) ? marks : blocks;
    const char *quantity = (const char *)sqlite3_value_text(values[1]);
    struct asked asked = {sqlite3_context_db_handle(context), NULL};
    struct histogram histogram;
    struct error error = {0};
    if (!quantity || !histogram_load(&asked, sqlite3_value_int64(values[0]), quantity,
                                     sqlite3_value_int64(values[2]), SPARKS, &histogram, &error))
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < histogram.bars.count; i++) {
        uint64_t number = ARRAY_AT(struct bar, &histogram.bars, i)->count;
        fputs(inks[number ? 1 + (size_t)(7.0 * (double)number / (double)histogram.largest) : 0], out);
    }
    fclose(out);
    if (histogram.bars.count > 1)
        sqlite3_result_text(context, text, -1, free);
    else
        free(text);
    histogram_free(&histogram);
}

bool histogram_register(sqlite3 *connection, bool is_plain)
{
    return sqlite3_create_function_v2(connection, "sparkline", 3, SQLITE_UTF8,
                                      is_plain ? (void *)PLAIN : NULL, sql_sparkline, NULL, NULL,
                                      NULL) == SQLITE_OK;
}
