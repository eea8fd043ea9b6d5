/* The second round of measuring: what the model of the core cannot know, the first round has shown.

   The first dozen by cycles are mostly one loop with other registers. The fastest *measured* variants are
   better places to look from: their neighbours (one choice changed) are judged, and those of different code
   whose cycles are not far from the best are run too, as long as that finds something faster and there is
   time. Neighbours of the same cycles are much alike, so of each number of cycles one is run, then a second
   of each, and so on; among equals first the one whose changed value was part of the faster ones so far. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEADERS = 2, MOST_ROUNDS = 4, MOST_IN_A_ROUND = 10 };
static const double FARTHEST = 1.25; /* cycles of a neighbour worth running : the least of all */
static const double STEP = 1.01;     /* cycles that differ by less are the same */
static const double JUDGING_PART = 0.3, KEPT_PART = 0.25;

struct neighbour {
    const struct trial *trial;
    double promise; /* mean measured ratio of those that share what it changes */
    double cycles;  /* in steps */
    unsigned turn;  /* among those of the same cycles */
};

static struct search_finalist *finalist_at(const struct finals *finals, size_t place)
{
    return ARRAY_AT(struct search_finalist, &finals->answer->finalists, place);
}

static bool counts(const struct search_finalist *finalist)
{
    return finalist->is_measured && finalist->is_right && finalist->ratio > 0;
}

/* The choice in which two variants differ; the width: in none; beyond it: in several. */
static unsigned difference(const struct search *search, const unsigned char *a, const unsigned char *b)
{
    unsigned width = search_width(search), found = width;
    for (unsigned i = 0; i < width; i++)
        if (a[i] != b[i]) {
            if (found < width)
                return width + 1;
            found = i;
        }
    return found;
}

static double promise(const struct finals *finals, unsigned choice, unsigned char value)
{
    double sum = 0, all = 0;
    unsigned count = 0, measured = 0;
    for (size_t i = 0; i < finals->answer->finalists.count; i++) {
        const struct search_finalist *finalist = finalist_at(finals, i);
        if (!counts(finalist))
            continue;
        all += finalist->ratio;
        measured++;
        if (finalist->variant.values[choice] == value) {
            sum += finalist->ratio;
            count++;
        }
    }
    return count ? sum / count : measured ? all / measured : 1;
}

/* The fastest measured, of different loops; how many there are. */
static unsigned find_leaders(const struct finals *finals, size_t leaders[LEADERS])
{
    unsigned found = 0;
    for (; found < LEADERS; found++) {
        size_t fastest = SIZE_MAX;
        for (size_t i = 0; i < finals->answer->finalists.count; i++) {
            const struct search_finalist *finalist = finalist_at(finals, i);
            bool is_known = false;
            for (unsigned k = 0; k < found; k++)
                is_known |= finalist_at(finals, leaders[k])->judgement.loop == finalist->judgement.loop;
            if (counts(finalist) && !is_known &&
                (fastest == SIZE_MAX || finalist->ratio < finalist_at(finals, fastest)->ratio))
                fastest = i;
        }
        if (fastest == SIZE_MAX)
            break;
        leaders[found] = fastest;
    }
    return found;
}

/* A part of the time that is left is for judging. */
static void judge_around(struct finals *finals, const size_t *leaders, unsigned count)
{
    struct search *search = finals->search;
    struct array sets = ARRAY_OF(unsigned char);
    unsigned width = search_width(search);
    double now = clock_monotonic_seconds();
    search->stage = "neighbours of the fastest";
    search->end_static = now + (search->end - now) * JUDGING_PART;
    search->has_stopped = false;
    for (unsigned k = 0; k < count; k++) {
        const unsigned char *base = finalist_at(finals, leaders[k])->variant.values;
        for (unsigned i = 0; i < width; i++)
            for (unsigned value = 0; value <= choices_at(search->request->choices, i)->value_count; value++)
                if (value != base[i]) {
                    unsigned char *set = array_add_many(&sets, width);
                    memcpy(set, base, width);
                    set[i] = (unsigned char)value;
                }
    }
    if (sets.count)
        search_judge(search, sets.data, sets.count / width);
    array_free(&sets);
}

static int by_promise(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    if (x->promise != y->promise)
        return x->promise < y->promise ? -1 : 1;
    return strcmp(x->trial->text, y->trial->text);
}

static int by_turn(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return by_promise(a, b);
}

static bool is_listed(const struct array *list, const char *digest)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(ARRAY_AT(struct neighbour, list, i)->trial->judgement.digest, digest))
            return true;
    return false;
}

/* Of struct neighbour, in the order in which they are run. */
static struct array list_neighbours(const struct finals *finals, const size_t *leaders, unsigned count)
{
    const struct search *search = finals->search;
    struct array list = ARRAY_OF(struct neighbour);
    double limit = search->best ? search->best->score * FARTHEST : 0;
    for (size_t i = 0; i < search->trials.count; i++) {
        const struct trial *trial = *ARRAY_AT(struct trial *, &search->trials, i);
        if (!trial->judgement.is_compiled || !(trial->score <= limit) ||
            !search_is_allowed(search, trial->variant.values) || is_listed(&list, trial->judgement.digest) ||
            finals_have_code(finals, trial->judgement.digest) ||
            finals_is_suspect(finals, trial->variant.values))
            continue;
        for (unsigned k = 0; k < count; k++) {
            unsigned changed =
                difference(search, finalist_at(finals, leaders[k])->variant.values, trial->variant.values);
            if (changed >= search_width(search))
                continue;
            *(struct neighbour *)array_push(&list) =
                (struct neighbour){trial, promise(finals, changed, trial->variant.values[changed]),
                                   trial->score > 0 ? floor(log(trial->score) / log(STEP)) : 0, 0};
            break;
        }
    }
    if (list.count)
        qsort(list.data, list.count, sizeof(struct neighbour), by_promise);
    for (size_t i = 1; i < list.count; i++) {
        struct neighbour *one = ARRAY_AT(struct neighbour, &list, i);
        one->turn = one[-1].cycles == one->cycles ? one[-1].turn + 1 : 0;
    }
    if (list.count)
        qsort(list.data, list.count, sizeof(struct neighbour), by_turn);
    return list;
}

static double fastest_of(const struct finals *finals)
{
    double least = INFINITY;
    for (size_t i = 0; i < finals->answer->finalists.count; i++)
        if (counts(finalist_at(finals, i)))
            least = fmin(least, finalist_at(finals, i)->ratio);
    return least;
}

/* Whether any was run. */
static bool measure_some(struct finals *finals, const struct array *list, double until)
{
    bool is_any = false;
    size_t most = list->count < MOST_IN_A_ROUND ? list->count : MOST_IN_A_ROUND;
    finals->search->stage = "measuring neighbours of the fastest";
    for (size_t i = 0; i < most && !interrupt_came() && clock_monotonic_seconds() < until; i++) {
        if (!finals_add(finals, ARRAY_AT(struct neighbour, list, i)->trial, 0))
            continue;
        struct search_finalist *added = finalist_at(finals, finals->answer->finalists.count - 1);
        added->is_neighbour = true;
        finals_measure(finals, added, finals_share_of_time(finals, (most - i) * 2));
        finals_tell(finals, i + 1, most);
        is_any = true;
    }
    return is_any;
}

void search_neighbours(struct finals *finals)
{
    double now = clock_monotonic_seconds(),
           until = finals->search->end - (finals->search->end - now) * KEPT_PART;
    for (unsigned round = 0; round < MOST_ROUNDS && !interrupt_came() && clock_monotonic_seconds() < until;
         round++) {
        size_t leaders[LEADERS];
        unsigned count = find_leaders(finals, leaders);
        double fastest = fastest_of(finals);
        if (!count || finals->search->error.set)
            return;
        judge_around(finals, leaders, count);
        struct array list = list_neighbours(finals, leaders, count);
        bool is_any = measure_some(finals, &list, until);
        array_free(&list);
        if (!is_any || fastest_of(finals) >= fastest)
            return;
    }
}
