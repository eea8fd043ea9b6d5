/* trial-plan PROGRAM OUTPUT SEED DENSITY MODE: random points in the functions case_… of a program, with their
   windows and trampolines (tests/programs/trial/trial.h).

   DENSITY is the share of places that get a point, in percent.  MODE `strict` promises trampolines nothing:
   all registers and flags live, and so do the 128 bytes below the stack pointer.  `free` promises what is
   true of the cases: two registers that none of them uses, and flags at entries and exits. */
#include "code/read/read.h"
#include "code/structure/structure.h"
#include "tests/programs/trial/trial.h"
#include "run/probe/trampoline/trampoline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x5452, COUNTING_REGISTER = 15, UNUSED = 1 << 10 | 1 << 11 };

static uint64_t state;

static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

/* A register that sources may name. */
static uint8_t chance_register(void)
{
    uint8_t found = (uint8_t)chance(16);
    return UNUSED >> found & 1 ? (uint8_t)(found - 2) : found;
}

static struct probe_source make_address(void)
{
    struct probe_source source = {
        .kind = PROBE_FROM_ADDRESS, .base = PROBE_NO_REGISTER, .index = PROBE_NO_REGISTER};
    if (chance(4))
        source.base = chance_register();
    if (chance(2)) {
        do
            source.index = chance_register();
        while (source.index == PROBE_X86_RSP);
        source.scale = (uint8_t)(1 << chance(4));
    }
    source.displacement = chance(2) ? (int64_t)chance(256) - 128 : (int64_t)chance(1 << 30) - (1 << 29);
    source.is_32_bit = !chance(4);
    source.segment = chance(4) ? 0 : 'f';
    return source;
}

/* Plain memory that the program has, filled with something. */
static struct probe_source make_memory(void)
{
    return (struct probe_source){.kind = PROBE_FROM_MEMORY,
                                 .base = PROBE_NO_REGISTER,
                                 .index = PROBE_NO_REGISTER,
                                 .bytes = (uint8_t)(1 << chance(4)),
                                 .is_signed = chance(2),
                                 .displacement = TRIAL_MEMORY + chance(TRIAL_MEMORY_BYTES - 8)};
}

/* Register TRIAL_POINTER has that address, or 0. */
static struct probe_source make_pointed(void)
{
    struct probe_source source = make_memory();
    source.base = TRIAL_POINTER;
    source.may_be_null = true;
    source.displacement -= TRIAL_MEMORY;
    return source;
}

static struct probe_source make_fixed(void)
{
    struct probe_source source = make_memory();
    source.kind = PROBE_FROM_PLACE_MEMORY;
    return source;
}

static struct probe_source make_source(uint64_t place)
{
    switch (chance(9)) {
    case 8:
        return make_fixed();
    case 0:
    case 1:
        return (struct probe_source){.kind = PROBE_FROM_CLOCK};
    case 2:
        return (struct probe_source){.kind = PROBE_FROM_VECTOR, .base = (uint8_t)chance(16)};
    case 3:
        return make_address();
    case 4:
        return make_memory();
    case 5:
        return (struct probe_source){
            .kind = PROBE_FROM_COUNTER, .counter = chance(8), .displacement = chance(3)};
    case 6:
        return (struct probe_source){.kind = PROBE_FROM_PLACE,
                                     .displacement = (int64_t)(place + chance(4096))};
    default:
        return (struct probe_source){.kind = PROBE_FROM_GENERAL, .base = chance_register()};
    }
}

/* Differences of counters are small, so most tallies have a word. */
static struct probe_action make_tally(uint64_t place)
{
    static const uint64_t inverses[] = {1, UINT64_MAX, 3, 0xaaaaaaaaaaaaaaab, 0xcccccccccccccccd};
    uint32_t tally = chance(TRIAL_TALLIES);
    struct probe_action action = {.kind = PROBE_DO_TALLY,
                                  .counter = 1024 + tally * 300,
                                  .tally = tally,
                                  .inverse = inverses[chance(5)],
                                  .shift = (uint8_t)chance(3),
                                  .bias = (int8_t)(chance(3)),
                                  .is_summed = chance(2),
                                  .enough_bits = (uint8_t)(chance(2) ? chance(6) : 0),
                                  .enough_sum_bits = (uint8_t)(chance(2) ? chance(12) : 0),
                                  .source = {.kind = PROBE_FROM_COUNTER, .counter = chance(8)}};
    if (!chance(4)) {
        do
            action.source = make_source(place);
        while (action.source.kind == PROBE_FROM_CLOCK);
    }
    return action;
}

static struct probe_action make_action(uint64_t place)
{
    switch (chance(10)) {
    case 0:
        return (struct probe_action){.kind = PROBE_DO_COUNT, .counter = chance(8)};
    case 1:
        return (struct probe_action){.kind = PROBE_DO_INCREMENT, .register_ = COUNTING_REGISTER};
    case 2:
        return (struct probe_action){.kind = PROBE_DO_CLEAR, .register_ = COUNTING_REGISTER};
    case 3: {
        struct probe_action action = {.kind = PROBE_DO_KEEP, .counter = chance(8)};
        do
            action.source = make_source(place);
        while (action.source.kind == PROBE_FROM_CLOCK);
        return action;
    }
    case 4:
        return make_tally(place);
    default:
        return (struct probe_action){
            .kind = PROBE_DO_EVENT, .identity = chance(1 << 30) << 1 | 1, .source = make_source(place)};
    }
}

/* Limits that are soon reached, shared by several actions. */
static void limit(struct probe_action *action)
{
    if ((action->kind != PROBE_DO_EVENT && action->kind != PROBE_DO_TALLY) || chance(3))
        return;
    action->limit = 1 + 16 + chance(16);
    action->limit_bits = (uint8_t)chance(10);
}

static void add_point(struct array *points, struct probe_point point, uint64_t place)
{
    point.order = (uint32_t)points->count;
    point.subject = (uint32_t)points->count;
    if (!point.is_past_entry)
        point.action = make_action(place);
    if (point.is_entry && point.action.kind == PROBE_DO_EVENT && chance(2))
        point.action.source = make_pointed();
    limit(&point.action);
    *(struct probe_point *)array_push(points) = point;
}

static void add_points(const struct model *model, const struct function *function, uint32_t row, bool is_free,
                       uint32_t density, struct array *points)
{
    const struct instruction *instruction = model_instruction(model, row);
    uint8_t flow = model_encoding(model, instruction->encoding)->flow;
    uint64_t place = model_address(model, row);
    bool is_entry = place == function->address;
    bool has_pointer = is_entry && !strstr(model_text(model, function->name), "_c_") &&
                       !strstr(model_text(model, function->name), "helper");
    struct probe_free_registers free = {.general = is_free ? chance(4) << 10 & UNUSED : 0,
                                        .has_flags = is_free && (is_entry || flow == flow_RETURN),
                                        .has_red_zone = is_entry};
    if (flow == flow_BRANCH && instruction->target == function->address && chance(2))
        add_point(points, (struct probe_point){.instruction = row, .where = PROBE_TAKEN, .is_past_entry = 1},
                  place);
    for (unsigned where = PROBE_BEFORE; where <= PROBE_TAKEN; where++)
        for (unsigned more = 0; more < 3 && chance(100) < density; more++) {
            struct probe_point point = {.instruction = row, .where = (uint8_t)where, .free = free};
            point.is_entry = has_pointer && where == PROBE_BEFORE && chance(2);
            if (where != PROBE_BEFORE)
                point.free = (struct probe_free_registers){.general = free.general};
            add_point(points, point, place);
        }
}

static void find_points(const struct model *model, bool is_free, uint32_t density, struct array *points)
{
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        const char *name = model_text(model, function->name);
        if (!name || strncmp(name, "case_", 5))
            continue;
        for (uint32_t i = 0; i < function->block_count; i++) {
            const struct block *block = model_block(model, function->first_block + i);
            for (uint32_t j = 0; j < block->instruction_count; j++)
                add_points(model, function, block->first_instruction + j, is_free, density, points);
        }
    }
}

/* String instructions repeat themselves: a step is one repetition. */
static bool is_repeated(const uint8_t *bytes, const struct encoding *encoding)
{
    return encoding->flow == flow_NEXT && (bytes[0] == 0xf2 || bytes[0] == 0xf3) && encoding->size <= 3 &&
           bytes[1] != 0x0f && bytes[1] != 0x90;
}

struct trial {
    struct array points, patches;
    struct array passing; /* of uint64_t: branches that go past an entry */
    struct probe_trampolines trampolines;
    unsigned jumps, hops, traps, failed;
};

static void add_window(struct trial *trial, const struct probe_windows *windows, size_t number)
{
    const struct probe_window *window = ARRAY_AT(struct probe_window, &windows->windows, number);
    if (!x86_64_trampolines.encode(&trial->trampolines, windows, window)) {
        trial->failed++;
        return;
    }
    trial->jumps += window->way == PROBE_BY_JUMP;
    trial->hops += window->hop != 0;
    trial->traps += window->way == PROBE_BY_TRAP;
    struct probe_plan_patch *patch = array_add(&trial->patches);
    *patch = (struct probe_plan_patch){.address = window->address,
                                       .trampoline = *ARRAY_AT(uint32_t, &trial->trampolines.starts, number),
                                       .way = window->way,
                                       .size = window->size,
                                       .hop = window->hop};
    for (unsigned i = 0; i < window->moved_count; i++)
        if (window->moved[i].past_entry)
            *(uint64_t *)array_push(&trial->passing) = window->moved[i].address;
}

static int by_place(const void *a, const void *b)
{
    const struct probe_point *x = a, *y = b;
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    if (x->is_entry != y->is_entry)
        return x->is_entry ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool passes_entry(const struct trial *trial, uint64_t address)
{
    for (size_t i = 0; i < trial->passing.count; i++)
        if (*ARRAY_AT(uint64_t, &trial->passing, i) == address)
            return true;
    return false;
}

static bool is_refused(const struct probe_windows *windows, uint32_t subject)
{
    for (size_t i = 0; i < windows->refused.count; i++)
        if (ARRAY_AT(struct probe_refused, &windows->refused, i)->subject == subject)
            return true;
    return false;
}

/* Points as they were wished for, wherever they were put. */
static void add_wishes(struct trial *trial, const struct model *model, const struct probe_windows *windows,
                       struct array *wishes)
{
    if (wishes->count)
        qsort(wishes->data, wishes->count, sizeof(struct probe_point), by_place);
    for (size_t i = 0; i < wishes->count; i++) {
        const struct probe_point *point = ARRAY_AT(struct probe_point, wishes, i);
        const struct instruction *row = model_instruction(model, point->instruction);
        const struct encoding *encoding = model_encoding(model, row->encoding);
        struct span bytes = model_block_bytes(model, model_block(model, row->block));
        uint64_t address = model_address(model, point->instruction);
        if (is_refused(windows, point->subject) || (point->is_past_entry && !passes_entry(trial, address)))
            continue;
        *(struct trial_point *)array_add(&trial->points) =
            (struct trial_point){.address = address,
                                 .next = address + encoding->size,
                                 .where = point->where,
                                 .is_past_entry = point->is_past_entry,
                                 .is_entry = point->is_entry,
                                 .is_repeated = is_repeated(bytes.data + row->offset, encoding),
                                 .is_jump = encoding->flow == flow_JUMP,
                                 .action = point->action};
    }
}

static bool write_trial(const struct trial *trial, const char *path, bool compares_flags)
{
    struct trial_header header = {MAGIC,
                                  trial->points.count,
                                  trial->patches.count,
                                  trial->trampolines.fixes.count,
                                  trial->trampolines.code.count,
                                  compares_flags};
    const struct array *parts[] = {&trial->points, &trial->patches, &trial->trampolines.fixes,
                                   &trial->trampolines.code};
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    fwrite(&header, sizeof header, 1, file);
    for (unsigned i = 0; i < 4; i++)
        fwrite(parts[i]->data, parts[i]->width, parts[i]->count, file);
    return fclose(file) == 0;
}

int main(int count, char **words)
{
    struct model model;
    struct error error = {0};
    struct read_options options = {.without_debug = true};
    if (count != 6)
        return 2;
    model_init(&model);
    if (!read_file(&model, words[1], &options, &error) ||
        !structure_build(&model, &(struct structure_options){0}, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    state = strtoull(words[3], NULL, 0) * 2654435761u + 12345;
    bool is_free = !strcmp(words[5], "free");
    struct array points = ARRAY_OF(struct probe_point);
    find_points(&model, is_free, (uint32_t)atoi(words[4]), &points);
    struct array wishes = ARRAY_OF(struct probe_point);
    if (points.count)
        memcpy(array_add_many(&wishes, points.count), points.data, points.count * points.width);
    struct probe_windows windows;
    probe_windows_make(&windows, &model, &points);
    struct trial trial = {.points = ARRAY_OF(struct trial_point),
                          .patches = ARRAY_OF(struct probe_plan_patch),
                          .passing = ARRAY_OF(uint64_t)};
    probe_trampolines_init(&trial.trampolines, 0);
    for (size_t i = 0; i < windows.windows.count; i++)
        add_window(&trial, &windows, i);
    x86_64_trampolines.finish(&trial.trampolines);
    add_wishes(&trial, &model, &windows, &wishes);
    printf("%zu points, %zu refused, %u jumps (%u hops), %u traps, %u not encoded\n", windows.points.count,
           windows.refused.count, trial.jumps, trial.hops, trial.traps, trial.failed);
    bool is_written = write_trial(&trial, words[2], !is_free);
    array_free(&trial.points);
    array_free(&trial.patches);
    array_free(&trial.passing);
    array_free(&wishes);
    probe_trampolines_free(&trial.trampolines);
    probe_windows_free(&windows);
    array_free(&points);
    model_free(&model);
    return is_written ? 0 : 1;
}
