#include "show/report/codelet.h"

#include "base/memory.h"
#include "base/text.h"
#include "show/report/common/row_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "235.8 µs" */
static char *time_words(double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    unsigned i = 0;
    while (i < 3 && seconds < units[i].unit)
        i++;
    return memory_format("%.4g %s", seconds / units[i].unit, units[i].name);
}

/* Head and row of csv, or one object. */
static void begin(struct row_writer *writer, const struct report_style *style, FILE *out, bool is_head)
{
    *writer = (struct row_writer){
        .out = out, .is_json = style->format == report_JSON, .is_head = is_head, .is_first = true};
    if (writer->is_json)
        fputs("[{", out);
}

static void end(const struct row_writer *writer)
{
    fputs(writer->is_json ? "}]\n" : "\n", writer->out);
}

struct rows {
    void (*write)(struct row_writer *writer, const void *context);
    const void *context;
};

static void write_rows(const struct rows *rows, const struct report_style *style, FILE *out)
{
    struct row_writer writer;
    for (int is_row = style->format == report_JSON; is_row < 2; is_row++) {
        begin(&writer, style, out, !is_row);
        rows->write(&writer, rows->context);
        end(&writer);
    }
}

struct captured {
    const struct capture_facts *facts;
    const char *function, *path;
};

static void captured_row(struct row_writer *writer, const void *context)
{
    const struct captured *captured = context;
    const struct capture_facts *facts = captured->facts;
    row_text(writer, "function", captured->function);
    row_text(writer, "codelet", captured->path);
    row_integer(writer, "call", (int64_t)facts->call);
    row_integer(writer, "calls_seen", (int64_t)facts->calls);
    row_flag(writer, "is_every_call", facts->is_every_call);
    row_integer(writer, "bytes", (int64_t)facts->bytes);
    row_integer(writer, "pages", (int64_t)facts->pages);
    row_number(writer, "seconds", facts->seconds);
}

void report_captured(const struct capture_facts *facts, const char *function, const char *path,
                     const struct report_style *style, FILE *out)
{
    struct captured captured = {facts, function, path};
    if (style->format != report_TABLE) {
        write_rows(&(struct rows){captured_row, &captured}, style, out);
        return;
    }
    autofree char *name = text_safe(function, strlen(function)), *file = text_safe(path, strlen(path));
    autofree char *time = time_words(facts->seconds);
    fprintf(out, "%s: call %" PRIu64 " of %s%" PRIu64 " is in %s (%.1f MB, %" PRIu64 " pages).\n", name,
            facts->call, facts->is_every_call ? "" : "the first ", facts->calls, file,
            (double)facts->bytes / 1e6, facts->pages);
    fprintf(out, "Replayed, it computes the same as before and takes %s (caches warm).\n", time);
    fprintf(out, "Try other code on it: assay codelet replay %s OBJECT\n", file);
}

static const char *isa_words(const struct codelet *codelet)
{
    return codelet->header->isa == codelet_AARCH64 ? "aarch64" : "x86-64";
}

static void codelet_row(struct row_writer *writer, const void *context)
{
    const struct codelet *codelet = context;
    const struct codelet_header *header = codelet->header;
    row_text(writer, "function", codelet_text(codelet, header->function));
    row_text(writer, "command", codelet_text(codelet, header->command));
    row_text(writer, "file", codelet_text(codelet, codelet->modules[header->module].name));
    row_text(writer, "isa", isa_words(codelet));
    row_integer(writer, "call", (int64_t)header->call);
    row_integer(writer, "calls_seen", (int64_t)header->calls);
    row_integer(writer, "threads", header->threads);
    row_integer(writer, "bytes", (int64_t)codelet_contents(codelet));
    row_number(writer, "seconds", header->seconds);
    row_flag(writer, "has_result", header->result_count != CODELET_RESULT_UNKNOWN);
    row_integer(writer, "regions", (int64_t)header->regions.count);
    row_integer(writer, "symbols", (int64_t)header->symbols.count);
    row_integer(writer, "objects", (int64_t)header->objects.count);
}

static void print_arguments(const struct codelet *codelet, FILE *out)
{
    static const char *const kinds[codelet_KINDS] = {"of a type that is not a number", "integers or pointers",
                                                     "floats", "doubles", "long doubles"};
    enum { MOST_ARGUMENTS = 100 };
    for (uint32_t number = 1; number <= MOST_ARGUMENTS; number++)
        for (uint64_t i = 0; i < codelet->header->objects.count; i++) {
            const struct codelet_object *object = &codelet->objects[i];
            if (object->argument != number)
                continue;
            const char *text = codelet_text(codelet, object->name);
            autofree char *name = text_safe(text, strlen(text));
            fprintf(out, "argument %u %s points to %s at 0x%" PRIx64 "\n", number, name, kinds[object->kind],
                    object->address);
        }
}

void report_codelet(const struct codelet *codelet, const struct report_style *style, FILE *out)
{
    const struct codelet_header *header = codelet->header;
    if (style->format != report_TABLE) {
        write_rows(&(struct rows){codelet_row, codelet}, style, out);
        return;
    }
    const char *texts[3] = {codelet_text(codelet, header->function), codelet_text(codelet, header->command),
                            codelet_text(codelet, codelet->modules[header->module].name)};
    char *safe[3], *time = time_words(header->seconds);
    for (int i = 0; i < 3; i++)
        safe[i] = text_safe(texts[i], strlen(texts[i]));
    fprintf(out, "function   %s, in %s (%s)\n", safe[0], safe[2], isa_words(codelet));
    fprintf(out, "command    %s\n", safe[1]);
    fprintf(out, "call       %" PRIu64 ", of %" PRIu64 " seen; the process had %u thread%s\n", header->call,
            header->calls, header->threads, header->threads == 1 ? "" : "s");
    fprintf(out, "memory     %.1f MB in %" PRIu64 " mappings\n", (double)codelet_contents(codelet) / 1e6,
            header->regions.count);
    fprintf(out, "time       %s a call when it was captured\n", time);
    fprintf(out, "result     %s\n",
            header->result_count == CODELET_RESULT_UNKNOWN
                ? "its type is not known: a replay compares memory alone"
            : header->result_count ? "compared by a replay"
                                   : "none: it returns nothing");
    print_arguments(codelet, out);
    for (int i = 0; i < 3; i++)
        free(safe[i]);
    free(time);
}

static const char *verdict_words(enum replay_verdict verdict)
{
    static const char *const words[] = {
        [replay_SAME] = "same",       [replay_WITHIN] = "within", [replay_DIFFERENT] = "different",
        [replay_CRASHED] = "crashed", [replay_SLOW] = "slow",     [replay_UNLINKED] = "unlinked",
        [replay_NEAR] = "last digits"};
    return words[verdict];
}

struct replayed {
    const struct replay_result *result;
    const char *object;
};

static double measured(double seconds)
{
    return seconds > 0 ? seconds : NAN;
}

static void replayed_row(struct row_writer *writer, const void *context)
{
    const struct replayed *replayed = context;
    const struct replay_result *result = replayed->result;
    row_text(writer, "object", replayed->object);
    row_text(writer, "verdict", verdict_words(result->verdict));
    row_number(writer, "seconds", measured(result->seconds));
    row_number(writer, "spread", result->seconds > 0 ? result->spread : NAN);
    row_number(writer, "original_seconds", measured(result->original_seconds));
    row_number(writer, "original_spread", result->original_seconds > 0 ? result->original_spread : NAN);
    row_integer(writer, "calls", (int64_t)result->calls);
    row_integer(writer, "in_a_row", (int64_t)result->in_a_row);
    row_flag(writer, "is_processor_time", result->is_processor_time);
    row_flag(writer, "has_result", result->has_result);
    row_integer(writer, "compared", (int64_t)result->compared);
    row_integer(writer, "differing", (int64_t)result->differing);
    row_number(writer, "largest_error", result->largest_error);
    row_number(writer, "largest_ulps", result->largest_ulps);
    row_text(writer, "where", result->where);
}

static void print_verdict(const struct replay_result *result, const char *tolerance, FILE *out)
{
    autofree char *where = result->where ? text_safe(result->where, strlen(result->where)) : NULL;
    const char *said = where ? where : "";
    switch (result->verdict) {
    case replay_SAME:
        fprintf(out, "The results are the same, bit for bit (%" PRIu64 " words compared).\n",
                result->compared);
        break;
    case replay_WITHIN:
        fprintf(out,
                "The results are within the tolerance of %s: %" PRIu64 " of %" PRIu64
                " words differ, the largest relative error is %.2g.\n",
                tolerance ? tolerance : "0", result->differing, result->compared, result->largest_error);
        break;
    case replay_NEAR:
        fprintf(
            out,
            "The results differ in the last digits: by at most %.0f ulp of the largest element; --tolerance "
            "%.0fulp accepts that.\n%" PRIu64 " of %" PRIu64
            " words are not the same, the largest relative error is %.2g: %s.\n",
            ceil(result->largest_ulps), ceil(result->largest_ulps), result->differing, result->compared,
            result->largest_error, said);
        break;
    case replay_DIFFERENT:
        fprintf(out, "The results differ: %s.\n%" PRIu64 " of %" PRIu64 " words are not the same", said,
                result->differing, result->compared);
        if (result->largest_error > 0)
            fprintf(out, "; the largest relative error of numbers is %.2g", result->largest_error);
        fputs(".\n", out);
        break;
    case replay_CRASHED:
        fprintf(out, "The variant does not come back: %s.\n", said);
        break;
    case replay_SLOW:
        fprintf(out, "The variant does not end: %s.\n", said);
        break;
    case replay_UNLINKED:
        fprintf(out, "The variant cannot be replayed: %s.\n", said);
        break;
    }
    if (!result->has_result && result->verdict != replay_UNLINKED && result->compared)
        fputs("What it returns was not compared: its type is not known (compile the program with -g).\n",
              out);
}

static void print_time(const char *who, double seconds, double spread, FILE *out)
{
    autofree char *time = time_words(seconds), *around = time_words(spread);
    fprintf(out, "  %-10s %-10s ± %s\n", who, time, around);
}

void report_replayed(const struct replay_result *result, const char *object, const char *tolerance,
                     const struct report_style *style, FILE *out)
{
    struct replayed replayed = {result, object};
    if (style->format != report_TABLE) {
        write_rows(&(struct rows){replayed_row, &replayed}, style, out);
        return;
    }
    if (object)
        print_verdict(result, tolerance, out);
    if (result->original_seconds <= 0)
        return;
    fprintf(out, "Time of a call (%" PRIu64 " calls%s, %s, caches warm):\n", result->calls,
            object ? " of each, in turn" : "",
            result->is_processor_time ? "processor time" : "by the processor's clock");
    print_time("original", result->original_seconds, result->original_spread, out);
    if (!object || result->seconds <= 0)
        return;
    print_time("variant", result->seconds, result->spread, out);
    double ratio = result->original_seconds / result->seconds;
    double noise = (result->spread + result->original_spread) / result->original_seconds;
    if (fabs(ratio - 1) <= noise || fabs(ratio - 1) < 0.005)
        fprintf(out, "The two are equally fast, as far as this can tell.\n");
    else
        fprintf(out, "The variant is %.2f times as %s.\n", ratio > 1 ? ratio : 1 / ratio,
                ratio > 1 ? "fast" : "slow");
}
