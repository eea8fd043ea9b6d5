/* The work of the loop per cycle, compared with the peak of the machine. */
#include "code/quality/metrics/metrics.h"

/* The least length of a scalable vector, which lengths of encodings are for. */
enum { LEAST_VECTOR_BITS = 128 };

static uint32_t scaled(const struct subject *subject, const struct subject_item *item, uint32_t bytes)
{
    unsigned bits = subject->machine->core.vector_bits;
    bool is_longer = item->row->is_scalable && bits > LEAST_VECTOR_BITS;
    return is_longer ? bytes * (bits / LEAST_VECTOR_BITS) : bytes;
}

/* The number format of most operations; among equals the longer one.  element_NONE: no operations. */
static enum element main_format(const struct subject *subject)
{
    uint64_t flops[element_COUNT] = {0};
    enum element best = element_NONE;
    for (unsigned i = 0; i < subject->item_count; i++)
        flops[subject->items[i].row->element] += subject->items[i].flops;
    for (enum element element = element_FP16; element <= element_X87; element++)
        if (flops[element] && flops[element] >= flops[best])
            best = element;
    return best;
}

static void count_patterns(const struct subject *subject, struct loop_metric *metric)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        switch (subject->accesses[i].pattern) {
        case access_pattern_STRIDE_ONE:
            metric->stride_one_count++;
            break;
        case access_pattern_CONSTANT_STRIDE:
            metric->constant_stride_count++;
            break;
        case access_pattern_INDIRECT:
            metric->indirect_count++;
            break;
        case access_pattern_INVARIANT:
            metric->invariant_count++;
            break;
        default:
            metric->unknown_pattern_count++;
        }
}

/* A figure per cycle and its share of the peak, which is 0 where unknown. */
static void put_rate(double amount, double cycles, double peak, double *rate, double *of_machine,
                     double *share)
{
    *rate = amount / cycles;
    if (!(peak > 0))
        return;
    *of_machine = peak;
    *share = *rate / peak;
}

/* With the data beyond the first cache. */
static void put_levels(const struct subject *subject, struct loop_metric *metric)
{
    double *const cycles[data_level_COUNT] = {[data_level_L2] = &metric->cycles_l2,
                                              [data_level_L3] = &metric->cycles_l3,
                                              [data_level_MEMORY] = &metric->cycles_memory};
    const struct line_counts *lines = &subject->path->lines;
    for (unsigned level = data_level_L2; level < data_level_COUNT; level++) {
        int place = data_place(subject->machine, (enum data_level)level);
        if (place > 0)
            *cycles[level] = subject->path->data[place].cycles;
    }
    metric->line_count = lines->loaded + lines->updated + lines->stored + lines->streamed;
}

void metric_rates(const struct subject *subject, struct loop_metric *metric)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        metric->flop_count += item->flops;
        metric->loaded_bytes += scaled(subject, item, item->row->load_bytes);
        metric->stored_bytes += scaled(subject, item, item->row->store_bytes);
    }
    count_patterns(subject, metric);
    double bytes = (double)metric->loaded_bytes + metric->stored_bytes;
    if (bytes > 0)
        metric->arithmetic_intensity = metric->flop_count / bytes;
    const struct machine_peak *peak = &subject->facts->peaks[subject->machine->isa][main_format(subject)];
    if (!subject_is_timed(subject))
        return;
    put_levels(subject, metric);
    put_rate(metric->flop_count, metric->cycles, peak->flops, &metric->flop_per_cycle,
             &metric->peak_flop_per_cycle, &metric->flop_share);
    put_rate(metric->loaded_bytes, metric->cycles, peak->loaded, &metric->loaded_bytes_per_cycle,
             &metric->peak_loaded_bytes_per_cycle, &metric->load_share);
    put_rate(metric->stored_bytes, metric->cycles, peak->stored, &metric->stored_bytes_per_cycle,
             &metric->peak_stored_bytes_per_cycle, &metric->store_share);
}
