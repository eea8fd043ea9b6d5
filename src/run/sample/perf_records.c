/* Reads the kernel's records.

   A sample has, in this order and as far as sample_type says: the id of its event, its address, process and
   thread, time, period, call chain, the user's registers, a copy of the user's stack.  Every other record
   ends with process, thread, time and id (sample_id_all).  Numbers in a record are believed only as far as
   the record goes: a record that is too short is counted as lost. Records from before the start do not count.

   The kernel follows frame pointers itself; marks in its chain (PERF_CONTEXT_…) say whose code comes next. Of
   the kernel's own code no chain is wanted. */
#include "run/sample/perf_parts.h"

#include <asm/perf_regs.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysmacros.h>

static const size_t HEADER = sizeof(struct perf_event_header), TRAILER = 24;

uint64_t perf_record_time(const struct perf_layout *layout, const struct perf_event_header *record)
{
    bool is_sample = record->type == PERF_RECORD_SAMPLE;
    size_t before = HEADER + 8 + 8 + 8; /* id, address, thread */
    uint64_t time;
    if (!(layout->sample_type & PERF_SAMPLE_TIME) ||
        record->size < (is_sample ? before + sizeof time : HEADER + TRAILER))
        return 0;
    size_t at = is_sample ? before : record->size - TRAILER + 8;
    memcpy(&time, (const uint8_t *)record + at, sizeof time);
    return time;
}

/* The rest of a record. */
struct rest {
    const uint8_t *at, *end;
    bool is_short; /* more was wanted than there is */
};

static const uint8_t *take(struct rest *rest, uint64_t size)
{
    if (rest->is_short || size > (uint64_t)(rest->end - rest->at)) {
        rest->is_short = true;
        return NULL;
    }
    const uint8_t *taken = rest->at;
    rest->at += size;
    return taken;
}

static uint64_t take_number(struct rest *rest)
{
    uint64_t number = 0;
    const uint8_t *taken = take(rest, sizeof number);
    if (taken)
        memcpy(&number, taken, sizeof number);
    return number;
}

struct pair {
    uint32_t first, second;
};

static struct pair take_pair(struct rest *rest)
{
    struct pair pair = {0};
    const uint8_t *taken = take(rest, sizeof pair);
    if (taken)
        memcpy(&pair, taken, sizeof pair);
    return pair;
}

static const char *take_text(struct rest *rest)
{
    const uint8_t *text = rest->at;
    if (rest->is_short || !memchr(text, 0, (size_t)(rest->end - text))) {
        rest->is_short = true;
        return "";
    }
    return (const char *)text;
}

/* What lies between the header and the trailer. */
static struct rest rest_of(const struct perf_event_header *record)
{
    const uint8_t *start = (const uint8_t *)record;
    size_t trailer = record->type == PERF_RECORD_SAMPLE ? 0 : TRAILER;
    bool is_short = record->size < HEADER + trailer;
    return (struct rest){start + HEADER, start + (is_short ? HEADER : record->size - trailer), is_short};
}

static double seconds_of(const struct perf_stream *stream, uint64_t time)
{
    return time > stream->start ? (double)(time - stream->start) * 1e-9 : 0;
}

static const struct perf_identity *find_identity(const struct perf_stream *stream, uint64_t id)
{
    size_t at = array_first_at(stream->identities, 0, offsetof(struct perf_identity, id), id);
    const struct perf_identity *found = ARRAY_AT(struct perf_identity, stream->identities, at);
    return at < stream->identities->count && found->id == id ? found : NULL;
}

static bool has_events_of_its_own(const struct perf_stream *stream, uint32_t thread)
{
    size_t at = array_first_not_below(stream->threads, 0, 0, thread);
    return at < stream->threads->count && *ARRAY_AT(uint32_t, stream->threads, at) == thread;
}

/* The user's part of a chain. */
static void take_chain(struct rest *rest, struct collector_sample *sample)
{
    uint64_t count = take_number(rest);
    const uint8_t *bytes = count > UINT16_MAX ? take(rest, UINT64_MAX) : take(rest, count * sizeof(uint64_t));
    const uint64_t *all = (const uint64_t *)(const void *)bytes; /* records are aligned to 8 bytes */
    if (!bytes)
        return;
    size_t first = 0;
    while (first < count && all[first] != PERF_CONTEXT_USER)
        first++;
    size_t end = ++first;
    while (end < count && all[end] < PERF_CONTEXT_MAX)
        end++;
    if (first < count && end > first) {
        sample->chain = all + first;
        sample->chain_count = end - first;
    }
}

#ifdef __x86_64__
/* Places in perf's order (a mask may leave some out; ours has these) of DWARF's registers. */
static const uint8_t wide[] = {PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,
                               PERF_REG_X86_SI,  PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,
                               PERF_REG_X86_R8,  PERF_REG_X86_R9,  PERF_REG_X86_R10, PERF_REG_X86_R11,
                               PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15,
                               PERF_REG_X86_IP};
static const uint8_t narrow[] = {PERF_REG_X86_AX, PERF_REG_X86_CX, PERF_REG_X86_DX,
                                 PERF_REG_X86_BX, PERF_REG_X86_SP, PERF_REG_X86_BP,
                                 PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_IP};
enum { STACK_POINTER = PERF_REG_X86_SP };

uint64_t perf_registers_mask(void)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof wide; i++)
        mask |= UINT64_C(1) << wide[i];
    return mask;
}

static uint64_t value_of(uint64_t mask, const uint64_t *values, unsigned number)
{
    return values[__builtin_popcountll(mask & ((UINT64_C(1) << number) - 1))];
}

static bool translate(const struct perf_layout *layout, uint64_t abi, const uint64_t *values,
                      struct places_registers *registers)
{
    bool is_wide = abi == PERF_SAMPLE_REGS_ABI_64;
    registers->isa = is_wide ? isa_X86_64 : isa_I386;
    for (size_t i = 0; i < (is_wide ? sizeof wide : sizeof narrow); i++)
        registers->values[i] = value_of(layout->registers, values, is_wide ? wide[i] : narrow[i]);
    return true;
}

static uint64_t stack_pointer(const struct perf_layout *layout, const uint64_t *values)
{
    return value_of(layout->registers, values, STACK_POINTER);
}
#else
uint64_t perf_registers_mask(void)
{
    return (UINT64_C(1) << PERF_REG_ARM64_MAX) - 1;
}

static bool translate(const struct perf_layout *layout, uint64_t abi, const uint64_t *values,
                      struct places_registers *registers)
{
    (void)layout;
    if (abi != PERF_SAMPLE_REGS_ABI_64)
        return false;
    registers->isa = isa_AARCH64;
    memcpy(registers->values, values, PERF_REG_ARM64_MAX * sizeof *values);
    return true;
}

static uint64_t stack_pointer(const struct perf_layout *layout, const uint64_t *values)
{
    (void)layout;
    return values[PERF_REG_ARM64_SP];
}
#endif

static void take_registers(struct rest *rest, const struct perf_layout *layout,
                           struct places_registers *registers, struct collector_sample *sample)
{
    uint64_t abi = take_number(rest);
    if (rest->is_short || abi == PERF_SAMPLE_REGS_ABI_NONE)
        return;
    uint64_t size = (uint64_t)__builtin_popcountll(layout->registers) * sizeof(uint64_t);
    const uint64_t *values = (const uint64_t *)(const void *)take(rest, size);
    if (!values || !translate(layout, abi, values, registers))
        return;
    sample->registers = registers;
    sample->stack_address = stack_pointer(layout, values);
}

static void take_stack(struct rest *rest, struct collector_sample *sample)
{
    uint64_t room = take_number(rest);
    if (!room)
        return;
    const uint8_t *stack = take(rest, room);
    uint64_t size = take_number(rest);
    if (rest->is_short || size > room || !sample->registers)
        return;
    sample->stack = stack;
    sample->stack_size = size;
}

/* false: the record is too short. */
static bool take_sample(struct perf_stream *stream, const struct perf_event_header *record)
{
    struct rest rest = rest_of(record);
    const struct perf_layout *layout = &stream->layout;
    struct places_registers registers;
    const struct perf_identity *identity = find_identity(stream, take_number(&rest));
    struct collector_sample sample = {.address = take_number(&rest)};
    struct pair thread = take_pair(&rest);
    uint64_t time = take_number(&rest), period = take_number(&rest);
    if (layout->sample_type & PERF_SAMPLE_CALLCHAIN)
        take_chain(&rest, &sample);
    if (layout->sample_type & PERF_SAMPLE_REGS_USER)
        take_registers(&rest, layout, &registers, &sample);
    if (layout->sample_type & PERF_SAMPLE_STACK_USER)
        take_stack(&rest, &sample);
    if (rest.is_short || !identity)
        return false;
    if (identity->thread != thread.second && has_events_of_its_own(stream, thread.second))
        return true;
    sample.process = thread.first;
    sample.thread = thread.second;
    sample.seconds = seconds_of(stream, time);
    sample.event = identity->event;
    sample.amount = identity->event ? (double)period : (double)period * 1e-9;
    sample.is_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
    ++*ARRAY_AT(uint64_t, &stream->samples, sample.event);
    collector_sample(stream->collector, &sample);
    return true;
}

static bool take_map(struct perf_stream *stream, const struct perf_event_header *record)
{
    static const char deleted[] = " (deleted)";
    struct rest rest = rest_of(record);
    uint32_t process = take_pair(&rest).first;
    struct collector_map map = {
        .start = take_number(&rest), .size = take_number(&rest), .offset = take_number(&rest)};
    if (record->type == PERF_RECORD_MMAP2) {
        struct pair device = take_pair(&rest); /* or a build-id, which we do not ask for */
        uint64_t inode = take_number(&rest);
        take_number(&rest); /* generation of the inode */
        take_pair(&rest);   /* protection and flags */
        if (!(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
            map.device = makedev(device.first, device.second);
            map.inode = inode;
        }
    }
    const char *path = take_text(&rest);
    if (rest.is_short)
        return false;
    char text[PERF_LARGEST_RECORD];
    size_t length = strlen(path), end = sizeof deleted - 1;
    map.path = path;
    if (length > end && !strcmp(path + length - end, deleted)) {
        memcpy(text, path, length - end);
        text[length - end] = 0;
        map.path = text;
        map.is_deleted = true;
    }
    collector_map(stream->collector, process, &map);
    return true;
}

static bool take_name(struct perf_stream *stream, const struct perf_event_header *record)
{
    struct rest rest = rest_of(record);
    struct pair thread = take_pair(&rest);
    const char *name = take_text(&rest);
    if (rest.is_short)
        return false;
    if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
        collector_exec(stream->collector, thread.first, thread.second, name,
                       seconds_of(stream, perf_record_time(&stream->layout, record)));
    else
        collector_name(stream->collector, thread.first, thread.second, name);
    return true;
}

static bool take_task(struct perf_stream *stream, const struct perf_event_header *record)
{
    struct rest rest = rest_of(record);
    struct pair process = take_pair(&rest), thread = take_pair(&rest); /* itself, its parent */
    double seconds = seconds_of(stream, take_number(&rest));
    if (rest.is_short)
        return false;
    if (record->type == PERF_RECORD_FORK)
        collector_fork(stream->collector, process.first, thread.first, process.second, seconds);
    else
        collector_exit(stream->collector, process.first, thread.first, seconds);
    return true;
}

static bool take_lost(struct perf_stream *stream, const struct perf_event_header *record)
{
    struct rest rest = rest_of(record);
    if (record->type == PERF_RECORD_LOST)
        take_number(&rest); /* id */
    uint64_t lost = take_number(&rest);
    stream->lost += lost;
    return !rest.is_short;
}

/* The kernel stops an event that makes too many interrupts, until its next tick. */
static bool take_throttle(struct perf_stream *stream, struct perf_ring *ring,
                          const struct perf_event_header *record)
{
    uint64_t time = perf_record_time(&stream->layout, record);
    if (record->type == PERF_RECORD_THROTTLE) {
        ring->throttled_at = time;
    } else if (ring->throttled_at && time > ring->throttled_at) {
        stream->lost += (uint64_t)((double)(time - ring->throttled_at) * 1e-9 * stream->frequency);
        ring->throttled_at = 0;
    }
    return true;
}

static bool take_record(struct perf_stream *stream, struct perf_ring *ring,
                        const struct perf_event_header *record)
{
    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        return take_sample(stream, record);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return take_map(stream, record);
    case PERF_RECORD_COMM:
        return take_name(stream, record);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return take_task(stream, record);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        return take_lost(stream, record);
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
        return take_throttle(stream, ring, record);
    default:
        return true; /* nothing for us */
    }
}

void perf_record_read(void *context, struct perf_ring *ring, const struct perf_event_header *record)
{
    struct perf_stream *stream = context;
    uint64_t time = perf_record_time(&stream->layout, record);
    if (time && time < stream->start)
        return;
    if (!take_record(stream, ring, record))
        stream->lost++;
}
