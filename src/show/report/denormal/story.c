/* The story of denormals: where they arise, and through which arrays they pass.

   A chain is a tree: its first array gets the denormals of a birth, every other one gets them from an array
   of the same chain.  The longest path through the tree comes first, as ctemp ← ftemp ← kernel; the other
   ends of the tree follow. Paths are followed for at most as many steps as the chain has, so that cyclic rows
   end. */
#include "show/report/denormal/parts.h"

#include "show/report/common/drawing.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 256, /* of a chain; nobody reads more */
    MOST_OTHER_ENDS = 6,
    WIDEST_LABEL = 72,    /* in the graph */
    MOST_DRAWN_EDGES = 80 /* a larger graph is unreadable, and takes long to lay out */
};

struct step {
    int64_t array, source;
    uint64_t count;
    char *name;
    bool is_inner; /* another step gets its denormals from here */
};

static bool find_steps(const struct denormal_view *view, int64_t chain, struct array *steps,
                       struct error *error)
{
    int state;
    *steps = ARRAY_OF(struct step);
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "find_steps"), chain, MOST_STEPS, error);
    if (!statement)
        return false;
    while ((state = report_step(statement, error)) == 1) {
        struct step *step = array_add(steps);
        step->array = sqlite3_column_int64(statement, 0);
        step->source = sqlite3_column_int64(statement, 1);
        step->count = (uint64_t)sqlite3_column_int64(statement, 2);
        step->name = report_column_text(statement, 3);
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static void free_steps(struct array *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        free(ARRAY_AT(struct step, steps, i)->name);
    array_free(steps);
}

static struct step *step_of(const struct array *steps, int64_t array)
{
    for (size_t i = 0; array && i < steps->count; i++)
        if (ARRAY_AT(struct step, steps, i)->array == array)
            return ARRAY_AT(struct step, steps, i);
    return NULL;
}

static size_t depth_of(const struct array *steps, const struct step *step)
{
    size_t depth = 0;
    while (step && depth <= steps->count) {
        step = step_of(steps, step->source);
        depth++;
    }
    return depth;
}

/* "ctemp ← ftemp ← kernel": the longest way; *end: its last array. */
static char *longest_way(struct array *steps, const struct step **end)
{
    size_t most = 0;
    *end = NULL;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = ARRAY_AT(struct step, steps, i);
        struct step *source = step_of(steps, step->source);
        if (source)
            source->is_inner = true;
        size_t depth = depth_of(steps, step);
        if (depth > most) {
            most = depth;
            *end = step;
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    size_t left = steps->count;
    for (const struct step *step = *end; step && left; step = step_of(steps, step->source), left--)
        fprintf(out, "%s%s", step == *end ? "" : " ← ", step->name);
    fclose(out);
    return text;
}

/* " They also reach x (from y), z (from y).", or nothing. */
static char *other_ends(const struct array *steps, const struct step *end)
{
    size_t told = 0, all = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = ARRAY_AT(struct step, steps, i);
        const struct step *source = step_of(steps, step->source);
        if (step->is_inner || step == end)
            continue;
        if (++all > MOST_OTHER_ENDS)
            continue;
        fprintf(out, "%s%s%s%s%s", told++ ? ", " : " They also reach ", step->name, source ? " (from " : "",
                source ? source->name : "", source ? ")" : "");
    }
    if (all > told)
        fprintf(out, " and %zu more arrays", all - told);
    fputs(told ? "." : "", out);
    fclose(out);
    return text;
}

bool denormal_find_birth(const struct denormal_view *view, int64_t birth, struct denormal_birth_words *words,
                         struct error *error)
{
    /* The place is the first one, from the instruction outwards, in the program itself and not in system
     * headers, which nobody changes; without one, the first known place. */
    const char *sql = query_named(denormal_queries, "denormal_find_birth");
    sqlite3_stmt *statement = denormal_ask(view, sql, birth, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    *words = (struct denormal_birth_words){0};
    if (state == 1 && sqlite3_column_type(statement, 3) != SQLITE_NULL) {
        autofree char *maker = report_column_text(statement, 0), *caller = report_column_text(statement, 1);
        char *address =
            memory_format("code at 0x%llx", (unsigned long long)sqlite3_column_int64(statement, 3));
        const char *who = maker ? maker : address;
        bool is_called = caller && strcmp(caller, who);
        words->maker = is_called ? memory_format("%s called from %s", who, caller) : memory_format("%s", who);
        words->place = report_column_text(statement, 2);
        free(address);
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

void denormal_free_birth(struct denormal_birth_words *words)
{
    free(words->maker);
    free(words->place);
    *words = (struct denormal_birth_words){0};
}

static char *chain_sentence(struct array *steps, const struct denormal_birth_words *birth, uint64_t values,
                            double share)
{
    const struct step *end;
    autofree char *way = longest_way(steps, &end), *others = other_ends(steps, end);
    autofree char *count = phrase_count(values), *removed = denormal_removal_words(share);
    autofree char *born = !birth->maker
                              ? memory_format("from outside the program (input, constants)")
                              : memory_format("arising in %s%s%s", birth->maker, birth->place ? ", " : "",
                                              birth->place ? birth->place : "");
    autofree char *fix = denormal_removes_some(share)
                             ? memory_format("; storing 0 there would remove %s", removed)
                             : memory_format("%s", "");
    char *sentence = memory_format("%s%s%s (%s value%s)%s.%s", *way ? way : "", *way ? ", " : "", born, count,
                                   values == 1 ? "" : "s", fix, others);
    if (!*way && *sentence >= 'a' && *sentence <= 'z')
        *sentence = (char)(*sentence - 'a' + 'A');
    return sentence;
}

static bool tell_chain(const struct denormal_view *view, sqlite3_stmt *chain, struct array *story,
                       struct error *error)
{
    struct array steps;
    struct denormal_birth_words birth = {0};
    double share = sqlite3_column_type(chain, 2) == SQLITE_NULL ? NAN : sqlite3_column_double(chain, 2);
    bool done = find_steps(view, sqlite3_column_int64(chain, 0), &steps, error) &&
                denormal_find_birth(view, sqlite3_column_int64(chain, 1), &birth, error);
    if (done)
        sentences_say(story, chain_sentence(&steps, &birth, (uint64_t)sqlite3_column_int64(chain, 3), share));
    free_steps(&steps);
    denormal_free_birth(&birth);
    return done;
}

bool denormal_story(const struct denormal_view *view, const struct shown_run *run, struct array *story,
                    struct error *error)
{
    int state;
    *story = ARRAY_OF(char *);
    sqlite3_stmt *statement = denormal_ask(view, query_named(denormal_queries, "denormal_story"), run->id,
                                           view->top ? (int64_t)view->top : -1, error);
    if (!statement)
        return false;
    while ((state = report_step(statement, error)) == 1)
        if (!tell_chain(view, statement, story, error)) {
            state = -1;
            break;
        }
    sqlite3_finalize(statement);
    if (state < 0)
        sentences_free(story);
    return state == 0;
}

static char *short_label(const char *text)
{
    char *safe = text_safe(text, strlen(text)), *cut = text_cut(safe, WIDEST_LABEL, false, true);
    free(safe);
    return cut;
}

static char *array_node(int64_t array)
{
    return memory_format("array %lld", (long long)array);
}

static void draw_array(struct drawing *drawing, sqlite3_stmt *row, int column)
{
    autofree char *node = array_node(sqlite3_column_int64(row, column)),
                  *name = report_column_text(row, column + 1);
    autofree char *dimensions = report_column_text(row, column + 2);
    autofree char *cut = short_label(name ? name : "?");
    autofree char *label =
        memory_format("%s\n%s%s", cut, dimensions ? dimensions : "", dimensions ? "\n" : "");
    drawing_node(drawing, node, 0, label, "filled,rounded", NULL);
}

/* Pairs of arrays, the largest first; those of chains are drawn in full, the others dashed. */
static bool draw_origins(const struct denormal_view *view, int64_t run, struct drawing *drawing,
                         struct error *error)
{
    const char *sql = query_named(denormal_queries, "draw_origins");
    int state = -1;
    sqlite3_stmt *statement = denormal_ask(view, sql, run, MOST_DRAWN_EDGES, error);
    while (statement && (state = report_step(statement, error)) == 1) {
        draw_array(drawing, statement, 0);
        draw_array(drawing, statement, 3);
        autofree char *from = array_node(sqlite3_column_int64(statement, 0)),
                      *to = array_node(sqlite3_column_int64(statement, 3));
        autofree char *count = phrase_count((uint64_t)sqlite3_column_int64(statement, 6));
        bool is_told = sqlite3_column_int(statement, 7);
        drawing_edge(drawing, from, to, count, is_told ? NULL : "gray50", is_told ? NULL : "dashed");
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static bool draw_birth(const struct denormal_view *view, sqlite3_stmt *row, struct drawing *drawing,
                       struct error *error)
{
    struct denormal_birth_words words;
    if (!denormal_find_birth(view, sqlite3_column_int64(row, 3), &words, error))
        return false;
    autofree char *node = memory_format("birth %lld", (long long)sqlite3_column_int64(row, 3));
    autofree char *count = phrase_count((uint64_t)sqlite3_column_int64(row, 4));
    autofree char *maker = short_label(words.maker ? words.maker : "from outside");
    autofree char *place = short_label(words.place ? words.place : "");
    autofree char *label = memory_format("%s\n%s%s", maker, place, *place ? "\n" : "");
    drawing_node(drawing, node, 0, label, "filled", "mistyrose");
    if (sqlite3_column_type(row, 0) != SQLITE_NULL) {
        autofree char *to = array_node(sqlite3_column_int64(row, 0));
        draw_array(drawing, row, 0);
        drawing_edge(drawing, node, to, count, "firebrick", NULL);
    }
    denormal_free_birth(&words);
    return true;
}

/* The births that chains start from, one for each place; without chains, all births. */
static bool draw_births(const struct denormal_view *view, int64_t run, struct drawing *drawing,
                        struct error *error)
{
    const char *sql = query_named(denormal_queries, "draw_births");
    int state = -1;
    int64_t most = view->top && view->top < MOST_DRAWN_EDGES ? (int64_t)view->top : MOST_DRAWN_EDGES;
    sqlite3_stmt *statement = denormal_ask(view, sql, run, most, error);
    while (statement && (state = report_step(statement, error)) == 1)
        if (!draw_birth(view, statement, drawing, error)) {
            state = -1;
            break;
        }
    sqlite3_finalize(statement);
    return state == 0;
}

struct drawing *denormal_draw_story(const struct denormal_view *view, int64_t run, struct error *error)
{
    struct drawing *drawing = drawing_new(NULL);
    if (draw_births(view, run, drawing, error) && draw_origins(view, run, drawing, error) &&
        drawing_size(drawing))
        return drawing;
    drawing_free(drawing);
    return NULL;
}
