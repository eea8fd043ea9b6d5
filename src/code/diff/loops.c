/* Which loop of one build is which of the other.

   What is compared are loops of the source: of the loops that a compiler made of one
   (code/quality/families.h), the main one stands for all. Loops of functions without any change are not
   looked at.  Within two functions that are matched, a loop is found by the source lines that it comes from
   together with the chain of inlined calls, through both texts where they can be read, else by its first
   line, else by its code, else by its place among those that are left, if the code looks alike.  Lines count
   from the declaration of the function that they belong to, inlined or not: text that was added above moves
   all of them.  A loop may also have moved into another function, by inlining: what is left then is looked
   for in all functions by its lines. */
#include "base/strings.h"
#include "code/diff/diff.h"
#include "code/diff/keys.h"
#include "code/diff/texts.h"
#include "code/quality/families.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double ALIKE = 0.4;

enum key_kind {
    key_TEXT,      /* both lines, by the texts */
    key_TEXT_LAST, /* one of them: the other was changed */
    key_TEXT_FIRST,
    key_LINES,
    key_FIRST_LINE,
    key_CODE,
    key_LINES_ANYWHERE
};

/* The line that lines of a loop count from: of the inlined function that its header comes from, or of its
 * own. */
static uint32_t line_of_declaration(const struct model *model, const struct loop *loop)
{
    if (loop->inlined_call)
        return model_inlined_call(model, loop->inlined_call)->line;
    return model_function(model, loop->function)->line;
}

/* The chain of inlined calls, by name. */
static uint64_t hash_stack(const struct model *model, uint32_t inlined_call)
{
    uint64_t hash = 0;
    for (uint32_t at = inlined_call; at; at = model_inlined_call(model, at)->parent) {
        const char *name = model_text(model, model_inlined_call(model, at)->name);
        hash = hash_mix(hash, strings_hash(name, strlen(name)));
    }
    return hash;
}

/* Lines of the new text, also for a loop of the old one; 0: unknown. */
static uint64_t hash_text_lines(const struct comparison *comparison, int side, const struct loop *loop,
                                enum key_kind kind)
{
    const struct model *model = comparison->sides[side].model;
    uint32_t first = loop->first_line, last = loop->last_line;
    if (side == diff_OLD) {
        first = texts_line(comparison, loop->file, first);
        last = texts_line(comparison, loop->file, last);
    }
    bool needs_first = kind != key_TEXT_LAST, needs_last = kind != key_TEXT_FIRST;
    if ((needs_first && !first) || (needs_last && !last))
        return 0;
    uint64_t hash = hash_mix(kind, comparison->sides[side].of_function[loop->function]);
    hash = hash_mix(hash, diff_file_hash(model, loop->file));
    hash = hash_mix(hash, needs_first ? first : 0);
    hash = hash_mix(hash, needs_last ? last : 0);
    return hash_mix(hash, hash_stack(model, loop->inlined_call));
}

/* 0: the loop has no such key.  The pair of functions is a part of it, so that only loops of matched
 * functions meet. */
static uint64_t hash_loop(const struct comparison *comparison, int build, uint32_t id, enum key_kind kind)
{
    const struct diff_side *side = &comparison->sides[build];
    const struct model *model = side->model;
    const struct loop *loop = model_loop(model, id);
    uint64_t hash = hash_mix(kind, kind == key_LINES_ANYWHERE ? 0 : side->of_function[loop->function]);
    if (kind == key_CODE)
        return hash_mix(hash, side->loops[id].hash);
    if (!loop->file || !loop->first_line)
        return 0;
    if (kind <= key_TEXT_FIRST)
        return hash_text_lines(comparison, build, loop, kind);
    uint32_t start = line_of_declaration(model, loop);
    hash = hash_mix(hash, diff_file_hash(model, loop->file));
    hash = hash_mix(hash, loop->first_line - start);
    if (kind != key_FIRST_LINE)
        hash = hash_mix(hash, loop->last_line - start);
    if (kind == key_LINES_ANYWHERE) {
        const char *name = loop->inlined_call
                               ? model_text(model, model_inlined_call(model, loop->inlined_call)->name)
                               : model_text(model, model_function(model, loop->function)->name);
        return hash_mix(hash, strings_hash(name, strlen(name)));
    }
    return hash_mix(hash, hash_stack(model, loop->inlined_call));
}

/* Whether a loop stands for its source loop. */
static bool is_main(const struct model *model, uint32_t loop)
{
    const struct loop_role_row *role = families_role(model, loop);
    return role && (role->role == loop_role_ONLY || role->role == loop_role_MAIN);
}

static struct array make_keys(const struct comparison *comparison, int build, enum key_kind kind)
{
    const struct diff_side *side = &comparison->sides[build];
    struct array keys = ARRAY_OF(struct diff_key);
    for (uint32_t id = 1; id < side->model->loops.count; id++) {
        bool is_wanted = is_main(side->model, id) && !side->of_loop[id];
        uint64_t hash = is_wanted ? hash_loop(comparison, build, id, kind) : 0;
        diff_key_add(&keys, hash, id);
    }
    diff_keys_sort(&keys);
    return keys;
}

static void match(struct comparison *comparison, uint32_t old, uint32_t new, enum match_way way)
{
    struct diff_side *sides = comparison->sides;
    const struct diff_code *before = old ? &sides[diff_OLD].loops[old] : NULL;
    const struct diff_code *after = new ? &sides[diff_NEW].loops[new] : NULL;
    *(struct diff_match *)array_push(&comparison->loops) = (struct diff_match){
        .rows = {old, new},
        .way = way,
        .is_same = before && after && before->hash == after->hash && before->count == after->count};
    if (old && !sides[diff_OLD].of_loop[old])
        sides[diff_OLD].of_loop[old] = (uint32_t)comparison->loops.count;
    if (new && !sides[diff_NEW].of_loop[new])
        sides[diff_NEW].of_loop[new] = (uint32_t)comparison->loops.count;
}

/* Loops with the same key are matched in their order, as far as both builds have them: a compiler makes
   several of one source loop. */
static void match_by(struct comparison *comparison, enum key_kind kind, enum match_way way)
{
    struct array old = make_keys(comparison, diff_OLD, kind);
    struct array new = make_keys(comparison, diff_NEW, kind);
    size_t i = 0, k = 0;
    while (i < old.count && k < new.count) {
        const struct diff_key *a = diff_key_at(&old, i), *b = diff_key_at(&new, k);
        if (a->hash == b->hash)
            match(comparison, a->row, b->row, way);
        i += a->hash <= b->hash;
        k += b->hash <= a->hash;
    }
    array_free(&old);
    array_free(&new);
}

/* The main loops of a function in order, those that are left or all: of uint32_t. */
static struct array loops_left(const struct diff_side *side, uint32_t function, bool takes_all)
{
    struct array left = ARRAY_OF(uint32_t);
    const struct array *loops = &side->model->loops;
    for (size_t i = array_first_not_below(loops, 1, offsetof(struct loop, function), function);
         i < loops->count && model_loop(side->model, (uint32_t)i)->function == function; i++)
        if ((takes_all || !side->of_loop[i]) && is_main(side->model, (uint32_t)i))
            *(uint32_t *)array_push(&left) = (uint32_t)i;
    return left;
}

/* What is left in two functions that are matched: in order, if there are as many; else the first that look
 * alike. */
static void match_in_order(struct comparison *comparison, const struct diff_match *pair)
{
    bool is_copy = pair->way == match_COPY;
    struct array old = loops_left(&comparison->sides[diff_OLD], pair->rows[diff_OLD], is_copy);
    struct array new = loops_left(&comparison->sides[diff_NEW], pair->rows[diff_NEW], is_copy);
    size_t next = 0;
    for (size_t i = 0; i < old.count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, &old, i);
        size_t at = next;
        while (old.count != new.count &&
               at < new.count &&diff_loop_similarity(comparison, loop, *ARRAY_AT(uint32_t, &new, at)) < ALIKE)
            at++;
        if (at == new.count)
            continue;
        match(comparison, loop, *ARRAY_AT(uint32_t, &new, at), match_SHAPE);
        next = at + 1;
    }
    array_free(&old);
    array_free(&new);
}

void diff_loops(struct comparison *comparison)
{
    for (enum key_kind kind = key_TEXT; comparison->lines && kind <= key_TEXT_FIRST; kind++)
        match_by(comparison, kind, match_NAME);
    match_by(comparison, key_LINES, match_NAME);
    match_by(comparison, key_FIRST_LINE, match_NAME);
    match_by(comparison, key_CODE, match_CODE);
    for (size_t i = 0; i < comparison->functions.count; i++) {
        const struct diff_match *pair = ARRAY_AT(struct diff_match, &comparison->functions, i);
        if (pair->rows[0] && pair->rows[1] && !pair->is_same)
            match_in_order(comparison, pair);
    }
    match_by(comparison, key_LINES_ANYWHERE, match_NAME);
    for (int side = 0; side < diff_BUILDS; side++) {
        const struct diff_side *it = &comparison->sides[side];
        for (uint32_t id = 1; id < it->model->loops.count; id++)
            if (!it->of_loop[id] && is_main(it->model, id))
                match(comparison, side == diff_OLD ? id : 0, side == diff_NEW ? id : 0, match_NONE);
    }
}
