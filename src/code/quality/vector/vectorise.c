/* The block of one vector iteration is built and predicted like any other.

   It does as many iterations as the longest number has lanes in a vector (shorter numbers use a part of one,
   as in compilers that go by the longest type). Counters, pointers and branches occur once. Arithmetic, loads
   and stores become their vector forms. A running sum becomes one in lanes: its chain is as long as before
   and does the work of all lanes. Values that must be loaded lane by lane (indices, strides) use scalar loads
   and inserts, or a gather, whichever is faster on the machine.

   Vectors of the machine's full length and of half of it are tried, and the better counts. On machines with
   AVX-512 that is not always the full length; compilers use half of it there by default, and all of it with
   -mprefer-vector-width=512. Neoverse V1 has four pipes for 128 bits and two for 256. That is the figure of
   the metric; for what an advice promises, vectors are no longer than those that the compiler will use
   (rules/targets.h).

   The present code is one of the choices, too: if vectors, or longer ones, take more cycles than the loop (a
   copy of scattered small structures, already done by vectors of their size), it stays unchanged.

   Adjacent numbers of several kinds (re and im of a complex) are loaded with vector loads and separated by a
   shuffle each, unless all of them are treated in the same way, as in an unrolled loop. */
#include "code/quality/vector/vectorise.h"

#include "code/quality/motion/trips.h"
#include "code/quality/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer loops were written by experts or by generators. */
enum { MOST_VECTORISED = 512 };

static const struct machine_cost *cost_of(const struct subject *subject, uint32_t item)
{
    return ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
}

static bool is_stopped(struct vectorising *vectorising, enum vector_obstacle obstacle, uint32_t item)
{
    vectorising->obstacle = obstacle;
    vectorising->item = item;
    return true;
}

/* Whether a branch depends on the data. */
static bool depends_on_data(const struct values *values, uint32_t item)
{
    const struct subject_item *row = &values->subject->items[item];
    for (unsigned use = 0; use < row->use_count; use++) {
        if (!value_is_read(&row->uses[use]))
            continue;
        uint32_t source = values_source(values, item, use).item;
        if (source != VALUE_OUTSIDE && values->subject->items[source].purpose == purpose_DATA)
            return true;
    }
    return false;
}

/* Whether iterations work on different numbers: elements of arrays, or something made of a counter.  A power
   by repeated multiplication has lanes to spare and nothing to put into them. */
static bool has_elements(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->items[subject->accesses[i].item].purpose == purpose_DATA &&
            subject->accesses[i].pattern != access_pattern_INVARIANT)
            return true;
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        const struct cost_step *step = &cost_of(subject, i)->step;
        if (item->purpose == purpose_DATA &&
            (item->row->class == class_CONVERT || (step->to && step->to == step->from)))
            return true;
    }
    return false;
}

/* Whether the compiler handles loops with several exits whose iterations can be counted. GCC 14 and later
   handle some of them; since it is not known which, none is promised. */
static bool allows_exits(const struct subject *subject)
{
    return subject->compiler->family == compiler_CLANG;
}

/* Whether an exit asks two things at once (ccmp): i < n && i < limit. */
static bool is_double_exit(const struct values *values, uint32_t branch)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[branch];
    for (unsigned use = 0; use < row->use_count; use++) {
        uint32_t source =
            value_is_read(&row->uses[use]) ? values_source(values, branch, use).item : VALUE_OUTSIDE;
        if (source == VALUE_OUTSIDE || subject->items[source].row->class != class_COMPARE)
            continue;
        const struct subject_item *compare = &subject->items[source];
        for (unsigned i = 0; i < compare->use_count; i++)
            if (value_is_read(&compare->uses[i]) &&
                model_register(subject->model, compare->uses[i].register_)->kind == register_kind_FLAGS)
                return true;
    }
    return false;
}

bool vectorising_is_counted_exit(const struct values *values, uint32_t branch)
{
    return !depends_on_data(values, branch) && !is_double_exit(values, branch);
}

static bool has_bad_branch(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    unsigned exits = 0;
    struct values values;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct encoding *row = subject->items[i].row;
        if (row->flow == flow_CALL)
            return is_stopped(vectorising, obstacle_CALL, i);
        if (row->element == element_X87 || row->class == class_MATH)
            return is_stopped(vectorising, obstacle_X87, i);
        if (row->class == class_ATOMIC || row->class == class_STRING || row->class == class_FENCE ||
            row->class == class_SYSTEM)
            return is_stopped(vectorising, obstacle_FORM, i);
        if (row->flow != flow_BRANCH)
            continue;
        if (!motion_leaves_loop(subject, i))
            return is_stopped(vectorising, obstacle_BRANCH, i);
        if (depends_on_data(&values, i) ||
            ((exits++ || is_double_exit(&values, i)) && !allows_exits(subject)))
            return is_stopped(vectorising, obstacle_EXIT, i);
    }
    return false;
}

/* Numbers that the path works on. */
static void find_work(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->purpose != purpose_DATA || !item->is_vectorisable)
            continue;
        vectorising->has_fp |= item->is_fp && item->is_arithmetic;
        if (item->is_vectorised) {
            vectorising->has_vectors = true;
            if (item->used_bits > vectorising->vector)
                vectorising->vector = item->used_bits;
        } else {
            vectorising->has_scalars = true;
            if (item->element_bits > vectorising->element)
                vectorising->element = item->element_bits;
        }
    }
    if (vectorising->element > 64 || !vectorising->element)
        vectorising->element = vectorising->element ? 64 : 32;
}

/* Addresses made from values loaded for this iteration: a different one for each lane. Two walks, for values
   loaded ahead. */
static void find_varying(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    uint8_t varying[MOST_RESOURCES] = {0};
    for (unsigned walk = 0; walk < 2; walk++) {
        unsigned access = 0;
        for (uint32_t i = 0; i < subject->item_count; i++) {
            const struct machine_cost *cost = cost_of(subject, i);
            bool varies = false, loads = false;
            for (; access < subject->access_count && subject->accesses[access].item <= i; access++)
                loads |= subject->accesses[access].item == i && subject->accesses[access].loads &&
                         subject->accesses[access].pattern != access_pattern_INVARIANT;
            if (subject->items[i].purpose == purpose_ADDRESS) {
                varies = loads;
                for (unsigned f = 0; f < cost->flow_count; f++)
                    varies |= varying[cost->flows[f].from];
            }
            vectorising->varies[i] |= varies;
            for (unsigned w = 0; w < cost->write_count; w++)
                varying[cost->writes[w]] = varies;
        }
    }
}

static bool is_shuffle(const struct subject_item *item)
{
    return item->row->class == class_SHUFFLE && !item->row->load_bytes && !item->row->store_bytes;
}

static bool is_scalar_work(const struct subject_item *item)
{
    return item->purpose == purpose_DATA && item->is_vectorisable && !item->is_vectorised;
}

/* Shuffles between vector and scalar code, which go away when everything is vectorised. Backwards from the
 * users, then forwards from the producers. */
static void find_gone(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    struct values values;
    if (!vectorising->has_scalars || !vectorising->has_vectors)
        return;
    values_find(&values, subject);
    for (uint32_t i = subject->item_count; i--;) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned use = 0; use < item->use_count; use++) {
            uint32_t source =
                value_is_read(&item->uses[use]) ? values_source(&values, i, use).item : VALUE_OUTSIDE;
            if (source != VALUE_OUTSIDE && is_shuffle(&subject->items[source]))
                vectorising->is_gone[source] |= is_scalar_work(item) || vectorising->is_gone[i];
        }
    }
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned use = 0; is_shuffle(item) && use < item->use_count; use++) {
            uint32_t source =
                value_is_read(&item->uses[use]) ? values_source(&values, i, use).item : VALUE_OUTSIDE;
            if (source != VALUE_OUTSIDE)
                vectorising->is_gone[i] |=
                    is_scalar_work(&subject->items[source]) || vectorising->is_gone[source];
        }
    }
}

static int by_name(const void *left, const void *right)
{
    const string_id *one = left, *other = right;
    return (*one > *other) - (*one < *other);
}

/* Whether everything is done this many times, as far as the numbers of instructions and the distances of
   accesses show: an unrolled loop. */
static bool is_unrolled(const struct subject *subject, unsigned times)
{
    string_id *names = arena_get(subject->arena, (subject->item_count + 1) * sizeof *names);
    unsigned count = 0;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->stride && access->bytes && access->stride % ((int64_t)times * access->bytes))
            return false;
    }
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_arithmetic)
            names[count++] = subject->items[i].row->name;
    qsort(names, count, sizeof *names, by_name);
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i; end < count && names[end] == names[i];)
            end++;
        if ((end - i) % times)
            return false;
    }
    return true;
}

static enum vector_memory way_of(const struct subject *subject, const struct subject_access *access)
{
    int64_t distance = access->stride < 0 ? -access->stride : access->stride;
    bool is_side_by_side =
        access->pattern == access_pattern_STRIDE_ONE ||
        (access->pattern == access_pattern_CONSTANT_STRIDE && access->bytes && distance == access->bytes);
    if (access->pattern == access_pattern_INVARIANT)
        return memory_WHOLE;
    if (!is_side_by_side)
        return memory_LANES;
    if (access->bytes && distance > access->bytes &&
        !is_unrolled(subject, (unsigned)(distance / access->bytes)))
        return memory_SHUFFLED;
    return access->stride < 0 ? memory_REVERSED : memory_WHOLE;
}

static bool is_anywhere(const struct subject_access *access)
{
    return access->pattern == access_pattern_INDIRECT || access->pattern == access_pattern_UNKNOWN;
}

/* Whether some load of the path may read what this store wrote in another lane: both start from the same
   register, and the address of one depends on the data. */
static bool is_update(const struct subject *subject, const struct subject_access *store)
{
    const struct operand *stored = subject_item_memory(&subject->items[store->item]);
    for (unsigned i = 0; stored && i < subject->access_count; i++) {
        const struct subject_access *load = &subject->accesses[i];
        const struct operand *loaded = subject_item_memory(&subject->items[load->item]);
        if (load->loads && loaded && (is_anywhere(load) || is_anywhere(store)) &&
            loaded->base_register == stored->base_register)
            return true;
    }
    return false;
}

/* Whether an item loads the variable that a store of the path changes: a running value in memory, which the
   addresses of the cost model do not show where both are relative to the instruction. */
static bool is_running_value(const struct subject *subject, const struct subject_access *store)
{
    const struct operand *stored = subject_item_memory(&subject->items[store->item]);
    uint64_t place = model_instruction(subject->model, subject->items[store->item].instruction)->target;
    for (unsigned i = 0; stored && stored->is_relative && place != NO_ADDRESS && i < subject->access_count;
         i++) {
        const struct subject_access *load = &subject->accesses[i];
        const struct operand *loaded = subject_item_memory(&subject->items[load->item]);
        if (load->loads && loaded && loaded->is_relative &&
            model_instruction(subject->model, subject->items[load->item].instruction)->target == place)
            return true;
    }
    return false;
}

static bool find_ways(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        const struct subject_item *item = &subject->items[access->item];
        if (item->purpose != purpose_DATA)
            continue;
        if (access->stores && is_update(subject, access))
            return is_stopped(vectorising, obstacle_UPDATE, access->item);
        if (access->stores && access->pattern == access_pattern_INVARIANT &&
            is_running_value(subject, access))
            return is_stopped(vectorising, obstacle_RECURRENCE, access->item);
        enum vector_memory way = way_of(subject, access);
        if (way > vectorising->ways[access->item])
            vectorising->ways[access->item] = (uint8_t)way;
        /* Copies of an unrolled loop are an element apart in the block, as vectors they would overlap. */
        vectorising->is_apart |=
            way == memory_WHOLE && access->stores && llabs(access->stride) > access->bytes;
        vectorising->has_lanes |= way == memory_LANES && item->row->class != class_GATHER;
        vectorising->has_backward_groups |= way == memory_SHUFFLED && access->stride < 0;
        vectorising->scatters |= access->stores && access->pattern == access_pattern_INDIRECT;
        /* One place for all iterations: only the last value counts. */
        if (access->stores && access->pattern == access_pattern_INVARIANT)
            vectorising->varies[access->item] = 0;
    }
    return false;
}

/* Iterations that one of full vectors does. */
static unsigned lanes_of(const struct vectorising *vectorising)
{
    unsigned bits = vectorising->has_scalars ? vectorising->element : vectorising->vector;
    unsigned lanes = bits ? vectorising->subject->machine->core.vector_bits / bits : 1;
    return lanes > 1 ? lanes : 2;
}

/* Whether an address needs a running value, as the place of the smallest number so far, a few steps back. */
static bool needs_running_value(const struct carried *carried, const struct values *values, uint32_t item,
                                bool is_place, unsigned steps)
{
    const struct subject_item *row = &values->subject->items[item];
    for (unsigned use = 0; steps && use < row->use_count; use++) {
        struct value_source source = values_source(values, item, use);
        if (!value_is_read(&row->uses[use]) || source.item == VALUE_OUTSIDE ||
            (is_place && !row->uses[use].is_address))
            continue;
        if (carried->kinds[source.item] != carried_NOTHING ||
            (values->subject->items[source.item].row->class == class_MOVE &&
             needs_running_value(carried, values, source.item, false, steps - 1)))
            return true;
    }
    return false;
}

static bool has_running_place(struct vectorising *vectorising)
{
    enum { MOST_STEPS = 3 };
    const struct subject *subject = vectorising->subject;
    struct values values;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->access_count; i++)
        if (needs_running_value(&vectorising->carried, &values, subject->accesses[i].item, true, MOST_STEPS))
            return is_stopped(vectorising, obstacle_RECURRENCE, subject->accesses[i].item);
    return false;
}

static bool is_carried(struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    carried_find(&vectorising->carried, subject, lanes_of(vectorising));
    enum carried_kind kind = vectorising->carried.kind;
    if (kind < carried_IN_MEMORY)
        return kind != carried_NOTHING && has_running_place(vectorising);
    uint32_t item = 0;
    while (item < subject->item_count && vectorising->carried.kinds[item] != kind)
        item++;
    return is_stopped(vectorising, kind == carried_CHASE ? obstacle_CHASE : obstacle_RECURRENCE, item);
}

void vectorising_find(struct vectorising *vectorising, const struct subject *subject)
{
    *vectorising = (struct vectorising){.subject = subject, .item = subject->item_count};
    if (subject->item_count > MOST_VECTORISED || subject->work->is_bundled) {
        vectorising->obstacle = obstacle_LENGTH;
        return;
    }
    vectorising->ways = arena_get(subject->arena, 3 * subject->item_count + 1);
    vectorising->varies = vectorising->ways + subject->item_count;
    vectorising->is_gone = vectorising->varies + subject->item_count;
    vectorising->tried = arena_get(subject->arena, vector_dialect_count * sizeof *vectorising->tried);
    find_work(vectorising);
    if ((!vectorising->has_scalars && !vectorising->has_vectors) || !has_elements(subject))
        vectorising->obstacle = obstacle_NOTHING;
    else if (!has_bad_branch(vectorising) && !is_carried(vectorising)) {
        find_varying(vectorising);
        find_gone(vectorising);
        if (!find_ways(vectorising))
            doubts_find(&vectorising->doubts, subject, lanes_of(vectorising));
    }
}

/* ---- The block. ---- */

struct attempt {
    struct vectorising *vectorising;
    struct altered altered;
    struct vector_maker maker;
    bool only_fp;
};

static void keep_all(struct attempt *attempt, uint32_t item)
{
    for (unsigned i = 0; i < attempt->altered.iterations; i++)
        altered_keep(&attempt->altered, item);
}

/* Sets a register to zero: a constant. */
static bool is_zeroing(const struct machine_cost *cost, const struct subject_item *item)
{
    return item->row->class == class_LOGIC && !cost->flow_count && !cost->access_count;
}

static bool is_counter(const struct machine_cost *cost)
{
    return cost->step.to && cost->step.to == cost->step.from && !cost->access_count;
}

static bool stores_in_place(const struct subject *subject, uint32_t item)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].item == item && subject->accesses[i].stores &&
            subject->accesses[i].pattern == access_pattern_INVARIANT)
            return true;
    return false;
}

static bool has_vector_register(const struct subject *subject, uint32_t item)
{
    const struct subject_item *row = &subject->items[item];
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_REGISTER && row->operands[i].register_ &&
            model_register(subject->model, row->operands[i].register_)->kind == register_kind_VECTOR)
            return true;
    return false;
}

static bool put_data(struct attempt *attempt, uint32_t item)
{
    const struct subject *subject = attempt->vectorising->subject;
    const struct subject_item *row = &subject->items[item];
    const struct machine_cost *cost = cost_of(subject, item);
    enum vector_memory way = (enum vector_memory)attempt->vectorising->ways[item];
    if (is_zeroing(cost, row) || attempt->vectorising->is_gone[item])
        return true;
    if (is_counter(cost)) {
        altered_keep(&attempt->altered, item);
        return vector_put_counter(&attempt->maker, item);
    }
    if (stores_in_place(subject, item)) {
        altered_keep(&attempt->altered, item);
        return true;
    }
    if (!attempt->only_fp)
        return vector_put(&attempt->maker, item, way);
    if (row->is_fp && row->is_arithmetic)
        return vector_put(&attempt->maker, item, row->is_vectorised ? way : memory_APART);
    if (row->is_fp && row->row->class == class_MOVE)
        altered_keep(&attempt->altered, item);
    else
        keep_all(attempt, item);
    return true;
}

static bool put_item(struct attempt *attempt, uint32_t item)
{
    const struct subject *subject = attempt->vectorising->subject;
    switch (subject->items[item].purpose) {
    case purpose_DATA:
        return put_data(attempt, item);
    case purpose_STACK:
        if (!attempt->only_fp && has_vector_register(subject, item))
            return vector_put(&attempt->maker, item, memory_WHOLE);
        altered_keep(&attempt->altered, item);
        return true;
    case purpose_ADDRESS:
        if (!attempt->vectorising->varies[item])
            altered_keep(&attempt->altered, item);
        else if (!attempt->maker.gathers || attempt->only_fp)
            keep_all(attempt, item);
        else
            return vector_put(&attempt->maker, item, memory_WHOLE);
        return true;
    case purpose_IDLE:
        if (subject->items[item].row->class != class_NOP)
            altered_keep(&attempt->altered, item);
        return true;
    default:
        altered_keep(&attempt->altered, item);
        return true;
    }
}

/* Cycles for the lanes of gathers and scatters: each is a load or a store, whatever the table has for the
   instruction (for some machines, a gather costs no more than a load there). */
static double lane_cycles(const struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    double loads = 0, stores = 0;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        bool is_one = vectorising->ways[access->item] == memory_LANES;
        loads += is_one && access->loads;
        stores += is_one && access->stores;
    }
    loads = subject->machine->loads > 0 ? loads / subject->machine->loads : 0;
    stores = subject->machine->stores > 0 ? stores / subject->machine->stores : 0;
    return fmax(loads, stores);
}

/* Whether an addition to a running sum adds a product: a compiler that targets the machine makes one
   multiply-add of them, which has a longer latency for the sum than an addition. */
static bool adds_product(const struct values *values, uint32_t item)
{
    enum { MOST_SHUFFLES = 4 };
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned use = 0; use < row->use_count; use++) {
        struct value_source source = values_source(values, item, use);
        for (unsigned i = 0; i < MOST_SHUFFLES && source.item != VALUE_OUTSIDE && !source.is_earlier &&
                             is_shuffle(&subject->items[source.item]);
             i++) {
            unsigned last = subject->items[source.item].use_count;
            while (last && !value_is_read(&subject->items[source.item].uses[last - 1]))
                last--;
            if (!last)
                break;
            source = values_source(values, source.item, last - 1);
        }
        if (value_is_read(&row->uses[use]) && source.item != VALUE_OUTSIDE && !source.is_earlier &&
            subject->items[source.item].row->class == class_MULTIPLY && subject->items[source.item].is_fp)
            return true;
    }
    return false;
}

/* Cycles of the longest running sum then, for one iteration of the block. */
static double fused_cycles(const struct vectorising *vectorising, const struct vector_dialect *dialect)
{
    const struct subject *subject = vectorising->subject;
    const char *text = dialect->fused[vectorising->element > 32];
    const struct machine_form *form = text ? machine_form(subject->machine, text) : NULL;
    unsigned counts[MOST_RESOURCES] = {0}, most = 0;
    struct values values;
    if (!form || vectorising->carried.kind != carried_SUM || subject->compiler->forbids_contraction)
        return 0;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct machine_cost *cost = cost_of(subject, i);
        if (vectorising->carried.kinds[i] != carried_SUM || subject->items[i].row->class != class_ADD ||
            !cost->write_count || !adds_product(&values, i))
            continue;
        unsigned *count = &counts[cost->writes[0]];
        most = ++*count > most ? *count : most;
    }
    double latency = form_latency(subject->machine, form, 1, 1);
    return latency > 0 ? most * latency : 0;
}

/* NaN if the machine lacks an instruction for it. */
static double attempt_cycles(struct vectorising *vectorising, const struct vector_dialect *dialect,
                             unsigned bits, bool gathers, bool only_fp)
{
    const struct subject *subject = vectorising->subject;
    unsigned of_one = vectorising->has_scalars ? vectorising->element : vectorising->vector;
    unsigned iterations = of_one ? bits / of_one : 0;
    struct attempt attempt = {.vectorising = vectorising, .only_fp = only_fp};
    if (iterations < 2)
        return NAN;
    altered_begin(&attempt.altered, subject, iterations, 0);
    attempt.altered.is_apart = vectorising->is_apart;
    vector_maker_begin(&attempt.maker, &attempt.altered, dialect, bits);
    attempt.maker.element = vectorising->element;
    attempt.maker.has_vectors = vectorising->has_vectors;
    attempt.maker.gathers = gathers;
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (!put_item(&attempt, i)) {
            if (!gathers && vectorising->item == subject->item_count)
                vectorising->item = i;
            return NAN;
        }
    if (!vector_put_overhead(&attempt.maker, subject->item_count - 1))
        return NAN;
    double cycles = altered_cycles(&attempt.altered);
    double least = fmax(lane_cycles(vectorising), fused_cycles(vectorising, dialect) / iterations);
    return cycles < least ? least : cycles;
}

/* Whether nothing is left to vectorise: all work is on vectors of that many bits. */
static bool is_done(const struct vectorising *vectorising, unsigned bits)
{
    return !vectorising->has_scalars && vectorising->vector >= bits;
}

/* Whether the compiler gathers although microcode makes that slow: GCC 13 knows which cores have such. */
static bool gathers_in_vain(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return subject->machine->guards_gathers && !(compiler->family == compiler_GCC && compiler->major >= 13);
}

/* NaN if the dialect lacks an instruction for it. */
static double dialect_cycles(struct vectorising *vectorising, unsigned number, unsigned bits, bool only_fp)
{
    const struct vector_dialect *dialect = &vector_dialects[number];
    if (!only_fp && vectorising->tried[number])
        return vectorising->tried[number];
    /* Compilers do not store lane by lane to addresses from the data. */
    double cycles = vectorising->scatters ? NAN : attempt_cycles(vectorising, dialect, bits, false, only_fp);
    if (vectorising->has_lanes && !only_fp &&
        (vectorising->scatters ? dialect->scatter : dialect->gather)[3]) {
        double gathered = attempt_cycles(vectorising, dialect, bits, true, only_fp);
        cycles = gathers_in_vain(vectorising->subject) ? fmax(cycles, gathered) : fmin(cycles, gathered);
    }
    if (!only_fp)
        vectorising->tried[number] = cycles;
    return cycles;
}

/* The best of the two longest kinds of vectors that have at most so many bits and all instructions. */
static struct vector_choice choose(struct vectorising *vectorising, unsigned most, bool only_fp)
{
    const struct subject *subject = vectorising->subject;
    bool is_arm = subject->machine->isa == isa_AARCH64;
    unsigned machine_bits = subject->machine->core.vector_bits, found = 0;
    struct vector_choice best = {.cycles = NAN};
    for (unsigned i = 0; i < vector_dialect_count && found < 2; i++) {
        const struct vector_dialect *dialect = &vector_dialects[i];
        unsigned bits = dialect->bits ? dialect->bits : machine_bits;
        if (dialect->is_arm != is_arm || machine_bits < dialect->least_machine || bits > most)
            continue;
        double cycles = dialect_cycles(vectorising, i, bits, only_fp);
        if (isnan(cycles))
            continue;
        found++;
        if (!(best.cycles <= cycles))
            best = (struct vector_choice){cycles, bits};
    }
    return best;
}

static bool is_possible(const struct vectorising *vectorising)
{
    const struct subject *subject = vectorising->subject;
    return !vectorising->obstacle && subject_is_timed(subject) &&
           (subject->machine->isa == isa_AARCH64 || subject->machine->isa == isa_X86_64);
}

double vectorising_cycles(struct vectorising *vectorising, bool only_fp)
{
    const struct subject *subject = vectorising->subject;
    unsigned machine_bits = subject->machine->core.vector_bits;
    if (!is_possible(vectorising) || (only_fp && !vectorising->has_fp))
        return NAN;
    if (is_done(vectorising, machine_bits))
        return subject->path->cycles;
    struct vector_choice best = choose(vectorising, machine_bits, only_fp);
    if (best.bits) {
        vectorising->bits = best.bits;
        vectorising->item = subject->item_count;
    } else if (!only_fp) {
        vectorising->obstacle = obstacle_FORM;
    }
    return best.cycles > subject->path->cycles ? subject->path->cycles : best.cycles;
}

struct vector_choice vectorising_within(const struct vectorising *vectorising, unsigned bits)
{
    struct vectorising copy = *vectorising;
    double now = vectorising->subject->path->cycles;
    if (!is_possible(vectorising))
        return (struct vector_choice){.cycles = NAN};
    if (is_done(vectorising, bits))
        return (struct vector_choice){now, vectorising->vector};
    struct vector_choice best = choose(&copy, bits, false);
    if (best.cycles > now)
        best.cycles = now;
    return best;
}
