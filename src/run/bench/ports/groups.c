#include "run/bench/ports/groups.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 300 };
/* What a port costs, in relative error of one pair; how much better a shared port must explain a pair. */
static const double port_cost = 0.05, evidence = 0.025, unfounded = 0.5;
/* Two that take this much longer together share something. */
static const double together = 1.05;

struct placement {
    uint32_t sets[MOST_CLASSES];
    unsigned ports;
    double cost;
};

struct search {
    const struct groups *groups;
    double (*errors)[MOST_CLASSES][MOST_FOUND_PORTS + 1]; /* of two classes that share so many ports */
    struct array kept, next;                              /* of struct placement */
};

static double groups_ratio(unsigned k, unsigned l, unsigned shared, double width)
{
    double ratio = (double)(k + l) / (k + l - shared);
    return fmax(ratio, (k + l) / width);
}

static unsigned ports_in(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

static double groups_ratio_of_three(const uint32_t sets[3], double width)
{
    double uops = ports_in(sets[0]) + ports_in(sets[1]) + ports_in(sets[2]);
    double ratio = fmax(uops / ports_in(sets[0] | sets[1] | sets[2]), uops / width);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < i; j++)
            ratio =
                fmax(ratio, (double)(ports_in(sets[i]) + ports_in(sets[j])) / ports_in(sets[i] | sets[j]));
    return ratio;
}

static void find_errors(struct search *search)
{
    const struct groups *groups = search->groups;
    for (unsigned i = 0; i < groups->count; i++)
        for (unsigned j = 0; j < groups->count; j++) {
            unsigned k = groups->ports[i], l = groups->ports[j], most = k < l ? k : l;
            double measured = groups->ratio[i][j], least = INFINITY;
            double *errors = search->errors[i][j];
            if (isnan(measured) || i == j) {
                memset(errors, 0, sizeof search->errors[i][j]);
                continue;
            }
            for (unsigned s = 0; s <= most; s++) {
                errors[s] = fabs(groups_ratio(k, l, s, groups->width) / measured - 1);
                least = fmin(least, errors[s]);
            }
            for (unsigned s = 1; s <= most && errors[0] < least + evidence; s++)
                errors[s] += unfounded;
        }
}

static unsigned common(uint32_t a, uint32_t b)
{
    return (unsigned)__builtin_popcount(a & b);
}

/* Errors of a class in threes, the others of which are placed. */
static double cost_of_triples(const struct groups *groups, const struct placement *placement, unsigned class,
                              uint32_t set)
{
    double cost = 0;
    for (unsigned t = 0; t < groups->triple_count; t++) {
        const struct groups_triple *triple = &groups->triples[t];
        uint32_t sets[3];
        bool is_in = false;
        for (unsigned i = 0; i < 3; i++) {
            bool is_own = triple->classes[i] == class;
            sets[i] = is_own ? set : placement->sets[triple->classes[i]];
            is_in |= is_own;
        }
        if (is_in && sets[0] && sets[1] && sets[2] && !isnan(triple->ratio))
            cost += fabs(groups_ratio_of_three(sets, groups->width) / triple->ratio - 1);
    }
    return cost;
}

/* Errors of a class with all that are placed. */
static double cost_of(const struct search *search, const struct placement *placement, unsigned class,
                      uint32_t set)
{
    double cost = 0;
    for (unsigned j = 0; j < search->groups->count; j++)
        if (j != class && placement->sets[j])
            cost += search->groups->weight[j] * search->errors[class][j][common(set, placement->sets[j])];
    return (cost + cost_of_triples(search->groups, placement, class, set)) * search->groups->weight[class];
}

static int by_cost(const void *a, const void *b)
{
    const struct placement *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return memcmp(x->sets, y->sets, sizeof x->sets);
}

/* Ports that the same classes have are interchangeable: a set takes the first of them. */
struct cells {
    uint32_t ports[MOST_FOUND_PORTS + 1];
    unsigned count;
};

static void find_cells(const struct search *search, const struct placement *placement, struct cells *cells)
{
    uint32_t classes_of[MOST_FOUND_PORTS];
    cells->count = 0;
    for (unsigned p = 0; p < placement->ports; p++) {
        unsigned cell = 0;
        classes_of[p] = 0;
        for (unsigned c = 0; c < search->groups->count; c++)
            classes_of[p] |= (placement->sets[c] >> p & 1) << c;
        while (cell < cells->count && classes_of[__builtin_ctz(cells->ports[cell])] != classes_of[p])
            cell++;
        if (cell == cells->count)
            cells->ports[cells->count++] = 0;
        cells->ports[cell] |= UINT32_C(1) << p;
    }
}

struct choice {
    const struct search *search;
    const struct placement *from;
    struct cells cells;
    unsigned class;
    struct array *found;
};

/* All sets that take so many more ports from this cell on, the rest new ones. */
static void choose_from(const struct choice *choice, unsigned cell, unsigned left, uint32_t set)
{
    if (cell == choice->cells.count) {
        struct placement *next;
        unsigned ports = choice->from->ports;
        if (ports + left > MOST_FOUND_PORTS)
            return;
        for (unsigned i = 0; i < left; i++)
            set |= UINT32_C(1) << (ports + i);
        next = array_push(choice->found);
        *next = *choice->from;
        next->sets[choice->class] = set;
        next->ports += left;
        next->cost += cost_of(choice->search, choice->from, choice->class, set) + port_cost * left;
        return;
    }
    uint32_t ports = choice->cells.ports[cell];
    for (unsigned taken = 0;; taken++) {
        choose_from(choice, cell + 1, left - taken, set);
        if (!ports || taken == left)
            return;
        set |= ports & -ports;
        ports &= ports - 1;
    }
}

static void place(struct search *search, const struct placement *from, unsigned class, struct array *found)
{
    struct choice choice = {.search = search, .from = from, .class = class, .found = found};
    find_cells(search, from, &choice.cells);
    choose_from(&choice, 0, search->groups->ports[class], 0);
}

/* The best come first, each once. */
static void keep_best(struct search *search)
{
    struct placement *all = search->next.data;
    size_t kept = 0;
    qsort(all, search->next.count, sizeof *all, by_cost);
    search->kept.count = 0;
    for (size_t i = 0; i < search->next.count && kept < MOST_KEPT; i++)
        if (!i || memcmp(all[i].sets, all[i - 1].sets, sizeof all[i].sets)) {
            *(struct placement *)array_push(&search->kept) = all[i];
            kept++;
        }
    search->next.count = 0;
}

/* Ports that nobody has any more are left out. */
static void compact(struct placement *placement, unsigned count)
{
    uint32_t used = 0;
    for (unsigned c = 0; c < count; c++)
        used |= placement->sets[c];
    for (unsigned p = placement->ports; p-- > 0;) {
        if (used >> p & 1)
            continue;
        uint32_t below = (UINT32_C(1) << p) - 1;
        for (unsigned c = 0; c < count; c++)
            placement->sets[c] = (placement->sets[c] & below) | (placement->sets[c] >> 1 & ~below);
        placement->ports--;
    }
}

static void improve(struct search *search, struct placement *best)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned class = 0; class < search->groups->count; class ++) {
            struct placement without = *best;
            without.cost -= cost_of(search, best, class, best->sets[class]) + port_cost * best->ports;
            without.sets[class] = 0;
            compact(&without, search->groups->count);
            without.cost += port_cost * without.ports;
            search->next.count = 0;
            place(search, &without, class, &search->next);
            for (size_t i = 0; i < search->next.count; i++) {
                const struct placement *other = ARRAY_AT(struct placement, &search->next, i);
                if (other->cost < best->cost - 1e-9) {
                    *best = *other;
                    moved = true;
                }
            }
        }
    }
}

/* Small classes first: they name the ports of the others. */
static void order_classes(const struct groups *groups, unsigned *order)
{
    for (unsigned i = 0; i < groups->count; i++) {
        unsigned at = i;
        while (at && groups->ports[order[at - 1]] > groups->ports[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

/* Whether two classes slow each other down, or should. */
static bool meet(const struct groups *groups, unsigned i, unsigned j)
{
    return groups->ratio[i][j] > together || common(groups->sets[i], groups->sets[j]);
}

static void report(struct search *search, struct groups *groups, const struct placement *best)
{
    memcpy(groups->sets, best->sets, sizeof groups->sets);
    groups->port_count = best->ports;
    groups->cost = best->cost;
    for (unsigned i = 0; i < groups->count; i++) {
        double pairs = 0;
        for (unsigned j = 0; j < groups->count; j++)
            pairs += i != j && meet(groups, i, j) ? groups->weight[i] * groups->weight[j] : 0;
        for (unsigned t = 0; t < groups->triple_count; t++)
            for (unsigned k = 0; k < 3; k++)
                pairs += groups->triples[t].classes[k] == i && !isnan(groups->triples[t].ratio)
                             ? groups->weight[i]
                             : 0;
        groups->error[i] = pairs > 0 ? cost_of(search, best, i, best->sets[i]) / pairs : 0;
    }
}

/* The same classes but one: threes that it is in are left out. */
static void leave_out(struct groups *groups, unsigned gone)
{
    unsigned kept = 0;
    for (unsigned t = 0; t < groups->triple_count; t++) {
        struct groups_triple triple = groups->triples[t];
        bool has_it = false;
        for (unsigned i = 0; i < 3; i++) {
            has_it |= triple.classes[i] == gone;
            triple.classes[i] -= triple.classes[i] > gone;
        }
        if (!has_it)
            groups->triples[kept++] = triple;
    }
    groups->triple_count = kept;
    groups->count--;
    for (unsigned i = gone; i < groups->count; i++) {
        groups->ports[i] = groups->ports[i + 1];
        groups->weight[i] = groups->weight[i + 1];
        groups->sets[i] = groups->sets[i + 1];
        memcpy(groups->ratio[i], groups->ratio[i + 1], sizeof groups->ratio[i]);
    }
    for (unsigned i = 0; i < groups->count; i++)
        memmove(&groups->ratio[i][gone], &groups->ratio[i][gone + 1],
                (MOST_CLASSES - gone - 1) * sizeof groups->ratio[i][gone]);
}

double groups_cost_without(const struct groups *from, unsigned gone)
{
    struct groups *groups = memory_get(sizeof *groups);
    *groups = *from;
    leave_out(groups, gone);
    struct search search = {.groups = groups,
                            .errors = memory_get(MOST_CLASSES * sizeof *search.errors),
                            .next = ARRAY_OF(struct placement)};
    struct placement best = {.ports = groups->port_count};
    find_errors(&search);
    for (unsigned i = 0; i < groups->count; i++) { /* each with those before it */
        best.cost += cost_of(&search, &best, i, groups->sets[i]);
        best.sets[i] = groups->sets[i];
    }
    compact(&best, groups->count);
    best.cost += port_cost * best.ports;
    improve(&search, &best);
    array_free(&search.next);
    free(search.errors);
    free(groups);
    return best.cost;
}

void groups_solve(struct groups *groups)
{
    struct search search = {.groups = groups,
                            .errors = memory_get(MOST_CLASSES * sizeof *search.errors),
                            .kept = ARRAY_OF(struct placement),
                            .next = ARRAY_OF(struct placement)};
    unsigned order[MOST_CLASSES];
    order_classes(groups, order);
    find_errors(&search);
    array_add(&search.kept);
    for (unsigned i = 0; i < groups->count; i++) {
        for (size_t k = 0; k < search.kept.count; k++)
            place(&search, ARRAY_AT(struct placement, &search.kept, k), order[i], &search.next);
        keep_best(&search);
    }
    if (search.kept.count) {
        struct placement best = *ARRAY_AT(struct placement, &search.kept, 0);
        improve(&search, &best);
        report(&search, groups, &best);
    }
    array_free(&search.kept);
    array_free(&search.next);
    free(search.errors);
}
