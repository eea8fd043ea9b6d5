/* The log of a recording becomes rows of denormal_log_entries.

   Entries come in order of their numbers (trace_read.c holds them to it), and an entry refers to earlier ones by
   number: the log may not have those, because it began later or is about one array. */
#include "run/denormal/trace.h"

#include <math.h>
#include <string.h>

static const struct trace_log_entry *entry_at(const struct array *log, size_t index)
{
    return ARRAY_AT(struct trace_log_entry, log, index);
}

/* The row of the entry with this number, before the one at `end`; 0: the log does not have it. */
static uint32_t row_of(const struct array *log, size_t end, uint32_t number, uint32_t first_row)
{
    size_t low = 0, high = end;
    while (number && low < high) {
        size_t middle = low + (high - low) / 2;
        if (entry_at(log, middle)->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return number && low < end && entry_at(log, low)->number == number ? first_row + (uint32_t)low : 0;
}

static double value_of(uint64_t bits, uint8_t bytes)
{
    uint32_t narrow = (uint32_t)bits;
    float single;
    double value;
    if (bytes == 0)
        return NAN;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return bytes == 4 ? single : value;
}

static struct denormal_log_entry row_from(const struct trace_log_entry *entry, uint32_t run,
                                          const struct places_location *place)
{
    bool is_access = entry->action == TRACE_LOAD || entry->action == TRACE_STORE;
    return (struct denormal_log_entry){
        .run = run,
        .number = entry->number,
        .action = entry->action,
        .program = place->program,
        .address = place->address,
        .instruction = place->instruction,
        .function = place->function,
        .lane = entry->lane,
        .operands = entry->operands,
        .operand_bytes = entry->operand_bytes,
        .result_bytes = entry->result_bytes,
        .first = value_of(entry->values[0], entry->operand_bytes),
        .second = entry->operands > 1 ? value_of(entry->values[1], entry->operand_bytes) : NAN,
        .third = entry->operands > 2 ? value_of(entry->values[2], entry->operand_bytes) : NAN,
        .result = value_of(entry->result, entry->result_bytes),
        .element = is_access && entry->array ? entry->element : NO_ADDRESS,
        .data_address = is_access ? entry->data_address : NO_ADDRESS,
        .is_move = entry->is_move,
    };
}

void trace_add_log(struct model *model, const struct trace *trace, const struct array *modules, uint32_t run,
                   const uint32_t *rows)
{
    struct array *table = &model->denormal_log_entries;
    struct places_location place = {0};
    uint64_t located =
        NO_ADDRESS; /* most loops have few instructions, but neighbours often are lanes of one */
    uint32_t first_row = table->count ? (uint32_t)table->count : 1;
    for (size_t i = 0; i < trace->log.count; i++) {
        const struct trace_log_entry *entry = entry_at(&trace->log, i);
        if (entry->address != located)
            place = places_locate(model, modules, entry->address);
        located = entry->address;
        struct denormal_log_entry row = row_from(entry, run, &place);
        row.first_from = row_of(&trace->log, i, entry->from[0], first_row);
        row.second_from = row_of(&trace->log, i, entry->from[1], first_row);
        row.third_from = row_of(&trace->log, i, entry->from[2], first_row);
        row.array = rows[trace_array_of(trace, entry->array)];
        *(struct denormal_log_entry *)model_add(table) = row;
    }
}
