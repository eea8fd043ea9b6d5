/* Callers in modules that stay where they are: those of a recording. */
#include "run/places/unwind.h"
#include "run/places/unwind_file.h"

#include <stdlib.h>

struct places_unwinder {
    const struct array *modules;
    struct unwind_file **files; /* one for each; NULL: not tried yet */
};

struct places_unwinder *places_unwinder_make(const struct array *modules)
{
    struct places_unwinder *unwinder = memory_get(sizeof *unwinder);
    unwinder->modules = modules;
    unwinder->files = memory_get((modules->count + 1) * sizeof *unwinder->files);
    return unwinder;
}

void places_unwinder_free(struct places_unwinder *unwinder)
{
    for (size_t i = 0; i < unwinder->modules->count; i++)
        unwind_file_close(unwinder->files[i]);
    free(unwinder->files);
    free(unwinder);
}

static bool find(void *context, uint64_t address, struct places_code *code)
{
    struct places_unwinder *unwinder = context;
    const struct places_loaded *module = places_loaded_at(unwinder->modules, address);
    if (!module)
        return false;
    size_t number = (size_t)(module - ARRAY_AT(struct places_loaded, unwinder->modules, 0));
    if (!unwinder->files[number])
        unwinder->files[number] = unwind_file_open(module->path, module->build_id);
    *code = (struct places_code){unwinder->files[number], module->bias, (uint32_t)number};
    return true;
}

size_t places_unwind(struct places_unwinder *unwinder, const struct places_registers *registers,
                     uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                     size_t most)
{
    struct places_frame frames[256];
    struct places_stack sample = {
        .registers = registers, .address = stack_address, .bytes = stack, .size = stack_size};
    size_t room = sizeof frames / sizeof *frames;
    bool is_cut;
    size_t count = places_walk(&sample, find, unwinder, frames, most < room ? most : room, &is_cut);
    for (size_t i = 0; i < count; i++)
        addresses[i] = frames[i].address;
    return count;
}
