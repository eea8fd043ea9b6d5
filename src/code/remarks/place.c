/* Which loop of the program a remark is about, and whether the code is what it says.

   Both compilers name the function that the loop ended up in by its symbol, so a loop that was inlined in two
   places is told apart. The line is that of the loop's head, which may have left no instruction: a remark is
   about the loop whose first line is nearest to it. In one line, the inner loop is further to the right. A
   compiler makes several loops from one, and says once that it vectorised it: the remainder shares the remark. */
#include "code/remarks/parts.h"

#include "base/path.h"
#include "code/quality/compiler.h"
#include "code/quality/families.h"

#include <math.h>
#include <stdlib.h>

/* A head above the first line that left code. */
enum { MOST_LINES_ABOVE = 8 };

/* Remarks that are looked at for all loops together: a function of thousands of loops and a record that says as much of
   it as it can are nobody's code. */
enum { MOST_LOOKS = 20000000 };

struct named_entry {
    const char *function; /* without what GCC appends for copies */
    size_t length;
    const struct remark_entry *entry;
};

struct placing {
    const struct remarks *remarks;
    struct model *model;
    struct array named;  /* of struct named_entry, by function and line */
    uint8_t *is_used;    /* by entry */
    struct array placed; /* of struct placed */
    size_t looks;
};

/* What the vectors of a loop are for. Copies of structures and zeroes are moved by vectors, too, in loops that no
   vectoriser touched. */
enum vectors { vectors_UNKNOWN, vectors_NONE, vectors_MOVES, vectors_ARITHMETIC };

struct placed {
    uint32_t loop;
    const struct remark_entry *entry, *statements; /* NULL: none */
    enum vectors vectors;
};

/* "kernel.constprop.0" is a copy of "kernel". */
static size_t own_length(const char *name)
{
    return strcspn(name + (*name == '.'), ".") + (*name == '.');
}

static int compare_functions(const struct named_entry *left, const struct named_entry *right)
{
    size_t least = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->function, right->function, least);
    return order ? order : left->length != right->length ? (left->length < right->length ? -1 : 1) : 0;
}

static int compare_named(const void *left, const void *right)
{
    const struct named_entry *a = left, *b = right;
    int order = compare_functions(a, b);
    if (order)
        return order;
    if (a->entry->line != b->entry->line)
        return a->entry->line < b->entry->line ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static struct named_entry name_entry(const char *function, const struct remark_entry *entry)
{
    return (struct named_entry){function, own_length(function), entry};
}

/* The components from the end on: "../src/solve.c" is /home/me/heat/src/solve.c. An absolute path may have
   been another tree's, where two components must be the same. */
static bool is_path(const char *recorded, const char *path)
{
    const char *a = recorded + strlen(recorded), *b = path + strlen(path);
    unsigned same = 0;
    for (;;) {
        const char *left = a, *right = b;
        while (left > recorded && left[-1] != '/')
            left--;
        while (right > path && right[-1] != '/')
            right--;
        size_t length = (size_t)(a - left);
        bool is_end = !length || (length == 1 && *left == '.') || (length == 2 && !memcmp(left, "..", 2));
        if (is_end)
            return same > 0;
        if (length != (size_t)(b - right) || memcmp(left, right, length) != 0)
            return *recorded == '/' && same > 1;
        same++;
        if (left == recorded)
            return true;
        if (right == path)
            return same > 1 || *recorded != '/';
        a = left - 1;
        b = right - 1;
    }
}

static size_t first_of(const struct placing *placing, const struct named_entry *wanted)
{
    struct bisection search = {0, placing->named.count};
    while (bisect(&search))
        bisect_past(&search, compare_functions(ARRAY_AT(struct named_entry, &placing->named, search.middle),
                                               wanted) < 0);
    return search.first;
}

static enum vectors vectors_of_path(const struct loop_metric *metric)
{
    bool computes = metric->vector_ratio_add > 0 || metric->vector_ratio_multiply > 0 ||
                    metric->vector_ratio_fma > 0 || metric->vector_ratio_divide > 0 ||
                    metric->vector_ratio_other > 0;
    return computes ? vectors_ARITHMETIC : metric->vector_ratio > 0 ? vectors_MOVES : vectors_NONE;
}

static enum vectors vectors_of(const struct model *model, uint32_t loop)
{
    enum vectors most = vectors_UNKNOWN;
    size_t at = array_first_not_below(&model->loop_metrics, 0, offsetof(struct loop_metric, loop), loop);
    for (; at < model->loop_metrics.count && model_loop_metric(model, (uint32_t)at)->loop == loop; at++) {
        enum vectors found = vectors_of_path(model_loop_metric(model, (uint32_t)at));
        most = found > most ? found : most;
    }
    return most;
}

/* Whether a record can be of the compiler that made the code; unknown compilers may have made any. */
static bool is_of(const struct placing *placing, const struct remark_entry *entry,
                  const struct compiler *compiler)
{
    bool is_gcc = !strncmp(strings_text(&placing->remarks->strings, entry->compiler), "GCC", 3);
    return (compiler->family != compiler_GCC || is_gcc) && (compiler->family != compiler_CLANG || !is_gcc);
}

static uint32_t distance(uint32_t line, uint32_t first)
{
    return line > first ? line - first : first - line;
}

/* Whether a remark is a better one for a loop than the best so far. What several copies of a loop became
   cannot be told apart by their places: the one that fits the code. */
static bool is_better(const struct remark_entry *entry, const struct remark_entry *best, uint32_t first,
                      enum vectors vectors)
{
    if (!best || distance(entry->line, first) != distance(best->line, first))
        return !best || distance(entry->line, first) < distance(best->line, first);
    if (entry->column != best->column)
        return entry->column > best->column;
    bool has_some = vectors > vectors_NONE;
    bool fits = (entry->verdict == remark_verdict_VECTORISED) == has_some;
    bool fitted = (best->verdict == remark_verdict_VECTORISED) == has_some;
    return fits && !fitted;
}

/* GCC puts statements into vectors block by block, and names the line where a block begins: any of the function
   explains vectors in a loop, one in the loop's lines best. */
static const struct remark_entry *nearer_statements(const struct remark_entry *entry,
                                                    const struct remark_entry *best, const struct loop *loop)
{
    bool is_inside = entry->line >= loop->first_line && entry->line <= loop->last_line;
    return is_inside || !best ? entry : best;
}

static void place_loop(struct placing *placing, uint32_t id)
{
    const struct model *model = placing->model;
    const struct loop *loop = model_loop(model, id);
    const char *function = model_text(model, model_function(model, loop->function)->name);
    const char *path = loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL;
    struct placed placed = {.loop = id};
    if (!function || !path || !loop->first_line)
        return;
    placed.vectors = vectors_of(model, id);
    struct compiler compiler;
    compiler_find(&compiler, model, loop->function);
    struct named_entry wanted = name_entry(function, NULL);
    for (size_t i = first_of(placing, &wanted); i < placing->named.count; i++) {
        const struct named_entry *named = ARRAY_AT(struct named_entry, &placing->named, i);
        const struct remark_entry *entry = named->entry;
        if (compare_functions(named, &wanted) != 0 || placing->looks++ >= MOST_LOOKS)
            break;
        if (!is_of(placing, entry, &compiler) ||
            !is_path(strings_text(&placing->remarks->strings, entry->file), path))
            continue;
        if (entry->verdict == remark_verdict_STATEMENTS)
            placed.statements = nearer_statements(entry, placed.statements, loop);
        else if (entry->line + MOST_LINES_ABOVE >= loop->first_line && entry->line <= loop->last_line &&
                 is_better(entry, placed.entry, loop->first_line, placed.vectors))
            placed.entry = entry;
    }
    if (placed.entry)
        *(struct placed *)array_push(&placing->placed) = placed;
}

static bool is_same_place(const struct remark_entry *left, const struct remark_entry *right)
{
    return left->function == right->function && left->file == right->file && left->line == right->line &&
           left->column == right->column;
}

static uint32_t function_of(const struct placing *placing, uint32_t loop)
{
    return model_loop(placing->model, loop)->function;
}

/* Whether another loop made from the same lines has vectors. Loops of a function are next to each other. */
static bool is_rest(const struct placing *placing, const struct placed *placed)
{
    const struct model *model = placing->model;
    const struct loop_role_row *own = families_role(model, placed->loop);
    const struct placed *all = placing->placed.data, *end = all + placing->placed.count, *other = placed;
    uint32_t function = function_of(placing, placed->loop);
    while (other > all && function_of(placing, other[-1].loop) == function)
        other--;
    for (; other < end && function_of(placing, other->loop) == function; other++)
        if (other->vectors > vectors_NONE && is_same_place(other->entry, placed->entry))
            return true;
    const struct loop_role_row *rows = model->loop_roles.data, *last = rows + model->loop_roles.count;
    const struct loop_role_row *role = own;
    while (role && role > rows && function_of(placing, role[-1].loop) == function)
        role--;
    for (; role && role < last && function_of(placing, role->loop) == function; role++)
        if (role->family == own->family && vectors_of(model, role->loop) > vectors_NONE)
            return true;
    return false;
}

static enum remark_agreement agreement(const struct placing *placing, const struct placed *placed)
{
    bool is_vectorised = placed->entry->verdict == remark_verdict_VECTORISED;
    if (placed->vectors == vectors_UNKNOWN)
        return remark_agreement_UNKNOWN;
    if (is_vectorised && placed->vectors == vectors_NONE)
        return is_rest(placing, placed) ? remark_agreement_REST : remark_agreement_NO_VECTORS;
    if (!is_vectorised && placed->vectors == vectors_ARITHMETIC && !placed->statements)
        return remark_agreement_HAS_VECTORS;
    return remark_agreement_AGREES;
}

static void put_row(struct placing *placing, uint32_t loop, const struct remark_entry *entry,
                    enum remark_agreement agreed)
{
    const struct strings *from = &placing->remarks->strings;
    struct model *model = placing->model;
    struct compiler_remark row = {.loop = loop,
                                  .compiler = model_string(model, strings_text(from, entry->compiler)),
                                  .verdict = entry->verdict,
                                  .reason = entry->reason,
                                  .text = model_string(model, strings_text(from, entry->text)),
                                  .name = model_string(model, strings_text(from, entry->name)),
                                  .function = model_string(model, strings_text(from, entry->function)),
                                  .file = model_string(model, strings_text(from, entry->file)),
                                  .line = entry->line,
                                  .column = entry->column,
                                  .reason_line = entry->reason_line,
                                  .agreement = (uint8_t)agreed,
                                  .record = model_string(model, strings_text(from, entry->record))};
    *(struct compiler_remark *)model_add(&model->remarks) = row;
}

static size_t index_of(const struct placing *placing, const struct remark_entry *entry)
{
    return (size_t)(entry - (const struct remark_entry *)placing->remarks->entries.data);
}

static void put_rows(struct placing *placing)
{
    const struct remarks *remarks = placing->remarks;
    for (size_t i = 0; i < placing->placed.count; i++) {
        const struct placed *placed = ARRAY_AT(struct placed, &placing->placed, i);
        placing->is_used[index_of(placing, placed->entry)] = 1;
        if (placed->statements)
            placing->is_used[index_of(placing, placed->statements)] = 1;
    }
    /* Rows are sorted by their loops, and those without one come first. */
    for (size_t i = 0; i < remarks->entries.count; i++)
        if (!placing->is_used[i])
            put_row(placing, 0, ARRAY_AT(struct remark_entry, &remarks->entries, i),
                    remark_agreement_UNKNOWN);
    for (size_t i = 0; i < placing->placed.count; i++) {
        const struct placed *placed = ARRAY_AT(struct placed, &placing->placed, i);
        put_row(placing, placed->loop, placed->entry, agreement(placing, placed));
        if (placed->statements && placed->entry->verdict == remark_verdict_MISSED &&
            placed->vectors == vectors_ARITHMETIC)
            put_row(placing, placed->loop, placed->statements, remark_agreement_AGREES);
    }
}

void remarks_place(struct remarks *remarks, struct model *model, const struct array *loops)
{
    struct placing placing = {.remarks = remarks,
                              .model = model,
                              .named = ARRAY_OF(struct named_entry),
                              .is_used = memory_get(remarks->entries.count + 1),
                              .placed = ARRAY_OF(struct placed)};
    model->remarks.count = 1;
    for (size_t i = 0; i < remarks->entries.count; i++) {
        const struct remark_entry *entry = ARRAY_AT(struct remark_entry, &remarks->entries, i);
        *(struct named_entry *)array_push(&placing.named) =
            name_entry(strings_text(&remarks->strings, entry->function), entry);
    }
    if (placing.named.count)
        qsort(placing.named.data, placing.named.count, sizeof(struct named_entry), compare_named);
    for (size_t i = 0; i < loops->count; i++)
        place_loop(&placing, *ARRAY_AT(uint32_t, loops, i));
    put_rows(&placing);
    if (placing.looks > MOST_LOOKS)
        remarks_refuse(
            remarks,
            "there are more remarks about single functions than Assay compares with their loops; some "
            "loops have none");
    array_free(&placing.placed);
    free(placing.is_used);
    array_free(&placing.named);
}
