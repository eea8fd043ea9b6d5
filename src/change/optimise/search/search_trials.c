/* Variants that were judged, each set of values once, and the batches in which new ones are. A batch is small
   enough that the budget and Ctrl-C are looked at several times a second, and large enough to keep all
   processes busy. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "base/workers.h"
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_OF_EACH = 6 };
static const double USUAL_TRIPS = 200;

unsigned search_width(const struct search *search)
{
    return (unsigned)search->request->choices->list.count;
}

static struct trial *trial_at(const struct search *search, size_t place)
{
    return *ARRAY_AT(struct trial *, &search->trials, place);
}

struct variant search_copy(const struct search *search, const unsigned char *values)
{
    unsigned width = search_width(search);
    unsigned char *copy = memory_get(width + 1);
    if (values && width)
        memcpy(copy, values, width);
    return (struct variant){.values = copy};
}

bool search_is_allowed(const struct search *search, const unsigned char *values)
{
    struct variant variant = {.values = (unsigned char *)values};
    return !(variant_risks(search->request->choices, &variant) & search->request->forbidden);
}

unsigned search_intrusion(const struct search *search, const struct variant *variant)
{
    unsigned changes = 0, risks = variant_risks(search->request->choices, variant), count = 0;
    for (unsigned i = 0; i < search_width(search); i++)
        changes += variant->values[i] != 0;
    for (; risks; risks &= risks - 1)
        count++;
    return count * 100 + changes;
}

struct trial *search_find(const struct search *search, const unsigned char *values)
{
    unsigned width = search_width(search);
    uint64_t hash = strings_hash(values, width);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&search->by_values, hash, &slot)) != UINT32_MAX;)
        if (!memcmp(trial_at(search, place)->variant.values, values, width))
            return trial_at(search, place);
    return NULL;
}

struct trial *search_original(const struct search *search)
{
    struct variant none = search_copy(search, NULL);
    struct trial *trial = search_find(search, none.values);
    free(none.values);
    return trial;
}

/* Sets the choice that has this flag among its values; whether one has. */
static bool set_flag(const struct choices *choices, const char *flag, size_t length, unsigned char *values)
{
    for (size_t i = 0; i < choices->list.count; i++) {
        const struct choice *choice = choices_at(choices, i);
        for (unsigned k = 1; choice->form == choice_FLAG && k <= choice->value_count; k++)
            if (strlen(choice->values[k]) == length && !memcmp(choice->values[k], flag, length)) {
                values[i] = (unsigned char)k;
                return true;
            }
    }
    return false;
}

static bool set_flags(const struct search *search, const char *flags, unsigned char *values)
{
    for (size_t length; *(flags += strspn(flags, " ")); flags += length) {
        length = strcspn(flags, " ");
        if (!set_flag(search->request->choices, flags, length, values))
            return false;
    }
    return true;
}

bool search_set_usual(const struct search *search, const char *flags, unsigned char *values)
{
    if (!set_flags(search, flags, values))
        return false;
    for (unsigned i = 0; i < search_width(search); i++) {
        if (!choices_at(search->request->choices, i)->when)
            continue;
        values[i] = 1;
        if (!search_is_allowed(search, values))
            values[i] = 0;
    }
    return true;
}

static double score(const struct search *search, const struct judgement *judgement)
{
    double trips = search->request->trips > 0 ? search->request->trips : USUAL_TRIPS;
    double entry = judgement->entry_cycles > 0 ? judgement->entry_cycles / trips : 0;
    return isnan(judgement->cycles) ? INFINITY : judgement->cycles + entry;
}

static bool is_new_code(const struct search *search, const struct judgement *judgement)
{
    for (size_t i = 0; i < search->trials.count; i++)
        if (!strcmp(trial_at(search, i)->judgement.digest, judgement->digest))
            return false;
    return judgement->is_compiled;
}

/* Than the best so far. Where the number of iterations is a guess, so are the cycles: they are no rival of
   known ones. */
static bool is_better(const struct search *search, const struct trial *trial)
{
    const struct trial *best = search->best;
    if (!(trial->score < INFINITY) || !best)
        return trial->score < INFINITY;
    if (trial->judgement.is_rough != best->judgement.is_rough)
        return best->judgement.is_rough;
    return trial->score < best->score ||
           (trial->score == best->score &&
            search_intrusion(search, &trial->variant) < search_intrusion(search, &best->variant));
}

/* Takes the judgement over. */
static struct trial *add(struct search *search, const unsigned char *values, struct judgement *judgement)
{
    struct trial *trial = memory_get(sizeof *trial);
    search->distinct += is_new_code(search, judgement);
    trial->variant = search_copy(search, values);
    trial->text = variant_text(search->request->choices, &trial->variant);
    trial->judgement = *judgement;
    trial->score = score(search, judgement);
    hash_index_add(&search->by_values, strings_hash(values, search_width(search)),
                   (uint32_t)search->trials.count);
    *(struct trial **)array_push(&search->trials) = trial;
    if (is_better(search, trial))
        search->best = trial;
    return trial;
}

void search_remember(struct search *search, const unsigned char *values, const struct judgement *judgement)
{
    if (search_find(search, values))
        return;
    struct judgement copy = *judgement;
    copy.problem = judgement->problem ? memory_format("%s", judgement->problem) : NULL;
    copy.object = NULL;
    add(search, values, &copy)->is_earlier = true;
}

static void tell(const struct search *search)
{
    const struct search_request *request = search->request;
    if (request->progress)
        request->progress(request->progress_context, search->stage, search->trials.count, search->distinct,
                          search->best ? search->best->score : NAN, search->end - clock_monotonic_seconds());
}

/* One batch; whether all of it was judged. */
static bool judge_batch(struct search *search, const struct variant *variants, size_t count)
{
    struct judgement *judgements = memory_get(count * sizeof *judgements);
    struct trial **trials = memory_get(count * sizeof *trials);
    size_t judged = 0;
    bool is_fine = judge_variants(search->judge, variants, count, judgements, &search->error);
    for (size_t i = 0; i < count; i++) {
        if (is_fine && (judgements[i].is_compiled || judgements[i].problem))
            trials[judged++] = add(search, variants[i].values, &judgements[i]);
        else
            judgement_free(&judgements[i]);
    }
    if (judged && !search_ledger_add(search, trials, judged, &search->error))
        is_fine = false;
    tell(search);
    free(judgements);
    free(trials);
    return is_fine && judged == count;
}

static bool has_time(struct search *search)
{
    search->has_stopped |=
        interrupt_came() || clock_monotonic_seconds() >= search->end_static || search->error.set;
    return !search->has_stopped;
}

bool search_judge(struct search *search, const unsigned char *values, size_t count)
{
    unsigned width = search_width(search);
    size_t most = (size_t)workers_count(search->request->processes) * BATCH_OF_EACH, waiting = 0;
    struct variant *batch = memory_get(most * sizeof *batch);
    for (size_t i = 0; i < count && has_time(search); i++) {
        const unsigned char *set = values + i * width;
        bool is_waiting = false;
        for (size_t k = 0; k < waiting; k++)
            is_waiting |= !memcmp(batch[k].values, set, width);
        if (!is_waiting && search_is_allowed(search, set) && !search_find(search, set))
            batch[waiting++].values = (unsigned char *)set;
        if (waiting && (waiting == most || i + 1 == count)) {
            search->has_stopped |= !judge_batch(search, batch, waiting);
            waiting = 0;
        }
    }
    if (waiting && has_time(search))
        search->has_stopped |= !judge_batch(search, batch, waiting);
    free(batch);
    return !search->has_stopped;
}

void search_trials_free(struct search *search)
{
    for (size_t i = 0; i < search->trials.count; i++) {
        struct trial *trial = trial_at(search, i);
        judgement_free(&trial->judgement);
        free(trial->variant.values);
        free(trial->text);
        free(trial);
    }
    array_free(&search->trials);
    hash_index_free(&search->by_values);
}
