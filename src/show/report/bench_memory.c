/* Levels of memory, as text, and all points for programs. */
#include "show/report/bench.h"
#include "show/report/common/row_writer.h"

#include <math.h>
#include <string.h>

/* Samples that are further apart are named. */
static const double UNSTEADY = 0.1;

static void write_point(struct row_writer *writer, const struct bench_point *point, enum isa isa,
                        unsigned processors)
{
    bool is_measured = point->result.status == bench_MEASURED;
    bool is_stride = !strcmp(point->what, "stride");
    double bytes = bench_point_bytes(point, isa), nanoseconds = 1 / point->result.ghz;
    double cycles = bench_point_cycles(point);
    bool is_load = is_stride || isnan(bytes); /* cycles are those of one load */
    writer->is_first = true;
    row_text(writer, "what", point->what);
    row_id(writer, "vector_bytes", is_stride ? 0 : point->number);
    row_id(writer, "stride", is_stride ? point->number : 0);
    row_integer(writer, "bytes", (int64_t)point->bytes);
    row_id(writer, "processors", point->threads == BENCH_ALL ? processors : point->threads);
    row_text(writer, "status", bench_status_words[point->result.status]);
    row_figure(writer, "cycles", is_load ? cycles : NAN);
    row_figure(writer, "nanoseconds", is_load ? cycles * nanoseconds : NAN);
    row_figure(writer, "bytes_per_cycle", bytes);
    row_figure(writer, "gigabytes_per_second", bytes / nanoseconds);
    row_figure(writer, "spread", is_measured ? point->result.spread : NAN);
    row_figure(writer, "ghz", is_measured ? point->result.ghz : NAN);
}

static void write_points(const struct array *points, enum isa isa, unsigned processors, bool is_json,
                         FILE *out)
{
    static const struct bench_point empty = {.bytes = 0};
    struct row_table table = row_begin_table(out, is_json, false);
    if (row_begin_head(&table))
        write_point(&table.row, &empty, isa, 0);
    for (size_t i = 0; i < points->count; i++) {
        row_begin_row(&table);
        write_point(&table.row, ARRAY_AT(struct bench_point, points, i), isa, processors);
    }
    row_end_table(&table);
}

static const char *level_name(const struct bench_level *level, char name[16])
{
    snprintf(name, 16, level->cache.level ? "L%u" : "memory", level->cache.level);
    return name;
}

static void print_size(double bytes, int width, FILE *out)
{
    static const char units[] = " KMG";
    char text[24] = "";
    unsigned unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++)
        bytes /= 1024;
    if (bytes > 0)
        snprintf(text, sizeof text, "%.3g%.1s", bytes, unit ? &units[unit] : "");
    fprintf(out, "%*s", width, text);
}

static void print_figure(double figure, int width, int digits, FILE *out)
{
    if (figure > 0 && isfinite(figure))
        fprintf(out, "%*.*f", width, digits, figure);
    else
        fprintf(out, "%*s", width, "-");
}

static void print_levels(const struct bench_levels *levels, const struct report_style *style, FILE *out)
{
    fprintf(out, "%s%-8s%7s%9s%8s   %-29s%-25s%s%s\n", report_ink(style, ink_BOLD), "level", "size",
            "latency", "", "bytes a cycle, one core", "GB/s, one core",
            levels->processors > 1 ? "GB/s, all" : "", report_ink(style, ink_PLAIN));
    fprintf(out, "%-8s%7s%9s%8s%8s%8s%8s%8s%9s%8s%8s", "", "", "cycles", "ns", "loads", "stores", "copies",
            "updates", "loads", "stores", "copies");
    if (levels->processors > 1)
        fprintf(out, "%9s%8s%8s", "loads", "stores", "copies");
    putc('\n', out);
    for (unsigned i = 0; i < levels->count; i++) {
        const struct bench_level *level = &levels->levels[i];
        char name[16];
        fprintf(out, "%-8s", level_name(level, name));
        print_size((double)level->cache.bytes, 7, out);
        print_figure(level->cache.latency, 9, 1, out);
        print_figure(level->nanoseconds, 8, 1, out);
        print_figure(level->cache.bytes_per_cycle, 8, 1, out);
        print_figure(level->cache.stored_per_cycle, 8, 1, out);
        print_figure(level->cache.copied_per_cycle, 8, 1, out);
        print_figure(level->cache.updated_per_cycle, 8, 1, out);
        for (unsigned k = 0; k < 3; k++)
            print_figure(level->core[k], k ? 8 : 9, 1, out);
        for (unsigned k = 0; k < 3 && levels->processors > 1; k++)
            print_figure(level->all[k], k ? 8 : 9, 1, out);
        putc('\n', out);
    }
}

/* Sizes by the curves beside those of the system; levels that were disturbed. */
static void print_doubts(const struct bench_levels *levels, FILE *out)
{
    for (unsigned i = 0; i < levels->count; i++) {
        const struct bench_level *level = &levels->levels[i];
        char name[16];
        if (!level->cache.level)
            continue;
        if (!level->is_reported) {
            fprintf(out, "%s: the system reports no caches; the size is where times rise\n",
                    level_name(level, name));
        } else if (!level->step) {
            fprintf(out, "%s: the size is what the system reports; times do not rise there\n",
                    level_name(level, name));
        } else if (level->step < 0.7 * (double)level->cache.bytes ||
                   level->step > 1.3 * (double)level->cache.bytes) {
            fprintf(out, "%s: times rise beyond ", level_name(level, name));
            print_size(level->step, 0, out);
            fputs(", the system reports ", out);
            print_size((double)level->cache.bytes, 0, out);
            fputs(level->cache.is_shared ? " for all cores that share it\n" : "\n", out);
        }
    }
    for (unsigned i = 0; i < levels->count; i++) {
        char name[16];
        if (levels->levels[i].unsteady > UNSTEADY)
            fprintf(
                out,
                "%s: samples are %.0f %% apart, other programs disturb them: repeat it on an idle computer\n",
                level_name(&levels->levels[i], name), 100 * levels->levels[i].unsteady);
    }
    for (unsigned i = 0; i < levels->unexplained_count; i++) {
        fputs("times also rise beyond ", out);
        print_size(levels->unexplained[i], 0, out);
        fputs(", where the system reports no cache (translation of addresses, a prefetcher, others in the "
              "same cache)\n",
              out);
    }
}

static void print_strides(const struct bench_levels *levels, const struct array *points,
                          const struct report_style *style, FILE *out)
{
    static const unsigned strides[] = {64, 128, 256, 4096};
    enum { COUNT = sizeof strides / sizeof *strides };
    fprintf(out, "\n%scycles of a load in order, by the distance from one to the next%s\n%-8s",
            report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN), "");
    for (unsigned i = 0; i < COUNT; i++)
        fprintf(out, "%7u B", strides[i]);
    fputs("   random\n", out);
    for (unsigned i = 0; i < levels->count; i++) {
        const struct bench_level *level = &levels->levels[i];
        char name[16];
        if (isnan(bench_level_stride(levels, i, points, strides[0])))
            continue;
        fprintf(out, "%-8s", level_name(level, name));
        for (unsigned k = 0; k < COUNT; k++)
            print_figure(bench_level_stride(levels, i, points, strides[k]), 9, 2, out);
        print_figure(level->cache.latency, 9, 2, out);
        putc('\n', out);
    }
}

static void print_text(struct bench_results *results, const struct array *points, enum isa isa,
                       const struct report_style *style, FILE *out)
{
    struct bench_levels levels = bench_find_levels(results, isa);
    if (!levels.count) {
        fputs("no level of memory was measured\n", out);
        return;
    }
    fprintf(out, "%.2f GHz", levels.ghz);
    if (levels.processors)
        fprintf(out, ", %u processor%s", levels.processors, levels.processors > 1 ? "s" : "");
    fputs("\n\n", out);
    print_levels(&levels, style, out);
    print_doubts(&levels, out);
    print_strides(&levels, points, style, out);
}

void report_bench_memory(struct bench_results *results, enum isa isa, const struct report_style *style,
                         FILE *out)
{
    struct array points = bench_memory_points(results);
    if (style->format == report_TABLE)
        print_text(results, &points, isa, style, out);
    else
        write_points(&points, isa, bench_system_processors(results), style->format == report_JSON, out);
    array_free(&points);
}
