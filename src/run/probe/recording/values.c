/* Values and addresses that probes saw become rows.

   A value that is an address (as the plan says; where it does not know the type, 8 bytes that are all beyond
   the first 4 GB) has no mean, no deviation and no histogram: where the system puts memory says nothing. */
#include "run/probe/recording/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t FIRST_4_GB = UINT64_C(1) << 32;
static const uint64_t LAST_USER_ADDRESS = (UINT64_C(1) << 48) - 1;

static const struct probe_subject *subject_at(const struct recorded_rows *rows, uint32_t subject)
{
    return ARRAY_AT(struct probe_subject, &rows->plan->subjects, subject);
}

/* ---- values ---- */

static bool is_address(const struct probe_subject *subject, const struct recorded_spread *values)
{
    if (subject->how.flags & PROBE_IS_FLOAT)
        return false;
    if (subject->variable || subject->is_address)
        return subject->is_address;
    return subject->how.width == 8 && values->count && values->minimum >= FIRST_4_GB &&
           values->maximum <= LAST_USER_ADDRESS;
}

static enum probe_value_kind kind_of(const struct model *model, const struct probe_subject *subject)
{
    if (subject->kind == PROBE_OF_AT)
        return subject->variable ? probe_value_kind_VARIABLE : probe_value_kind_REGISTER;
    const struct function *function = subject->function ? model_function(model, subject->function) : NULL;
    bool is_at_start =
        !subject->instruction || !function || model_address(model, subject->instruction) == function->address;
    return is_at_start ? probe_value_kind_PARAMETER : probe_value_kind_ARGUMENT;
}

static double number_of(const struct probe_subject *subject, uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return subject->how.flags & PROBE_IS_FLOAT    ? number
           : subject->how.flags & PROBE_IS_SIGNED ? (double)(int64_t)bits
                                                  : (double)bits;
}

static uint64_t certain(const struct probe_frequency *frequency)
{
    return frequency->count - frequency->error;
}

static int by_certainty(const void *left, const void *right)
{
    const struct probe_frequency *a = left, *b = right;
    if (certain(a) != certain(b))
        return certain(a) > certain(b) ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Where no value is frequent, the list holds those that came last, with counts that are mostly error: they
   are left out. */
static void add_frequent(struct recorded_rows *rows, const struct probe_subject *subject, uint32_t value,
                         const struct recorded_frequent *frequent, uint64_t count)
{
    struct recorded_frequent sorted = *frequent;
    qsort(sorted.values, sorted.count, sizeof *sorted.values, by_certainty);
    uint32_t position = 0;
    for (unsigned i = 0; i < sorted.count; i++) {
        const struct probe_frequency *it = &sorted.values[i];
        double number = number_of(subject, it->value);
        if (it->error > it->count / 2)
            continue;
        *(struct probe_frequent *)model_add(&rows->model->probe_frequent) =
            (struct probe_frequent){.value = value,
                                    .position = ++position,
                                    .integer = (int64_t)it->value,
                                    .number = isfinite(number) ? number : NAN,
                                    .count = it->count,
                                    .error = it->error,
                                    .share = count ? fmin(1, (double)certain(it) / (double)count) : NAN};
    }
}

static void add_buckets(struct recorded_rows *rows, uint32_t row, const struct recorded_value *value,
                        bool is_float)
{
    for (unsigned i = 0; i < PROBE_BUCKETS; i++) {
        struct recorded_bucket bucket =
            is_float ? recorded_bucket_of_floats(i) : recorded_bucket_of_integers(i);
        uint64_t negative_zeros = i ? 0 : value->negative[0];
        recorded_add_histogram(rows, probe_quantity_VALUE, row, bucket,
                               value->values.buckets[i] + negative_zeros);
        if (!i)
            continue;
        bool is_one = bucket.low == bucket.high;
        double inner = is_float || is_one ? 0 : 1; /* -high is not in it, but -low is */
        recorded_add_histogram(rows, probe_quantity_VALUE, row,
                               (struct recorded_bucket){inner - bucket.high, inner - bucket.low},
                               value->negative[i]);
    }
}

void recorded_add_value(struct recorded_rows *rows, uint32_t number)
{
    const struct probe_subject *subject = subject_at(rows, number);
    if (subject->how.kind != PROBE_VALUE)
        return;
    const struct recorded_value *value = rows->recorded->subjects[number];
    const struct recorded_spread *values = &value->values;
    bool is_float = subject->how.flags & PROBE_IS_FLOAT, is_signed = subject->how.flags & PROBE_IS_SIGNED;
    bool has_mean = values->count && !is_address(subject, values);
    struct probe_value row = {
        .run = rows->run,
        .kind = (uint8_t)kind_of(rows->model, subject),
        .function = subject->function,
        .instruction = subject->instruction,
        .position = subject->position,
        .name = subject->name,
        .variable = subject->variable,
        .is_float = is_float,
        .count = values->count + value->odd,
        .distinct_count =
            value->distinct > value->frequent.distinct ? value->distinct : value->frequent.distinct,
        .minimum = values->count ? number_of(subject, values->minimum) : NAN,
        .maximum = values->count ? number_of(subject, values->maximum) : NAN,
        .mean = !has_mean  ? NAN
                : is_float ? value->sum / (double)values->count
                           : recorded_mean(values),
        .deviation = !has_mean  ? NAN
                     : is_float ? recorded_float_deviation(value->sum, value->square, values->count)
                                : recorded_deviation(values, is_signed),
    };
    *(struct probe_value *)model_add(&rows->model->probe_values) = row;
    rows->value_rows[number] = model_last(&rows->model->probe_values);
    add_frequent(rows, subject, rows->value_rows[number], &value->frequent, row.count);
    if (has_mean)
        add_buckets(rows, rows->value_rows[number], value, is_float);
}

/* ---- addresses ---- */

static uint64_t spanned(const struct recorded_address *address, uint16_t bytes, unsigned shift)
{
    uint64_t last = address->maximum + (bytes ? bytes - 1 : 0);
    last = last < address->maximum ? UINT64_MAX : last;
    return last >= address->minimum ? (last >> shift) - (address->minimum >> shift) + 1 : 1;
}

static void add_alignment(const struct recorded_address *address, unsigned bytes, struct probe_address *row)
{
    unsigned needed = bytes ? (unsigned)__builtin_ctz(bytes) : 0, lowest = 7;
    uint64_t misaligned = 0;
    for (unsigned i = 8; i-- > 0;)
        if (address->alignment[i]) {
            lowest = i;
            misaligned += i < needed ? address->alignment[i] : 0;
        }
    row->alignment = 1u << lowest;
    row->misaligned_share = fmin(1, (double)misaligned / (double)address->count);
}

static void add_sets(const struct recorded_address *address, struct probe_address *row)
{
    double all = 0, most = 0;
    for (unsigned i = 0; i < PROBE_SETS; i++) {
        row->sets += address->sets[i] > 0;
        all += (double)address->sets[i];
        most = fmax(most, (double)address->sets[i]);
    }
    row->set_share = all > 0 ? most / all : NAN;
}

static void add_stride(const struct recorded_address *address, struct probe_address *row)
{
    const struct probe_frequency *best = NULL;
    for (unsigned i = 0; i < address->strides.count; i++) {
        const struct probe_frequency *it = &address->strides.values[i];
        if (!best || it->count - it->error > best->count - best->error)
            best = it;
    }
    row->stride = best ? (int64_t)best->value : 0;
    row->stride_share = best && address->count > 1
                            ? fmin(1, (double)(best->count - best->error) / (double)(address->count - 1))
                            : NAN;
}

void recorded_add_address(struct recorded_rows *rows, uint32_t number)
{
    const struct probe_subject *subject = subject_at(rows, number);
    const struct recorded_address *address = rows->recorded->subjects[number];
    if (subject->how.kind != PROBE_ADDRESS || !address->count)
        return;
    struct probe_address row = {
        .run = rows->run,
        .instruction = subject->instruction,
        .loop = subject->loop,
        .is_store = (subject->how.flags & PROBE_IS_STORE) != 0,
        .bytes = subject->how.width,
        .count = address->count,
        .minimum = address->minimum,
        .maximum = address->maximum,
        .lines = recorded_estimate(address->lines, spanned(address, subject->how.width, 6)),
        .pages = recorded_estimate(address->pages, spanned(address, subject->how.width, 12)),
        .line_splits = address->line_splits,
        .page_splits = address->page_splits,
        .aliases = address->aliases,
    };
    if (address->aliases && address->alias_subject < rows->plan->subjects.count)
        row.alias_instruction = subject_at(rows, (uint32_t)address->alias_subject)->instruction;
    add_stride(address, &row);
    add_alignment(address, subject->how.width, &row);
    add_sets(address, &row);
    *(struct probe_address *)model_add(&rows->model->probe_addresses) = row;
}
