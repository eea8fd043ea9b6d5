#include "run/bench/ports/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALIKE = 5, USUAL_INSTANCES = 12, SLOWEST = 12, MOST_OF_MIX = 160, MANY = 4 };
/* A mix that takes this much longer than its parts shows ports that they share. */
static const double shows = 1.03;
/* How far a throughput may be from 1/k. */
static const double near = 0.04;
/* When candidates are of one class: time of both, and how far they may be apart beside others. */
static const double twice = 1.85, close_enough = 0.06;
/* Mean error of a class that is not one µop, over the classes that it meets. */
static const double unexplained = 0.2;

static unsigned ports_seen(double cycles)
{
    if (!(cycles > 0) || cycles > 1 + near)
        return 0;
    double ports = round(1 / cycles);
    return fabs(cycles * ports - 1) <= near ? (unsigned)ports : 0;
}

static void find_filler(struct study *study)
{
    double least = INFINITY, least_filler = INFINITY;
    for (size_t i = 0; i < study->count; i++) {
        const struct subject *subject = &study->subjects[i];
        if (subject->cycles > 0.02 && subject->cycles < least)
            least = subject->cycles;
        if (subject->cycles > 0.02 && subject->is_filler && subject->cycles < least_filler) {
            least_filler = subject->cycles;
            study->filler = (unsigned)i;
        }
    }
    study->width = round(1 / least);
    study->has_filler = least_filler < INFINITY;
}

static bool may_be_candidate(const struct study *study, const struct subject *subject)
{
    unsigned ports = ports_seen(subject->cycles);
    return subject->likeness && ports && ports + 0.5 < study->width;
}

/* So many that look alike at most, and of these one of a family. */
static bool is_new(const struct study *study, unsigned chosen, const struct subject *subject,
                   unsigned most_alike)
{
    unsigned alike = 0;
    for (unsigned c = 0; c < chosen && c < MOST_CANDIDATES; c++) {
        const struct subject *other = &study->subjects[study->candidates[c].subject];
        if (other->likeness == subject->likeness && study->candidates[c].ports == ports_seen(subject->cycles))
            alike += other->family == subject->family ? most_alike : 1;
    }
    return alike < most_alike;
}

static int by_burden(const void *a, const void *b)
{
    const struct subject *x = *(const struct subject *const *)a, *y = *(const struct subject *const *)b;
    if (x->is_common != y->is_common)
        return x->is_common ? -1 : 1;
    if (x->burden != y->burden)
        return x->burden < y->burden ? -1 : 1;
    return (x > y) - (x < y);
}

/* Common ones first, those with less burden before others, then in their order. */
static unsigned choose(struct study *study, unsigned most_alike)
{
    const struct subject **order = memory_get((study->count + 1) * sizeof *order);
    unsigned chosen = 0;
    for (size_t i = 0; i < study->count; i++)
        order[i] = &study->subjects[i];
    qsort(order, study->count, sizeof *order, by_burden);
    for (size_t i = 0; i < study->count; i++) {
        if (!may_be_candidate(study, order[i]) || !is_new(study, chosen, order[i], most_alike))
            continue;
        if (chosen < MOST_CANDIDATES)
            study->candidates[chosen] = (struct candidate){(unsigned)(order[i] - study->subjects),
                                                           ports_seen(order[i]->cycles), NAN, NO_CLASS};
        chosen++;
    }
    free(order);
    return chosen;
}

void study_begin(struct study *study, const struct subject *subjects, size_t count, study_measure *measure,
                 void *context)
{
    *study = (struct study){.subjects = subjects, .count = count, .measure = measure, .context = context};
    find_filler(study);
    unsigned chosen = 0;
    for (unsigned alike = MOST_ALIKE; alike; alike--) {
        chosen = choose(study, alike);
        if (chosen <= MOST_CANDIDATES)
            break;
    }
    study->candidate_count = chosen < MOST_CANDIDATES ? chosen : MOST_CANDIDATES;
}

/* Cycles of a mix such that what adds up is ready when its register comes round again. */
static double cycles_needed(const struct study *study, unsigned subject)
{
    return 1.3 * study->subjects[subject].latency;
}

unsigned study_instances(const struct study *study, unsigned subject, unsigned instances)
{
    unsigned row = study->subjects[subject].row;
    return row > 1 ? (instances + row - 1) / row * row : instances;
}

struct mix study_pair(const struct study *study, unsigned a, unsigned b)
{
    const struct candidate *x = &study->candidates[a], *y = &study->candidates[b];
    unsigned n = USUAL_INSTANCES / (a == b ? x->ports : x->ports + y->ports);
    double least = fmax(fmax(cycles_needed(study, x->subject), cycles_needed(study, y->subject)), 2);
    n = n < least ? (unsigned)ceil(least) : n;
    while (study_instances(study, x->subject, n * x->ports) != n * x->ports ||
           study_instances(study, y->subject, n * y->ports) != n * y->ports)
        n++;
    return (struct mix){a == b ? 1 : 2, {x->subject, y->subject}, {n * x->ports, n * y->ports}};
}

void study_plan_pairs(const struct study *study, struct array *mixes)
{
    for (unsigned a = 0; a < study->candidate_count; a++)
        for (unsigned b = 0; b <= a; b++)
            *(struct mix *)array_push(mixes) = study_pair(study, a, b);
}

double study_least_cycles(const struct study *study, const struct mix *mix)
{
    double least = 0, instances = 0;
    for (unsigned i = 0; i < mix->parts; i++) {
        double alone = mix->instances[i] * study->subjects[mix->forms[i]].cycles;
        least = alone > least ? alone : least;
        instances += mix->instances[i];
    }
    return instances / study->width > least ? instances / study->width : least;
}

/* Candidates that take longer alone than they did before are limited by something else in mixes: they have no
   ratios. */
static unsigned find_ratios(struct study *study)
{
    unsigned found = 0;
    for (unsigned a = 0; a < study->candidate_count; a++) {
        struct candidate *x = &study->candidates[a];
        struct mix alone = study_pair(study, a, a);
        x->cycles = study->measure(study->context, &alone) / alone.instances[0];
        if (!(fabs(x->cycles * x->ports - 1) < 2 * near))
            x->cycles = NAN;
        for (unsigned b = 0; b < a; b++) {
            const struct candidate *y = &study->candidates[b];
            struct mix mix = study_pair(study, a, b);
            double cycles = study->measure(study->context, &mix);
            double longer = mix.instances[0] * fmax(x->cycles, 1. / x->ports);
            longer = fmax(longer, mix.instances[1] * fmax(y->cycles, 1. / y->ports));
            bool is_known = !isnan(x->cycles) && !isnan(y->cycles) && !isnan(cycles);
            study->ratio[a][b] = study->ratio[b][a] = is_known ? fmax(cycles / longer, 1) : NAN;
            found += is_known;
        }
    }
    return found;
}

/* Two have the same ports if together they take twice as long, and each third one beside them takes as long
 * with either. */
static bool are_alike(const struct study *study, unsigned a, unsigned b)
{
    double difference = 0;
    unsigned compared = 0;
    if (study->candidates[a].ports != study->candidates[b].ports || !(study->ratio[a][b] > twice))
        return false;
    for (unsigned c = 0; c < study->candidate_count; c++) {
        double x = study->ratio[a][c], y = study->ratio[b][c];
        if (c == a || c == b || isnan(x) || isnan(y))
            continue;
        difference += fabs(x - y) / fmin(x, y);
        compared++;
    }
    return compared && difference / compared < close_enough;
}

/* Each candidate joins the first class that it is alike. */
static unsigned find_classes(struct study *study)
{
    unsigned classes = 0;
    for (unsigned a = 0; a < study->candidate_count; a++) {
        struct candidate *candidate = &study->candidates[a];
        candidate->class_ = NO_CLASS;
        if (isnan(candidate->cycles))
            continue;
        for (unsigned c = 0; c < classes && candidate->class_ == NO_CLASS; c++)
            if (are_alike(study, a, study->probes[c]))
                candidate->class_ = c;
        if (candidate->class_ == NO_CLASS && classes < MOST_CLASSES) {
            study->members[classes] = 0;
            study->probes[classes] = a;
            candidate->class_ = classes++;
        }
        if (candidate->class_ != NO_CLASS)
            study->members[candidate->class_]++;
    }
    return classes;
}

/* The member with the least burden is the probe: reading registers may be a limit of its own, and so may
 * decoding. */
static void choose_probes(struct study *study)
{
    for (unsigned a = 0; a < study->candidate_count; a++) {
        const struct candidate *candidate = &study->candidates[a];
        if (candidate->class_ == NO_CLASS)
            continue;
        unsigned *probe = &study->probes[candidate->class_];
        if (study->subjects[candidate->subject].burden <
            study->subjects[study->candidates[*probe].subject].burden)
            *probe = a;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over pairs of members. */
static double ratio_of_classes(const struct study *study, unsigned c, unsigned d)
{
    double ratios[MOST_CANDIDATES * MOST_ALIKE];
    unsigned count = 0;
    for (unsigned a = 0; a < study->candidate_count && c != d; a++)
        for (unsigned b = 0; b < study->candidate_count; b++)
            if (study->candidates[a].class_ == c && study->candidates[b].class_ == d &&
                !isnan(study->ratio[a][b]) && count < sizeof ratios / sizeof *ratios)
                ratios[count++] = study->ratio[a][b];
    qsort(ratios, count, sizeof *ratios, by_size);
    return count ? ratios[count / 2] : NAN;
}

/* Results of three probes at once. */
static void measure_threes(struct study *study)
{
    struct groups *groups = &study->groups;
    groups->triple_count = 0;
    for (unsigned t = 0; t < study->three_count; t++) {
        const struct mix *mix = &study->threes[t];
        struct groups_triple triple = {.ratio = NAN};
        double longest = 0;
        unsigned found = 0;
        for (unsigned i = 0; i < 3; i++)
            for (unsigned c = 0; c < groups->count && found == i; c++)
                if (study_probe(study, c) == mix->forms[i]) {
                    triple.classes[found++] = c;
                    longest = fmax(longest, mix->instances[i] * study->candidates[study->probes[c]].cycles);
                }
        if (found == 3)
            triple.ratio = fmax(study->measure(study->context, mix) / longest, 1);
        if (found == 3 && !isnan(study->measure(study->context, mix)))
            groups->triples[groups->triple_count++] = triple;
    }
}

/* Any two of the three share ports, so that pairs may not say which: and neither has all ports of another. */
static bool is_open(const struct groups *groups, unsigned a, unsigned b, unsigned c)
{
    uint32_t x = groups->sets[a], y = groups->sets[b], z = groups->sets[c];
    bool is_within = !(x & ~y) || !(y & ~x) || !(x & ~z) || !(z & ~x) || !(y & ~z) || !(z & ~y);
    return (x & y) && (x & z) && (y & z) && !is_within;
}

static struct mix mix_of_three(const struct study *study, const unsigned classes[3])
{
    struct mix mix = {.parts = 3};
    double least = 2;
    for (unsigned i = 0; i < 3; i++)
        least = fmax(least, cycles_needed(study, study_probe(study, classes[i])));
    for (unsigned i = 0; i < 3; i++) {
        mix.forms[i] = study_probe(study, classes[i]);
        mix.instances[i] = (unsigned)ceil(least) * study->candidates[study->probes[classes[i]]].ports;
    }
    return mix;
}

static void choose_threes(struct study *study)
{
    for (unsigned a = 0; a < study->groups.count; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned c = 0; c < b && study->three_count < MOST_TRIPLES; c++)
                if (is_open(&study->groups, a, b, c))
                    study->threes[study->three_count++] = mix_of_three(study, (unsigned[]){a, b, c});
}

void study_plan_threes(const struct study *study, struct array *mixes)
{
    for (unsigned t = 0; t < study->three_count; t++)
        *(struct mix *)array_push(mixes) = study->threes[t];
}

static void make_groups(struct study *study, unsigned classes)
{
    struct groups *groups = &study->groups;
    *groups = (struct groups){.count = classes, .width = study->width};
    measure_threes(study);
    for (unsigned c = 0; c < classes; c++) {
        groups->ports[c] = study->candidates[study->probes[c]].ports;
        groups->weight[c] = sqrt(study->members[c] < MANY ? study->members[c] : MANY);
        for (unsigned d = 0; d < classes; d++)
            groups->ratio[c][d] = ratio_of_classes(study, c, d);
    }
    groups_solve(groups);
}

static void remove_class(struct study *study, unsigned gone)
{
    struct groups *groups = &study->groups;
    for (unsigned a = 0; a < study->candidate_count; a++) {
        unsigned *class = &study->candidates[a].class_;
        if (*class != NO_CLASS)
            *class = *class == gone ? NO_CLASS : *class - (*class > gone);
    }
    groups->count--;
    for (unsigned c = gone; c < groups->count; c++) {
        study->probes[c] = study->probes[c + 1];
        study->members[c] = study->members[c + 1];
        groups->sets[c] = groups->sets[c + 1];
        groups->ports[c] = groups->ports[c + 1];
        groups->error[c] = groups->error[c + 1];
    }
}

/* Classes of more than one µop are no probes: no set of ports explains them.  They spoil the errors of all
   that they meet, so that the one goes first without which the others fit best; the more members a class has,
   the more it takes. */
static bool drop_worst(struct study *study)
{
    const struct groups *groups = &study->groups;
    double most = -INFINITY, worst_error = 0;
    unsigned worst = NO_CLASS;
    for (unsigned c = 0; c < groups->count; c++)
        worst_error = fmax(worst_error, groups->error[c]);
    for (unsigned c = 0; c < groups->count && worst_error > unexplained; c++) {
        double gain = (groups->cost - groups_cost_without(groups, c)) / groups->weight[c];
        if (gain > most) {
            most = gain;
            worst = c;
        }
    }
    if (worst != NO_CLASS)
        remove_class(study, worst);
    return worst != NO_CLASS;
}

/* Of classes with the same ports the one with the most members is the probe. */
static void drop_twins(struct study *study)
{
    struct groups *groups = &study->groups;
    for (unsigned c = 0; c < groups->count; c++)
        for (unsigned d = c + 1; d < groups->count;)
            if (groups->sets[c] != groups->sets[d]) {
                d++;
            } else if (study->members[d] > study->members[c]) {
                remove_class(study, c);
                d = c + 1;
            } else {
                remove_class(study, d);
            }
}

/* Three classes with the most ports that share one port at most. */
static void choose_crowd(struct study *study)
{
    const struct groups *groups = &study->groups;
    unsigned most = 0;
    for (unsigned a = 0; a < groups->count; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned c = 0; c < b; c++) {
                unsigned sum = groups->ports[a] + groups->ports[b] + groups->ports[c];
                uint32_t x = groups->sets[a], y = groups->sets[b], z = groups->sets[c];
                bool are_apart = __builtin_popcount(x & y) <= 1 && __builtin_popcount(x & z) <= 1 &&
                                 __builtin_popcount(y & z) <= 1;
                if (!are_apart || sum <= most)
                    continue;
                most = sum;
                memcpy(study->crowd, (unsigned[]){a, b, c}, sizeof study->crowd);
                study->has_crowd = true;
            }
}

bool study_find_probes(struct study *study)
{
    if (!find_ratios(study))
        return false;
    study->groups.count = find_classes(study);
    choose_probes(study);
    do
        make_groups(study, study->groups.count);
    while (drop_worst(study));
    drop_twins(study);
    choose_threes(study);
    measure_threes(study);
    if (study->groups.triple_count) {
        make_groups(study, study->groups.count);
        drop_twins(study);
    }
    choose_crowd(study);
    return study->groups.count > 0;
}

unsigned study_probe(const struct study *study, unsigned class)
{
    return study->candidates[study->probes[class]].subject;
}

bool study_form_mix(const struct study *study, unsigned place, unsigned subject, struct mix *mix)
{
    const struct subject *form = &study->subjects[place], *probe = &study->subjects[subject];
    double rate = round(1 / probe->cycles);
    if (!(form->cycles > 0) || form->chain > SLOWEST || place == subject)
        return false;
    /* Cycles of the probes for each form: longer than the form, also where one more port than the probe's is
       full, and with places of issue left for it. */
    double cycles = fmax(2 * form->chain, 1.1 * (rate + 1) * (form->cycles - 1 / rate));
    if (study->has_filler && subject == study->filler) {
        cycles = 2 * form->chain;
    } else {
        if (rate + 0.5 > study->width)
            return false;
        cycles = fmax(cycles, 1.1 * form->cycles * study->width / (study->width - rate));
    }
    double least = fmax(1.3 * form->latency, fmax(1.3 * probe->latency, 2));
    unsigned forms = (unsigned)fmax(1, floor(USUAL_INSTANCES / (1 + cycles * rate)));
    forms = study_instances(study, place, (unsigned)fmax(forms, ceil(least / cycles)));
    unsigned probes = (unsigned)ceil(forms * cycles * rate - 0.01);
    probes = study_instances(study, subject, probes);
    *mix = (struct mix){2, {place, subject}, {forms, probes}};
    return forms + probes <= MOST_OF_MIX;
}

bool study_even_mix(const struct study *study, unsigned place, unsigned subject, struct mix *mix)
{
    const struct subject *form = &study->subjects[place], *probe = &study->subjects[subject];
    struct mix busy;
    if (!study_form_mix(study, place, subject, &busy) ||
        !(study->measure(study->context, &busy) > shows * study_least_cycles(study, &busy)))
        return false;
    double slow = fmax(form->cycles, form->chain), rate = round(1 / probe->cycles);
    double least = fmax(1.3 * form->latency, fmax(1.3 * probe->latency, 2));
    unsigned forms = study_instances(study, place, (unsigned)ceil(least / slow - 0.01));
    unsigned probes = study_instances(study, subject, (unsigned)fmax(1, round(forms * slow * rate)));
    *mix = (struct mix){2, {place, subject}, {forms, probes}};
    return forms + probes <= MOST_OF_MIX && (forms != busy.instances[0] || probes != busy.instances[1]);
}

bool study_places_mix(const struct study *study, unsigned place, unsigned which, struct mix *mix)
{
    const struct subject *form = &study->subjects[place];
    if (!study->has_crowd || !(form->cycles > 0) || form->chain > SLOWEST)
        return false;
    double slow = fmax(form->cycles, form->chain), cycles = fmax(2, 1.3 * form->latency);
    double forms = study_instances(study, place, (unsigned)fmax(1, floor(cycles * fmin(2, 1 / slow))));
    cycles = ceil(fmax(cycles, forms * slow) - 0.01);
    *mix = (struct mix){3, {place}, {(unsigned)forms}};
    unsigned sum = (unsigned)forms;
    for (unsigned i = 1, c = 0; c < 3; c++) {
        if (c == which)
            continue;
        const struct candidate *probe = &study->candidates[study->probes[study->crowd[c]]];
        mix->forms[i] = probe->subject;
        mix->instances[i] = (unsigned)cycles * probe->ports;
        sum += mix->instances[i++];
    }
    return sum <= MOST_OF_MIX && mix->forms[1] != place && mix->forms[2] != place;
}

bool study_alone(const struct study *study, unsigned place, struct mix *mix)
{
    const struct subject *form = &study->subjects[place];
    double forms = fmax(USUAL_INSTANCES, ceil(1.3 * form->latency / form->cycles));
    if (form->cycles > 0)
        forms = study_instances(study, place, (unsigned)forms);
    *mix = (struct mix){1, {place}, {(unsigned)forms}};
    return form->cycles > 0 && form->chain <= SLOWEST && forms <= MOST_OF_MIX;
}

void study_plan_forms(const struct study *study, struct array *mixes)
{
    for (unsigned i = 0; i < study->count; i++) {
        struct mix mix;
        if (study_alone(study, i, &mix))
            *(struct mix *)array_push(mixes) = mix;
        for (unsigned c = 0; c < study->groups.count; c++) {
            if (study_form_mix(study, i, study_probe(study, c), &mix))
                *(struct mix *)array_push(mixes) = mix;
            if (study_even_mix(study, i, study_probe(study, c), &mix))
                *(struct mix *)array_push(mixes) = mix;
        }
        if (study->has_filler && study_form_mix(study, i, study->filler, &mix))
            *(struct mix *)array_push(mixes) = mix;
    }
}

void study_plan_places(const struct study *study, struct array *mixes)
{
    for (unsigned i = 0; i < study->count; i++)
        for (unsigned which = 0; which < 3; which++) {
            struct mix mix;
            if (study_places_mix(study, i, which, &mix))
                *(struct mix *)array_push(mixes) = mix;
        }
}
