/* A recording of the tracer becomes rows (trace_read.c reads it, trace_maps.c makes the maps).

   The tracer has its own numbers for arrays, births and stacks; rows get the model's ids. Numbers that turned
   out to be the same array are added up. Addresses in memory become places of the model by the modules of the
   process. */
#include "run/denormal/trace.h"

#include "base/path.h"
#include "run/launch/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State while the rows of one recording are made. */
struct adding {
    struct model *model;
    struct trace *trace;
    struct array modules; /* sorted, with their programs */
    uint32_t run, first_phase;
    uint32_t *rows;       /* row of denormal_arrays for each number of an array; 0: none */
    uint32_t *cell_bytes; /* by number */
    uint32_t *stacks;     /* number in denormal_frames + 1 for each of the tracer's; 0: not added yet */
};

static string_id text_of(struct model *model, struct trace_text text)
{
    if (!text.length)
        return 0;
    char *copy = memory_copy_text(text.data, strnlen(text.data, text.length));
    string_id id = model_string(model, copy);
    free(copy);
    return id;
}

static void add_run(struct adding *adding, const struct denormal_recording *recording)
{
    const struct trace *trace = adding->trace;
    const struct trace_phase_read *last =
        trace->phases.count ? ARRAY_AT(struct trace_phase_read, &trace->phases, trace->phases.count - 1)
                            : NULL;
    uint32_t milliseconds = trace->has_end ? trace->end.milliseconds : last ? last->facts.end : 0;
    bool is_own = recording->run.process == trace->start.process;
    int32_t status = trace->has_end ? trace->end.status : NO_NUMBER;
    if (is_own)
        status = recording->run.end_signal        ? NO_NUMBER
                 : recording->run.exit_status < 0 ? status
                                                  : recording->run.exit_status;
    struct denormal_run row = {
        .tool = denormal_tool_TRACER,
        .mode = trace->start.origins ? denormal_mode_ORIGINS : denormal_mode_COUNTS,
        .command = text_of(adding->model, trace->command),
        .process = trace->start.process,
        .processor = launch_processor(adding->model),
        .seconds = is_own && recording->run.seconds > 0 ? recording->run.seconds : milliseconds / 1000.0,
        .exit_status = status,
        .end_signal = is_own && recording->run.end_signal ? recording->run.end_signal : NO_NUMBER,
        .binades = (uint8_t)(trace->start.binades > 255 ? 255 : trace->start.binades),
    };
    *(struct denormal_run *)model_add(&adding->model->denormal_runs) = row;
    adding->run = model_last(&adding->model->denormal_runs);
}

static void add_phases(struct adding *adding)
{
    const struct trace *trace = adding->trace;
    adding->first_phase = (uint32_t)adding->model->denormal_phases.count;
    for (size_t i = 0; i < trace->phases.count; i++) {
        const struct trace_phase_read *phase = ARRAY_AT(struct trace_phase_read, &trace->phases, i);
        string_id name = text_of(adding->model, phase->name);
        *(struct denormal_phase *)model_add(&adding->model->denormal_phases) =
            (struct denormal_phase){.run = adding->run,
                                    .position = (uint32_t)i + 1,
                                    .name = name,
                                    .start = phase->facts.start / 1000.0,
                                    .seconds = (phase->facts.end - phase->facts.start) / 1000.0};
    }
}

static uint32_t stack_row(struct adding *adding, uint32_t number)
{
    struct array *stacks = &adding->trace->stacks;
    if (number == 0 || number >= stacks->count)
        return 0;
    if (adding->stacks[number])
        return adding->stacks[number] - 1;
    const struct trace_stack_read *stack = ARRAY_AT(struct trace_stack_read, stacks, number);
    uint64_t *addresses = memory_get((stack->count + 1) * sizeof *addresses);
    if (stack->count)
        memcpy(addresses, stack->addresses, stack->count * sizeof *addresses);
    uint32_t row =
        stack->count ? denormal_add_stack(adding->model, &adding->modules, addresses, stack->count) : 0;
    free(addresses);
    adding->stacks[number] = row + 1;
    return row;
}

/* Sites. */
static int by_place(const void *left, const void *right)
{
    const struct denormal_site *a = left, *b = right;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static void add_counts(struct denormal_site *to, const struct denormal_site *from)
{
    to->executions += from->executions;
    to->operand_events += from->operand_events;
    to->underflow_events += from->underflow_events;
    to->operands += from->operands;
    to->results += from->results;
    to->births += from->births;
    to->ends += from->ends;
    to->loads += from->loads;
    to->stores += from->stores;
    to->move_loads += from->move_loads;
    to->move_stores += from->move_stores;
    to->near += from->near;
}

static struct denormal_site site_of(struct adding *adding, const struct trace_site_read *read)
{
    const struct trace_site *site = &read->site;
    struct places_location place = places_locate(adding->model, &adding->modules, site->address);
    struct denormal_site row = denormal_site_at(&place, adding->run, adding->first_phase + read->phase);
    row.executions = site->executions;
    row.operand_events = site->operand_events;
    row.underflow_events = site->underflow_events;
    row.operands = site->operands;
    row.results = site->results;
    row.births = site->births;
    row.ends = site->ends;
    row.loads = site->loads;
    row.stores = site->stores;
    row.move_loads = site->move_loads;
    row.move_stores = site->move_stores;
    row.near = site->near;
    return row;
}

/* A library that came and went may have lain in several places: its instructions are added up. */
static void add_sites(struct adding *adding)
{
    struct array sites = ARRAY_OF(struct denormal_site);
    for (size_t i = 0; i < adding->trace->sites.count; i++)
        *(struct denormal_site *)array_push(&sites) =
            site_of(adding, ARRAY_AT(struct trace_site_read, &adding->trace->sites, i));
    if (sites.count)
        qsort(sites.data, sites.count, sites.width, by_place);
    struct array *table = &adding->model->denormal_sites;
    for (size_t i = 0; i < sites.count; i++) {
        const struct denormal_site *site = ARRAY_AT(struct denormal_site, &sites, i);
        if (i && by_place(site - 1, site) == 0)
            add_counts(ARRAY_AT(struct denormal_site, table, table->count - 1), site);
        else
            *(struct denormal_site *)model_add(table) = *site;
    }
    array_free(&sites);
}

/* Arrays. */

/* Code that came with the compiler: a container that allocates for its user is less informative than the
   user. */
static bool is_library_source(const char *path)
{
    return !path || !strncmp(path, "/usr/include/", 13) || !strncmp(path, "/usr/lib/", 9);
}

/* Places of the model's own code in a stack of allocation, innermost first; *first: the first place with a
   name at all, outside of the tracer's replacement of malloc. */
static size_t places_of(struct adding *adding, uint32_t number, struct places_location *places, size_t most,
                        struct places_location *first)
{
    const struct trace_array *facts =
        &ARRAY_AT(struct trace_array_read, &adding->trace->arrays, number)->facts;
    struct array *stacks = &adding->trace->stacks;
    struct model *model = adding->model;
    size_t count = 0;
    const struct trace_stack_read *stack =
        facts->stack < stacks->count ? ARRAY_AT(struct trace_stack_read, stacks, facts->stack) : NULL;
    *first = (struct places_location){0};
    for (uint32_t i = 0; stack && i < stack->count && count < most; i++) {
        uint64_t address;
        memcpy(&address, stack->addresses + i * sizeof address, sizeof address);
        struct places_location place = places_locate(model, &adding->modules, address - (i > 0));
        const char *name = model_text(model, place.name);
        const char *path = place.file ? model_text(model, model_file(model, place.file)->path) : NULL;
        if (place.function && !is_library_source(path))
            places[count++] = place;
        if (!first->function && (place.function || (!first->name && name && !strstr(name, "vgpreload_"))))
            *first = place;
    }
    return count;
}

/* "fft2d.f90:182 in fft2db", as far as known. */
static char *place_text(const struct model *model, const struct places_location *place)
{
    const char *name = place->function ? model_text(model, model_function(model, place->function)->name)
                                       : model_text(model, place->name);
    const char *path = place->file ? model_text(model, model_file(model, place->file)->path) : NULL;
    if (place->function && path)
        return memory_format("at %s:%u in %s", path_name(path), place->line, name ? name : "?");
    return memory_format("in %s", name ? name : "unknown code");
}

/* Where a block was allocated, in words; depth: how many callers are shown, to distinguish blocks of one
   function. */
static string_id name_block(struct adding *adding, uint32_t number, size_t depth, uint32_t *function)
{
    enum { MOST_PLACES = 8 };
    struct places_location places[MOST_PLACES], first;
    size_t count = places_of(adding, number, places, MOST_PLACES, &first);
    if (!count)
        places[count++] = first;
    *function = places[0].function;
    char *text = place_text(adding->model, &places[0]);
    for (size_t i = 1; i < count && i <= depth; i++) {
        char *caller = place_text(adding->model, &places[i]);
        char *longer = memory_format("%s, called %s", text, caller);
        free(text);
        free(caller);
        text = longer;
    }
    char *whole = memory_format("block allocated %s", text);
    string_id id = model_string(adding->model, whole);
    free(whole);
    free(text);
    return id;
}

/* The variable, if the model is still the one that the list was made of. */
static uint32_t variable_of(const struct adding *adding, const struct trace_array_read *array)
{
    const struct model *model = adding->model;
    uint32_t row = array->facts.variable;
    if (row == 0 || row >= model->variables.count)
        return 0;
    const char *name = model_text(model, model_variable(model, row)->name);
    size_t length = name ? strlen(name) : 0;
    return length && array->name.length >= length && !memcmp(name, array->name.data, length) ? row : 0;
}

static string_id shape_text(struct model *model, const struct trace_shape *shape)
{
    char text[TRACE_DIMENSIONS * 24];
    size_t length = 0;
    for (uint32_t i = 0; i < shape->rank; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%llu", i ? ":" : "",
                                   (unsigned long long)shape->dimensions[i]);
    return shape->rank ? model_string(model, text) : 0;
}

static string_id element_text(struct model *model, const struct trace_array *facts, uint32_t bytes)
{
    if (facts->element[0])
        return model_string(model, facts->element);
    return model_string(model, bytes == 8 ? "double" : bytes == 4 ? "float" : "number");
}

static void add_array(struct adding *adding, uint32_t number)
{
    const struct trace_array_read *read = ARRAY_AT(struct trace_array_read, &adding->trace->arrays, number);
    const struct trace_array *facts = &read->facts;
    struct model *model = adding->model;
    struct trace_shape shape = trace_shape_of(adding->trace, number, adding->cell_bytes[number]);
    uint32_t function = 0, variable = variable_of(adding, read);
    string_id name =
        read->name.length ? text_of(model, read->name) : name_block(adding, number, 0, &function);
    if (variable)
        function = model_variable(model, variable)->function;
    if (!function && facts->function)
        function = places_locate(model, &adding->modules, facts->function).function;
    struct denormal_array row = {.run = adding->run,
                                 .name = name,
                                 .kind = (uint8_t)facts->kind,
                                 .variable = variable,
                                 .function = function,
                                 .element = element_text(model, facts, shape.element_bytes),
                                 .element_bytes =
                                     (uint8_t)(shape.element_bytes > 255 ? 255 : shape.element_bytes),
                                 .dimensions = shape_text(model, &shape),
                                 .is_assumed = shape.is_assumed,
                                 .address = facts->address,
                                 .bytes = facts->bytes,
                                 .lives = facts->lives,
                                 .stack = stack_row(adding, facts->stack)};
    *(struct denormal_array *)model_add(&model->denormal_arrays) = row;
    adding->rows[number] = model_last(&model->denormal_arrays);
}

struct named {
    string_id name;
    uint32_t number;
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
                              : (a->number > b->number) - (a->number < b->number);
}

/* Blocks that have the same name get longer ones, with callers, as far as that helps. */
static void tell_blocks_apart(struct adding *adding)
{
    enum { MOST_CALLERS = 3 };
    struct array blocks = ARRAY_OF(struct named);
    for (size_t depth = 1; depth <= MOST_CALLERS; depth++) {
        blocks.count = 0;
        for (uint32_t number = 1; number < adding->trace->arrays.count; number++) {
            const struct denormal_array *row = model_denormal_array(adding->model, adding->rows[number]);
            if (adding->rows[number] && row->kind == denormal_array_kind_BLOCK)
                *(struct named *)array_push(&blocks) = (struct named){row->name, number};
        }
        if (blocks.count)
            qsort(blocks.data, blocks.count, blocks.width, by_name);
        for (size_t i = 0; i < blocks.count; i++) {
            const struct named *it = ARRAY_AT(struct named, &blocks, i);
            bool is_shared =
                (i && it[-1].name == it->name) || (i + 1 < blocks.count && it[1].name == it->name);
            uint32_t function;
            if (!is_shared)
                continue;
            string_id name = name_block(adding, it->number, depth, &function);
            model_denormal_array(adding->model, adding->rows[it->number])->name = name;
        }
    }
    array_free(&blocks);
}

/* Patterns of integers mean something only if the array is known to hold floating-point numbers. */
static bool is_nothing(const struct trace *trace, const struct trace_array_counts *counts)
{
    uint32_t number = trace_array_of(trace, counts->number);
    bool is_known = number && ARRAY_AT(struct trace_array_read, &trace->arrays, number)->facts.value_bytes;
    return !(counts->loads | counts->stores | counts->move_loads | counts->move_stores) &&
           !(is_known && (counts->integer_loads | counts->integer_stores));
}

/* Arrays with counts, or with references to them. */
static void add_arrays(struct adding *adding)
{
    struct trace *trace = adding->trace;
    size_t count = trace->arrays.count + 1;
    bool *is_used = memory_get(count);
    for (size_t i = 0; i < trace->counts.count; i++) {
        const struct trace_array_counts *counts =
            &ARRAY_AT(struct trace_counts_read, &trace->counts, i)->counts;
        if (!is_nothing(trace, counts))
            is_used[trace_array_of(trace, counts->number)] = true;
    }
    for (size_t i = 0; i < trace->origins.count; i++) {
        const struct trace_origin *origin = ARRAY_AT(struct trace_origin, &trace->origins, i);
        is_used[trace_array_of(trace, origin->destination)] = true;
        is_used[trace_array_of(trace, origin->source)] = true;
    }
    for (size_t i = 0; i < trace->births.count; i++)
        is_used[trace_array_of(trace, ARRAY_AT(struct trace_birth, &trace->births, i)->first_array)] = true;
    for (size_t i = 0; i < trace->log.count; i++)
        is_used[trace_array_of(trace, ARRAY_AT(struct trace_log_entry, &trace->log, i)->array)] = true;
    for (size_t i = 0; i < trace->maps.count; i++) {
        const struct trace_map *map = &ARRAY_AT(struct trace_map_read, &trace->maps, i)->facts;
        adding->cell_bytes[trace_array_of(trace, map->number)] = map->cell_bytes;
    }
    for (uint32_t number = 1; number < trace->arrays.count; number++)
        if (is_used[number] && trace_array_of(trace, number) == number)
            add_array(adding, number);
    tell_blocks_apart(adding);
    free(is_used);
}

static int by_array_and_phase(const void *left, const void *right)
{
    const struct denormal_array_phase *a = left, *b = right;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    return (a->phase > b->phase) - (a->phase < b->phase);
}

static void add_array_counts(struct adding *adding)
{
    struct trace *trace = adding->trace;
    struct array phases = ARRAY_OF(struct denormal_array_phase);
    for (size_t i = 0; i < trace->counts.count; i++) {
        const struct trace_counts_read *read = ARRAY_AT(struct trace_counts_read, &trace->counts, i);
        const struct trace_array_counts *counts = &read->counts;
        uint32_t row = adding->rows[trace_array_of(trace, counts->number)];
        if (!row)
            continue;
        struct denormal_array *array = model_denormal_array(adding->model, row);
        array->loads += counts->loads;
        array->stores += counts->stores;
        array->move_loads += counts->move_loads;
        array->move_stores += counts->move_stores;
        array->integer_loads += counts->integer_loads;
        array->integer_stores += counts->integer_stores;
        if (counts->loads || counts->stores || counts->move_loads || counts->move_stores)
            *(struct denormal_array_phase *)array_push(&phases) =
                (struct denormal_array_phase){.array = row,
                                              .phase = adding->first_phase + read->phase,
                                              .loads = counts->loads,
                                              .stores = counts->stores,
                                              .move_loads = counts->move_loads,
                                              .move_stores = counts->move_stores};
    }
    if (phases.count)
        qsort(phases.data, phases.count, phases.width, by_array_and_phase);
    struct array *table = &adding->model->denormal_array_phases;
    for (size_t i = 0; i < phases.count; i++) {
        const struct denormal_array_phase *it = ARRAY_AT(struct denormal_array_phase, &phases, i);
        if (i && by_array_and_phase(it - 1, it) == 0) {
            struct denormal_array_phase *last =
                ARRAY_AT(struct denormal_array_phase, table, table->count - 1);
            last->loads += it->loads;
            last->stores += it->stores;
            last->move_loads += it->move_loads;
            last->move_stores += it->move_stores;
        } else {
            *(struct denormal_array_phase *)model_add(table) = *it;
        }
    }
    array_free(&phases);
}

static int by_pair(const void *left, const void *right)
{
    const struct denormal_origin *a = left, *b = right;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

static void add_origins(struct adding *adding)
{
    struct trace *trace = adding->trace;
    struct array pairs = ARRAY_OF(struct denormal_origin);
    for (size_t i = 0; i < trace->origins.count; i++) {
        const struct trace_origin *origin = ARRAY_AT(struct trace_origin, &trace->origins, i);
        struct denormal_origin row = {.run = adding->run,
                                      .destination = adding->rows[trace_array_of(trace, origin->destination)],
                                      .source = adding->rows[trace_array_of(trace, origin->source)],
                                      .count = origin->values};
        if (row.destination && row.count && !row.source == !origin->source)
            *(struct denormal_origin *)array_push(&pairs) = row;
    }
    if (pairs.count)
        qsort(pairs.data, pairs.count, pairs.width, by_pair);
    struct array *table = &adding->model->denormal_origins;
    for (size_t i = 0; i < pairs.count; i++) {
        const struct denormal_origin *it = ARRAY_AT(struct denormal_origin, &pairs, i);
        if (i && by_pair(it - 1, it) == 0)
            ARRAY_AT(struct denormal_origin, table, table->count - 1)->count += it->count;
        else
            *(struct denormal_origin *)model_add(table) = *it;
    }
    array_free(&pairs);
}

static void add_births(struct adding *adding)
{
    struct trace *trace = adding->trace;
    for (size_t i = 0; i < trace->births.count; i++) {
        const struct trace_birth *birth = ARRAY_AT(struct trace_birth, &trace->births, i);
        struct places_location place = {.address = NO_ADDRESS};
        if (birth->address)
            place = places_locate(adding->model, &adding->modules, birth->address);
        struct denormal_birth row = {.run = adding->run,
                                     .program = place.program,
                                     .address = place.address,
                                     .instruction = place.instruction,
                                     .function = place.function,
                                     .stack = stack_row(adding, birth->stack),
                                     .array = adding->rows[trace_array_of(trace, birth->first_array)],
                                     .values = birth->values,
                                     .descendants = birth->descendants,
                                     .removable = birth->removable};
        *(struct denormal_birth *)model_add(&adding->model->denormal_births) = row;
    }
}

static void add_limits(struct adding *adding, uint64_t maps_left_out)
{
    struct trace *trace = adding->trace;
    struct model *model = adding->model;
    for (size_t i = 0; i < trace->limits.count; i++) {
        const struct trace_limit_read *limit = ARRAY_AT(struct trace_limit_read, &trace->limits, i);
        denormal_add_limit(model, denormal_limit_kind_RUNTIME, limit->count,
                           model_text(model, text_of(model, limit->text)));
    }
    if (maps_left_out)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, maps_left_out,
                           "maps left out, because there were too many");
    if (trace->is_damaged)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, 0,
                           "the recording is damaged: everything after the damage is lost");
    else if (!trace->has_end)
        denormal_add_limit(model, denormal_limit_kind_RECORDING, 0,
                           "the program was killed: its last events are missing");
}

void trace_add(struct model *model, struct trace *trace, const struct denormal_recording *recording)
{
    uint64_t left_out = 0;
    struct adding adding = {.model = model, .trace = trace, .modules = trace->modules};
    places_match_loaded(model, &adding.modules);
    adding.rows = memory_get((trace->arrays.count + 1) * sizeof *adding.rows);
    adding.cell_bytes = memory_get((trace->arrays.count + 1) * sizeof *adding.cell_bytes);
    adding.stacks = memory_get((trace->stacks.count + 1) * sizeof *adding.stacks);
    add_run(&adding, recording);
    add_phases(&adding);
    add_sites(&adding);
    add_arrays(&adding);
    add_array_counts(&adding);
    trace_add_maps(model, trace, adding.rows, adding.first_phase, &left_out);
    add_origins(&adding);
    add_births(&adding);
    trace_add_log(model, trace, &adding.modules, adding.run, adding.rows);
    add_limits(&adding, left_out);
    free(adding.rows);
    free(adding.cell_bytes);
    free(adding.stacks);
}
