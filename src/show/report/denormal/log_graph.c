/* The operations behind one value, as a graph: its entry of the log, those that made its operands, and so on,
   through arrays (what was loaded was stored before) back to where denormals were made.

   The nearest entries are drawn, MOST_DRAWN at most; all others behind them are counted.  Where an operand is
   denormal and the log does not have the entry that it comes from, a dashed node says so. */
#include "show/report/denormal/log.h"

#include "base/text.h"
#include "show/report/common/drawing.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 40, MOST_ENTRIES = 1 << 20, WIDEST_LABEL = 72 };

struct link {
    uint64_t number;
    int64_t from[DENORMAL_LOG_OPERANDS], id;
    bool is_reached, is_drawn;
};

/* Which entry follows from which: rows by number, so ids ascend as well. */
static bool read_links(const struct denormal_view *view, struct array *links, struct error *error)
{
    int state = -1;
    sqlite3_stmt *row =
        denormal_ask(view, query_named(denormal_queries, "log_links"), view->run, MOST_ENTRIES, error);
    *links = ARRAY_OF(struct link);
    while (row && (state = report_step(row, error)) == 1) {
        struct link *link = array_push(links);
        *link = (struct link){.number = (uint64_t)sqlite3_column_int64(row, 0),
                              .id = sqlite3_column_int64(row, 4)};
        for (int i = 0; i < DENORMAL_LOG_OPERANDS; i++)
            link->from[i] = sqlite3_column_int64(row, 1 + i);
    }
    sqlite3_finalize(row);
    return state == 0;
}

static struct link *link_of(const struct array *links, int64_t id)
{
    if (!links->count || id < ARRAY_AT(struct link, links, 0)->id)
        return NULL;
    uint64_t index =
        (uint64_t)id - (uint64_t)ARRAY_AT(struct link, links, 0)->id; /* hostile: checked below */
    struct link *link = index < links->count ? ARRAY_AT(struct link, links, index) : NULL;
    return link && link->id == id ? link : NULL;
}

static struct link *link_numbered(const struct array *links, uint64_t number)
{
    for (size_t i = 0; i < links->count; i++)
        if (ARRAY_AT(struct link, links, i)->number == number)
            return ARRAY_AT(struct link, links, i);
    return NULL;
}

/* All that lead to the first, the nearest first; returns how many. */
static size_t reach(const struct array *links, struct link *first, struct array *order)
{
    *order = ARRAY_OF(struct link *);
    first->is_reached = true;
    *(struct link **)array_push(order) = first;
    for (size_t i = 0; i < order->count; i++) {
        const struct link *link = *ARRAY_AT(struct link *, order, i);
        for (int j = 0; j < DENORMAL_LOG_OPERANDS; j++) {
            struct link *from = link->from[j] ? link_of(links, link->from[j]) : NULL;
            if (from && !from->is_reached) {
                from->is_reached = true;
                *(struct link **)array_push(order) = from;
            }
        }
    }
    return order->count;
}

static char *short_label(const char *text)
{
    autofree char *safe = text_safe(text, strlen(text));
    return text_cut(safe, WIDEST_LABEL, false, true);
}

static bool is_birth(const struct denormal_logged *entry)
{
    for (unsigned i = 0; i < entry->operands; i++)
        if (denormal_logged_is_denormal(entry->values[i], entry->operand_bytes))
            return false;
    return denormal_logged_is_denormal(entry->result, entry->result_bytes);
}

static void draw_entry(struct drawing *drawing, const struct denormal_logged *entry, bool is_asked)
{
    const char *action = entry->action ? entry->action : "";
    bool is_access = !strcmp(action, "load") || !strcmp(action, "store");
    autofree char *words = denormal_logged_words(entry), *cut = short_label(words);
    autofree char *value = denormal_logged_value(entry->result, entry->result_bytes);
    autofree char *place = memory_format("%s%s%s", entry->place ? entry->place : "?",
                                         entry->function && *entry->function ? ", " : "",
                                         entry->function ? entry->function : "");
    autofree char *where = short_label(place);
    bool has_result = !is_access && entry->result_bytes;
    autofree char *label = memory_format("#%llu  %s%s%s\n%s\n", (unsigned long long)entry->number, cut,
                                         has_result ? " = " : "", has_result ? value : "", where);
    autofree char *node = memory_format("entry %lld", (long long)entry->id);
    drawing_node(drawing, node, 0, label, is_access ? "filled,rounded" : "filled",
                 is_asked          ? "lightgoldenrod1"
                 : is_birth(entry) ? "mistyrose"
                 : is_access       ? "azure"
                                   : NULL);
}

static void draw_unknown(struct drawing *drawing, const struct denormal_logged *entry)
{
    autofree char *node = memory_format("before %lld", (long long)entry->id);
    autofree char *to = memory_format("entry %lld", (long long)entry->id);
    drawing_node(drawing, node, 0, "not in the log\n", "dashed", NULL);
    drawing_edge(drawing, node, to, NULL, "gray50", "dashed");
}

/* Edges to an entry; all that are not drawn meet in one node. */
static void draw_edges(struct drawing *drawing, const struct array *links, const struct link *link,
                       size_t left_out)
{
    autofree char *to = memory_format("entry %lld", (long long)link->id);
    bool has_more = false;
    for (int i = 0; i < DENORMAL_LOG_OPERANDS; i++) {
        const struct link *from = link->from[i] ? link_of(links, link->from[i]) : NULL;
        autofree char *node = memory_format("entry %lld", (long long)link->from[i]);
        if (from && from->is_drawn)
            drawing_edge(drawing, node, to, NULL, NULL, NULL);
        has_more |= from && !from->is_drawn;
    }
    if (!has_more)
        return;
    autofree char *count = phrase_count(left_out);
    autofree char *label = memory_format("%s more operation%s\n", count, left_out == 1 ? "" : "s");
    drawing_node(drawing, "more", 0, label, "dashed", NULL);
    drawing_edge(drawing, "more", to, NULL, "gray50", "dashed");
}

static bool draw_nodes(const struct denormal_view *view, const struct array *links, uint64_t number,
                       struct drawing *drawing, struct error *error)
{
    int state = -1;
    sqlite3_stmt *row =
        denormal_ask(view, query_named(denormal_queries, "log_lines"), view->run, MOST_ENTRIES, error);
    while (row && (state = report_step(row, error)) == 1) {
        const struct link *link = link_of(links, sqlite3_column_int64(row, 18));
        if (!link || !link->is_drawn)
            continue;
        struct denormal_logged entry = denormal_logged_of(row);
        bool is_unknown = false;
        draw_entry(drawing, &entry, entry.number == number);
        for (unsigned i = 0; i < entry.operands; i++)
            is_unknown |= !entry.from[i] && denormal_logged_is_denormal(entry.values[i], entry.operand_bytes);
        if (is_unknown && strcmp(entry.action ? entry.action : "", "load") != 0)
            draw_unknown(drawing, &entry);
        denormal_logged_free(&entry);
    }
    sqlite3_finalize(row);
    return state == 0;
}

static bool say_missing(const struct denormal_view *view, const struct array *links, uint64_t number,
                        struct error *error)
{
    if (!links->count)
        return error_set(
            error, view->path,
            "has no log; assay denormals trace --log FILE --output FILE.db -- PROGRAM keeps one");
    return error_set(
        error, view->path,
        "has no entry %llu in its log; its numbers are %llu to %llu (assay denormals log lists them)",
        (unsigned long long)number, (unsigned long long)ARRAY_AT(struct link, links, 0)->number,
        (unsigned long long)ARRAY_AT(struct link, links, links->count - 1)->number);
}

static struct drawing *draw(const struct denormal_view *view, const struct array *links, struct link *first,
                            size_t *drawn, size_t *behind, struct error *error)
{
    struct array order;
    autofree char *title = memory_format("operations behind #%llu", (unsigned long long)first->number);
    size_t count = reach(links, first, &order);
    *drawn = count > MOST_DRAWN ? MOST_DRAWN : count;
    *behind = count;
    for (size_t i = 0; i < *drawn; i++)
        (*ARRAY_AT(struct link *, &order, i))->is_drawn = true;
    struct drawing *drawing = drawing_new(title);
    bool done = draw_nodes(view, links, first->number, drawing, error);
    for (size_t i = 0; done && i < *drawn; i++)
        draw_edges(drawing, links, *ARRAY_AT(struct link *, &order, i), count - *drawn);
    array_free(&order);
    if (done)
        return drawing;
    drawing_free(drawing);
    return NULL;
}

bool denormal_log_run(struct denormal_view *view, struct error *error)
{
    sqlite3_stmt *run = denormal_ask(view, query_named(denormal_queries, "log_runs"), view->run, -1, error);
    int state = run ? report_step(run, error) : -1;
    if (state == 1)
        view->run = sqlite3_column_int64(run, 0);
    sqlite3_finalize(run);
    return state >= 0;
}

struct drawing *report_denormal_log_graph(const struct denormal_view *asked, uint64_t number, size_t *drawn,
                                          size_t *behind, struct error *error)
{
    struct denormal_view view = *asked;
    struct array links = {0}, runs = {0};
    struct drawing *drawing = NULL;
    bool done = denormal_begin(&view, error) && denormal_find_runs(&view, &runs, error);
    denormal_free_runs(&runs);
    if (done && denormal_log_run(&view, error) && read_links(&view, &links, error)) {
        struct link *first = link_numbered(&links, number);
        if (first)
            drawing = draw(&view, &links, first, drawn, behind, error);
        else
            say_missing(&view, &links, number, error);
    }
    array_free(&links);
    return drawing;
}
