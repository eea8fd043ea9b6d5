/* Call stacks, each once.

   A frame of the machine becomes one row for every function that the compiler put into the code there, the
   innermost first, so that a stack reads like that of the source. Two stacks are the same if their rows are:
   processes that have the same file at different addresses share theirs. The table of stacks that are known
   by their hash is remembered with the model. */
#include "run/denormal/parts.h"

#include "base/hash_index.h"

#include <stdlib.h>

enum {
    MOST_FRAMES = 256, /* rows of a stack: deeper calls are recursion */
    MOST_INLINED = 64, /* levels of inlining; debug information may lie */
};

struct stack {
    size_t first, count; /* rows of denormal_frames */
};

struct known {
    struct array stacks; /* of struct stack; number n is the n-th, from 1 */
    struct hash_index index;
};

static void release_known(void *memory)
{
    struct known *known = memory;
    array_free(&known->stacks);
    hash_index_free(&known->index);
    free(known);
}

static struct known *known_of(struct model *model)
{
    struct known *known = model_kept(model, release_known);
    if (known)
        return known;
    known = memory_get(sizeof *known);
    known->stacks = ARRAY_OF(struct stack);
    model_keep(model, known, release_known);
    return known;
}

static bool is_same_frame(const struct denormal_frame *a, const struct denormal_frame *b)
{
    return a->program == b->program && a->address == b->address && a->name == b->name;
}

static uint32_t find(const struct model *model, const struct known *known, uint64_t hash,
                     const struct array *frames)
{
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&known->index, hash, &slot)) != UINT32_MAX;) {
        const struct stack *stack = ARRAY_AT(struct stack, &known->stacks, place);
        size_t same = 0;
        while (stack->count == frames->count && same < frames->count &&
               is_same_frame(model_denormal_frame(model, (uint32_t)(stack->first + same)),
                             ARRAY_AT(struct denormal_frame, frames, same)))
            same++;
        if (stack->count == frames->count && same == frames->count)
            return place + 1;
    }
    return 0;
}

static uint64_t hash_frames(const struct array *frames)
{
    uint64_t hash = frames->count;
    for (size_t i = 0; i < frames->count; i++) {
        const struct denormal_frame *frame = ARRAY_AT(struct denormal_frame, frames, i);
        uint64_t facts[] = {hash, frame->address, (uint64_t)frame->program << 32 | frame->name};
        hash = strings_hash(facts, sizeof facts);
    }
    return hash;
}

static void add_frame(struct array *frames, const struct places_location *place, string_id name,
                      uint32_t file, uint32_t line, uint64_t address)
{
    if (frames->count < MOST_FRAMES)
        *(struct denormal_frame *)array_add(frames) = (struct denormal_frame){.program = place->program,
                                                                              .address = address,
                                                                              .function = place->function,
                                                                              .name = name,
                                                                              .file = file,
                                                                              .line = line};
}

/* Rows for the code at an address: inlined functions, then the one that has its own code. */
static void add_place(struct model *model, const struct array *modules, uint64_t address, bool is_behind_call,
                      struct array *frames)
{
    struct places_location place = places_locate(model, modules, is_behind_call ? address - 1 : address);
    uint64_t shown = place.address + is_behind_call;
    uint32_t file = place.file, line = place.line, inlined = place.inlined_call;
    for (unsigned level = 0; inlined && inlined < model->inlined_calls.count && level < MOST_INLINED;
         level++) {
        const struct inlined_call *call = model_inlined_call(model, inlined);
        add_frame(frames, &place, call->name, file, line, shown);
        file = call->call_file;
        line = call->call_line;
        inlined = call->parent;
    }
    add_frame(frames, &place, place.name, file, line, shown);
}

uint32_t denormal_add_stack(struct model *model, const struct array *modules, const uint64_t *addresses,
                            size_t count)
{
    if (!count)
        return 0;
    struct array frames = ARRAY_OF(struct denormal_frame);
    while (count > 1 && !places_loaded_at(modules, addresses[count - 1]))
        count--; /* beyond the first function, unwinding continues into memory that is not code */
    for (size_t i = 0; i < count && frames.count < MOST_FRAMES; i++)
        add_place(model, modules, addresses[i], i > 0, &frames);
    struct known *known = known_of(model);
    uint64_t hash = hash_frames(&frames);
    uint32_t number = find(model, known, hash, &frames);
    if (!number) {
        struct stack stack = {model->denormal_frames.count, frames.count};
        hash_index_add(&known->index, hash, (uint32_t)known->stacks.count);
        *(struct stack *)array_add(&known->stacks) = stack;
        number = (uint32_t)known->stacks.count;
        for (size_t i = 0; i < frames.count; i++) {
            struct denormal_frame *frame = ARRAY_AT(struct denormal_frame, &frames, i);
            frame->stack = number;
            frame->position = (uint32_t)i + 1;
            *(struct denormal_frame *)model_add(&model->denormal_frames) = *frame;
        }
    }
    array_free(&frames);
    return number;
}
