/* An empty row: every REAL is NaN and every MAYBE is NO_NUMBER, whatever columns there are. */
#include "code/quality/metrics/metrics.h"

#include "model/tables.h"

#include <math.h>

void metric_begin(struct loop_metric *metric, const struct subject *subject, uint32_t processor)
{
    const struct table_description *table = table_named("loop_metrics");
    *metric =
        (struct loop_metric){.loop = subject->loop, .path = subject->path->path, .processor = processor};
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        void *place = (char *)metric + column->offset;
        if (column->type == COLUMN_REAL)
            *(double *)place = NAN;
        else if (column->type == COLUMN_MAYBE)
            *(int32_t *)place = NO_NUMBER;
    }
    metric->cycles = subject->path->cycles;
    metric->instruction_count = subject->path->instruction_count;
    metric->known_count = subject->path->known_count;
}

void code_facts_find(struct code_facts *facts, const struct model *model)
{
    *facts = (struct code_facts){0};
    for (uint32_t id = 1; id < model->encodings.count; id++) {
        const struct encoding *row = model_encoding(model, id);
        if (row->vector_bits > facts->longest_vector[row->isa])
            facts->longest_vector[row->isa] = row->vector_bits;
        facts->has_scalable[row->isa] |= row->is_scalable;
        facts->has_fused[row->isa] |=
            row->class == class_FMA && (row->element == element_FP32 || row->element == element_FP64);
    }
}

void metric_facts_find(struct metric_facts *facts, const struct model *model,
                       const struct loop_machines *machines, const struct code_facts *code)
{
    *facts = (struct metric_facts){0};
    facts->code = *code;
    for (enum isa isa = 0; isa < isa_COUNT; isa++) {
        const struct machine *machine = machines->of[isa];
        for (enum element element = 0; machine && element < element_COUNT; element++)
            machine_peak_find(&facts->peaks[machine->isa][element], machine, element);
    }
    for (uint32_t id = 1; id < model->programs.count; id++) {
        enum isa isa = model_program(model, id)->isa;
        if (isa != isa_NONE && !facts->units[isa].of_register)
            units_make(&facts->units[isa], model, isa);
    }
}

void metric_facts_free(struct metric_facts *facts)
{
    for (enum isa isa = 0; isa < isa_COUNT; isa++)
        units_free(&facts->units[isa]);
}
