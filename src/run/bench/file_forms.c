/* The line of a form in a machine file, from what was measured.

   Latencies: one for each pair of slots, as measured; a pair without a test has what the nearest core says.
   The value that most pairs have is the form's latency, the others are exceptions.  µops and ports are those
   that were found; without them those of the nearest core, with as many ports as the measured throughput
   needs.  Counters tell them better than either (file_counts.c).  Words that tests do not find out (decoders,
   indexed addresses) come from the nearest core.

   Divisions are measured with easy and with hard operands.  Floating-point numbers use all bits: the hard
   ones count.  Integers lie between, nearer to the easy ones. */
#include "run/bench/core/core.h"
#include "run/bench/file_parts.h"
#include "code/machine/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 128 };
/* Throughputs that agree. */
static const double NEAR = 0.1;

double bench_round_cycles(double cycles, double spread)
{
    double allowed = fmax(0.15, fmax(spread, 0.01) * cycles);
    double whole = round(cycles), half = round(2 * cycles) / 2;
    cycles = fabs(cycles - whole) <= allowed ? whole : fabs(cycles - half) <= 0.15 ? half : cycles;
    return fmax(0, round(100 * cycles) / 100);
}

/* A result that other programs disturbed beyond all measure says nothing; machine files have no such spread.
 */
bool bench_is_measured(const struct bench_figure *figure)
{
    static const double MOST_SPREAD = 10;
    return figure->planned && figure->has_result && figure->status == bench_MEASURED &&
           isfinite(figure->cycles) && figure->spread <= MOST_SPREAD;
}

/* Divisions take as long as their quotient has bits; usual ones have about ten. */
static double usual_quotient(const struct bench_instruction *sample)
{
    enum { USUAL_BITS = 10 };
    unsigned bits = sample->slots[0].bits;
    return bits > USUAL_BITS ? (double)USUAL_BITS / bits : 1;
}

/* From a slot to a slot. */
struct pair {
    const char *from, *to;
    double cycles;
};

struct pairs {
    struct pair pairs[MOST_PAIRS];
    unsigned count, measured;
    bool has_index; /* or no form of the instruction set has one without saying so */
    double spread;  /* the largest */
    double chained; /* of a form that the nearest core has as `chained`; 0: not measured */
};

static bool is_vector(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].domain == domain_VECTOR)
            return true;
    return false;
}

/* Of a form: a latency from a slot to a slot, or the throughput, with operands of a kind; NULL: not measured.
 */
static const struct bench_figure *figure_of(const struct bench_form_line *line, enum bench_operands operands,
                                            const char *from, const char *to)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct bench_figure *figure = &line->figures[i];
        if (bench_is_measured(figure) && figure->planned->operands == operands &&
            (from ? figure->planned->kind == bench_LATENCY && !strcmp(figure->planned->from, from) &&
                        !strcmp(figure->planned->to, to)
                  : figure->planned->kind == bench_THROUGHPUT))
            return figure;
    }
    return NULL;
}

/* A figure as programs usually see it; from NULL: the throughput. */
struct usual {
    bool is_measured;
    double cycles, spread, expected;
};

static struct usual usual_of(const struct bench_form_line *line, const struct bench_instruction *sample,
                             const char *from, const char *to)
{
    const struct bench_figure *any = figure_of(line, operands_ANY, from, to);
    const struct bench_figure *easy = figure_of(line, operands_EASY, from, to);
    const struct bench_figure *hard = figure_of(line, operands_HARD, from, to);
    const struct bench_figure *figure = any ? any : is_vector(sample) && hard ? hard : easy ? easy : hard;
    if (!figure)
        return (struct usual){.cycles = NAN};
    struct usual usual = {true, figure->cycles, figure->spread, figure->expected};
    double share = !any && easy && hard && !is_vector(sample) ? usual_quotient(sample) : 0;
    if (share > 0 && hard->cycles > easy->cycles)
        usual.cycles += share * (hard->cycles - easy->cycles);
    return usual;
}

/* The number of a slot by its name in a machine; -1: it knows no register of this name. */
static int slot_number(const struct machine *machine, const char *name)
{
    if (name[0] >= '1' && name[0] <= '8' && !name[1])
        return name[0] - '0';
    static const struct {
        const char *name;
        int slot;
    } slots[] = {{"f", slot_FLAGS}, {"addr", slot_ADDRESS}, {"index", slot_INDEX}, {"mem", slot_MEMORY}};
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++)
        if (!strcmp(slots[i].name, name))
            return slots[i].slot;
    for (unsigned i = 0; i < machine->hidden_count; i++)
        if (!strcmp(machine->hidden[i], name))
            return (int)(slot_HIDDEN + i);
    return -1;
}

/* What the nearest core says of a pair; NaN: nothing. */
static double assumed_latency(const struct machine *nearest, const struct machine_form *known,
                              const char *from, const char *to)
{
    int source = slot_number(nearest, from), result = slot_number(nearest, to);
    return known && source >= 0 && result >= 0
               ? form_latency(nearest, known, (unsigned)source, (unsigned)result)
               : NAN;
}

/* Tests of flows between vectors and flags go through general registers.  Arm's cores have a shorter way from
   fcmp to fcsel, which no test takes. */
static bool goes_around(const struct bench_evidence *evidence, const struct bench_slot *from,
                        const struct bench_slot *to)
{
    return evidence->bench->isa == isa_AARCH64 &&
           ((from->domain == domain_VECTOR && to->domain == domain_FLAGS) ||
            (from->domain == domain_FLAGS && to->domain == domain_VECTOR));
}

/* What the experiments about the core say of a form; NaN: nothing. */
static double found_number(const struct bench_evidence *evidence, const char *form, const char *word)
{
    for (size_t i = 0; evidence->words && i < evidence->words->count; i++) {
        const struct bench_form_word *found = ARRAY_AT(struct bench_form_word, evidence->words, i);
        if (!strcmp(found->form, form) && !strcmp(found->word, word))
            return strtod(found->value, NULL);
    }
    return NAN;
}

/* The tests of latencies are chains of one form.  The shortest of them are what the form takes after itself:
   among others it takes what the experiments about the core found; without them, and where the nearest core
   knows that chains are quicker (`chained`), what that says of other sources. */
static void correct_chains(const struct bench_evidence *evidence, const struct machine_form *known,
                           const char *form, struct pairs *pairs)
{
    double usual = found_number(evidence, form, core_USUAL), shortest = INFINITY, longest = 0;
    bool is_chained = known && known->chained > 0;
    if (isnan(usual) && !is_chained)
        return;
    for (unsigned i = 0; i < pairs->count; i++) {
        shortest = fmin(shortest, pairs->pairs[i].cycles);
        longest = fmax(longest, pairs->pairs[i].cycles);
    }
    if (longest > shortest + 0.5) /* chains are told by the shortest latency: it stays that */
        usual = isnan(usual) ? NAN : fmin(usual, longest - 0.25);
    for (unsigned i = 0; i < pairs->count; i++) {
        struct pair *pair = &pairs->pairs[i];
        if (pair->cycles > shortest + 0.1)
            continue;
        double other = usual;
        if (isnan(usual)) {
            other = assumed_latency(evidence->nearest, known, pair->from, pair->to);
            if (!(other > (double)known->chained))
                continue;
            pairs->chained = pair->cycles;
        }
        pair->cycles = other;
    }
}

static void gather_pairs(const struct bench_evidence *evidence, const struct bench_form_line *line,
                         const struct bench_instruction *sample, const struct machine_form *known,
                         struct pairs *pairs)
{
    for (unsigned to = 0; to < sample->slot_count; to++)
        for (unsigned from = 0; from < sample->slot_count; from++) {
            const struct bench_slot *source = &sample->slots[from], *result = &sample->slots[to];
            if (!result->writes || !slot_takes(source) || pairs->count == MOST_PAIRS)
                continue;
            bool is_there = false;
            for (unsigned i = 0; i < pairs->count && !is_there; i++)
                is_there =
                    !strcmp(pairs->pairs[i].from, source->name) && !strcmp(pairs->pairs[i].to, result->name);
            if (is_there)
                continue;
            double cycles = assumed_latency(evidence->nearest, known, source->name, result->name);
            struct usual usual = usual_of(line, sample, source->name, result->name);
            if (usual.is_measured && (isnan(cycles) || !goes_around(evidence, source, result))) {
                cycles = bench_round_cycles(usual.cycles, usual.spread);
                pairs->measured++;
                pairs->spread = fmax(pairs->spread, usual.spread);
            }
            if (isnan(cycles))
                continue;
            pairs->pairs[pairs->count++] = (struct pair){source->name, result->name, cycles};
        }
}

/* The value that most pairs have. */
static double common_latency(const struct pairs *pairs)
{
    unsigned best_count = 0;
    double best = NAN;
    for (unsigned i = 0; i < pairs->count; i++) {
        unsigned count = 0;
        for (unsigned k = 0; k < pairs->count; k++)
            count += pairs->pairs[k].cycles == pairs->pairs[i].cycles;
        if (count > best_count) {
            best_count = count;
            best = pairs->pairs[i].cycles;
        }
    }
    return best;
}

/* What the nearest core says of values in memory, which no test has as a slot. */
static void write_other_exceptions(const struct bench_evidence *evidence, const struct machine_form *known,
                                   FILE *out)
{
    const struct machine *machine = evidence->nearest;
    for (unsigned i = 0; known && i < known->latencies.count; i++) {
        const struct form_latency *latency =
            ARRAY_AT(struct form_latency, &machine->form_latencies, known->latencies.first + i);
        if (latency->from != slot_MEMORY && latency->to != slot_MEMORY)
            continue;
        struct machine_form one = *known;
        one.latencies = (struct form_run){known->latencies.first + i, 1};
        putc(' ', out);
        form_write_exceptions(machine, &one, out);
    }
}

static void write_exception(const struct pair *pair, const char *from, FILE *out)
{
    fprintf(out, " %s>%s=", from, pair->to);
    machine_write_cycles((float)pair->cycles, out);
}

static void write_latencies(const struct bench_evidence *evidence, const struct machine_form *known,
                            const struct pairs *pairs, FILE *out)
{
    if (!pairs->measured) {
        if (known && !isnan(known->latency)) {
            fputs(" latency ", out);
            machine_write_cycles(known->latency, out);
        }
        if (known && known->latencies.count) {
            putc(' ', out);
            form_write_exceptions(evidence->nearest, known, out);
        }
        return;
    }
    double common = common_latency(pairs);
    fputs(" latency ", out);
    machine_write_cycles((float)common, out);
    for (unsigned i = 0; i < pairs->count; i++)
        if (pairs->pairs[i].cycles != common) {
            write_exception(&pairs->pairs[i], pairs->pairs[i].from, out);
            /* A form of x86 has an index or not; the sample has none. */
            if (!pairs->has_index && !strcmp(pairs->pairs[i].from, "addr"))
                write_exception(&pairs->pairs[i], "index", out);
        }
    write_other_exceptions(evidence, known, out);
}

/* The ports of a single group that fit a throughput: a set that forms of the core have, within the known set
   or around it; as it is, where there is none. */
static uint32_t fitting_ports(const struct machine *machine, uint32_t ports, unsigned wanted)
{
    uint32_t best = ports;
    unsigned best_count = 0;
    bool is_smaller = wanted < (unsigned)__builtin_popcount(ports);
    for (size_t i = 0; i < machine->form_ports.count; i++) {
        uint32_t set = ARRAY_AT(struct form_ports, &machine->form_ports, i)->ports;
        if ((unsigned)__builtin_popcount(set) != wanted || (is_smaller ? set & ~ports : ports & ~set))
            continue;
        unsigned count = 0;
        for (size_t k = 0; k < machine->form_ports.count; k += 7) /* a sample is enough */
            count += ARRAY_AT(struct form_ports, &machine->form_ports, k)->ports == set;
        if (count >= best_count) {
            best_count = count + 1;
            best = set;
        }
    }
    return best;
}

/* µops and ports of the nearest core, adapted. */
static void write_assumed_ports(const struct bench_evidence *evidence, const struct machine_form *known,
                                unsigned uops, const struct usual *throughput, FILE *out)
{
    const struct machine *machine = evidence->nearest;
    fprintf(out, " uops %u", uops);
    const struct form_ports *group =
        known->ports.count == 1 ? ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first)
                                : NULL;
    double sum = 0;
    for (unsigned i = 0; i < known->ports.count; i++)
        sum += ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first + i)->times;
    double ratio = throughput->cycles / throughput->expected;
    bool fits = !(ratio > 1 + NEAR || ratio < 1 - NEAR);
    bool is_known_sum = known->unfused == (uint16_t)(sum + 0.5);
    if (!is_known_sum)
        fprintf(out, "/%u", known->unfused);
    fputs(" ports ", out);
    if (!group || fits || known->divider > 0 || known->is_eliminated || known->microcoded) {
        form_write_ports(machine, known->ports, out);
        return;
    }
    double wanted = group->times / throughput->cycles;
    uint32_t ports = fitting_ports(machine, group->ports, wanted < 1 ? 1 : (unsigned)(wanted + 0.5));
    double times = wanted < 1 - NEAR ? round(throughput->cycles) : (double)group->times;
    if (times != 1)
        fprintf(out, "%g*", times);
    machine_write_ports(machine, ports, out);
}

/* The words that the experiments about the core found. */
static bool is_found(const struct bench_evidence *evidence, const char *form, const char *word, size_t length)
{
    for (size_t i = 0; evidence->words && i < evidence->words->count; i++) {
        const struct bench_form_word *found = ARRAY_AT(struct bench_form_word, evidence->words, i);
        if (!strcmp(found->form, form) && strlen(found->word) == length && !memcmp(found->word, word, length))
            return true;
    }
    return false;
}

/* Words of the nearest core that are not measured here; each with its value. */
static void write_kept_words(const struct bench_evidence *evidence, const struct machine_form *known,
                             const char *form, double throughput, const struct pairs *pairs, FILE *out)
{
    static const char *const alone[] = {"complex", "unlooped", "breaks", "eliminated", "own-pipe"};
    char *text = NULL, *saved = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);
    if (!words)
        return;
    form_write_words(evidence->nearest, known, true, words);
    fclose(words);
    for (char *word = strtok_r(text, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
        bool is_alone = false;
        for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++)
            is_alone |= !strcmp(alone[i], word);
        char *value = is_alone ? NULL : strtok_r(NULL, " ", &saved);
        if (is_found(evidence, form, word, strlen(word)) || !strcmp(word, "divider"))
            continue;
        if (!strcmp(word, "chained") && pairs->chained > 0)
            fprintf(out, " chained %g", pairs->chained);
        else if (!strcmp(word, "throughput") && throughput > 0)
            fprintf(out, " throughput %g", bench_round_cycles(throughput, 0));
        else
            fprintf(out, " %s%s%s", word, value ? " " : "", value ? value : "");
    }
    free(text);
}

static void write_found_words(const struct bench_evidence *evidence, const char *form, FILE *out)
{
    for (size_t i = 0; evidence->words && i < evidence->words->count; i++) {
        const struct bench_form_word *found = ARRAY_AT(struct bench_form_word, evidence->words, i);
        if (!strcmp(found->form, form) && strcmp(found->word, core_USUAL))
            fprintf(out, " %s%s%s", found->word, *found->value ? " " : "", found->value);
    }
}

/* How long the divider is held: as long as from one to the next.  Quarters of a cycle are those of divisions
   that go in fours. */
static void write_divider(double cycles, FILE *out)
{
    double quarters = round(4 * cycles) / 4;
    fprintf(out, " divider %g", fabs(quarters - cycles) < 0.1 ? quarters : round(100 * cycles) / 100);
}

enum bench_line_kind bench_write_form(const struct bench_evidence *evidence,
                                      const struct bench_form_line *line, FILE *out)
{
    const char *text = line->form->text;
    struct bench_instruction sample;
    struct pairs pairs = {.spread = 0};
    if (!line->count || !line->figures[0].planned || !bench_sample(&sample, evidence->bench->isa, text))
        return line_NONE;
    bool has_missing = false, has_measured = false;
    for (size_t i = 0; i < line->count; i++) {
        has_measured |= bench_is_measured(&line->figures[i]);
        has_missing |= line->figures[i].has_result && line->figures[i].status == bench_MISSING;
    }
    if (has_missing && !has_measured) {
        fprintf(out, "form %s : missing", text);
        return line_MISSING;
    }
    const struct machine_form *known = machine_form(evidence->nearest, text);
    known = known && !known->is_missing ? known : NULL;
    const struct usual throughput = usual_of(line, &sample, NULL, NULL);
    struct bench_found_ports found = bench_ports_for(evidence, text);
    struct bench_counted_ports counted = bench_counted_for(evidence, line, known);
    if (!has_measured || (!known && !found.is_found && !counted.has_ports) ||
        (!throughput.is_measured && !known))
        return line_NONE;
    bool keeps_known = known && (known->is_eliminated || known->microcoded);
    if (keeps_known)
        counted = (struct bench_counted_ports){.uops = 0};
    bool is_found = found.is_found && !keeps_known;
    pairs.has_index = sample.isa != isa_X86_64 || bench_slot_named(&sample, "index") != NO_SLOT;
    gather_pairs(evidence, line, &sample, known, &pairs);
    if (pairs.measured)
        correct_chains(evidence, known, text, &pairs);
    if (known &&
        known->is_eliminated) /* a chain of moves shows how many renaming does, not how long one takes */
        pairs.measured = 0;
    fprintf(out, "form %s :", text);
    if (counted.has_ports)
        fprintf(out, " uops %u ports %s", counted.uops, counted.ports);
    else if (is_found)
        fprintf(out, " uops %u ports %s", counted.uops ? counted.uops : found.uops, found.ports);
    else
        write_assumed_ports(evidence, known, counted.uops ? counted.uops : known->fused, &throughput, out);
    write_latencies(evidence, known, &pairs, out);
    if (known)
        write_kept_words(evidence, known, text, throughput.cycles, &pairs, out);
    write_found_words(evidence, text, out);
    double divider = is_found ? found.divider : known && known->divider > 0 ? (double)known->divider : 0;
    if (divider > 0)
        write_divider(throughput.is_measured ? throughput.cycles : divider, out);
    double spread = throughput.is_measured ? fmax(pairs.spread, throughput.spread) : pairs.spread;
    if (spread > BENCH_STEADY)
        machine_write_spread((float)(round(1000 * spread) / 10), out);
    if (counted.has_ports)
        return line_COUNTED;
    if (counted.uops)
        return is_found ? line_UOPS_COUNTED : line_UOPS_COUNTED_ASSUMED;
    return is_found ? line_MEASURED : line_PORTS_ASSUMED;
}
