/* How symbols and sums move, from their values at the end of an iteration.

   A register or a place that ends as itself plus a constant steps; plus an invariant, it strides. One that
   ends as another value trails after that value and moves like it. Symbols wait for the symbols they are
   made of; a symbol that waits for itself in the end varies. */
#include "code/quality/motion/sums.h"

/* Chains of symbols that wait for each other, such as pointers handed on from register to register, are
   resolved by at least one link per round. */
enum { MOST_ROUNDS = 8 };

bool motion_of_sum(const struct motion_symbols *symbols, const struct motion_sum *sum, struct motion *motion)
{
    *motion = (struct motion){0};
    for (unsigned i = 0; i < sum->count; i++) {
        const struct motion_symbol *symbol = motion_symbol_at(symbols, sum->terms[i].symbol);
        if (!symbol->is_settled)
            return false;
        if (symbol->motion.kind > motion->kind)
            motion->kind = symbol->motion.kind;
        motion->is_loaded |= symbol->motion.is_loaded;
        motion->step = motion_plus(motion->step, motion_times(symbol->motion.step, sum->terms[i].factor));
    }
    if (motion->kind == motion_STEPS && !motion->step)
        motion->kind = motion_STILL;
    if (motion->kind != motion_STEPS)
        motion->step = 0;
    return true;
}

/* The motion of a register or a place, from its value at the end of an iteration. */
static bool motion_of_end(const struct motion_symbols *symbols, uint32_t number,
                          const struct motion_symbol *symbol, struct motion *motion)
{
    struct motion_sum rest = {.constant = symbol->end.constant};
    int64_t own = 0;
    for (unsigned i = 0; i < symbol->end.count; i++) {
        if (symbol->end.terms[i].symbol == number)
            own = symbol->end.terms[i].factor;
        else
            rest.terms[rest.count++] = symbol->end.terms[i];
    }
    if (!motion_of_sum(symbols, &rest, motion))
        return false;
    if (!own) /* it trails after the others, or is set anew */
        return true;
    if (own != 1 || motion->kind != motion_STILL) {
        motion->kind = motion_VARIES;
        motion->step = 0;
    } else if (rest.count) {
        motion->kind = motion_STRIDES;
    } else if (rest.constant) {
        *motion = (struct motion){.kind = motion_STEPS, .step = rest.constant};
    }
    return true;
}

static bool motion_of_product(const struct motion_symbols *symbols, const struct motion_symbol *symbol,
                              struct motion *motion)
{
    struct motion one, other;
    if (!motion_of_sum(symbols, &symbol->place, &one) || !motion_of_sum(symbols, &symbol->end, &other))
        return false;
    bool is_loaded = one.is_loaded || other.is_loaded;
    bool is_still = one.kind == motion_STILL && other.kind == motion_STILL;
    bool strides = (one.kind == motion_STILL && other.kind < motion_VARIES) ||
                   (other.kind == motion_STILL && one.kind < motion_VARIES);
    *motion = (struct motion){.kind = is_still  ? motion_STILL
                                      : strides ? motion_STRIDES
                                                : motion_VARIES,
                              .is_loaded = is_loaded};
    return true;
}

static bool motion_of_made(const struct motion_symbols *symbols, const struct motion_symbol *symbol,
                           struct motion *motion)
{
    bool varies = symbol->is_wild;
    *motion = (struct motion){0};
    for (unsigned i = 0; i < symbol->depended_count; i++) {
        const struct motion_symbol *depended = motion_symbol_at(symbols, symbol->depended[i]);
        if (!depended->is_settled)
            return false;
        varies |= depended->motion.kind != motion_STILL;
        motion->is_loaded |= depended->motion.is_loaded;
    }
    motion->kind = varies ? motion_VARIES : motion_STILL;
    return true;
}

static bool settle(const struct motion_symbols *symbols, uint32_t number)
{
    struct motion_symbol *symbol = motion_symbol_at(symbols, number);
    struct motion *motion = &symbol->motion, place;
    switch (symbol->kind) {
    case symbol_REGISTER:
        return !symbol->is_changed || motion_of_end(symbols, number, symbol, motion);
    case symbol_PLACE:
        if (!motion_of_sum(symbols, &symbol->place, &place))
            return false;
        if (place.kind == motion_STILL)
            return !symbol->is_changed || motion_of_end(symbols, number, symbol, motion);
        *motion = (struct motion){.kind = motion_VARIES, .is_loaded = true};
        return true;
    case symbol_MADE:
        return motion_of_made(symbols, symbol, motion);
    case symbol_PRODUCT:
        return motion_of_product(symbols, symbol, motion);
    case symbol_OUTSIDE:
        return true;
    }
    return true;
}

/* A symbol that still waits for itself after all rounds varies. If it waits for a load, it varies with the
   data: the pointer to the next element of a list. */
static void settle_cycles(const struct motion_symbols *symbols)
{
    for (uint32_t i = 1; i < symbols->rows.count; i++) {
        struct motion_symbol *symbol = motion_symbol_at(symbols, i);
        if (!symbol->is_settled)
            symbol->motion =
                (struct motion){.kind = motion_VARIES, .is_loaded = symbol->kind == symbol_PLACE};
    }
    bool has_changed = true;
    for (unsigned round = 0; round < MOST_ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 1; i < symbols->rows.count; i++) {
            struct motion_symbol *symbol = motion_symbol_at(symbols, i);
            bool is_loaded = symbol->motion.is_loaded;
            if (symbol->is_settled || is_loaded)
                continue;
            for (unsigned k = 0; k < symbol->depended_count; k++)
                is_loaded |= motion_symbol_at(symbols, symbol->depended[k])->motion.is_loaded;
            for (unsigned k = 0; k < symbol->end.count; k++)
                is_loaded |= motion_symbol_at(symbols, symbol->end.terms[k].symbol)->motion.is_loaded;
            for (unsigned k = 0; k < symbol->place.count; k++)
                is_loaded |= motion_symbol_at(symbols, symbol->place.terms[k].symbol)->motion.is_loaded;
            symbol->motion.is_loaded = is_loaded;
            has_changed |= is_loaded;
        }
    }
    for (uint32_t i = 1; i < symbols->rows.count; i++)
        motion_symbol_at(symbols, i)->is_settled = true;
}

void motion_settle(const struct motion_symbols *symbols)
{
    bool has_changed = true;
    for (unsigned round = 0; round < MOST_ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 1; i < symbols->rows.count; i++) {
            struct motion_symbol *symbol = motion_symbol_at(symbols, i);
            if (symbol->is_settled)
                continue;
            symbol->is_settled = settle(symbols, i);
            has_changed |= symbol->is_settled;
        }
    }
    settle_cycles(symbols);
}
