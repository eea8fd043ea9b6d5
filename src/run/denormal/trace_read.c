/* The file of the tracer, record by record (runtime/denormal-trace/trace_file.h).

   Nothing in it is trusted: a record must lie in the file, a structure in its record, a number of something
   must be small enough for what the file can hold. A record that breaks this ends the reading; what came
   before is kept, and the recording counts as damaged. Memory stays in proportion to the size of the file:
   arrays and stacks are numbered in the order in which they first appear. */
#include "run/denormal/trace.h"

#include "base/regular_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Far more than the tracer writes. */
enum { MOST_MODULES = 1 << 12, MOST_LIMITS = 1 << 8, MOST_FRAMES = 1 << 10 };
static const size_t MOST_BYTES = (size_t)4 << 30;

struct record {
    uint32_t kind;
    const uint8_t *data;
    size_t size;
};

static bool read_bytes(const char *path, struct trace *trace, struct error *error)
{
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    if (size > MOST_BYTES) {
        close(file);
        return error_set(error, path, "is not a recording of the tracer: it is too large");
    }
    trace->bytes = memory_get((size_t)size + 1);
    int64_t got = regular_file_read(file, trace->bytes, (size_t)size);
    trace->size = got > 0 ? (size_t)got : 0;
    close(file);
    return true;
}

/* The structure at the start of a record, and the text after it. */
static bool take(const struct record *record, void *head, size_t size, struct trace_text *text)
{
    if (record->size < size)
        return false;
    memcpy(head, record->data, size);
    if (text)
        *text = (struct trace_text){(const char *)record->data + size, record->size - size};
    return true;
}

/* The row of a number: one that is there, or the next. */
static void *numbered(struct array *table, uint32_t number)
{
    if (!table->count)
        array_add(table); /* 0 means none */
    if (number == 0 || number > table->count)
        return NULL;
    if (number == table->count)
        array_add(table);
    return array_at(table, number);
}

static bool is_same_module(const struct places_loaded *module, const struct trace_module *other,
                           struct trace_text path)
{
    return module->start == other->start && module->end == other->end && module->bias == other->bias &&
           strlen(module->path) == path.length && !memcmp(module->path, path.data, path.length);
}

static bool read_module(struct trace *trace, const struct record *record)
{
    struct trace_module facts;
    struct trace_text path;
    if (!take(record, &facts, sizeof facts, &path) || facts.start > facts.end)
        return false;
    if (trace->modules.count == MOST_MODULES || path.length == 0 || memchr(path.data, 0, path.length))
        return false;
    for (size_t i = 0; i < trace->modules.count; i++)
        if (is_same_module(ARRAY_AT(struct places_loaded, &trace->modules, i), &facts, path))
            return true;
    struct places_loaded module = {.path = memory_copy_text(path.data, path.length),
                                   .start = facts.start,
                                   .end = facts.end,
                                   .bias = facts.bias};
    *(struct places_loaded *)array_push(&trace->modules) = module;
    if (facts.is_program) { /* goes first */
        struct places_loaded *first = ARRAY_AT(struct places_loaded, &trace->modules, 0);
        *ARRAY_AT(struct places_loaded, &trace->modules, trace->modules.count - 1) = *first;
        *first = module;
    }
    return true;
}

static bool read_phase(struct trace *trace, const struct record *record)
{
    struct trace_phase_read phase;
    if (!take(record, &phase.facts, sizeof phase.facts, &phase.name) || phase.facts.end < phase.facts.start)
        return false;
    struct trace_phase_read *last =
        trace->phases.count ? ARRAY_AT(struct trace_phase_read, &trace->phases, trace->phases.count - 1)
                            : NULL;
    if (last && last->facts.number == phase.facts.number && last->facts.start == phase.facts.start)
        *last = phase; /* it went on */
    else
        *(struct trace_phase_read *)array_push(&trace->phases) = phase;
    return true;
}

static uint32_t phase_at_hand(const struct trace *trace)
{
    return (uint32_t)(trace->phases.count - 1);
}

/* Records that are a number of the same structure. */
static bool is_row_of(const struct record *record, size_t width)
{
    return record->size % width == 0;
}

static bool read_sites(struct trace *trace, const struct record *record)
{
    if (!trace->phases.count || !is_row_of(record, sizeof(struct trace_site)))
        return false;
    for (size_t at = 0; at < record->size; at += sizeof(struct trace_site)) {
        struct trace_site_read *row = array_push(&trace->sites);
        row->phase = phase_at_hand(trace);
        memcpy(&row->site, record->data + at, sizeof row->site);
    }
    return true;
}

static bool read_array(struct trace *trace, const struct record *record)
{
    struct trace_array facts;
    struct trace_text name;
    if (!take(record, &facts, sizeof facts, &name))
        return false;
    struct trace_array_read *row = numbered(&trace->arrays, facts.number);
    if (!row || facts.kind > TRACE_ARRAY_BLOCK || facts.rank > TRACE_DIMENSIONS ||
        facts.element_bytes > 1 << 20)
        return false;
    facts.element[TRACE_ELEMENT - 1] = 0;
    *row = (struct trace_array_read){facts, name};
    return true;
}

static bool read_counts(struct trace *trace, const struct record *record)
{
    if (!trace->phases.count || !is_row_of(record, sizeof(struct trace_array_counts)))
        return false;
    for (size_t at = 0; at < record->size; at += sizeof(struct trace_array_counts)) {
        struct trace_counts_read *row = array_push(&trace->counts);
        row->phase = phase_at_hand(trace);
        memcpy(&row->counts, record->data + at, sizeof row->counts);
    }
    return true;
}

static bool read_map(struct trace *trace, const struct record *record)
{
    struct trace_map_read map = {0};
    struct trace_text runs;
    if (!trace->phases.count || !take(record, &map.facts, sizeof map.facts, &runs))
        return false;
    if (map.facts.kind > TRACE_MAP_ORIGIN || map.facts.cell_bytes == 0 || map.facts.cell_bytes > 1 << 30)
        return false;
    map.phase = phase_at_hand(trace);
    map.runs = (struct span){(const uint8_t *)runs.data, runs.length};
    *(struct trace_map_read *)array_push(&trace->maps) = map;
    return true;
}

static bool read_rows(struct array *table, const struct record *record)
{
    if (!is_row_of(record, table->width))
        return false;
    for (size_t at = 0; at < record->size; at += table->width)
        memcpy(array_push(table), record->data + at, table->width);
    return true;
}

static bool read_stack(struct trace *trace, const struct record *record)
{
    struct trace_stack facts;
    struct trace_text rest;
    if (!take(record, &facts, sizeof facts, &rest) || facts.count > MOST_FRAMES ||
        rest.length != facts.count * sizeof(uint64_t))
        return false;
    struct trace_stack_read *row = numbered(&trace->stacks, facts.number);
    if (!row)
        return false;
    *row = (struct trace_stack_read){facts.count, (const uint8_t *)rest.data};
    return true;
}

static bool read_limit(struct trace *trace, const struct record *record)
{
    struct trace_limit facts;
    struct trace_text text;
    if (!take(record, &facts, sizeof facts, &text) || memchr(text.data, 0, text.length))
        return false;
    for (size_t i = 0; i < trace->limits.count; i++) {
        struct trace_limit_read *row = ARRAY_AT(struct trace_limit_read, &trace->limits, i);
        if (row->text.length == text.length && !memcmp(row->text.data, text.data, text.length)) {
            row->count = facts.count;
            return true;
        }
    }
    if (trace->limits.count == MOST_LIMITS)
        return false;
    *(struct trace_limit_read *)array_push(&trace->limits) = (struct trace_limit_read){facts.count, text};
    return true;
}

static bool is_sound(const struct trace_log_entry *entry, uint64_t before)
{
    bool is_access = entry->action == TRACE_LOAD || entry->action == TRACE_STORE;
    return entry->number > before && entry->action <= TRACE_OTHER && entry->operands >= 1 &&
           entry->operands <= TRACE_LOG_OPERANDS && (!is_access || entry->operands == 1) &&
           (entry->operand_bytes == 4 || entry->operand_bytes == 8) &&
           (entry->result_bytes == 0 || entry->result_bytes == 4 || entry->result_bytes == 8) &&
           entry->is_move <= 1;
}

static bool read_log(struct trace *trace, const struct record *record)
{
    if (!is_row_of(record, sizeof(struct trace_log_entry)))
        return false;
    for (size_t at = 0; at < record->size; at += sizeof(struct trace_log_entry)) {
        struct trace_log_entry entry;
        const struct trace_log_entry *last =
            trace->log.count ? ARRAY_AT(struct trace_log_entry, &trace->log, trace->log.count - 1) : NULL;
        memcpy(&entry, record->data + at, sizeof entry);
        if (trace->log.count == TRACE_LOG_MOST || !is_sound(&entry, last ? last->number : 0))
            return false;
        *(struct trace_log_entry *)array_push(&trace->log) = entry;
    }
    return true;
}

static bool read_record(struct trace *trace, const struct record *record)
{
    switch (record->kind) {
    case TRACE_START:
        return take(record, &trace->start, sizeof trace->start, &trace->command);
    case TRACE_MODULE:
        return read_module(trace, record);
    case TRACE_PHASE:
        return read_phase(trace, record);
    case TRACE_SITES:
        return read_sites(trace, record);
    case TRACE_ARRAY:
        return read_array(trace, record);
    case TRACE_ARRAY_COUNTS:
        return read_counts(trace, record);
    case TRACE_MAP:
        return read_map(trace, record);
    case TRACE_BIRTHS:
        return read_rows(&trace->births, record);
    case TRACE_ORIGINS:
        return read_rows(&trace->origins, record);
    case TRACE_STACK:
        return read_stack(trace, record);
    case TRACE_LIMIT:
        return read_limit(trace, record);
    case TRACE_LOG:
        return read_log(trace, record);
    case TRACE_END:
        trace->has_end = take(record, &trace->end, sizeof trace->end, NULL);
        return trace->has_end;
    default:
        return false;
    }
}

/* Tables that are written anew with each phase: the last row of each key holds.  Rows after the first of a
   key are in the order of the file, because the sort puts equal keys in order of their places. */
struct keyed {
    uint64_t key;
    size_t place;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                            : (a->place > b->place) - (a->place < b->place);
}

static void keep_last(struct array *table, uint64_t (*key_of)(const void *row))
{
    struct array order = ARRAY_OF(struct keyed), kept = {.width = table->width};
    array_reserve(&order, table->count);
    for (size_t i = 0; i < table->count; i++)
        *(struct keyed *)array_push(&order) = (struct keyed){key_of(array_at(table, i)), i};
    if (order.count)
        qsort(order.data, order.count, order.width, by_key);
    for (size_t i = 0; i < order.count; i++) {
        const struct keyed *it = ARRAY_AT(struct keyed, &order, i);
        if (i + 1 == order.count || it[1].key != it->key)
            memcpy(array_push(&kept), array_at(table, it->place), table->width);
    }
    array_free(table);
    array_free(&order);
    *table = kept;
}

static uint64_t birth_key(const void *row)
{
    return ((const struct trace_birth *)row)->number;
}

static uint64_t origin_key(const void *row)
{
    const struct trace_origin *origin = row;
    return (uint64_t)origin->destination << 32 | origin->source;
}

static void count_at(struct trace *trace, uint64_t address, uint64_t events)
{
    for (size_t i = 0; i < trace->modules.count; i++) {
        struct places_loaded *module = ARRAY_AT(struct places_loaded, &trace->modules, i);
        if (address >= module->start && address < module->end) {
            module->events += events;
            return;
        }
    }
}

/* The events in each module, for the choice of modules to read. */
static void count_events(struct trace *trace)
{
    for (size_t i = 0; i < trace->sites.count; i++) {
        const struct trace_site *site = &ARRAY_AT(struct trace_site_read, &trace->sites, i)->site;
        count_at(trace, site->address,
                 site->operand_events + site->underflow_events + site->loads + site->stores);
    }
    for (size_t i = 0; i < trace->births.count; i++) {
        const struct trace_birth *birth = ARRAY_AT(struct trace_birth, &trace->births, i);
        count_at(trace, birth->address, birth->values);
    }
}

bool trace_read(const char *path, struct trace *trace, struct error *error)
{
    *trace = (struct trace){.modules = ARRAY_OF(struct places_loaded),
                            .phases = ARRAY_OF(struct trace_phase_read),
                            .sites = ARRAY_OF(struct trace_site_read),
                            .arrays = ARRAY_OF(struct trace_array_read),
                            .counts = ARRAY_OF(struct trace_counts_read),
                            .maps = ARRAY_OF(struct trace_map_read),
                            .births = ARRAY_OF(struct trace_birth),
                            .origins = ARRAY_OF(struct trace_origin),
                            .stacks = ARRAY_OF(struct trace_stack_read),
                            .limits = ARRAY_OF(struct trace_limit_read),
                            .log = ARRAY_OF(struct trace_log_entry)};
    if (!read_bytes(path, trace, error))
        return false;
    if (trace->size < sizeof TRACE_MAGIC || memcmp(trace->bytes, TRACE_MAGIC, sizeof TRACE_MAGIC)) {
        trace_free(trace);
        return error_set(error, path, "is not a recording of this tracer");
    }
    size_t at = sizeof TRACE_MAGIC;
    while (at < trace->size && !trace->is_damaged) {
        struct trace_record head;
        if (trace->size - at < sizeof head) {
            trace->is_damaged = true;
            break;
        }
        memcpy(&head, trace->bytes + at, sizeof head);
        at += sizeof head;
        struct record record = {head.kind, trace->bytes + at, head.bytes};
        trace->is_damaged = head.bytes > trace->size - at || !read_record(trace, &record);
        at += record.size;
    }
    keep_last(&trace->births, birth_key);
    keep_last(&trace->origins, origin_key);
    count_events(trace);
    return true;
}

void trace_free(struct trace *trace)
{
    places_free_loaded(&trace->modules);
    struct array *tables[] = {&trace->phases, &trace->sites,   &trace->arrays, &trace->counts, &trace->maps,
                              &trace->births, &trace->origins, &trace->stacks, &trace->limits, &trace->log};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        array_free(tables[i]);
    free(trace->bytes);
    trace->bytes = NULL;
}

uint32_t trace_array_of(const struct trace *trace, uint32_t number)
{
    enum { MOST_STEPS = 1000 }; /* a damaged file may lead in a circle */
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        if (number >= trace->arrays.count)
            return 0;
        const struct trace_array *facts = &ARRAY_AT(struct trace_array_read, &trace->arrays, number)->facts;
        if (!facts->number)
            return 0;
        if (!facts->same_as)
            return number;
        number = facts->same_as;
    }
    return 0;
}
