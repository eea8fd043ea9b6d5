/* Samples of guests of a virtual machine are left out: their programs are not here.  So are processors with nothing to
   do (process 0), which a recording of the whole system samples.

   Maps and names that perf found when it began have no time and come first.  What perf writes about processes that
   were there already looks like a fork of a parent with other maps: only their names and maps are taken. */
#include "run/sample/perf_data/feed.h"

#include "run/sample/perf_data/cursor.h"
#include "run/sample/perf_data/registers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { HEADER = sizeof(struct perf_event_header), WAS_THERE_BEFORE = 1 << 13 /* of a fork */ };

/* What lies between the header and the trailer. */
static struct perf_data_cursor body_of(const struct perf_data_feed *feed, const uint8_t *record, size_t size)
{
    size_t trailer = perf_data_events_trailer(feed->events);
    bool is_short = size < HEADER + trailer;
    return (struct perf_data_cursor){record + HEADER, record + (is_short ? HEADER : size - trailer),
                                     is_short};
}

static double seconds_of(const struct perf_data_feed *feed, uint64_t time)
{
    return feed->first && time > feed->first ? (double)(time - feed->first) * 1e-9 : 0;
}

/* ---- samples ---- */

static void count(struct perf_data_feed *feed, const struct perf_data_event *event, double amount)
{
    struct perf_data_total *total = ARRAY_AT(struct perf_data_total, &feed->events->totals, event->number);
    total->samples++;
    total->amount += amount;
}

/* Without a period in samples: what one usually stands for. */
static double amount_of(const struct perf_data_event *event, const struct perf_data_sample *sample)
{
    const struct perf_event_attr *attribute = &event->attribute;
    if (sample->period)
        return (double)sample->period;
    return event->kind == PERF_DATA_CLOCK && attribute->freq && attribute->sample_freq
               ? 1e9 / (double)attribute->sample_freq
               : 1;
}

/* perf record --call-graph lbr: the processor keeps the calls that have not returned, where frames have no pointers. */
static void take_called(struct perf_data_sample *sample)
{
    struct perf_data_branch call;
    if (sample->branch_count < sample->chain_count)
        return;
    sample->chain_count = 0;
    sample->chain[sample->chain_count++] = sample->address;
    for (size_t i = 0; i < sample->branch_count && sample->chain_count < PERF_DATA_MOST_CALLERS; i++) {
        memcpy(&call, sample->branches + i * sizeof call, sizeof call);
        sample->chain[sample->chain_count++] = call.from + 1; /* in the call, as what follows it less one */
    }
}

static bool take_sample(struct perf_data_feed *feed, const struct perf_event_header *header,
                        const uint8_t *record, size_t size)
{
    const struct perf_data_event *event = perf_data_events_of_sample(feed->events, record, size);
    struct perf_data_sample *sample = &feed->sample;
    struct places_registers registers;
    unsigned mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    if (!event || !perf_data_sample_read(&event->attribute, record, size, sample))
        return false;
    if (event->kind == PERF_DATA_NOTHING)
        return true;
    bool is_guest = mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
    bool is_idle = !sample->process && !sample->thread;
    feed->idle += is_idle;
    feed->foreign += is_guest && !is_idle;
    feed->has_whole_system |= is_idle;
    if (is_guest || is_idle)
        return true;
    bool is_user = mode == PERF_RECORD_MISC_USER;
    if (is_user && event->attribute.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
        take_called(sample);
    struct collector_sample seen = {.process = sample->process,
                                    .thread = sample->thread,
                                    .seconds = seconds_of(feed, sample->time),
                                    .event = event->number,
                                    .amount = amount_of(event, sample),
                                    .address = sample->address,
                                    .is_kernel = !is_user,
                                    .chain = sample->chain_count ? sample->chain : NULL,
                                    .chain_count = sample->chain_count};
    if (sample->registers && perf_data_registers_read(feed->isa, sample->abi, sample->mask, sample->registers,
                                                      &registers, &seen.stack_address)) {
        seen.registers = &registers;
        seen.stack = sample->stack;
        seen.stack_size = sample->stack_size;
    }
    feed->has_callers |= sample->chain_count > 1 || seen.stack_size;
    if (event->kind == PERF_DATA_CYCLES)
        perf_data_clock_take(&feed->clock, sample);
    count(feed, event, seen.amount);
    collector_sample(feed->collector, &seen);
    bool has_all = event->attribute.branch_sample_type & PERF_SAMPLE_BRANCH_ANY;
    if (sample->branch_count && has_all && is_user)
        perf_data_branches_take(&feed->branches, feed->collector, sample);
    return true;
}

/* ---- processes ---- */

static bool take_map(struct perf_data_feed *feed, const struct perf_event_header *header,
                     const uint8_t *record, size_t size)
{
    enum { BUILD_ID = 20 };
    struct perf_data_cursor body = body_of(feed, record, size);
    uint32_t process = perf_data_take_word(&body);
    char build_id[41];
    perf_data_take_word(&body); /* thread */
    struct collector_map map = {.start = perf_data_take_number(&body)};
    map.size = perf_data_take_number(&body);
    map.offset = perf_data_take_number(&body);
    bool is_code = !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
    if (header->type == PERF_RECORD_MMAP2) {
        const uint8_t *identity = perf_data_take(&body, 24);
        uint32_t protection = perf_data_take_word(&body);
        perf_data_take_word(&body); /* flags */
        is_code &= (protection & 4) != 0;
        if (identity && header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
            perf_data_header_write_build_id(build_id, identity + 4,
                                            identity[0] < BUILD_ID ? identity[0] : BUILD_ID);
            map.build_id = build_id;
        } else if (identity) {
            uint32_t major, minor;
            memcpy(&major, identity, sizeof major);
            memcpy(&minor, identity + 4, sizeof minor);
            memcpy(&map.inode, identity + 8, sizeof map.inode);
            map.device = makedev(major, minor);
        }
    }
    map.path = perf_data_take_last_text(&body);
    if (body.is_short || !map.path)
        return false;
    bool is_user = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
    if (is_user && is_code && process != UINT32_MAX)
        collector_map(feed->collector, process, &map);
    return true;
}

static bool take_name(struct perf_data_feed *feed, const struct perf_event_header *header,
                      const uint8_t *record, size_t size, uint64_t time)
{
    struct perf_data_cursor body = body_of(feed, record, size);
    uint32_t process = perf_data_take_word(&body), thread = perf_data_take_word(&body);
    const char *name = perf_data_take_last_text(&body);
    if (!name)
        return false;
    if (!process && !thread)
        return true;
    if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
        collector_exec(feed->collector, process, thread, name, seconds_of(feed, time));
    else
        collector_name(feed->collector, process, thread, name);
    return true;
}

static bool take_task(struct perf_data_feed *feed, const struct perf_event_header *header,
                      const uint8_t *record, size_t size, uint64_t time)
{
    struct perf_data_cursor body = body_of(feed, record, size);
    uint32_t process = perf_data_take_word(&body), parent = perf_data_take_word(&body);
    uint32_t thread = perf_data_take_word(&body);
    if (body.is_short)
        return false;
    if (header->type == PERF_RECORD_EXIT)
        collector_exit(feed->collector, process, thread, seconds_of(feed, time));
    else if (!(header->misc & WAS_THERE_BEFORE))
        collector_fork(feed->collector, process, thread, parent, seconds_of(feed, time));
    return true;
}

static bool take_lost(struct perf_data_feed *feed, const struct perf_event_header *header,
                      const uint8_t *record, size_t size)
{
    struct perf_data_cursor body = body_of(feed, record, size);
    if (header->type == PERF_RECORD_LOST)
        perf_data_take_number(&body); /* id */
    uint64_t lost = perf_data_take_number(&body);
    feed->lost += lost < UINT32_MAX ? lost : UINT32_MAX;
    return !body.is_short;
}

static bool take(struct perf_data_feed *feed, const struct perf_event_header *header, const uint8_t *record,
                 size_t size, uint64_t time)
{
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        return take_sample(feed, header, record, size);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return take_map(feed, header, record, size);
    case PERF_RECORD_COMM:
        return take_name(feed, header, record, size, time);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return take_task(feed, header, record, size, time);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        return take_lost(feed, header, record, size);
    default:
        return true; /* nothing for us */
    }
}

void perf_data_feed_take(void *context, const uint8_t *record, size_t size, uint64_t time)
{
    struct perf_data_feed *feed = context;
    struct perf_event_header header;
    memcpy(&header, record, sizeof header);
    if (time && !feed->first)
        feed->first = time;
    if (time > feed->last)
        feed->last = time;
    if (!take(feed, &header, record, size, time))
        feed->nonsense++;
}
