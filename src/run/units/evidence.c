/* A sample stands at or shortly after the instruction that waited.  A floating-point number that was just
   stored is waited for by whoever uses it next, so these users count with the accesses. */
#include "run/units/evidence.h"

#include "code/flow/flow.h"
#include "code/quality/subject.h"
#include "run/units/assertions.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 3,         /* instructions from a load to its user */
    MOST_LOADED = 32, /* registers that are followed at a time */
};

struct reading {
    const struct model *model;
    double *seconds;    /* by instruction */
    uint8_t *is_spared; /* by instruction: assertions alone need it */
    struct evidence *units;
};

/* A register that was loaded from the frame, and where. */
struct loaded {
    uint32_t full, instruction;
};

static const char *register_name(const struct model *model, uint32_t id)
{
    const char *name =
        id ? model_text(model, model_register(model, model_full_register(model, id))->name) : NULL;
    return name ? name : "";
}

static bool is_frame_register(const struct model *model, uint32_t id)
{
    static const char *const names[] = {"sp", "x29", "rsp", "rbp"};
    const char *name = register_name(model, id);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static bool is_frame_access(const struct model *model, const struct subject_item *item)
{
    const struct operand *memory = subject_item_memory(item);
    return memory && memory->kind == operand_kind_MEMORY && !memory->index_register &&
           (item->row->load_bytes || item->row->store_bytes) &&
           is_frame_register(model, memory->base_register);
}

static bool is_float_register(const struct model *model, uint32_t id)
{
    uint8_t kind = model_register(model, id)->kind;
    return kind == register_kind_VECTOR || kind == register_kind_X87;
}

static bool moves_float(const struct model *model, const struct subject_item *item)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (is_float_register(model, item->uses[i].register_))
            return true;
    return false;
}

static bool waits_for_loaded(const struct model *model, const struct subject_item *item,
                             const struct loaded *loaded, unsigned count)
{
    for (unsigned i = 0; i < item->use_count; i++)
        for (unsigned k = 0; k < count && item->uses[i].access != access_WRITE; k++)
            if (loaded[k].full == model_full_register(model, item->uses[i].register_) &&
                item->instruction - loaded[k].instruction <= NEAR)
                return true;
    return false;
}

/* A register that is written has no longer what was loaded. */
static unsigned forget_written(const struct model *model, const struct subject_item *item,
                               struct loaded *loaded, unsigned count)
{
    for (unsigned i = 0; i < item->use_count; i++)
        for (unsigned k = 0; k < count;)
            if (item->uses[i].access != access_READ &&
                loaded[k].full == model_full_register(model, item->uses[i].register_))
                loaded[k] = loaded[--count];
            else
                k++;
    return count;
}

static unsigned note_loaded(const struct model *model, const struct subject_item *item, struct loaded *loaded,
                            unsigned count)
{
    for (unsigned i = 0; i < item->use_count && count < MOST_LOADED; i++)
        if (item->uses[i].access != access_READ && is_float_register(model, item->uses[i].register_))
            loaded[count++] =
                (struct loaded){model_full_register(model, item->uses[i].register_), item->instruction};
    return count;
}

static bool is_transfer(const struct subject_item *item)
{
    return item->row->flow == flow_CALL || item->row->flow == flow_RETURN;
}

/* A shift by cl, which BMI2 has without its wait for the flags. */
static bool is_old_shift(const struct model *model, const struct subject_item *item)
{
    const struct operand *last = item->operand_count ? &item->operands[item->operand_count - 1] : NULL;
    return item->row->class == class_SHIFT && !item->row->is_vector && last &&
           last->kind == operand_kind_REGISTER && !strcmp(register_name(model, last->register_), "rcx");
}

/* AVX's arithmetic has three operands, and FMA two operations in one. */
static bool is_old_arithmetic(const struct encoding *row)
{
    bool is_float = row->element == element_FP32 || row->element == element_FP64;
    return is_float && !row->is_avx &&
           (row->class == class_ADD || row->class == class_MULTIPLY || row->class == class_DIVIDE ||
            row->class == class_SQRT || row->class == class_MINMAX);
}

static bool is_old(const struct model *model, const struct subject_item *item)
{
    return item->row->isa == isa_X86_64 &&
           (is_old_arithmetic(item->row) || (item->row->class == class_BIT && !item->row->is_avx) ||
            is_old_shift(model, item));
}

static void read_block(const struct reading *reading, uint32_t id, bool is_small, struct evidence *found)
{
    const struct model *model = reading->model;
    const struct block *block = model_block(model, id);
    uint32_t first = block->first_instruction, end = first + block->instruction_count;
    struct loaded loaded[MOST_LOADED];
    unsigned loaded_count = 0;
    for (uint32_t i = first; i < end; i++) {
        struct subject_item item;
        double seconds = reading->seconds[i];
        subject_item_take(model, &item, i);
        bool is_frame = is_frame_access(model, &item), is_float = is_frame && moves_float(model, &item);
        found->all += seconds;
        found->frame += is_frame ? seconds : 0;
        found->old += is_old(model, &item) ? seconds : 0;
        if (is_float || waits_for_loaded(model, &item, loaded, loaded_count))
            found->floats += seconds;
        found->assertions += reading->is_spared[i] ? seconds : 0;
        if (is_small && (is_frame || is_transfer(&item)))
            found->calls += seconds;
        loaded_count = forget_written(model, &item, loaded, loaded_count);
        if (is_float && item.row->load_bytes)
            loaded_count = note_loaded(model, &item, loaded, loaded_count);
    }
}

static void read_function(const struct reading *reading, uint32_t id)
{
    const struct function *function = model_function(reading->model, id);
    struct evidence *found = &reading->units[function->unit];
    double before = found->all;
    for (uint32_t b = 0; b < function->block_count; b++)
        read_block(reading, function->first_block + b, function->instruction_count <= EVIDENCE_SMALL, found);
    if (found->all - before > found->hottest) {
        found->hottest = found->all - before;
        found->function = id;
    }
}

/* Data flow is followed for the functions that have assertions, and forgotten afterwards. */
static void find_spared(struct model *model, const uint8_t *is_sampled, uint8_t *is_spared)
{
    autofree uint8_t *is_alarm = assertions_find_alarms(model), *wanted = NULL;
    if (!is_alarm)
        return;
    wanted = memory_get(model->functions.count + 1);
    for (uint32_t i = 0; i < model->edges.count; i++) {
        const struct edge *edge = model_edge(model, i);
        uint32_t function = model_block(model, edge->source)->function;
        wanted[function] |= is_alarm[edge->target] && is_sampled[function];
    }
    flow_build(model, &(struct flow_options){.wanted = wanted});
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (wanted[id])
            assertions_mark(model, id, is_alarm, is_spared);
    flow_forget(model);
}

struct evidence *evidence_find(struct model *model)
{
    struct reading reading = {.model = model,
                              .seconds = memory_get((model->code.count + 1) * sizeof(double)),
                              .is_spared = memory_get(model->code.count + 1),
                              .units = memory_get((model->units.count + 1) * sizeof(struct evidence))};
    autofree uint8_t *is_sampled = memory_get(model->functions.count + 1);
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *sample = model_sample_row(model, i);
        if (!sample->instruction || !sample->function)
            continue;
        reading.seconds[sample->instruction] += sample->seconds;
        reading.units[model_function(model, sample->function)->unit].samples += sample->count;
        is_sampled[sample->function] = 1;
    }
    find_spared(model, is_sampled, reading.is_spared);
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (is_sampled[id])
            read_function(&reading, id);
    free(reading.seconds);
    free(reading.is_spared);
    return reading.units;
}
