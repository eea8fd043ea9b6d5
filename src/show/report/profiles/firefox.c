/* The "processed" format of the Firefox Profiler (profiler.firefox.com, samply): tables as lists of columns, one
   for each kind of thing, and texts by their numbers.

   One thread stands for all. A sample is a stack of the call tree with its time as weight; samples follow each other in the
   order of the tree, each as long as its weight, because the tree has no other order in time. */
#include "show/report/profiles/profiles.h"

#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 24, PROCESSED_VERSION = 62, LIBRARY = 1 /* a kind of resource */ };

struct firefox {
    const struct profile *profile;
    FILE *out;
    struct strings texts;   /* the number of a text is its id - 1 */
    struct strings objects; /* programs and libraries, likewise */
    struct strings sources; /* files, likewise */
};

/* What stands in a column for a row; the rows of a table begin at 1. */
typedef void cell_writer(struct firefox *firefox, uint32_t row);

static const struct profile_frame *frame_at(const struct firefox *firefox, uint32_t frame)
{
    return ARRAY_AT(struct profile_frame, &firefox->profile->frames, frame);
}

static const struct profile_stack *stack_at(const struct firefox *firefox, uint32_t stack)
{
    return ARRAY_AT(struct profile_stack, &firefox->profile->stacks, stack);
}

static void put_number(struct firefox *firefox, long long number)
{
    fprintf(firefox->out, "%lld", number);
}

static void put_text_number(struct firefox *firefox, const char *text)
{
    put_number(firefox, (long long)strings_add(&firefox->texts, text) - 1);
}

static void cell_null(struct firefox *firefox, uint32_t row)
{
    (void)row;
    fputs("null", firefox->out);
}
static void cell_zero(struct firefox *firefox, uint32_t row)
{
    (void)row;
    fputs("0", firefox->out);
}
static void cell_one(struct firefox *firefox, uint32_t row)
{
    (void)row;
    fputs("1", firefox->out);
}
static void cell_unknown(struct firefox *firefox, uint32_t row)
{
    (void)row;
    fputs("-1", firefox->out);
}
static void cell_false(struct firefox *firefox, uint32_t row)
{
    (void)row;
    fputs("false", firefox->out);
}
static void cell_position(struct firefox *firefox, uint32_t row)
{
    put_number(firefox, (long long)row - 1);
}
static void cell_name(struct firefox *firefox, uint32_t row)
{
    put_text_number(firefox, frame_at(firefox, row)->name);
}
static void cell_line(struct firefox *firefox, uint32_t row)
{
    const struct profile_frame *frame = frame_at(firefox, row);
    if (frame->file && frame->line)
        put_number(firefox, frame->line);
    else
        cell_null(firefox, row);
}
static void cell_resource(struct firefox *firefox, uint32_t row)
{
    const char *object = frame_at(firefox, row)->object;
    put_number(firefox, object ? (long long)strings_find(&firefox->objects, object) - 1 : -1);
}
static void cell_source(struct firefox *firefox, uint32_t row)
{
    const char *file = frame_at(firefox, row)->file;
    if (file)
        put_number(firefox, (long long)strings_find(&firefox->sources, file) - 1);
    else
        cell_null(firefox, row);
}
static void cell_object_name(struct firefox *firefox, uint32_t row)
{
    put_text_number(firefox, strings_text(&firefox->objects, row));
}
static void cell_source_name(struct firefox *firefox, uint32_t row)
{
    put_text_number(firefox, strings_text(&firefox->sources, row));
}
static void cell_library(struct firefox *firefox, uint32_t row)
{
    (void)row;
    put_number(firefox, LIBRARY);
}
static void cell_frame(struct firefox *firefox, uint32_t row)
{
    put_number(firefox, (long long)stack_at(firefox, row)->frame - 1);
}
static void cell_caller(struct firefox *firefox, uint32_t row)
{
    uint32_t caller = stack_at(firefox, row)->caller;
    if (caller)
        put_number(firefox, (long long)caller - 1);
    else
        cell_null(firefox, row);
}
static void cell_weight(struct firefox *firefox, uint32_t row)
{
    row_print_number(stack_at(firefox, row)->self * 1e3, firefox->out);
}
/* Since the sample before: it is as long as its weight. */
static void cell_delta(struct firefox *firefox, uint32_t row)
{
    row_print_number(row > 1 ? stack_at(firefox, row - 1)->self * 1e3 : 0, firefox->out);
}

struct column {
    const char *name;
    cell_writer *write;
};

static void put_table(struct firefox *firefox, struct row_writer *around, const char *name, size_t length,
                      const struct column *columns, const char *more)
{
    row_begin(around, name);
    fprintf(firefox->out, "{\"length\": %zu", length);
    for (const struct column *column = columns; column->name; column++) {
        fprintf(firefox->out, ",\n   \"%s\": [", column->name);
        for (uint32_t row = 1; row <= length; row++) {
            fputs(row > 1 ? "," : "", firefox->out);
            column->write(firefox, row);
        }
        fputs("]", firefox->out);
    }
    fprintf(firefox->out, "%s}", more);
}

static void put_shared(struct firefox *firefox, struct row_writer *whole)
{
    static const struct column frames[] = {{"address", cell_unknown},    {"inlineDepth", cell_zero},
                                           {"category", cell_one},       {"subcategory", cell_zero},
                                           {"func", cell_position},      {"nativeSymbol", cell_null},
                                           {"innerWindowID", cell_zero}, {"line", cell_line},
                                           {"column", cell_null},        {NULL, NULL}};
    static const struct column functions[] = {{"name", cell_name},           {"isJS", cell_false},
                                              {"relevantForJS", cell_false}, {"resource", cell_resource},
                                              {"source", cell_source},       {"lineNumber", cell_line},
                                              {"columnNumber", cell_null},   {NULL, NULL}};
    static const struct column stacks[] = {{"frame", cell_frame}, {"prefix", cell_caller}, {NULL, NULL}};
    static const struct column resources[] = {{"lib", cell_position},
                                              {"name", cell_object_name},
                                              {"host", cell_null},
                                              {"type", cell_library},
                                              {NULL, NULL}};
    static const struct column sources[] = {{"id", cell_null},           {"filename", cell_source_name},
                                            {"startLine", cell_one},     {"startColumn", cell_one},
                                            {"sourceMapURL", cell_null}, {NULL, NULL}};
    static const struct column symbols[] = {{"libIndex", cell_zero},
                                            {"address", cell_zero},
                                            {"name", cell_zero},
                                            {"functionSize", cell_null},
                                            {NULL, NULL}};
    size_t frame_count = firefox->profile->frames.count - 1;
    struct row_writer shared = row_begin_object_named(whole, "shared");
    put_table(firefox, &shared, "frameTable", frame_count, frames, "");
    put_table(firefox, &shared, "funcTable", frame_count, functions, "");
    put_table(firefox, &shared, "stackTable", firefox->profile->stacks.count - 1, stacks, "");
    put_table(firefox, &shared, "resourceTable", firefox->objects.entries.count, resources, "");
    put_table(firefox, &shared, "sources", firefox->sources.entries.count, sources, "");
    put_table(firefox, &shared, "nativeSymbols", 0, symbols, "");
    struct row_list texts = row_begin_list(&shared, "stringArray", "\n   ");
    for (size_t id = 1; id <= firefox->texts.entries.count; id++) {
        const char *text = strings_text(&firefox->texts, (string_id)id);
        row_separate(&texts);
        report_json_text(firefox->out, text, strlen(text));
    }
    row_end_list(&texts);
    row_end_object(&shared);
}

static void put_thread(struct firefox *firefox, struct row_writer *whole)
{
    static const struct column samples[] = {
        {"stack", cell_position}, {"timeDeltas", cell_delta}, {"weight", cell_weight}, {NULL, NULL}};
    static const struct column markers[] = {{"data", cell_null},
                                            {"name", cell_zero},
                                            {"startTime", cell_zero},
                                            {"endTime", cell_zero},
                                            {"phase", cell_zero},
                                            {"category", cell_zero},
                                            {NULL, NULL}};
    struct row_list threads = row_begin_list(whole, "threads", "\n ");
    struct row_writer thread = row_begin_item(&threads);
    row_text(&thread, "name", "all threads");
    row_text(&thread, "processName", firefox->profile->command);
    row_text(&thread, "processType", "default");
    row_flag(&thread, "isMainThread", true);
    row_text(&thread, "pid", "1");
    row_text(&thread, "tid", "1");
    row_integer(&thread, "processStartupTime", 0);
    row_text(&thread, "processShutdownTime", NULL);
    row_integer(&thread, "registerTime", 0);
    row_text(&thread, "unregisterTime", NULL);
    row_flag(&thread, "showMarkersInTimeline", false);
    struct row_list paused = row_begin_list(&thread, "pausedRanges", "");
    row_end_list(&paused);
    put_table(firefox, &thread, "samples", firefox->profile->stacks.count - 1, samples,
              ",\n   \"weightType\": \"tracing-ms\"");
    put_table(firefox, &thread, "markers", 0, markers, "");
    row_end_object(&thread);
    row_end_list(&threads);
}

static void put_meta(const struct firefox *firefox, struct row_writer *whole)
{
    const struct profile *profile = firefox->profile;
    autofree char *product = memory_format("assay %s", profile->version);
    struct row_writer meta = row_begin_object_named(whole, "meta");
    row_integer(&meta, "version", VERSION);
    row_integer(&meta, "preprocessedProfileVersion", PROCESSED_VERSION);
    row_text(&meta, "product", product);
    row_text(&meta, "arguments", profile->command);
    row_number(&meta, "interval", profile->period > 0 ? profile->period * 1e3 : 1);
    row_integer(&meta, "startTime", 0);
    row_integer(&meta, "processType", 0);
    row_flag(&meta, "debug", false);
    row_flag(&meta, "symbolicated", true);
    row_flag(&meta, "sourceCodeIsNotOnSearchfox", true);
    row_flag(&meta, "usesOnlyOneStackType", true);
    row_begin(&meta, "categories");
    fputs("[{\"name\": \"Other\", \"color\": \"grey\", \"subcategories\": [\"Other\"]}, "
          "{\"name\": \"Code\", \"color\": \"blue\", \"subcategories\": [\"Other\"]}]",
          firefox->out);
    row_begin(&meta, "extensions");
    fputs("{\"length\": 0, \"baseURL\": [], \"id\": [], \"name\": []}", firefox->out);
    struct row_list schema = row_begin_list(&meta, "markerSchema", "");
    row_end_list(&schema);
    struct row_list paused = row_begin_list(&meta, "pausedRanges", "");
    row_end_list(&paused);
    row_end_object(&meta);
}

static void put_libraries(const struct firefox *firefox, struct row_writer *whole)
{
    struct row_list list = row_begin_list(whole, "libs", "\n  ");
    for (size_t id = 1; id <= firefox->objects.entries.count; id++) {
        const char *object = strings_text(&firefox->objects, (string_id)id), *slash = strrchr(object, '/');
        const char *name = slash && slash[1] ? slash + 1 : object;
        struct row_writer item = row_begin_item(&list);
        row_text(&item, "arch", NULL);
        row_text(&item, "breakpadId", "");
        row_text(&item, "codeId", NULL);
        row_text(&item, "debugName", name);
        row_text(&item, "debugPath", object);
        row_text(&item, "name", name);
        row_text(&item, "path", object);
        row_end_object(&item);
    }
    row_end_list(&list);
}

bool profile_firefox(const struct profile *profile, FILE *out, struct error *error)
{
    (void)error;
    struct firefox firefox = {.profile = profile, .out = out};
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        strings_add(&firefox.objects, frame_at(&firefox, i)->object);
        strings_add(&firefox.sources, frame_at(&firefox, i)->file);
    }
    struct row_writer whole = row_begin_object(out);
    put_meta(&firefox, &whole);
    put_libraries(&firefox, &whole);
    struct row_list pages = row_begin_list(&whole, "pages", "");
    row_end_list(&pages);
    put_shared(&firefox, &whole);
    put_thread(&firefox, &whole);
    fputs("}\n", out);
    strings_free(&firefox.sources);
    strings_free(&firefox.objects);
    strings_free(&firefox.texts);
    return true;
}
