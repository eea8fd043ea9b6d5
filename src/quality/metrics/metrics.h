/* Figures of a subject: each file fills some columns of its row of loop_metrics.

   The row comes zeroed, with NaN in every REAL column and NO_NUMBER in every MAYBE.  A figure that cannot be
   told is left as it came. */
#ifndef QUALITY_METRICS_METRICS_H
#define QUALITY_METRICS_METRICS_H
#include "flow/units.h"
#include "quality/subject.h"

/* A row of a subject with nothing told yet but what it is of. */
void metric_begin(struct loop_metric *metric, const struct subject *subject, uint32_t processor);

/* counts.c: instructions by class and type, bytes of code. */
void metric_counts(const struct subject *subject, struct loop_metric *metric);
/* vectors.c: vectorisation ratios and vector efficiencies. */
void metric_vectors(const struct subject *subject, struct loop_metric *metric);
/* rates.c: operations and bytes of a cycle, peaks of the machine, intensity. */
void metric_rates(const struct subject *subject, struct loop_metric *metric);
/* registers.c: registers used, and pressure from live_ranges. */
void metric_registers(const struct subject *subject, struct loop_metric *metric);
/* stack.c: references, spills, fills and useless ones, from stack_accesses and useless_accesses. */
void metric_stack(const struct subject *subject, struct loop_metric *metric);
/* penalties.c: unaligned accesses, switches between SSE and AVX. */
void metric_penalties(const struct subject *subject, struct loop_metric *metric);
/* what_if.c: cycles under other circumstances; front end, back end and chain, from the bounds.  Needs the
   others; it uses the subject's work for other blocks and puts it back as it was. */
void metric_what_if(struct subject *subject, struct loop_metric *metric);

/* The peak of a machine per cycle; 0: unknown. */
struct machine_peak {
    double flops;          /* with numbers of this format */
    double loaded, stored; /* bytes */
};
void machine_peak_find(struct machine_peak *peak, const struct machine *machine, enum element element);

/* Whether an instruction works on general registers, or loads or stores them; jumps, calls and what computes
   nothing (hints, prefetches) do not. */
bool item_is_scalar_integer(const struct model *model, const struct subject_item *item);

/* What metrics and rules need of machines, registers and the whole code, whatever the loop: found once, read
   by all workers. */
struct metric_facts {
    struct machine_peak peaks[isa_COUNT][element_COUNT]; /* by the ISA of the machine */
    struct units units[isa_COUNT];                       /* by that of the code */
    uint16_t longest_vector[isa_COUNT]; /* bits, of all code; the least of those that scale */
    bool has_scalable[isa_COUNT];       /* some code has scalable vectors */
    bool has_fused[isa_COUNT];          /* some code has multiply-adds of floating-point numbers */
};
void metric_facts_find(struct metric_facts *facts, const struct model *model,
                       const struct loop_machines *machines);
void metric_facts_free(struct metric_facts *facts);
#endif
