/* The control-flow graph of a function: loops are frames, nested and shaded by depth; edges are styled by
   kind and an edge back to the header of its loop is bold.  The dominator tree has the same nodes. */
#include "report/graphs.h"

#include "base/memory.h"
#include "base/path.h"
#include "model/demangle.h"
#include "report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 100 };

static sqlite3_stmt *ask(sqlite3 *connection, const char *query, int64_t parameter, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, query, -1, &statement, NULL) != SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(connection));
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, parameter);
    return statement;
}

static char *function_title(sqlite3 *connection, int64_t function, bool demangle, struct error *error)
{
    sqlite3_stmt *row = ask(connection, "select name from functions where id = ?1", function, error);
    char *title = NULL;
    if (row && report_step(row, error) == 1) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        title = demangle && name ? demangle_name(name) : NULL;
        if (!title)
            title = memory_format("%s", name ? name : "?");
    }
    sqlite3_finalize(row);
    return title ? title : memory_format("function %lld", (long long)function);
}

/* The loops of one function, to tell which edges go back. */
struct nest {
    struct array loops; /* of struct nested */
};
struct nested {
    int64_t id, parent, header;
};

static const struct nested *nest_find(const struct nest *nest, int64_t id)
{
    struct bisection search = {0, nest->loops.count};
    while (bisect(&search)) {
        const struct nested *it = ARRAY_AT(struct nested, &nest->loops, search.middle);
        if (it->id == id)
            return it;
        bisect_past(&search, it->id < id);
    }
    return NULL;
}

static bool goes_back(const struct nest *nest, int64_t loop_of_source, int64_t target)
{
    size_t steps = nest->loops.count;
    for (const struct nested *it = nest_find(nest, loop_of_source); it && steps--;
         it = nest_find(nest, it->parent))
        if (it->header == target)
            return true;
    return false;
}

static bool draw_loops(struct drawing *drawing, sqlite3 *connection, int64_t function, struct nest *nest,
                       struct error *error)
{
    static const char *const shades[] = {"#f7f7f7", "#ececec", "#e1e1e1", "#d6d6d6", "#cbcbcb"};
    sqlite3_stmt *rows =
        ask(connection,
            "select l.id, l.parent, l.header, l.depth, l.is_irreducible, f.path, l.first_line, "
            "l.last_line from loops l left join files f on f.id = l.file where l.function = ?1 "
            "order by l.id",
            function, error);
    int state = rows ? 0 : -1;
    while (rows && (state = report_step(rows, error)) == 1) {
        struct nested *it = array_add(&nest->loops);
        *it = (struct nested){sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
                              sqlite3_column_int64(rows, 2)};
        const char *path = (const char *)sqlite3_column_text(rows, 5);
        int64_t first = sqlite3_column_int64(rows, 6), last = sqlite3_column_int64(rows, 7);
        char *place = !path           ? memory_format("%s", "")
                      : last == first ? memory_format("  %s:%lld", path_name(path), (long long)first)
                                      : memory_format("  %s:%lld-%lld", path_name(path), (long long)first,
                                                      (long long)last);
        char *label = memory_format("loop %lld%s%s\n", (long long)it->id,
                                    sqlite3_column_int(rows, 4) ? " (irreducible)" : "", place);
        int64_t depth = sqlite3_column_int64(rows, 3);
        drawing_frame(drawing, it->id, it->parent, label, shades[depth < 1 ? 0 : depth > 5 ? 4 : depth - 1]);
        free(place);
        free(label);
    }
    sqlite3_finalize(rows);
    return state == 0;
}

static char *add_line(char *text, const char *line)
{
    char *longer = memory_format("%s%s\n", text, line);
    free(text);
    return longer;
}

/* The label of the block that the row describes. */
static char *block_label(sqlite3 *connection, sqlite3_stmt *row, bool is_short, struct error *error)
{
    int64_t id = sqlite3_column_int64(row, 0), count = sqlite3_column_int64(row, 3);
    char *label = memory_format("B%lld  0x%llx\n", (long long)sqlite3_column_int64(row, 1),
                                (unsigned long long)sqlite3_column_int64(row, 2));
    if (is_short)
        return label;
    sqlite3_stmt *lines =
        ask(connection,
            "select case when i.target is null then e.text else replace(e.text, '@', "
            "printf('0x%x', i.target)) end from code i join encodings e on e.id = i.encoding "
            "where i.block = ?1 and i.id between ?2 and ?3 order by i.id",
            id, error);
    if (!lines)
        return label;
    int64_t first = sqlite3_column_int64(row, 6), shown = count > MOST_LINES ? MOST_LINES : count;
    sqlite3_bind_int64(lines, 2, first);
    sqlite3_bind_int64(lines, 3, first + shown - 1);
    while (report_step(lines, error) == 1) {
        const char *text = (const char *)sqlite3_column_text(lines, 0);
        label = add_line(label, text ? text : "?");
    }
    sqlite3_finalize(lines);
    if (shown < count) {
        char *rest = memory_format("… %lld more", (long long)(count - shown));
        label = add_line(label, rest);
        free(rest);
    }
    return label;
}

static bool draw_blocks(struct drawing *drawing, sqlite3 *connection, int64_t function, bool is_short,
                        bool with_loops, struct error *error)
{
    sqlite3_stmt *rows =
        ask(connection,
            "select id, position, address, instruction_count, is_reachable, loop, first_instruction "
            "from blocks where function = ?1 order by id",
            function, error);
    int state = rows ? 0 : -1;
    while (rows && (state = report_step(rows, error)) == 1) {
        char *name = memory_format("b%lld", (long long)sqlite3_column_int64(rows, 0));
        char *label = block_label(connection, rows, is_short, error);
        bool is_reachable = sqlite3_column_int(rows, 4) != 0;
        drawing_node(drawing, name, with_loops ? sqlite3_column_int64(rows, 5) : 0, label,
                     is_reachable ? NULL : "dashed", NULL);
        free(name);
        free(label);
    }
    sqlite3_finalize(rows);
    return state == 0;
}

static void style_edge(const char *kind, const char **color, const char **style)
{
    static const struct {
        const char *kind, *color, *style;
    } styles[] = {
        {"fall", "gray25", NULL},
        {"taken", "blue", NULL},
        {"switch", "purple", NULL},
        {"exception", "red", "dashed"},
        {"tail call", "darkgreen", "dotted"},
    };
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
        if (!strcmp(kind, styles[i].kind)) {
            *color = styles[i].color;
            *style = styles[i].style;
        }
}

static bool draw_edges(struct drawing *drawing, sqlite3 *connection, int64_t function,
                       const struct nest *nest, bool demangle, struct error *error)
{
    sqlite3_stmt *rows = ask(connection,
                             "select e.source, e.target, e.kind, b.loop, t.function, f.name from blocks b "
                             "join edges e on e.source = b.id left join blocks t on t.id = e.target "
                             "left join functions f on f.id = t.function where b.function = ?1",
                             function, error);
    int state = rows ? 0 : -1;
    while (rows && (state = report_step(rows, error)) == 1) {
        const char *kind = (const char *)sqlite3_column_text(rows, 2), *color = NULL, *style = NULL;
        style_edge(kind ? kind : "", &color, &style);
        int64_t target = sqlite3_column_int64(rows, 1);
        char *from = memory_format("b%lld", (long long)sqlite3_column_int64(rows, 0));
        char *to = memory_format("b%lld", (long long)target);
        if (sqlite3_column_int64(rows, 4) != function) {
            const char *name = (const char *)sqlite3_column_text(rows, 5);
            char *plain = demangle && name ? demangle_name(name) : NULL;
            drawing_node(drawing, to, 0, plain ? plain : name ? name : "?", "rounded", NULL);
            free(plain);
        } else if (goes_back(nest, sqlite3_column_int64(rows, 3), target)) {
            style = "bold";
        }
        drawing_edge(drawing, from, to, NULL, color, style);
        free(from);
        free(to);
    }
    sqlite3_finalize(rows);
    return state == 0;
}

struct drawing *draw_control_flow(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                  struct error *error)
{
    char *title = function_title(connection, function, options->demangle, error);
    struct drawing *drawing = drawing_new(title);
    struct nest nest = {.loops = ARRAY_OF(struct nested)};
    bool done = draw_loops(drawing, connection, function, &nest, error) &&
                draw_blocks(drawing, connection, function, options->is_short, true, error) &&
                draw_edges(drawing, connection, function, &nest, options->demangle, error) && !error->set;
    array_free(&nest.loops);
    free(title);
    if (done)
        return drawing;
    drawing_free(drawing);
    return NULL;
}

struct drawing *draw_dominators(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                struct error *error)
{
    char *name = function_title(connection, function, options->demangle, error);
    char *title = memory_format("dominators of %s", name);
    struct drawing *drawing = drawing_new(title);
    free(name);
    free(title);
    sqlite3_stmt *rows =
        ask(connection, "select dominator, id from blocks where function = ?1 and dominator is not null",
            function, error);
    bool done = rows && draw_blocks(drawing, connection, function, options->is_short, false, error);
    int state = 0;
    while (done && (state = report_step(rows, error)) == 1) {
        char *from = memory_format("b%lld", (long long)sqlite3_column_int64(rows, 0));
        char *to = memory_format("b%lld", (long long)sqlite3_column_int64(rows, 1));
        drawing_edge(drawing, from, to, NULL, NULL, NULL);
        free(from);
        free(to);
    }
    sqlite3_finalize(rows);
    if (done && state == 0 && !error->set)
        return drawing;
    drawing_free(drawing);
    return NULL;
}
