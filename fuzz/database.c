/* A damaged database: every table, view, listing and graph of it.

   The database is that of the program BASE, made when the harness starts, because a database is large and its
   damage small.  The input describes the damage (harness_damaged). */
#include "fuzz/harness.h"

#include "model/tables.h"
#include "code/read/bytes.h"
#include "show/report/asm.h"
#include "show/report/common/demangle.h"
#include "show/report/graph/graph.h"
#include "show/report/common/places.h"
#include "show/report/common/rows.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STEPS = 200000 };

/* Damaged views can run for ever: stops them, as Ctrl-C does. */
static int steps;
static int stop_long_query(void *unused)
{
    (void)unused;
    return ++steps > MOST_STEPS / 1000;
}

static const char *const questions[] = {
    "select * from instructions limit 200",
    "select * from loops_by_name limit 50",
    "select * from call_graph_by_name limit 50",
    "select * from instruction_operands limit 100",
    "select * from instruction_registers limit 100",
    "select * from loop_entries limit 50",
    "select * from variables v left join types t on t.id = v.type limit 50",
    "select demangle(name), place('a', address, size) from functions limit 50",
};

static void ask(struct store *store, const char *sql, enum report_format format)
{
    struct report_style style = {.format = format, .unicode = true, .width = 80};
    struct error error = {0};
    sqlite3_stmt *statement;
    const char *rest;
    uint64_t rows;
    steps = 0;
    if (store_prepare(store, sql, NULL, &statement, &rest, &error) && statement)
        report_rows(statement, &style, format == report_TABLE ? 0 : -1, harness_nowhere(), &rows, &error);
    sqlite3_finalize(statement);
}

static void draw(struct graph *graph)
{
    if (graph)
        drawing_free(graph_draw(graph));
    graph_free(graph);
}

static void look(struct store *store)
{
    sqlite3 *connection = store_connection(store);
    struct report_style style = {.demangle = true, .unicode = true};
    struct asm_options options = {0};
    struct graph_options graph = {.depth = 2};
    for (unsigned part = asm_FUNCTION; part <= asm_SECTION; part++)
        for (int64_t id = 1; id < 4; id++) {
            struct asm_selection selection = {(enum asm_part)part, id};
            struct error error = {0};
            steps = 0;
            report_asm(connection, &selection, 1, &options, &style, harness_nowhere(), &error);
            report_raw(connection, &selection, harness_nowhere(), &error);
        }
    struct error error = {0};
    int64_t functions[] = {1, 2};
    steps = 0;
    draw(graph_of_flow(connection, 1, &graph, &error));
    draw(graph_of_dominators(connection, 1, &graph, &error));
    draw(graph_of_calls(connection, functions, 2, &graph, &error));
    draw(graph_of_calls(connection, NULL, 0, &graph, &error));
}

__asm__(".section .rodata\n.global base_program, base_program_end\n"
        "base_program: .incbin \"" BASE "\"\nbase_program_end: .byte 0\n.text\n");
extern const uint8_t base_program[], base_program_end[];

static struct span make_base(void)
{
    size_t size = (size_t)(base_program_end - base_program);
    struct model model;
    struct error error = {0};
    if (!harness_build(&model, base_program, size))
        harness_wrong("cannot read", BASE);
    const char *path = harness_file(base_program, size);
    unlink(path); /* it was an input, and inputs are not replaced */
    if (!store_write(&model, path, 0, &error))
        harness_wrong("store_write", error.text);
    model_free(&model);
    struct span bytes;
    if (!bytes_read(path, NULL, &bytes, &error))
        harness_wrong("cannot read", error.text);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct span base;
    struct error error = {0};
    if (!base.data)
        base = make_base();
    struct store *store = store_open_file(harness_damaged(base, data, size), &error);
    if (!store) {
        if (!error.set)
            harness_wrong("a failure without a reason", "store_open_file");
        return 0;
    }
    sqlite3_progress_handler(store_connection(store), 1000, stop_long_query, NULL);
    demangle_register(store_connection(store), &error);
    places_register(store_connection(store), &error);
    for (unsigned t = 0; t < table_count; t++) {
        char sql[200];
        snprintf(sql, sizeof sql, "select * from \"%s\" limit 100", table_descriptions[t].name);
        ask(store, sql, (enum report_format)(t % 3));
    }
    for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++)
        ask(store, questions[i], (enum report_format)(i % 3));
    look(store);
    store_close(store);
    return 0;
}
