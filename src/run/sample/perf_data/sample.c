#include "run/sample/perf_data/sample.h"

#include "run/sample/perf_data/cursor.h"

#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19)
#endif
#define READ_LOST (1U << 4)

enum { LARGEST_COUNT = UINT16_MAX };

/* Counters of the event, or of its group. */
static void pass_over_read(struct perf_data_cursor *cursor, uint64_t format)
{
    static const uint64_t all_times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    uint64_t times = (uint64_t)__builtin_popcountll(format & all_times);
    uint64_t each = 1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | READ_LOST));
    uint64_t count = format & PERF_FORMAT_GROUP ? perf_data_take_number(cursor) : 1;
    perf_data_take(cursor, count > LARGEST_COUNT ? UINT64_MAX : 8 * (times + count * each));
}

/* The user's part of a chain: marks say whose code comes next. */
static void take_chain(struct perf_data_cursor *cursor, struct perf_data_sample *sample)
{
    uint64_t count = perf_data_take_number(cursor);
    bool is_user = false;
    for (uint64_t i = 0; i < count && !cursor->is_short; i++) {
        uint64_t address = perf_data_take_number(cursor);
        if (cursor->is_short)
            return;
        if (address >= (uint64_t)PERF_CONTEXT_MAX)
            is_user = address == (uint64_t)PERF_CONTEXT_USER;
        else if (is_user && sample->chain_count < PERF_DATA_MOST_CALLERS)
            sample->chain[sample->chain_count++] = address;
    }
}

static void take_branches(struct perf_data_cursor *cursor, uint64_t kinds, struct perf_data_sample *sample)
{
    uint64_t count = perf_data_take_number(cursor);
    if (kinds & PERF_SAMPLE_BRANCH_HW_INDEX)
        perf_data_take_number(cursor);
    sample->branches =
        perf_data_take(cursor, count > LARGEST_COUNT ? UINT64_MAX : count * sizeof(struct perf_data_branch));
    sample->branch_count = sample->branches ? (size_t)count : 0;
    if (kinds & PERF_SAMPLE_BRANCH_COUNTERS)
        perf_data_take(cursor, count > LARGEST_COUNT ? UINT64_MAX : 8 * count);
}

static const uint8_t *take_registers(struct perf_data_cursor *cursor, uint64_t mask, uint64_t *abi)
{
    *abi = perf_data_take_number(cursor);
    return *abi ? perf_data_take(cursor, 8 * (uint64_t)__builtin_popcountll(mask)) : NULL;
}

static void take_stack(struct perf_data_cursor *cursor, struct perf_data_sample *sample)
{
    uint64_t room = perf_data_take_number(cursor);
    const uint8_t *stack = room ? perf_data_take(cursor, room) : NULL;
    uint64_t size = room ? perf_data_take_number(cursor) : 0;
    if (stack && !cursor->is_short && size <= room) {
        sample->stack = stack;
        sample->stack_size = (size_t)size;
    }
}

static void take_head(struct perf_data_cursor *cursor, uint64_t type, struct perf_data_sample *sample)
{
    if (type & PERF_SAMPLE_IDENTIFIER)
        perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_IP)
        sample->address = perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_TID) {
        sample->process = perf_data_take_word(cursor);
        sample->thread = perf_data_take_word(cursor);
    }
    if (type & PERF_SAMPLE_TIME)
        sample->time = perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_ADDR)
        perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_ID)
        perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_STREAM_ID)
        perf_data_take_number(cursor);
    if (type & PERF_SAMPLE_CPU) {
        sample->processor = perf_data_take_word(cursor);
        perf_data_take_word(cursor);
        sample->has_processor = true;
    }
}

bool perf_data_sample_read(const struct perf_event_attr *attribute, const uint8_t *record, size_t size,
                           struct perf_data_sample *sample)
{
    uint64_t type = attribute->sample_type;
    struct perf_data_cursor cursor = {record + sizeof(struct perf_event_header), record + size, false};
    sample->address = sample->time = 0;
    sample->process = sample->thread = sample->processor = 0;
    sample->has_processor = false;
    sample->chain_count = sample->branch_count = sample->stack_size = 0;
    sample->branches = sample->registers = sample->stack = NULL;
    sample->abi = 0;
    sample->mask = attribute->sample_regs_user;
    take_head(&cursor, type, sample);
    sample->period = type & PERF_SAMPLE_PERIOD ? perf_data_take_number(&cursor)
                     : attribute->freq         ? 0
                                               : attribute->sample_period;
    if (type & PERF_SAMPLE_READ)
        pass_over_read(&cursor, attribute->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN)
        take_chain(&cursor, sample);
    if (type & PERF_SAMPLE_RAW)
        perf_data_take(&cursor, perf_data_take_word(&cursor));
    if (type & PERF_SAMPLE_BRANCH_STACK)
        take_branches(&cursor, attribute->branch_sample_type, sample);
    if (type & PERF_SAMPLE_REGS_USER)
        sample->registers = take_registers(&cursor, attribute->sample_regs_user, &sample->abi);
    if (type & PERF_SAMPLE_STACK_USER)
        take_stack(&cursor, sample);
    return !cursor.is_short;
}
