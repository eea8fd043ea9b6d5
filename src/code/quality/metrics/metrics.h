/* Figures of a subject: each file fills some columns of its row of loop_metrics.

   The row comes zeroed, with NaN in every REAL column and NO_NUMBER in every MAYBE. Unknown figures stay that
   way. */
#ifndef CODE_QUALITY_METRICS_METRICS_H
#define CODE_QUALITY_METRICS_METRICS_H
#include "code/flow/units.h"
#include "code/quality/subject.h"

/* An empty row of a subject, with its keys. */
void metric_begin(struct loop_metric *metric, const struct subject *subject, uint32_t processor);

/* counts.c: instructions by class and type, bytes of code, elements. */
void metric_counts(const struct subject *subject, struct loop_metric *metric);
/* vectors.c: vectorisation ratios, vector efficiencies, the widest vectors. */
void metric_vectors(const struct subject *subject, struct loop_metric *metric);
/* rates.c: operations and bytes per cycle, peaks of the machine, intensity. */
void metric_rates(const struct subject *subject, struct loop_metric *metric);
/* registers.c: registers used, and pressure from live_ranges. */
void metric_registers(const struct subject *subject, struct loop_metric *metric);
/* stack.c: references, spills, fills and useless ones, from stack_accesses and useless_accesses. */
void metric_stack(const struct subject *subject, struct loop_metric *metric);
/* penalties.c: unaligned accesses, switches between SSE and AVX. */
void metric_penalties(const struct subject *subject, struct loop_metric *metric);
/* what_if.c: cycles under other circumstances; front end, back end and chain, from the bounds. Needs the
   others; uses the subject's work for other blocks and restores it. */
void metric_what_if(struct subject *subject, struct loop_metric *metric);

/* The peak of a machine per cycle; 0: unknown. */
struct machine_peak {
    double flops;          /* with numbers of this format */
    double loaded, stored; /* bytes */
};
void machine_peak_find(struct machine_peak *peak, const struct machine *machine, enum element element);

/* Whether an instruction works on general registers, or loads or stores them; jumps, calls and instructions
   that compute nothing (hints, prefetches) do not. */
bool metric_is_scalar_integer(const struct model *model, const struct subject_item *item);

/* About all code, by its ISA. */
struct code_facts {
    uint16_t longest_vector[isa_COUNT]; /* bits; the least of those that scale */
    bool has_scalable[isa_COUNT];       /* some code has scalable vectors */
    bool has_fused[isa_COUNT];          /* some code has multiply-adds of floating-point numbers */
};
void code_facts_find(struct code_facts *facts, const struct model *model);

/* Facts about machines, registers and the whole code that metrics and rules need for every loop: computed
   once, read by all workers. */
struct metric_facts {
    struct machine_peak peaks[isa_COUNT][element_COUNT]; /* by the ISA of the machine */
    struct units units[isa_COUNT];                       /* by that of the code */
    struct code_facts code;
};
void metric_facts_find(struct metric_facts *facts, const struct model *model,
                       const struct loop_machines *machines, const struct code_facts *code);
void metric_facts_free(struct metric_facts *facts);
#endif
