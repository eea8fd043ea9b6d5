/* Levels of memory, as text, and all points for programs. */
#include "report/bench.h"
#include "report/common/row_writer.h"

#include <math.h>
#include <string.h>

static void write_point(struct row_writer *writer, const struct gauge_point *point, enum isa isa,
                        unsigned processors)
{
    bool is_measured = point->result.status == gauge_MEASURED;
    bool is_stride = !strcmp(point->what, "stride");
    double bytes = gauge_point_bytes(point, isa), nanoseconds = 1 / point->result.ghz;
    writer->is_first = true;
    row_text(writer, "what", point->what);
    row_id(writer, "vector_bytes", is_stride ? 0 : point->number);
    row_id(writer, "stride", is_stride ? point->number : 0);
    row_integer(writer, "bytes", (int64_t)point->bytes);
    row_id(writer, "processors", point->threads == GAUGE_ALL ? processors : point->threads);
    row_text(writer, "status", gauge_status_words[point->result.status]);
    row_figure(writer, "cycles", is_measured && isnan(bytes) ? point->result.median : NAN);
    row_figure(writer, "best_cycles", is_measured && isnan(bytes) ? point->result.best : NAN);
    row_figure(writer, "nanoseconds", is_measured && isnan(bytes) ? point->result.median * nanoseconds : NAN);
    row_figure(writer, "bytes_per_cycle", bytes);
    row_figure(writer, "gigabytes_per_second", bytes / nanoseconds);
    row_figure(writer, "spread", is_measured ? point->result.spread : NAN);
    row_figure(writer, "ghz", is_measured ? point->result.ghz : NAN);
}

static void write_points(const struct array *points, enum isa isa, unsigned processors, bool is_json,
                         FILE *out)
{
    struct row_writer writer = {.out = out, .is_json = is_json, .is_head = !is_json};
    if (!is_json) {
        static const struct gauge_point empty = {.bytes = 0};
        write_point(&writer, &empty, isa, 0);
        fputs("\r\n", out);
        writer.is_head = false;
    } else {
        fputs("[", out);
    }
    for (size_t i = 0; i < points->count; i++) {
        if (is_json)
            fputs(i ? "},\n {" : "{", out);
        write_point(&writer, ARRAY_AT(struct gauge_point, points, i), isa, processors);
        if (!is_json)
            fputs("\r\n", out);
    }
    if (is_json)
        fputs(points->count ? "}]\n" : "]\n", out);
}

void report_bench_memory(struct gauge_results *results, enum isa isa, const struct report_style *style,
                         FILE *out)
{
    struct array points = gauge_memory_points(results);
    write_points(&points, isa, gauge_system_processors(results), style->format == report_JSON, out);
    array_free(&points);
}
