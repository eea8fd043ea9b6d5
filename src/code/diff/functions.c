/* Which function of one build is which of the other.

   Most functions are found by keys: a key that exactly one unmatched function of each build has makes them a
   pair.  Keys are tried from the most telling to the least.  What remains is looked for from the functions
   that are matched: their calls, in order, go to the same functions if these look alike. */
#include "base/strings.h"
#include "code/diff/diff.h"
#include "code/diff/keys.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CODE = 8, LEAST_CALLS = 2, MOST_ROUNDS = 20 };
static const double ALIKE = 0.5;

typedef uint64_t make_key(const struct diff_side *side, uint32_t function);

/* What compilers append to the names of their own copies and parts of a function. */
static size_t plain_length(const char *name)
{
    static const char *const suffixes[] = {".constprop.", ".isra.", ".part.",  ".lto_priv.",
                                           ".llvm.",      ".cold",  ".clone.", ".localalias"};
    size_t length = strlen(name);
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const char *found = strstr(name, suffixes[i]);
        if (found && found != name && (size_t)(found - name) < length)
            length = (size_t)(found - name);
    }
    return length;
}

/* A cold part is not the function: it keeps its suffix apart from copies. */
static uint64_t name_hash(const char *name, bool is_plain)
{
    size_t length = is_plain ? plain_length(name) : strlen(name);
    return hash_mix(strings_hash(name, length), strstr(name, ".cold") != NULL);
}

static uint64_t key_name(const struct diff_side *side, uint32_t function)
{
    const struct function *row = model_function(side->model, function);
    return diff_has_name(row)
               ? hash_mix(name_hash(model_text(side->model, row->name), false), row->origin == origin_IMPORT)
               : 0;
}

static uint64_t key_name_and_file(const struct diff_side *side, uint32_t function)
{
    uint64_t name = key_name(side, function);
    return name ? hash_mix(name, diff_file_hash(side->model, model_function(side->model, function)->file))
                : 0;
}

static uint64_t key_name_and_code(const struct diff_side *side, uint32_t function)
{
    uint64_t name = key_name(side, function);
    return name ? hash_mix(name, side->functions[function].hash) : 0;
}

static uint64_t key_plain_name(const struct diff_side *side, uint32_t function)
{
    const struct function *row = model_function(side->model, function);
    return diff_has_name(row) ? name_hash(model_text(side->model, row->name), true) : 0;
}

static uint64_t key_code(const struct diff_side *side, uint32_t function)
{
    const struct diff_code *code = &side->functions[function];
    return code->count >= LEAST_CODE ? code->hash : 0;
}

static size_t first_call(const struct model *model, uint32_t function)
{
    return array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
}

/* The functions with names that it calls, in order: imports have names also where everything else lost them.
 */
static uint64_t key_calls(const struct diff_side *side, uint32_t function)
{
    const struct model *model = side->model;
    uint64_t hash = 0;
    unsigned count = 0;
    for (size_t i = first_call(model, function);
         i < model->calls.count && model_call(model, (uint32_t)i)->caller == function; i++) {
        uint32_t callee = model_call(model, (uint32_t)i)->callee;
        uint64_t name = callee ? key_name(side, callee) : 0;
        if (name) {
            hash = hash_mix(hash, name);
            count++;
        }
    }
    return count >= LEAST_CALLS ? hash : 0;
}

/* Code that is not there, as of functions without samples in the database of a run, is not a difference. */
static bool is_same(const struct diff_code *old, const struct diff_code *new)
{
    return !old->count || !new->count || (old->hash == new->hash && old->count == new->count);
}

/* A function that has its match already stays with it. */
static void match(struct comparison *comparison, uint32_t old, uint32_t new, enum match_way way)
{
    struct diff_side *sides = comparison->sides;
    *(struct diff_match *)array_push(&comparison->functions) = (struct diff_match){
        .rows = {old, new},
        .way = way,
        .is_same = old && new &&is_same(&sides[diff_OLD].functions[old], &sides[diff_NEW].functions[new])};
    if (old && !sides[diff_OLD].of_function[old])
        sides[diff_OLD].of_function[old] = (uint32_t)comparison->functions.count;
    if (new && !sides[diff_NEW].of_function[new])
        sides[diff_NEW].of_function[new] = (uint32_t)comparison->functions.count;
}

static struct array make_keys(const struct diff_side *side, make_key *make)
{
    struct array keys = ARRAY_OF(struct diff_key);
    for (uint32_t id = 1; id < side->model->functions.count; id++) {
        uint64_t hash = side->of_function[id] ? 0 : make(side, id);
        diff_key_add(&keys, hash, id);
    }
    diff_keys_sort(&keys);
    return keys;
}

/* The end of the keys with the same hash, from a place on. */
static size_t same_until(const struct array *keys, size_t from)
{
    size_t end = from;
    while (end < keys->count && diff_key_at(keys, end)->hash == diff_key_at(keys, from)->hash)
        end++;
    return end;
}

static void match_by(struct comparison *comparison, make_key *make, enum match_way way)
{
    struct array old = make_keys(&comparison->sides[diff_OLD], make);
    struct array new = make_keys(&comparison->sides[diff_NEW], make);
    size_t i = 0, k = 0;
    while (i < old.count && k < new.count) {
        const struct diff_key *a = diff_key_at(&old, i), *b = diff_key_at(&new, k);
        size_t i_end = same_until(&old, i), k_end = same_until(&new, k);
        if (a->hash == b->hash && i_end - i == 1 && k_end - k == 1)
            match(comparison, a->row, b->row, way);
        if (a->hash <= b->hash)
            i = i_end;
        if (b->hash <= a->hash)
            k = k_end;
    }
    array_free(&old);
    array_free(&new);
}

/* The callees of a matched pair, one after the other: between calls of functions that are matched with each
   other, the first unmatched ones of both are a pair if they look alike. */
static bool match_callees(struct comparison *comparison, const struct diff_match *pair)
{
    struct diff_side *sides = comparison->sides;
    const struct model *models[] = {sides[diff_OLD].model, sides[diff_NEW].model};
    size_t places[] = {first_call(models[0], pair->rows[0]), first_call(models[1], pair->rows[1])};
    bool has_found = false;
    for (;; places[0]++, places[1]++) {
        uint32_t callees[diff_BUILDS];
        for (int side = 0; side < diff_BUILDS; side++) {
            const struct call *call = places[side] < models[side]->calls.count
                                          ? model_call(models[side], (uint32_t)places[side])
                                          : NULL;
            if (!call || call->caller != pair->rows[side])
                return has_found;
            callees[side] = call->callee;
        }
        if (!callees[0] || !callees[1] || sides[0].of_function[callees[0]] ||
            sides[1].of_function[callees[1]])
            continue;
        if (diff_function_similarity(comparison, callees[0], callees[1]) >= ALIKE) {
            match(comparison, callees[0], callees[1], match_CALLS);
            has_found = true;
        }
    }
}

/* The function after the unmatched ones that start at a place: matched, or the end of the program. */
static uint32_t end_of_run(const struct diff_side *side, uint32_t from)
{
    uint32_t end = from;
    while (end < side->model->functions.count && !side->of_function[end])
        end++;
    return end;
}

/* As many unmatched functions in both builds between two that are matched, in the order of addresses: linkers
   keep the order of the sources. */
static void match_neighbours(struct comparison *comparison)
{
    struct diff_side *sides = comparison->sides;
    for (uint32_t id = 1; id + 1 < sides[0].model->functions.count; id++) {
        uint32_t place = sides[0].of_function[id];
        if (!place || sides[0].of_function[id + 1])
            continue;
        uint32_t other = ARRAY_AT(struct diff_match, &comparison->functions, place - 1)->rows[diff_NEW];
        if (!other || other + 1 >= sides[1].model->functions.count || sides[1].of_function[other + 1])
            continue;
        uint32_t count = end_of_run(&sides[0], id + 1) - (id + 1);
        if (end_of_run(&sides[1], other + 1) - (other + 1) != count)
            continue;
        for (uint32_t i = 1; i <= count; i++)
            match(comparison, id + i, other + i, match_SHAPE);
    }
}

static void match_by_calls(struct comparison *comparison)
{
    bool goes_on = true;
    for (unsigned round = 0; goes_on && round < MOST_ROUNDS; round++) {
        goes_on = false;
        for (size_t i = 0; i < comparison->functions.count; i++) {
            struct diff_match pair = *ARRAY_AT(struct diff_match, &comparison->functions, i);
            if (pair.rows[0] && pair.rows[1])
                goes_on |= match_callees(comparison, &pair);
        }
    }
}

/* Copies that a compiler made for some callers, in one build only: beside the function that they are copies
 * of. */
static void match_copies(struct comparison *comparison, int side)
{
    const struct diff_side *with = &comparison->sides[side], *without = &comparison->sides[!side];
    struct array plain = ARRAY_OF(struct diff_key);
    for (uint32_t id = 1; id < without->model->functions.count; id++) {
        uint64_t hash = without->functions[id].count ? key_plain_name(without, id) : 0;
        diff_key_add(&plain, hash, id);
    }
    diff_keys_sort(&plain);
    for (uint32_t id = 1; id < with->model->functions.count; id++) {
        uint64_t hash = with->of_function[id] || !with->functions[id].count ? 0 : key_plain_name(with, id);
        size_t at = hash ? array_first_at(&plain, 0, offsetof(struct diff_key, hash), hash) : plain.count;
        if (at == plain.count || diff_key_at(&plain, at)->hash != hash)
            continue;
        uint32_t other = diff_key_at(&plain, at)->row;
        match(comparison, side == diff_OLD ? id : other, side == diff_NEW ? id : other, match_COPY);
    }
    array_free(&plain);
}

void diff_functions(struct comparison *comparison)
{
    match_by(comparison, key_name_and_file, match_NAME);
    match_by(comparison, key_name, match_NAME);
    match_by(comparison, key_name_and_code, match_NAME);
    match_by(comparison, key_plain_name, match_NAME);
    match_by(comparison, key_code, match_CODE);
    match_by(comparison, key_calls, match_CALLS);
    match_by_calls(comparison);
    match_neighbours(comparison);
    match_copies(comparison, diff_OLD);
    match_copies(comparison, diff_NEW);
    for (int side = 0; side < diff_BUILDS; side++) {
        const struct diff_side *it = &comparison->sides[side];
        for (uint32_t id = 1; id < it->model->functions.count; id++)
            if (!it->of_function[id])
                match(comparison, side == diff_OLD ? id : 0, side == diff_NEW ? id : 0, match_NONE);
    }
}
