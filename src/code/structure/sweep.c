/* Decodes piece by piece, on several threads.

   Each worker appends what it decodes to a stream of its own and numbers the keys it meets in a table of its
   own.  Afterwards a pass in order of address gives the keys numbers that do not depend on the timing of
   threads.  A program that is read in part is decoded in several goes, a few pieces each. */
#include "code/structure/layout.h"

#include "base/progress.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

#define NO_KEY UINT32_MAX

struct sweep {
    struct layout *layout;
    const uint32_t *numbers; /* of the pieces; NULL: all */
    size_t count;
    struct key_queue *keys; /* one for each worker */
};

static struct piece *piece_of(const struct sweep *sweep, size_t item)
{
    return layout_piece(sweep->layout, sweep->numbers ? sweep->numbers[item] : item);
}

/* The data range at an address, or NULL and the start of the next one. */
static const struct data_range *data_range_at(const struct layout *layout, uint64_t address, uint64_t *next)
{
    struct bisection search = {layout->first_data, layout->data_end};
    while (bisect(&search))
        bisect_past(&search, model_data_range(layout->model, (uint32_t)search.middle)->end <= address);
    *next = NO_ADDRESS;
    if (search.first == layout->data_end)
        return NULL;
    const struct data_range *range = model_data_range(layout->model, (uint32_t)search.first);
    if (range->address <= address)
        return range;
    *next = range->address;
    return NULL;
}

/* In a relocatable file or a listing the value of a PC-relative field comes from the relocation, not from its
   bytes. */
static uint64_t relocated_target(const struct layout *layout, uint64_t address, const struct step *step)
{
    uint64_t end = address + step->key.size, target;
    uint32_t relocation = layout_relocation(layout, address, end);
    if (!relocation)
        return step->target;
    return layout->reader->relocated(model_relocation(layout->model, relocation), end, &target) ? target
                                                                                                : NO_ADDRESS;
}

static uint32_t *number_at(void *context, size_t place)
{
    return &ARRAY_AT(struct sweep_instruction, (const struct array *)context, place)->encoding;
}

/* Where decoding resumes after bytes that do not decode: slots of bundles start at bytes 0, 6 and 12. */
static uint64_t next_place(const struct isa_reader *reader, uint64_t at)
{
    if (!reader->bundle)
        return at + reader->alignment;
    uint64_t within = at % BUNDLE_SIZE;
    return at - within + (within < 6 ? 6 : within < 12 ? 12 : BUNDLE_SIZE);
}

/* The queue writes the numbers of keys into the stream when it is finished.  Empty slots of a listing make no
   entry. */
static void sweep_piece(struct layout *layout, struct piece *piece, struct key_queue *keys, unsigned stream)
{
    struct array *instructions = &layout->streams[stream];
    const struct isa_reader *reader = layout->reader;
    const struct section *section = model_section(layout->model, piece->section);
    bool is_object = layout_is_relocatable(layout), is_invented = layout_is_invented(layout);
    const uint8_t *bytes = section->contents.data;
    uint64_t at = piece->start, next_data = 0;
    piece->is_swept = true;
    piece->stream = (uint8_t)stream;
    piece->first = (uint32_t)instructions->count;
    while (at < piece->end) {
        struct sweep_instruction *entry = array_push(instructions);
        *entry = (struct sweep_instruction){
            .offset = (uint32_t)(at - section->address), .encoding = NO_KEY, .target = NO_ADDRESS};
        if (at >= next_data) {
            const struct data_range *data = data_range_at(layout, at, &next_data);
            if (data) {
                at = data->end < piece->end ? data->end : piece->end;
                next_data = 0;
                continue;
            }
        }
        struct step step;
        uint64_t limit = piece->end < next_data ? piece->end : next_data;
        if (reader->step(bytes + (at - section->address), limit - at, at, &step)) {
            key_queue_add(keys, &step.key, instructions->count - 1);
            entry->target = is_object ? relocated_target(layout, at, &step) : step.target;
            at += step.key.size;
        } else {
            uint64_t next = next_place(reader, at);
            at = next < limit ? next : limit;
            if (is_invented)
                instructions->count--;
        }
    }
    piece->count = (uint32_t)instructions->count - piece->first;
}

static void sweep_one(void *context, size_t number, unsigned worker)
{
    struct sweep *sweep = context;
    sweep_piece(sweep->layout, piece_of(sweep, number), &sweep->keys[worker], worker);
    if (worker == 0)
        progress_tell("decoding", number, sweep->count);
}

/* Common numbers of keys become rows of encodings. */
static void take_encodings(const struct layout *layout, const struct piece *piece)
{
    const uint32_t *encodings = meanings_vocabulary(layout->meanings, layout->reader)->encoding_of.data;
    struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        entries[i].encoding = entries[i].encoding == NO_KEY ? 0 : encodings[entries[i].encoding];
        if (!entries[i].encoding)
            entries[i].target = NO_ADDRESS;
    }
}

struct renumbering {
    const struct sweep *sweep;
    uint32_t **numbers; /* for each worker: its number of a key → common number */
};

static void renumber_piece(void *context, size_t number, unsigned worker)
{
    const struct renumbering *renumbering = context;
    const struct layout *layout = renumbering->sweep->layout;
    const struct piece *piece = piece_of(renumbering->sweep, number);
    const uint32_t *numbers = renumbering->numbers[piece->stream];
    struct sweep_instruction *entries = layout_instructions(layout, piece);
    (void)worker;
    for (uint32_t i = 0; i < piece->count; i++)
        if (entries[i].encoding != NO_KEY)
            entries[i].encoding = numbers[entries[i].encoding];
    take_encodings(layout, piece);
}

struct counted_key {
    uint32_t count, number;
};

static int by_count(const void *a, const void *b)
{
    const struct counted_key *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Numbers the keys of the workers in order of address, in numbers, and counts how often each is met. */
static struct array count_keys(const struct sweep *sweep, uint32_t *const *numbers, struct key_table *met)
{
    struct array counted = ARRAY_OF(struct counted_key);
    const struct layout *layout = sweep->layout;
    for (size_t p = 0; p < sweep->count; p++) {
        const struct piece *piece = piece_of(sweep, p);
        const struct sweep_instruction *entries = layout_instructions(layout, piece);
        const struct key *keys = sweep->keys[piece->stream].table.keys.data;
        for (uint32_t i = 0; i < piece->count; i++) {
            uint32_t key = entries[i].encoding;
            if (key == NO_KEY)
                continue;
            uint32_t *number = &numbers[piece->stream][key];
            if (*number == NO_KEY) {
                *number = key_table_add(met, &keys[key]);
                if (*number == counted.count)
                    *(struct counted_key *)array_add(&counted) = (struct counted_key){.number = *number};
            }
            ARRAY_AT(struct counted_key, &counted, *number)->count++;
        }
    }
    return counted;
}

/* Frequent keys get small numbers: their rows are close together, and a small id takes fewer bytes on disk.
 */
static void merge_keys(struct sweep *sweep, unsigned workers)
{
    struct layout *layout = sweep->layout;
    struct key_table *common = &meanings_vocabulary(layout->meanings, layout->reader)->keys, met = {0};
    struct renumbering renumbering = {.sweep = sweep, .numbers = memory_get(workers * sizeof(uint32_t *))};
    for (unsigned worker = 0; worker < workers; worker++) {
        size_t size = (sweep->keys[worker].table.keys.count + 1) * sizeof(uint32_t);
        renumbering.numbers[worker] = memory_get(size);
        memset(renumbering.numbers[worker], 0xff, size); /* NO_KEY */
    }
    struct array counted = count_keys(sweep, renumbering.numbers, &met);
    uint32_t *common_number = memory_get((counted.count + 1) * sizeof(uint32_t));
    if (counted.count)
        qsort(counted.data, counted.count, sizeof(struct counted_key), by_count);
    for (size_t i = 0; i < counted.count; i++) {
        uint32_t number = ARRAY_AT(struct counted_key, &counted, i)->number;
        common_number[number] = key_table_add(common, ARRAY_AT(struct key, &met.keys, number));
    }
    for (unsigned worker = 0; worker < workers; worker++)
        for (size_t i = 0; i < sweep->keys[worker].table.keys.count; i++)
            renumbering.numbers[worker][i] = common_number[renumbering.numbers[worker][i]];
    meanings_describe(layout->meanings, layout->model, layout->reader, layout->threads);
    workers_run(layout->threads, sweep->count, renumber_piece, &renumbering);
    for (unsigned worker = 0; worker < workers; worker++)
        free(renumbering.numbers[worker]);
    free(renumbering.numbers);
    free(common_number);
    array_free(&counted);
    key_table_free(&met);
}

static void begin_streams(struct layout *layout, unsigned workers)
{
    layout->stream_count = workers + 1;
    layout->streams = memory_get(layout->stream_count * sizeof(struct array));
    for (unsigned i = 0; i < layout->stream_count; i++)
        layout->streams[i] = ARRAY_OF(struct sweep_instruction);
}

static void sweep(struct layout *layout, const uint32_t *numbers, size_t count)
{
    unsigned workers = workers_count(layout->threads);
    struct sweep sweep = {.layout = layout,
                          .numbers = numbers,
                          .count = count,
                          .keys = memory_get(workers * sizeof(struct key_queue))};
    if (!layout->streams)
        begin_streams(layout, workers);
    for (unsigned worker = 0; worker < workers; worker++) {
        sweep.keys[worker].number_at = number_at;
        sweep.keys[worker].context = &layout->streams[worker];
    }
    workers_run(layout->threads, count, sweep_one, &sweep);
    for (unsigned worker = 0; worker < workers; worker++)
        key_queue_finish(&sweep.keys[worker]);
    merge_keys(&sweep, workers);
    for (unsigned worker = 0; worker < workers; worker++)
        key_table_free(&sweep.keys[worker].table);
    free(sweep.keys);
}

void layout_sweep(struct layout *layout)
{
    sweep(layout, NULL, layout->pieces.count);
}

void layout_sweep_some(struct layout *layout, const struct array *numbers)
{
    struct array missing = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < numbers->count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, numbers, i);
        if (!layout_piece(layout, number)->is_swept)
            *(uint32_t *)array_push(&missing) = number;
    }
    if (missing.count || !layout->streams)
        sweep(layout, missing.data, missing.count);
    array_free(&missing);
}

void layout_sweep_again(struct layout *layout, struct piece *piece)
{
    unsigned stream = layout->stream_count - 1;
    struct key_table *common = &meanings_vocabulary(layout->meanings, layout->reader)->keys;
    struct key_queue keys = {.table = *common, .number_at = number_at, .context = &layout->streams[stream]};
    sweep_piece(layout, piece, &keys, stream);
    key_queue_finish(&keys);
    *common = keys.table;
    meanings_describe(layout->meanings, layout->model, layout->reader, 1);
    take_encodings(layout, piece);
}
