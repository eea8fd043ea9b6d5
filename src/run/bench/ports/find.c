/* Forms are solved in their order.  Most of them are like one that was solved before, so that known answers
   are tried first, and one that explains a form well, with a µop more, less or elsewhere, is taken. */
#include "run/bench/ports/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_MIXES = 3 };
/* Mean error of an answer that needs no better one. */
static const double well = 0.012;

/* What a form adds to a mix with fillers, in places of issue of a filler; NaN: not measured. */
static double places_beside_filler(const struct study *study, unsigned form)
{
    struct mix mix;
    if (!study->has_filler || !study_form_mix(study, form, study->filler, &mix))
        return NAN;
    double cycles = study->measure(study->context, &mix);
    return (cycles / study->subjects[study->filler].cycles - mix.instances[1]) / mix.instances[0];
}

/* The same beside two probes that fill most places of issue, where no-ops do not say it.  What slows such a
   mix down for another reason makes the number larger: the least of three counts. */
static double places_in_crowd(const struct study *study, unsigned form, double width)
{
    double least = NAN;
    for (unsigned which = 0; which < 3; which++) {
        struct mix mix;
        if (!study_places_mix(study, form, which, &mix))
            continue;
        double cycles = study->measure(study->context, &mix);
        double places = (cycles * width - mix.instances[1] - mix.instances[2]) / mix.instances[0];
        least = fmin(least, places); /* of NaN and a number the number */
    }
    return least;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Places of issue of a one-µop form, in those of a filler. */
static double place_of_uop(const struct study *study)
{
    double places[MOST_CANDIDATES];
    unsigned count = 0;
    for (unsigned i = 0; i < study->candidate_count; i++) {
        double own = places_beside_filler(study, study->candidates[i].subject);
        if (study->candidates[i].class_ != NO_CLASS && own > 0.2)
            places[count++] = own;
    }
    qsort(places, count, sizeof *places, by_size);
    return count ? places[count / 2] : 1;
}

/* Where fillers do not take the places that µops take (two no-ops may share one, or are left out), they say
   nothing; the width is then the most that was seen in pairs. */
static bool is_comparable(double place)
{
    return place > 0.75 && place < 1.3;
}

bool find_has_places(const struct study *study)
{
    return study->has_filler && is_comparable(place_of_uop(study));
}

/* A whole number, and not more than is issued while it runs alone. */
static double issued(double places, double most)
{
    return isnan(places) ? NAN : fmax(round(fmin(places, most)), 0);
}

static double most_in_pairs(const struct study *study)
{
    double most = 1;
    for (unsigned a = 0; a < study->candidate_count; a++)
        for (unsigned b = 0; b < a; b++) {
            struct mix mix = study_pair(study, a, b);
            double rate = (mix.instances[0] + mix.instances[1]) / study->measure(study->context, &mix);
            most = rate > most ? rate : most;
        }
    return most;
}

/* The first round breaks chains; alone in a mix nothing does. */
static void find_alone(const struct study *study, unsigned place, struct found_form *form)
{
    struct mix mix;
    double cycles =
        study_alone(study, place, &mix) ? study->measure(study->context, &mix) / mix.instances[0] : NAN;
    form->alone = fmin(study->subjects[place].cycles, cycles);
    form->chain = isnan(cycles) ? study->subjects[place].chain : cycles;
}

static void add_mix(const struct study *study, const struct mix *mix, unsigned class, bool is_even,
                    struct uses_problem *problem)
{
    double cycles = study->measure(study->context, mix);
    if (cycles > 0)
        problem->mixes[problem->mix_count++] = (struct uses_mix){study->groups.sets[class], mix->instances[0],
                                                                 mix->instances[1], cycles, is_even};
}

static void state_problem(const struct study *study, const struct found *found, unsigned form,
                          struct uses_problem *problem)
{
    const struct found_form *own = &found->forms[form];
    *problem = (struct uses_problem){.sets = &found->sets,
                                     .alone = own->alone,
                                     .chain = own->chain > own->alone * 1.05 ? own->chain : 0,
                                     .issued = isnan(own->issued) ? 1 : own->issued,
                                     .width = found->width};
    for (unsigned c = 0; c < study->groups.count; c++) {
        unsigned probe = study_probe(study, c);
        struct mix mix;
        if (study_form_mix(study, form, probe, &mix))
            add_mix(study, &mix, c, false, problem);
        if (study_even_mix(study, form, probe, &mix))
            add_mix(study, &mix, c, true, problem);
    }
}

/* Answers so far, the most frequent first. */
struct known {
    struct uses_answer answer;
    unsigned times;
};

static void remember(struct array *known, const struct uses_answer *answer)
{
    size_t place = 0;
    while (place < known->count &&
           memcmp(ARRAY_AT(struct known, known, place)->answer.uops, answer->uops, sizeof answer->uops))
        place++;
    if (place == known->count)
        *(struct known *)array_push(known) = (struct known){.answer = *answer};
    struct known *at = ARRAY_AT(struct known, known, place);
    at->times++;
    for (; place && at[-1].times < at->times; place--, at--) {
        struct known other = at[-1];
        at[-1] = *at;
        *at = other;
    }
}

/* µops on the ports of probes alone. */
static bool is_plain(const struct uses_problem *problem, const struct uses_answer *answer)
{
    for (unsigned i = problem->sets->probe_count; i < problem->sets->count; i++)
        if (answer->uops[i])
            return false;
    return true;
}

static void solve(const struct uses_problem *problem, struct array *known, struct uses_answer *answer)
{
    *answer = (struct uses_answer){.cost = INFINITY};
    for (size_t i = 0; i < known->count; i++) {
        struct uses_answer other = ARRAY_AT(struct known, known, i)->answer;
        uses_judge(problem, &other);
        if (other.cost < answer->cost)
            *answer = other;
    }
    if (known->count)
        uses_improve(problem, answer);
    if (!known->count || answer->error > well || !is_plain(problem, answer)) {
        struct uses_answer other;
        uses_solve(problem, &other);
        if (other.cost < answer->cost)
            *answer = other;
    }
    remember(known, answer);
}

/* A candidate of a class is a µop on its ports: more pairs than mixes with probes say so. */
static bool take_class(const struct study *study, const struct found *found, unsigned form,
                       const struct uses_problem *problem, struct uses_answer *answer)
{
    for (unsigned i = 0; i < study->candidate_count; i++) {
        unsigned class = study->candidates[i].class_;
        if (study->candidates[i].subject != form || class == NO_CLASS)
            continue;
        *answer = (struct uses_answer){0};
        for (unsigned s = 0; s < found->sets.probe_count; s++)
            answer->uops[s] = found->sets.sets[s] == study->groups.sets[class];
        uses_judge(problem, answer);
        return true;
    }
    return false;
}

/* Of a crowd only the most is known: a form is not issued as more than its µops. */
static double count_uops(const struct uses_answer *answer)
{
    unsigned uops = 0;
    for (unsigned i = 0; i < MOST_SETS; i++)
        uops += answer->uops[i];
    return uops;
}

void find_uses(const struct study *study, struct found *found)
{
    struct array known = ARRAY_OF(struct known);
    double place = study->has_filler ? place_of_uop(study) : NAN;
    double width = 1 / study->subjects[study->filler].cycles;
    *found = (struct found){.width = round(is_comparable(place) ? width : most_in_pairs(study)),
                            .forms = memory_get((study->count + 1) * sizeof *found->forms)};
    uses_find_sets(&found->sets, study->groups.sets, study->members, study->groups.count);
    for (unsigned i = 0; i < study->count; i++) {
        struct found_form *form = &found->forms[i];
        struct uses_problem problem;
        find_alone(study, i, form);
        form->issued = is_comparable(place)
                           ? issued(places_beside_filler(study, i) / place, form->alone * found->width)
                           : issued(places_in_crowd(study, i, found->width), form->alone * found->width);
        state_problem(study, found, i, &problem);
        if (!is_comparable(place) && form->issued >= 1)
            problem.most_uops = (unsigned)form->issued * (study->subjects[i].has_store ? 2 : 1);
        if (problem.mix_count < FEWEST_MIXES)
            continue;
        if (!take_class(study, found, i, &problem, &form->answer))
            solve(&problem, &known, &form->answer);
        if (!is_comparable(place))
            form->issued = fmin(form->issued, fmax(count_uops(&form->answer), 1));
        form->mixes = problem.mix_count;
    }
    array_free(&known);
}

void found_free(struct found *found)
{
    free(found->forms);
}
