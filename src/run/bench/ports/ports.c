/* From a bench to a study and back: forms become subjects, mixes become tests, names become results. */
#include "run/bench/ports/ports.h"

#include "base/built.h"
#include "code/cost/core/port_balance.h"
#include "run/bench/ports/find.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A form that takes longer than its ports by this factor is held up by something else. */
static const double pipelined = 1.15;

/* A mix that takes no longer than its parts: the time that is allowed for noise. */
static const double as_long = 1.03;

/* The spread of a mix that was disturbed too much to say anything. */
static const double unsteady = 0.1;

_Static_assert((int)PAIR_ORDERS == (int)MIX_ORDERS, "pairs are measured in all orders");

/* The subjects of a bench: one for each of its forms. */
struct scene {
    struct bench_session *bench;
    struct subject *subjects;
    struct study study;
};

static const struct bench_form *form_at(const struct scene *scene, size_t place)
{
    return ARRAY_AT(struct bench_form, &scene->bench->forms, place);
}

static void make_parts(const struct scene *scene, const struct mix *mix, struct mix_part *parts)
{
    for (unsigned i = 0; i < mix->parts; i++)
        parts[i] = (struct mix_part){form_at(scene, mix->forms[i])->text, mix->instances[i],
                                     scene->subjects[mix->forms[i]].latency};
}

/* Cycles in one order; NaN: not measured. */
static double look_up_order(struct bench_session *bench, const struct mix_part *parts, unsigned count,
                            enum mix_order order)
{
    char name[BENCH_NAME];
    if (!mix_name(parts, count, order, name))
        return NAN;
    const struct bench_result *result = bench_results_find(&bench->results, name);
    bool is_steady = result && result->status == bench_MEASURED && result->spread < unsteady;
    return is_steady && result->best > 0 ? result->best : NAN;
}

/* In the best order that was measured. */
static double look_up(void *context, const struct mix *mix)
{
    struct scene *scene = context;
    struct mix_part parts[MOST_PARTS];
    double least = NAN;
    make_parts(scene, mix, parts);
    for (unsigned order = 0; order < (mix->parts > 1 ? MIX_ORDERS : 1); order++)
        least = fmin(least, look_up_order(scene->bench, parts, mix->parts, order)); /* a number, if any is */
    return least;
}

static bool is_common(enum isa isa, const char *form)
{
    char text[96];
    for (size_t i = 0; bench_common_form(isa, i, text); i++)
        if (!strcmp(text, form))
            return true;
    return false;
}

/* Cycles of a form: alone, in chains that a mix does not break, the longest latency, and that of what it adds
 * to. */
struct figures_of_form {
    double throughput, chain, most, adds;
};

/* A µop of its own, as far as can be seen: no division, memory only to load or to store, no chain, nothing
   that adds up, and nothing that other forms cannot stand beside: vectors on x86 are AVX's, of 128 bits. */
static bool may_be_candidate(const struct bench_instruction *sample, const struct figures_of_form *own)
{
    const struct encoding *encoding = &sample->description.encoding;
    for (unsigned i = 0; i < sample->slot_count && sample->isa == isa_X86_64; i++)
        if (sample->slots[i].domain == domain_MMX || sample->slots[i].domain == domain_MASK ||
            (sample->slots[i].domain == domain_VECTOR && (!encoding->is_avx || sample->slots[i].bits > 128)))
            return false;
    if (own->adds > 0 || encoding->class == class_DIVIDE || encoding->class == class_SQRT ||
        bench_has_fixed_chain(sample) || bench_moves_pointer(sample))
        return false;
    if (encoding->load_bytes || encoding->store_bytes)
        return (encoding->class == class_LOAD || encoding->class == class_STORE) &&
               !(encoding->load_bytes && encoding->store_bytes);
    if (!(own->most > 0)) /* without a source, or renaming does it */
        return false;
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].role == role_OPERAND && sample->slots[i].writes && !sample->slots[i].is_fixed)
            return true;
    return false;
}

/* Registers that it reads count most, then the length of its code. */
static unsigned burden_of(const struct bench_instruction *sample)
{
    unsigned sources = 0;
    for (unsigned i = 0; i < sample->slot_count; i++)
        sources += slot_takes(&sample->slots[i]) && sample->slots[i].domain <= domain_VECTOR;
    return sources * 2 * INSTRUCTION_BYTES + sample->size;
}

/* What makes forms look alike, but their throughput. */
static uint32_t likeness_of(const struct bench_instruction *sample, double latency)
{
    uint32_t hash = 2166136261u;
    bool adds = false;
    unsigned words[2 * domain_COUNT + 5] = {0}, bits = 0;
    for (unsigned i = 0; i < sample->slot_count; i++) {
        const struct bench_slot *slot = &sample->slots[i];
        if (slot->domain == domain_FLAGS)
            continue;
        words[slot->domain] |= slot->writes;
        words[domain_COUNT + slot->domain] |= slot_takes(slot) && slot->role == role_OPERAND;
        adds |= slot->writes && slot_takes(slot);
        bits = slot->bits > bits ? slot->bits : bits;
    }
    unsigned *rest = words + 2 * domain_COUNT;
    rest[0] = sample->description.encoding.load_bytes != 0;
    rest[1] = sample->description.encoding.store_bytes != 0;
    rest[2] = latency > 0 && latency < 100 ? (unsigned)round(latency) : 100;
    rest[3] = bits > 128;
    rest[4] = adds;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * 16777619u;
    return hash | 1;
}

/* The first letters of its name, without the v of AVX. */
static uint32_t family_of(const char *form)
{
    enum { LETTERS = 4 };
    uint32_t family = 0;
    for (const char *at = form + (form[0] == 'v'), *end = at + LETTERS; at < end && *at && *at != ' '; at++)
        family = family << 8 | (uint8_t)*at;
    return family;
}

/* Chains that a mix does not break: through registers that cannot be chosen. */
static bool is_fixed_flow(const struct bench_instruction *sample, const struct bench_planned *planned)
{
    unsigned from = bench_slot_named(sample, planned->from), to = bench_slot_named(sample, planned->to);
    return from != NO_SLOT && to != NO_SLOT && sample->slots[from].is_fixed && sample->slots[from].writes &&
           sample->slots[to].is_fixed && slot_takes(&sample->slots[to]);
}

static void take_figure(struct figures_of_form *own, const struct bench_instruction *sample,
                        const struct bench_figure *figure, double whole)
{
    const struct bench_planned *planned = figure->planned;
    if (planned->kind == bench_THROUGHPUT && !(own->throughput > 0)) {
        own->throughput = figure->cycles;
        own->chain = fmax(own->chain, whole / planned->instances);
    }
    if (planned->kind != bench_LATENCY || planned->operands == operands_HARD)
        return;
    own->most = fmax(own->most, figure->cycles);
    if (is_fixed_flow(sample, planned))
        own->chain = fmax(own->chain, figure->cycles);
    else if (!strcmp(planned->from, planned->to))
        own->adds = fmax(own->adds, figure->cycles);
}

/* An accumulator may be handed on sooner within a chain of the same instructions than beside others (Neoverse
   V1: 2 cycles, not 4): the longer way counts. */
static double latency_of_sum(const struct figures_of_form *own, bool has_memory)
{
    return own->adds > 0 && !has_memory ? own->most : own->adds;
}

static void scene_begin(struct scene *scene, struct bench_session *bench)
{
    size_t count = bench->forms.count;
    struct array figures = bench_session_figures(bench, NULL);
    *scene = (struct scene){.bench = bench, .subjects = memory_get((count + 1) * sizeof *scene->subjects)};
    for (size_t i = 0, f = 0; i < count; i++) {
        const struct bench_form *form = form_at(scene, i);
        struct bench_instruction sample;
        struct figures_of_form own = {NAN, 0, 0, 0};
        bool has_sample = !form->refusal && bench_sample(&sample, bench->isa, form->text) &&
                          sample.description.encoding.element != element_X87;
        for (; f < figures.count && ARRAY_AT(struct bench_figure, &figures, f)->form == form; f++) {
            const struct bench_figure *figure = ARRAY_AT(struct bench_figure, &figures, f);
            if (!has_sample || !figure->planned || !figure->has_result || figure->status != bench_MEASURED)
                continue;
            const struct bench_result *result = bench_results_find(&bench->results, figure->planned->name);
            take_figure(&own, &sample, figure, result ? result->best : 0);
        }
        bool has_memory =
            has_sample && (sample.description.encoding.load_bytes || sample.description.encoding.store_bytes);
        scene->subjects[i] = (struct subject){.cycles = own.throughput,
                                              .chain = fmax(own.throughput, own.chain),
                                              .latency = latency_of_sum(&own, has_memory),
                                              .family = family_of(form->text),
                                              .is_common = is_common(bench->isa, form->text)};
        scene->subjects[i].is_filler = has_sample && !sample.slot_count;
        scene->subjects[i].has_memory = has_memory;
        scene->subjects[i].has_store = has_memory && sample.description.encoding.store_bytes;
        scene->subjects[i].row = has_memory ? mix_stores_in_row(&sample) : 0;
        scene->subjects[i].burden = has_sample ? burden_of(&sample) : 0;
        if (has_sample && may_be_candidate(&sample, &own))
            scene->subjects[i].likeness = likeness_of(&sample, own.most);
    }
    array_free(&figures);
    study_begin(&scene->study, scene->subjects, count, look_up, scene);
}

static void scene_end(struct scene *scene)
{
    free(scene->subjects);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A mix that takes as long by turns as its parts say needs no other order. */
static bool needs_order(const struct scene *scene, const struct mix *mix, const struct mix_part *parts,
                        enum mix_order order)
{
    if (order == order_TURNS)
        return true;
    double by_turns = look_up_order(scene->bench, parts, mix->parts, order_TURNS);
    return mix->parts > 1 && by_turns > as_long * study_least_cycles(&scene->study, mix);
}

/* Appends those mixes that are not planned yet; how many of them have no result. */
static size_t append(struct scene *scene, const struct array *mixes)
{
    struct bench_session *bench = scene->bench;
    size_t before = bench->planned.count, missing = 0;
    char(*copies)[BENCH_NAME] = memory_get((before + 1) * sizeof *copies);
    const char **names = memory_get((before + 1) * sizeof *names);
    for (size_t i = 0; i < before; i++) {
        memcpy(copies[i], ARRAY_AT(struct bench_planned, &bench->planned, i)->name, BENCH_NAME);
        names[i] = copies[i];
    }
    qsort(names, before, sizeof *names, by_text);
    for (size_t i = 0; i < mixes->count * MIX_ORDERS; i++) {
        const struct mix *mix = ARRAY_AT(struct mix, mixes, i / MIX_ORDERS);
        enum mix_order order = i % MIX_ORDERS;
        struct mix_part parts[MOST_PARTS];
        char name[BENCH_NAME], *key = name;
        make_parts(scene, mix, parts);
        if (!mix_name(parts, mix->parts, order, name) ||
            bsearch(&key, names, before, sizeof *names, by_text) || !needs_order(scene, mix, parts, order))
            continue;
        if (mix_plan(&bench->planned, bench->isa, parts, mix->parts, order,
                     study_least_cycles(&scene->study, mix)))
            missing += !bench_results_find(&bench->results, name);
    }
    free(names);
    free(copies);
    return missing;
}

size_t bench_plan_pairs(struct bench_session *bench)
{
    struct scene scene;
    struct array mixes = ARRAY_OF(struct mix);
    scene_begin(&scene, bench);
    study_plan_pairs(&scene.study, &mixes);
    size_t missing = append(&scene, &mixes);
    bool has_probes = !missing && study_find_probes(&scene.study);
    if (has_probes) {
        mixes.count = 0;
        study_plan_threes(&scene.study, &mixes);
        missing = append(&scene, &mixes);
    }
    if (has_probes && !missing) {
        mixes.count = 0;
        study_plan_forms(&scene.study, &mixes);
        missing = append(&scene, &mixes);
    }
    if (has_probes && !missing && !find_has_places(&scene.study)) {
        mixes.count = 0;
        study_plan_places(&scene.study, &mixes);
        missing = append(&scene, &mixes);
    }
    array_free(&mixes);
    scene_end(&scene);
    return missing;
}

void bench_plan_chosen_pairs(struct bench_session *bench, struct bench_pair *pairs, size_t count)
{
    struct scene scene;
    scene_begin(&scene, bench);
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 2; k++)
            pairs[i].counts[k] = study_instances(&scene.study, pairs[i].forms[k], pairs[i].counts[k]);
        struct mix mix = {
            2, {pairs[i].forms[0], pairs[i].forms[1]}, {pairs[i].counts[0], pairs[i].counts[1]}};
        struct mix_part parts[MOST_PARTS];
        make_parts(&scene, &mix, parts);
        for (unsigned order = 0; order < MIX_ORDERS; order++)
            if (!mix_name(parts, 2, order, pairs[i].names[order]) ||
                !mix_plan(&bench->planned, bench->isa, parts, 2, order,
                          study_least_cycles(&scene.study, &mix)))
                pairs[i].names[order][0] = '\0';
    }
    scene_end(&scene);
}

/* Names: digits, then letters. */
static void name_ports(struct bench_ports *ports, unsigned count)
{
    ports->count = count;
    for (unsigned i = 0; i < count; i++)
        ports->names[i] = (char)(i < 10 ? '0' + i : 'A' + i - 10);
}

static void describe(const struct scene *scene, const struct found *found, unsigned place,
                     struct bench_port_form *form)
{
    const struct found_form *from = &found->forms[place];
    struct bench_instruction sample;
    *form = (struct bench_port_form){.form = form_at(scene, place),
                                     .issued = from->issued,
                                     .throughput = from->alone,
                                     .chain = from->chain,
                                     .by_ports = uses_cycles(&found->sets, from->answer.uops, 1, 0, 0),
                                     .error = from->answer.error,
                                     .mixes = from->mixes};
    for (unsigned i = 0; i < found->sets.count && form->use_count < MOST_PORT_USES; i++)
        if (from->answer.uops[i])
            form->uses[form->use_count++] =
                (struct bench_port_use){found->sets.sets[i], from->answer.uops[i]};
    if (bench_sample(&sample, scene->bench->isa, form->form->text) &&
        (sample.description.encoding.class == class_DIVIDE ||
         sample.description.encoding.class == class_SQRT) &&
        form->throughput > pipelined * form->by_ports)
        form->divider = form->throughput;
}

bool bench_ports_find(struct bench_session *bench, struct bench_ports *ports, struct error *error)
{
    struct scene scene;
    struct found found;
    *ports = (struct bench_ports){.probes = ARRAY_OF(struct bench_port_probe),
                                  .forms = ARRAY_OF(struct bench_port_form)};
    if (!feature_needed(feature_PROGRAMS, error))
        return false;
    scene_begin(&scene, bench);
    if (!study_find_probes(&scene.study)) {
        scene_end(&scene);
        return error_set(error, NULL, "the ports are unknown: there are no results of pairs of forms");
    }
    find_uses(&scene.study, &found);
    name_ports(ports, scene.study.groups.port_count);
    ports->width = found.width;
    for (unsigned c = 0; c < scene.study.groups.count; c++)
        *(struct bench_port_probe *)array_push(&ports->probes) = (struct bench_port_probe){
            form_at(&scene, study_probe(&scene.study, c)), scene.study.groups.sets[c]};
    for (unsigned i = 0; i < bench->forms.count; i++)
        if (found.forms[i].mixes) {
            struct bench_port_form *form = array_push(&ports->forms);
            describe(&scene, &found, i, form);
            ports->error += form->error;
        }
    if (ports->forms.count)
        ports->error /= (double)ports->forms.count;
    found_free(&found);
    scene_end(&scene);
    return true;
}

void bench_ports_free(struct bench_ports *ports)
{
    array_free(&ports->probes);
    array_free(&ports->forms);
}

const struct bench_port_form *bench_ports_of(const struct bench_ports *ports, const char *form)
{
    for (size_t i = 0; i < ports->forms.count; i++) {
        const struct bench_port_form *at = ARRAY_AT(struct bench_port_form, &ports->forms, i);
        if (!strcmp(at->form->text, form))
            return at;
    }
    return NULL;
}

void bench_ports_text(const struct bench_ports *ports, const struct bench_port_form *form, char text[192])
{
    size_t length = 0;
    snprintf(text, 192, "none");
    for (unsigned i = 0; i < form->use_count && length < 150; i++) { /* names in their order */
        const struct bench_port_use *use = &form->uses[i];
        if (i)
            text[length++] = '+';
        if (use->uops > 1)
            length += (size_t)snprintf(text + length, 192 - length, "%u*", use->uops);
        text[length++] = 'p';
        for (int name = 0; name < 128; name++)
            for (unsigned p = 0; p < ports->count; p++)
                if (use->ports >> p & 1 && ports->names[p] == name)
                    text[length++] = (char)name;
        text[length] = '\0';
    }
}

double bench_ports_predict(const struct bench_ports *ports, const struct bench_port_form *const *forms,
                           const unsigned *counts, unsigned form_count)
{
    struct port_group groups[MOST_PARTS * MOST_PORT_USES];
    unsigned count = 0;
    uint32_t critical;
    double issued = 0, least = 0;
    for (unsigned i = 0; i < form_count; i++) {
        issued += counts[i] * (isnan(forms[i]->issued) ? 1 : forms[i]->issued);
        /* What ports do not explain, dividers and chains, takes as long as alone. */
        if (forms[i]->chain > pipelined * forms[i]->by_ports)
            least = fmax(least, counts[i] * forms[i]->chain);
        for (unsigned u = 0; u < forms[i]->use_count && count < MOST_PARTS * MOST_PORT_USES; u++)
            groups[count++] =
                (struct port_group){forms[i]->uses[u].ports, counts[i] * forms[i]->uses[u].uops};
    }
    return fmax(fmax(count ? ports_balance(groups, count, &critical) : 0, issued / ports->width), least);
}
