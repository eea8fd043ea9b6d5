#include "run/sample/perf_data/events.h"

#include "run/sample/perf_data/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EVENTS = 256,
    MOST_NAMINGS = 4 * MOST_EVENTS,
    MOST_IDS = 1 << 22,
    HEADER = sizeof(struct perf_event_header)
};
static const uint64_t TRAILER = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

void perf_data_events_init(struct perf_data_events *events)
{
    *events = (struct perf_data_events){.events = ARRAY_OF(struct perf_data_event),
                                        .ids = ARRAY_OF(struct perf_data_id),
                                        .totals = ARRAY_OF(struct perf_data_total)};
}

static struct perf_data_event *event_at(const struct perf_data_events *events, size_t place)
{
    return ARRAY_AT(struct perf_data_event, &events->events, place);
}

void perf_data_events_free(struct perf_data_events *events)
{
    for (size_t i = 0; i < events->events.count; i++)
        free(event_at(events, i)->name);
    array_free(&events->events);
    array_free(&events->ids);
    array_free(&events->totals);
}

bool perf_data_events_add(struct perf_data_events *events, const uint8_t *attribute, size_t size)
{
    if (events->events.count >= MOST_EVENTS || size < PERF_ATTR_SIZE_VER0)
        return false;
    struct perf_data_event *event = array_add(&events->events);
    memcpy(&event->attribute, attribute, size < sizeof event->attribute ? size : sizeof event->attribute);
    return true;
}

void perf_data_events_add_id(struct perf_data_events *events, uint64_t id)
{
    if (id && events->ids.count < MOST_IDS)
        *(struct perf_data_id *)array_push(&events->ids) =
            (struct perf_data_id){id, (uint32_t)events->events.count - 1};
}

void perf_data_events_name(struct perf_data_events *events, uint64_t id, size_t place, const char *name)
{
    if (events->namings++ >= MOST_NAMINGS)
        return;
    for (size_t i = 0; id && i < events->ids.count; i++)
        if (ARRAY_AT(struct perf_data_id, &events->ids, i)->id == id) {
            place = ARRAY_AT(struct perf_data_id, &events->ids, i)->event;
            break;
        }
    if (place < events->events.count && !event_at(events, place)->name && *name)
        event_at(events, place)->name = memory_copy_text(name, strnlen(name, 200));
}

/* ---- kinds and numbers ---- */

static const char *generic_name(const struct perf_event_attr *attribute)
{
    static const char *const hardware[] =
        {"cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
         "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"},
                             *const software[] = {"cpu-clock",        "task-clock",       "page-faults",
                                                  "context-switches", "cpu-migrations",   "minor-faults",
                                                  "major-faults",     "alignment-faults", "emulation-faults"};
    uint64_t event = attribute->config & UINT32_MAX; /* the kind of core stands above */
    if (attribute->type == PERF_TYPE_HARDWARE && event < sizeof hardware / sizeof *hardware)
        return hardware[event];
    if (attribute->type == PERF_TYPE_SOFTWARE && attribute->config < sizeof software / sizeof *software)
        return software[attribute->config];
    return "an event without a name";
}

const char *perf_data_events_word(const struct perf_data_event *event)
{
    return event->name ? event->name : generic_name(&event->attribute);
}

/* The same name, but for modifiers: "cycles:u". */
static bool is_named(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return !strncmp(name, wanted, length) && (!name[length] || name[length] == ':');
}

static bool is_cycles(const char *name)
{
    static const char *const names[] = {"cycles", "cpu-cycles", "cpu_cycles", "CPU_CYCLES"};
    const char *start = strchr(name, '/'); /* cpu_core/cycles/, armv8_pmuv3_0/cpu_cycles/ */
    start = start ? start + 1 : name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(start, names[i], length) && strchr("/:,", start[length]))
            return true; /* at the end, too */
    }
    return false;
}

static uint8_t kind_of(const struct perf_data_event *event)
{
    const struct perf_event_attr *attribute = &event->attribute;
    const char *name = perf_data_events_word(event);
    if (attribute->type == PERF_TYPE_SOFTWARE)
        return attribute->config == PERF_COUNT_SW_CPU_CLOCK || attribute->config == PERF_COUNT_SW_TASK_CLOCK
                   ? PERF_DATA_CLOCK
               : attribute->config == PERF_COUNT_SW_DUMMY || attribute->config == PERF_COUNT_SW_BPF_OUTPUT
                   ? PERF_DATA_NOTHING
                   : PERF_DATA_OTHER;
    bool is_generic = attribute->type == PERF_TYPE_HARDWARE && !(attribute->config & UINT32_MAX);
    return is_generic || is_cycles(name) ? PERF_DATA_CYCLES : PERF_DATA_OTHER;
}

static uint16_t number_of(struct perf_data_events *events, uint32_t place)
{
    const struct perf_data_event *event = event_at(events, place);
    for (uint16_t i = 0; i < events->totals.count; i++) {
        const struct perf_data_event *other =
            event_at(events, ARRAY_AT(struct perf_data_total, &events->totals, i)->event);
        if (other->kind == event->kind &&
            (event->kind == PERF_DATA_CYCLES ||
             !strcmp(perf_data_events_word(other), perf_data_events_word(event))))
            return i;
    }
    ((struct perf_data_total *)array_add(&events->totals))->event = place;
    return (uint16_t)(events->totals.count - 1);
}

static int by_id(const void *left, const void *right)
{
    const struct perf_data_id *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

void perf_data_events_settle(struct perf_data_events *events)
{
    uint64_t first = events->events.count ? event_at(events, 0)->attribute.sample_type : 0;
    events->is_one_layout = events->is_one_trailer = events->has_identifiers = true;
    for (uint32_t i = 0; i < events->events.count; i++) {
        struct perf_data_event *event = event_at(events, i);
        uint64_t type = event->attribute.sample_type;
        event->kind = kind_of(event);
        event->number = event->kind == PERF_DATA_NOTHING ? UINT16_MAX : number_of(events, i);
        events->is_one_layout &= type == first;
        events->is_one_trailer &= (type & TRAILER) == (first & TRAILER);
        events->has_identifiers &= (type & PERF_SAMPLE_IDENTIFIER) != 0;
    }
    if (events->ids.count)
        qsort(events->ids.data, events->ids.count, events->ids.width, by_id);
}

/* ---- whose record ---- */

static const struct perf_data_event *event_with(const struct perf_data_events *events, uint64_t id)
{
    size_t at = array_first_at(&events->ids, 0, offsetof(struct perf_data_id, id), id);
    if (!id && events->events.count)
        return event_at(events, 0);
    return at < events->ids.count && ARRAY_AT(struct perf_data_id, &events->ids, at)->id == id
               ? event_at(events, ARRAY_AT(struct perf_data_id, &events->ids, at)->event)
               : NULL;
}

static uint64_t number_at(const uint8_t *record, size_t size, size_t offset)
{
    uint64_t number = 0;
    if (offset <= size && size - offset >= sizeof number)
        memcpy(&number, record + offset, sizeof number);
    return number;
}

const struct perf_data_event *perf_data_events_of_sample(const struct perf_data_events *events,
                                                         const uint8_t *record, size_t size)
{
    if (events->events.count < 2)
        return events->events.count ? event_at(events, 0) : NULL;
    if (events->has_identifiers)
        return event_with(events, number_at(record, size, HEADER));
    uint64_t type = event_at(events, 0)->attribute.sample_type;
    uint64_t before = type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
    if (!events->is_one_layout)
        return NULL;
    return type & PERF_SAMPLE_ID
               ? event_with(events,
                            number_at(record, size, HEADER + 8 * (size_t)__builtin_popcountll(before)))
               : event_at(events, 0);
}

size_t perf_data_events_trailer(const struct perf_data_events *events)
{
    const struct perf_event_attr *attribute = events->events.count ? &event_at(events, 0)->attribute : NULL;
    return attribute && attribute->sample_id_all
               ? 8 * (size_t)__builtin_popcountll(attribute->sample_type & TRAILER)
               : 0;
}

/* Of a record that is no sample.  Only recordings of old kernels have events with different ends. */
static uint64_t time_at_end(const struct perf_data_events *events, const uint8_t *record, size_t size)
{
    size_t trailer = perf_data_events_trailer(events);
    uint64_t type = events->events.count ? event_at(events, 0)->attribute.sample_type : 0;
    if (!trailer || !events->is_one_trailer || !(type & PERF_SAMPLE_TIME) || size < HEADER + trailer)
        return 0;
    return number_at(record, size, size - trailer + (type & PERF_SAMPLE_TID ? 8 : 0));
}

uint64_t perf_data_events_time(const struct perf_data_events *events, const uint8_t *record, size_t size)
{
    struct perf_event_header header;
    if (size < sizeof header)
        return 0;
    memcpy(&header, record, sizeof header);
    if (header.type != PERF_RECORD_SAMPLE)
        return time_at_end(events, record, size);
    const struct perf_data_event *event = perf_data_events_of_sample(events, record, size);
    uint64_t type = event ? event->attribute.sample_type : 0;
    uint64_t before = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    return type & PERF_SAMPLE_TIME
               ? number_at(record, size, HEADER + 8 * (size_t)__builtin_popcountll(before))
               : 0;
}

/* ---- time ---- */

static const struct perf_data_event *first_of(const struct perf_data_events *events, uint16_t number)
{
    return event_at(events, ARRAY_AT(struct perf_data_total, &events->totals, number)->event);
}

static bool refuse(const struct perf_data_events *events, const char *name, struct error *error)
{
    char list[300] = "";
    for (uint16_t i = 0; i < events->totals.count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 perf_data_events_word(first_of(events, i)));
    return error_set(error, NULL, "--event: the recording has no '%s', but %s", name,
                     *list ? list : "nothing at all");
}

uint16_t perf_data_events_choose(const struct perf_data_events *events, const char *name, struct error *error)
{
    uint16_t best = UINT16_MAX;
    uint64_t most = 0;
    for (uint32_t i = 0; name && i < events->events.count; i++)
        if (event_at(events, i)->number != UINT16_MAX &&
            is_named(perf_data_events_word(event_at(events, i)), name))
            return event_at(events, i)->number;
    if (name) {
        refuse(events, name, error);
        return UINT16_MAX;
    }
    for (uint8_t kind = PERF_DATA_CYCLES; kind <= PERF_DATA_OTHER && best == UINT16_MAX; kind++)
        for (uint16_t i = 0; i < events->totals.count; i++) {
            uint64_t samples = ARRAY_AT(struct perf_data_total, &events->totals, i)->samples;
            if (first_of(events, i)->kind == kind && samples > most) {
                best = i;
                most = samples;
            }
        }
    if (best == UINT16_MAX)
        error_set(error, NULL, "the recording has no samples");
    return best;
}
