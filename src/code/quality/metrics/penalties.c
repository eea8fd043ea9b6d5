/* Costs beyond the bounds of the core's parts: accesses across cache lines, and switches between SSE and AVX
   code.

   Unaligned accesses. The code does not show where data lies, so only certain crossings are counted. An
   access of 32 bytes that moves by 8 takes every place modulo 8 and crosses in some iteration wherever it
   starts; in general the places of an access that moves by S repeat modulo g, the greatest common divisor of
   S and the line, and it crosses in some iteration exactly if its place modulo g plus its bytes exceeds g.
   That is certain if it has more than g bytes. Else the start matters, and accesses at known distances cannot
   all start well: x and x + 8 are not both multiples of 32. The count has the crossings that remain with the
   best start. All lines count as 64 bytes: for accesses up to that size, longer lines give the same result.
   Halves of an access that the compiler split always count, one for both, because it feared just that.
   If the machine takes longer for the instruction that allows unaligned data (movups on Core 2), it always
   counts.

   Switches. An instruction of AVX that writes more than 128 bits leaves upper halves in use. A legacy SSE
   instruction then makes Intel's processors up to Broadwell save them, and the next AVX instruction restore
   them, each of which takes `transition` cycles (Intel's optimisation manual, Mixing AVX code with SSE code;
   Fog, The microarchitecture of Intel and AMD CPUs); so does Golden Cove (measured: only SSE instructions
   that write a vector register do it there, and nothing less is counted). vzeroupper ends that. The states
   are followed through two iterations, of which the second is counted, because each iteration starts in the
   state that the one before left. Later Intel processors switch at no cost, but each SSE instruction waits
   for the register that it writes (`blends-upper-halves`). How long depends on the code around it; the cycles
   here do not include it. */
#include "model/isa.h"
#include "code/quality/aligned.h"
#include "code/quality/metrics/metrics.h"

enum { LINE_BYTES = 64, MOST_GROUPS_OF_PLACES = 64, LEAST_VECTOR_BITS = 128 };

/* Accesses at known distances from each other that move in the same way. */
struct place_group {
    const struct cost_reference *first;
    unsigned period;
    unsigned crossing[LINE_BYTES]; /* by start of the first one: accesses that cross in some iteration */
};

static unsigned common_divisor(uint64_t one, unsigned other)
{
    while (one) {
        unsigned rest = (unsigned)(other % one);
        other = (unsigned)one;
        one = rest;
    }
    return other;
}

/* The modulus with which the addresses of an access repeat; 0: it stays in place, or its stride is unknown.
 */
static unsigned period_of(const struct cost_addresses *addresses, const struct cost_reference *reference)
{
    struct cost_place next = reference->place;
    int64_t stride;
    if (!next.is_known || !cost_earlier_place(addresses, &next) ||
        !cost_is_apart(&reference->place, &next, &stride) || !stride)
        return 0;
    return common_divisor(((uint64_t)stride % LINE_BYTES + LINE_BYTES) % LINE_BYTES, LINE_BYTES);
}

static struct place_group *find_group(struct place_group *groups, unsigned *count,
                                      const struct cost_reference *reference, unsigned period, int64_t *apart)
{
    *apart = 0;
    for (unsigned i = 0; i < *count; i++)
        if (groups[i].period == period && cost_is_apart(&groups[i].first->place, &reference->place, apart))
            return &groups[i];
    if (*count == MOST_GROUPS_OF_PLACES)
        return NULL;
    *apart = 0;
    groups[*count] = (struct place_group){.first = reference, .period = period};
    return &groups[(*count)++];
}

static void add_to_group(struct place_group *group, int64_t apart, unsigned bytes)
{
    unsigned period = group->period;
    unsigned offset = (unsigned)((apart % period + period) % period);
    for (unsigned start = 0; start < period; start++)
        group->crossing[start] += (start + offset) % period + bytes > period;
}

static unsigned bytes_of(const struct subject *subject, const struct cost_reference *reference)
{
    unsigned bits = subject->machine->core.vector_bits;
    bool is_longer = subject->items[reference->item].row->is_scalable && bits > LEAST_VECTOR_BITS;
    return is_longer ? reference->bytes * (bits / LEAST_VECTOR_BITS) : reference->bytes;
}

static uint32_t count_unaligned(const struct subject *subject)
{
    struct cost_scratch *scratch = &subject->work->scratch;
    struct place_group *groups = arena_get(subject->arena, MOST_GROUPS_OF_PLACES * sizeof *groups);
    uint32_t count = 0;
    unsigned group_count = 0;
    cost_find_dependences(&subject->work->block, scratch);
    for (unsigned i = 0; i < subject->item_count; i++)
        count += aligned_is_half(subject, &subject->items[i]);
    const struct array *references = &scratch->addresses.references;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, references, i);
        const struct subject_item *item = &subject->items[reference->item];
        unsigned bytes = bytes_of(subject, reference);
        int64_t apart;
        if (!item->row->is_vector || !bytes || bytes > LINE_BYTES)
            continue;
        unsigned period = period_of(&scratch->addresses, reference);
        if ((period && bytes > period) || aligned_form(subject, item)) {
            count++;
            continue;
        }
        struct place_group *group =
            period ? find_group(groups, &group_count, reference, period, &apart) : NULL;
        if (group)
            add_to_group(group, apart, bytes);
    }
    for (unsigned i = 0; i < group_count; i++) {
        unsigned least = groups[i].crossing[0];
        for (unsigned start = 1; start < groups[i].period; start++)
            least = groups[i].crossing[start] < least ? groups[i].crossing[start] : least;
        count += least;
    }
    return count;
}

/* States of the upper halves of vector registers. */
enum upper_halves { upper_CLEAN, upper_IN_USE, upper_SAVED };
enum vector_code { code_NEITHER, code_SSE, code_AVX, code_AVX_WIDE, code_CLEANS, code_COUNT };

static enum vector_code code_of(const struct subject *subject, const struct subject_item *item)
{
    enum vector_code code = code_NEITHER;
    if (item->row->operation == operation_CLEAR_UPPER)
        return code_CLEANS;
    for (unsigned i = 0; i < item->use_count; i++) {
        const struct register_ *row = model_register(subject->model, item->uses[i].register_);
        if (row->kind != register_kind_VECTOR || row->bits < 128)
            continue;
        if (!item->row->is_avx) {
            if (item->uses[i].access & access_WRITE)
                return code_SSE;
            continue;
        }
        if (row->bits > 128 && item->uses[i].access & access_WRITE)
            return code_AVX_WIDE;
        code = code_AVX;
    }
    return code;
}

/* Switches of an iteration that starts in this state; sets it to the state at its end. */
static uint32_t follow_switches(const uint8_t *codes, unsigned count, enum upper_halves *state)
{
    uint32_t switches = 0;
    for (unsigned i = 0; i < count; i++) {
        bool saves = codes[i] == code_SSE && *state == upper_IN_USE;
        bool restores = (codes[i] == code_AVX || codes[i] == code_AVX_WIDE) && *state == upper_SAVED;
        switches += saves || restores;
        if (codes[i] == code_CLEANS)
            *state = upper_CLEAN;
        else if (saves)
            *state = upper_SAVED;
        else if (restores || codes[i] == code_AVX_WIDE)
            *state = upper_IN_USE;
    }
    return switches;
}

static uint32_t count_switches(const struct subject *subject)
{
    uint8_t *codes = arena_get(subject->arena, subject->item_count);
    bool has[code_COUNT] = {false};
    if (!isa_facts((enum isa)subject->items[0].row->isa)->is_x86)
        return 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        codes[i] = (uint8_t)code_of(subject, &subject->items[i]);
        has[codes[i]] = true;
    }
    if (!has[code_SSE] || !has[code_AVX_WIDE])
        return 0;
    enum upper_halves state = upper_CLEAN;
    follow_switches(codes, subject->item_count, &state);
    return follow_switches(codes, subject->item_count, &state);
}

void metric_penalties(const struct subject *subject, struct loop_metric *metric)
{
    if (subject_is_timed(subject) && !subject->work->is_bundled)
        metric->unaligned_count = count_unaligned(subject);
    metric->transition_count = count_switches(subject);
    metric->transition_cycles = metric->transition_count * subject->machine->core.transition;
}
