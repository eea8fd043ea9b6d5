/* Everything that a computer without Assay needs: the sources of the runner, the tests as C arrays, a
 * Makefile. */
#include "run/bench/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE(name) extern const char bench_source_##name[];
SOURCE(bench_file_h)
SOURCE(bench_h)
SOURCE(children_c)
SOURCE(clock_c)
SOURCE(code_c)
SOURCE(computer_c)
SOURCE(events_c)
SOURCE(measure_c)
SOURCE(pages_c)
SOURCE(results_c)
SOURCE(system_c)
SOURCE(together_c)
SOURCE(walk_c)
SOURCE(main_c)
SOURCE(enter_S)
#undef SOURCE

static const char makefile[] = "# make && ./runner > results\n"
                               "# An interrupted run goes on with: ./runner results >> results\n"
                               "CC = gcc\n"
                               "CFLAGS = -std=gnu17 -O2 -D_GNU_SOURCE -I.\n"
                               "SOURCES = $(wildcard runtime/bench/*.c) runtime/bench/enter.S tests.c\n"
                               "runner: $(SOURCES) $(wildcard runtime/bench/*.h)\n"
                               "\t$(CC) $(CFLAGS) -o $@ $(SOURCES) -lm\n"
                               "clean:\n"
                               "\trm -f runner\n";

static void write_test(const struct bench_planned *planned, const struct bench_test *test, size_t number,
                       FILE *out)
{
    fprintf(out, "static const uint8_t unit_%zu[] = {", number);
    for (uint32_t i = 0; i < test->unit_size; i++)
        fprintf(out, "%s0x%02x", i ? "," : "", test->unit[i]);
    fputs("};\n", out);
    if (!planned->values.count)
        return;
    fprintf(out, "static const struct bench_value values_%zu[] = {", number);
    for (size_t i = 0; i < planned->values.count; i++) {
        const struct bench_value *value = ARRAY_AT(struct bench_value, &planned->values, i);
        fprintf(out, "%s{%u,%u,%u,0x%llx}", i ? "," : "", value->is_vector, value->number, value->is_pointer,
                (unsigned long long)value->value);
    }
    fputs("};\n", out);
}

static void write_row(const struct bench_planned *planned, const struct bench_test *test, size_t number,
                      FILE *out)
{
    fprintf(out,
            "    {.name = \"%s\", .unit = unit_%zu, .unit_size = %u, .copies = {%u, %u}, .trips = {%u, %u}, "
            ".most_trips = %u, "
            ".counter = %u,"
            " .vector_bytes = %u, .layout = %u, .bytes = 0x%llx, .general = 0x%llx, .vector = 0x%llx, "
            ".memory = 0x%llx",
            test->name, number, test->unit_size, test->copies[0], test->copies[1], test->trips[0],
            test->trips[1], test->most_trips, test->counter, test->vector_bytes, test->layout,
            (unsigned long long)test->bytes, (unsigned long long)test->general,
            (unsigned long long)test->vector, (unsigned long long)test->memory);
    if (test->pass)
        fprintf(out, ", .pass = %llu, .threads = %u", (unsigned long long)test->pass, test->threads);
    if (test->is_counted)
        fputs(", .is_counted = 1", out);
    if (planned->values.count)
        fprintf(out, ", .values = values_%zu, .value_count = %zu", number, planned->values.count);
    fputs("},\n", out);
}

/* A list is never empty, for the sake of C. */
static void write_events(const struct bench_session *bench, FILE *out)
{
    fputs("extern const struct bench_event bench_test_events[];\nconst struct bench_event "
          "bench_test_events[] = "
          "{\n",
          out);
    for (size_t i = 0; i < bench->events.count; i++) {
        const struct bench_event *event = ARRAY_AT(struct bench_event, &bench->events, i);
        fprintf(out, "    {.what = \"%s\", .type = %u, .config = 0x%llx", event->what, event->type,
                (unsigned long long)event->config);
        if (event->model_count)
            fprintf(out, ", .family = 0x%x, .model_count = %u, .models = {", event->family,
                    event->model_count);
        for (unsigned m = 0; m < event->model_count; m++)
            fprintf(out, "%s0x%x", m ? ", " : "", event->models[m]);
        fputs(event->model_count ? "}},\n" : "},\n", out);
    }
    fprintf(out,
            "    {.what = \"\"}};\nextern const size_t bench_test_event_count;\nconst size_t "
            "bench_test_event_count "
            "= %zu;\n",
            bench->events.count);
}

static void write_tests(struct bench_session *bench, FILE *out)
{
    fputs("/* Tests made by assay bench --make-runner. */\n#include \"runtime/bench/bench_file.h\"\n", out);
    fprintf(out, "#ifndef %s\n#error these tests are for another processor\n#endif\n",
            bench->isa == isa_AARCH64 ? "__aarch64__" : "__x86_64__");
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            fputs(
                "extern const struct bench_test bench_tests[];\nconst struct bench_test bench_tests[] = {\n",
                out);
        for (size_t i = 0; i < bench->planned.count; i++) {
            const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
            if (bench_results_find(&bench->results, planned->name))
                continue;
            struct bench_test test = bench_test_of(planned, bench->isa);
            (pass ? write_row : write_test)(planned, &test, i, out);
        }
    }
    fprintf(
        out,
        "};\nextern const size_t bench_test_count;\nconst size_t bench_test_count = %zu;\nextern const char "
        "bench_tests_isa[], bench_tests_version[];\nconst char bench_tests_isa[] = \"%s\", "
        "bench_tests_version[] = \"%s\";\n",
        bench_session_missing(bench), bench->isa == isa_AARCH64 ? "aarch64" : "x86-64", bench->version);
    write_events(bench, out);
}

static FILE *open_in(const char *folder, const char *name, struct error *error)
{
    char *path = memory_format("%s/%s", folder, name);
    FILE *out = fopen(path, "wex");
    if (!out)
        error_set_errno(error, path, "cannot create");
    free(path);
    return out;
}

static bool close_file(FILE *out, const char *folder, struct error *error)
{
    bool is_whole = !ferror(out);
    return (fclose(out) == 0 && is_whole) || error_set_errno(error, folder, "cannot write");
}

static bool write_text(const char *folder, const char *name, const char *text, struct error *error)
{
    FILE *out = open_in(folder, name, error);
    if (!out)
        return false;
    fputs(text, out);
    return close_file(out, folder, error);
}

static bool make_folder(const char *folder, const char *name, struct error *error)
{
    char *path = name ? memory_format("%s/%s", folder, name) : memory_format("%s", folder);
    bool done = mkdir(path, 0777) == 0 || error_set_errno(error, path, "cannot create the folder");
    free(path);
    return done;
}

bool bench_write_runner(struct bench_session *bench, const char *folder, struct error *error)
{
    static const struct {
        const char *name, *text;
    } sources[] = {{"Makefile", makefile},
                   {"runtime/bench/bench_file.h", bench_source_bench_file_h},
                   {"runtime/bench/bench.h", bench_source_bench_h},
                   {"runtime/bench/children.c", bench_source_children_c},
                   {"runtime/bench/clock.c", bench_source_clock_c},
                   {"runtime/bench/code.c", bench_source_code_c},
                   {"runtime/bench/computer.c", bench_source_computer_c},
                   {"runtime/bench/events.c", bench_source_events_c},
                   {"runtime/bench/measure.c", bench_source_measure_c},
                   {"runtime/bench/pages.c", bench_source_pages_c},
                   {"runtime/bench/results.c", bench_source_results_c},
                   {"runtime/bench/system.c", bench_source_system_c},
                   {"runtime/bench/together.c", bench_source_together_c},
                   {"runtime/bench/walk.c", bench_source_walk_c},
                   {"runtime/bench/main.c", bench_source_main_c},
                   {"runtime/bench/enter.S", bench_source_enter_S}};
    if (!make_folder(folder, NULL, error) || !make_folder(folder, "runtime", error) ||
        !make_folder(folder, "runtime/bench", error))
        return false;
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++)
        if (!write_text(folder, sources[i].name, sources[i].text, error))
            return false;
    FILE *out = open_in(folder, "tests.c", error);
    if (!out)
        return false;
    write_tests(bench, out);
    return close_file(out, folder, error);
}
