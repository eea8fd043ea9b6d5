/* The calling convention between functions.

   AArch64: x16 and x17 belong to whoever comes between caller and callee (linkers put veneers there), so even
   compilers that know both sides expect them to change.  Nothing of the kind exists on x86-64: a compiler
   that sees both functions may keep a value in any register that the callee leaves alone (-fipa-ra).  Flags
   are free on both, and so is the memory below the stack pointer: a caller's red zone ends at its call, a
   callee has none yet. */
#include "watch/entry.h"

#include "watch/registers.h"

#include <stddef.h>
#include <string.h>

struct model_rows watch_edges_from(const struct model *model, uint32_t block)
{
    size_t offset = offsetof(struct edge, source);
    return (struct model_rows){(uint32_t)array_first_not_below(&model->edges, 0, offset, block),
                               (uint32_t)array_first_not_below(&model->edges, 0, offset, block + 1)};
}

struct model_rows watch_edges_of(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    size_t offset = offsetof(struct edge, source);
    uint32_t first = row->first_block;
    return (struct model_rows){
        (uint32_t)array_first_not_below(&model->edges, 0, offset, first),
        (uint32_t)array_first_not_below(&model->edges, 0, offset, first + row->block_count)};
}

enum isa watch_isa_of(const struct model *model, uint32_t function)
{
    return (enum isa)model_program(model, model_function(model, function)->program)->isa;
}

/* Indirect calls must land on these where the processor checks them. */
static bool is_landing_pad(enum isa isa, const uint8_t *bytes, size_t size)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (size < 4)
        return false;
    if (isa != isa_AARCH64)
        return !memcmp(bytes, endbr64, sizeof endbr64);
    uint32_t word =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    bool is_bti = (word & 0xffffff3f) == 0xd503241f;
    bool is_signing = (word & 0xffffffbf) == 0xd503233f; /* paciasp, pacibsp */
    return is_bti || is_signing;
}

uint32_t watch_entry_instruction(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    enum isa isa = watch_isa_of(model, function);
    for (uint32_t id = row->first_block; row->block_count && id < row->first_block + row->block_count; id++) {
        const struct block *block = model_block(model, id);
        if (block->address != row->address || !block->instruction_count)
            continue;
        struct span bytes = model_block_bytes(model, block);
        uint32_t first = block->first_instruction;
        bool stays = is_landing_pad(isa, bytes.data, bytes.size);
        bool has_next = block->instruction_count > 1 ||
                        (block->ends == block_end_FALL && id + 1 < row->first_block + row->block_count);
        return stays && has_next ? first + 1 : first;
    }
    return 0;
}

/* General registers that an encoding reads, or writes. */
static uint32_t general_of(const struct model *model, uint32_t encoding, unsigned access)
{
    uint32_t found = 0;
    size_t first =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (size_t i = first; i < model->register_uses.count; i++) {
        const struct register_use *use = model_register_use(model, (uint32_t)i);
        if (use->encoding != encoding)
            break;
        uint8_t number = watch_general_number(model, use->register_);
        if (number < WATCH_AARCH64_SP && use->access & access)
            found |= 1u << number;
    }
    return found;
}

/* Functions of the dynamic linker have callers with conventions of their own: PLT entries, descriptors of
   thread-local storage. */
static bool is_dynamic_linker(const struct model *model, const struct block *block)
{
    const char *path =
        model_text(model, model_program(model, model_function(model, block->function)->program)->path);
    const char *name = strrchr(path, '/');
    return !strncmp(name ? name + 1 : path, "ld-", 3);
}

struct watch_free watch_free_between(const struct model *model, uint32_t instruction)
{
    struct watch_free free = {.has_flags = true, .has_red_zone = true};
    const struct instruction *row = model_instruction(model, instruction);
    const struct block *block = model_block(model, row->block);
    if (is_dynamic_linker(model, block))
        return (struct watch_free){.has_red_zone = true};
    if (model_encoding(model, row->encoding)->isa != isa_AARCH64)
        return free;
    free.general = 1u << 16 | 1u << 17;
    /* Code by hand may take arguments in them. */
    uint32_t open = free.general;
    for (uint32_t i = instruction; open && i <= watch_last_instruction(block); i++) {
        uint32_t encoding = model_instruction(model, i)->encoding;
        free.general &= ~(open & general_of(model, encoding, access_READ));
        open &= ~general_of(model, encoding, access_READ | access_WRITE);
    }
    return free;
}
