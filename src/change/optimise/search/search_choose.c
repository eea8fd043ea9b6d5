/* Which variants are run, in which order: the best by their cycles, but of different shapes.

   Hundreds of variants may have the least cycles, or nearly: one loop with other registers, in another order.
   What decides between them is what the model does not know: how often the loop runs each time it is entered,
   so how much of the time goes to the iterations that an unrolled loop leaves over, where the loop lies, how
   the front end takes it. So variants that are not far from the best come in groups: those whose loop does
   the same number of iterations of the source at once. Each group has a turn, the best one's first, then each
   a second, and so on. In a group first come different loops, of these different numbers of cycles, and of
   equal ones the least intrusive. What is far from the best comes after, by its score.

   Where the number of iterations is a guess, so are the cycles: such variants are compared among themselves,
   and have groups of their own.

   A variant whose results are wrong gives its place to the next one; so does, before it is run, one that
   takes the same risks and more. */
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FARTHEST =
    1.3;                         /* cycles of a variant that has a turn with its group : the least of all */
static const double STEP = 1.01; /* cycles that differ by less are the same */

struct candidate {
    struct trial *trial;
    unsigned intrusion;
    double group;   /* iterations at once; negative: a guess */
    double step;    /* of its cycles */
    unsigned loop;  /* how many of its group have the same loop and come before it */
    unsigned equal; /* and of these the same cycles */
    size_t turn;    /* in its group; SIZE_MAX: it is far from the best */
};

/* By code, in each the least intrusive first. */
static int by_code(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = strcmp(x->trial->judgement.digest, y->trial->judgement.digest);
    if (order)
        return order;
    return x->intrusion < y->intrusion ? -1 : x->intrusion > y->intrusion;
}

static int compare(double x, double y)
{
    return x < y ? -1 : x > y;
}

/* Their cycles; where these are not known, the score, which is INFINITY. */
static double cycles_of(const struct candidate *candidate)
{
    return candidate->trial->score < INFINITY ? candidate->trial->judgement.cycles : INFINITY;
}

static int by_cycles(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = compare(cycles_of(x), cycles_of(y));
    order = order ? order : compare(x->trial->score, y->trial->score);
    order = order ? order : compare(x->intrusion, y->intrusion);
    return order ? order : strcmp(x->trial->text, y->trial->text);
}

static int by_place_in_group(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = compare(x->group, y->group);
    order = order ? order : compare(x->loop, y->loop);
    order = order ? order : compare(x->equal, y->equal);
    return order ? order : by_cycles(a, b);
}

static int by_turn(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    if (x->turn == SIZE_MAX && x->trial->score != y->trial->score)
        return compare(x->trial->score, y->trial->score);
    return by_cycles(a, b);
}

/* Different code, of each the least intrusive variant. */
static struct array list_candidates(const struct search *search)
{
    struct array list = ARRAY_OF(struct candidate);
    size_t kept = 0;
    for (size_t i = 0; i < search->trials.count; i++) {
        struct trial *trial = *ARRAY_AT(struct trial *, &search->trials, i);
        if (trial->judgement.is_compiled && search_is_allowed(search, trial->variant.values))
            *(struct candidate *)array_push(&list) = (struct candidate){
                .trial = trial, .intrusion = search_intrusion(search, &trial->variant), .turn = SIZE_MAX};
    }
    struct candidate *all = list.data;
    if (list.count)
        qsort(all, list.count, sizeof *all, by_code);
    for (size_t i = 0; i < list.count; i++)
        if (!kept || strcmp(all[kept - 1].trial->judgement.digest, all[i].trial->judgement.digest) != 0)
            all[kept++] = all[i];
    list.count = kept;
    return list;
}

/* all: the near ones, in order of their cycles. */
static void number_equals(struct candidate *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct judgement *mine = &all[i].trial->judgement;
        all[i].group = mine->is_rough ? -round(mine->iterations) : round(mine->iterations);
        all[i].step = mine->cycles > 0 ? floor(log(mine->cycles) / log(STEP)) : 0;
        for (size_t k = 0; k < i; k++)
            all[i].loop +=
                all[k].group == all[i].group && all[k].trial->judgement.loop == mine->loop && mine->loop;
        for (size_t k = 0; k < i; k++)
            all[i].equal +=
                all[k].group == all[i].group && all[k].loop == all[i].loop && all[k].step == all[i].step;
    }
}

void finals_rank(struct finals *finals)
{
    struct array list = list_candidates(finals->search);
    struct candidate *all = list.data;
    size_t near = 0;
    if (list.count)
        qsort(all, list.count, sizeof *all, by_cycles);
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = list.count; i-- > 0;)
        least[all[i].trial->judgement.is_rough] = cycles_of(&all[i]);
    for (size_t i = 0; i < list.count; i++)
        if (cycles_of(&all[i]) < INFINITY &&
            cycles_of(&all[i]) <= FARTHEST * least[all[i].trial->judgement.is_rough]) {
            struct candidate one = all[i];
            memmove(&all[near + 1], &all[near], (i - near) * sizeof *all);
            all[near++] = one;
        }
    number_equals(all, near);
    if (near)
        qsort(all, near, sizeof *all, by_place_in_group);
    for (size_t i = 0; i < near; i++)
        all[i].turn = i && all[i - 1].group == all[i].group ? all[i - 1].turn + 1 : 0;
    if (list.count)
        qsort(all, list.count, sizeof *all, by_turn);
    for (size_t i = 0; i < list.count; i++)
        *(struct trial **)array_push(&finals->ranked) = all[i].trial;
    array_free(&list);
}

/* --- wrong results --- */
/* Whether a variant has all values that may have made another one wrong. */
static bool has_risks_of(const struct search *search, const unsigned char *values,
                         const struct search_finalist *wrong)
{
    unsigned blamed = wrong->result.verdict == replay_DIFFERENT || wrong->result.verdict == replay_NEAR
                          ? ~(unsigned)risk_TARGET
                          : ~0u;
    bool has_any = false;
    for (unsigned i = 0; i < search_width(search); i++) {
        unsigned char value = wrong->variant.values[i];
        if (!value || !(choices_at(search->request->choices, i)->risks & blamed))
            continue;
        has_any = true;
        if (values[i] != value)
            return false;
    }
    return has_any;
}

bool finals_is_suspect(const struct finals *finals, const unsigned char *values)
{
    for (size_t i = 0; i < finals->answer->finalists.count; i++) {
        const struct search_finalist *one = ARRAY_AT(struct search_finalist, &finals->answer->finalists, i);
        if (one->is_measured && !one->is_right && one->variant.values != values &&
            has_risks_of(finals->search, values, one))
            return true;
    }
    return false;
}

const struct trial *finals_next(struct finals *finals)
{
    while (finals->next < finals->ranked.count) {
        const struct trial *trial = *ARRAY_AT(struct trial *, &finals->ranked, finals->next++);
        if (trial->score < INFINITY && !finals_have_code(finals, trial->judgement.digest) &&
            !finals_is_suspect(finals, trial->variant.values))
            return trial;
    }
    return NULL;
}
