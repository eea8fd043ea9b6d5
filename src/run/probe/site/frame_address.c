#include "run/probe/site/frame_address.h"

#include "run/probe/action.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

void frame_addresses_begin(struct frame_addresses *frames, const struct model *model)
{
    *frames = (struct frame_addresses){.model = model, .file = {.descriptor = -1}};
}

static void close_file(struct frame_addresses *frames)
{
    if (frames->information)
        dwarf_cfi_end(frames->information);
    if (frames->program)
        elf_file_close(&frames->file);
    frames->information = NULL;
    frames->program = 0;
}

void frame_addresses_end(struct frame_addresses *frames)
{
    close_file(frames);
}

static void open_file(struct frame_addresses *frames, uint32_t program)
{
    GElf_Ehdr header;
    close_file(frames);
    frames->program = program;
    frames->file =
        elf_file_open(model_text(frames->model, model_program(frames->model, program)->path), INT64_MAX);
    Elf *elf = frames->file.elf;
    if (elf && gelf_getehdr(elf, &header) && header.e_type != ET_REL)
        frames->information = dwarf_getcfi_elf(elf);
}

/* DWARF has numbers of its own for x86-64. */
uint8_t frame_register(enum isa isa, uint64_t number)
{
    static const uint8_t x86[] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    if (isa == isa_X86_64)
        return number < sizeof x86 ? x86[number] : PROBE_NO_REGISTER;
    return isa == isa_AARCH64 && number <= PROBE_AARCH64_SP ? (uint8_t)number : PROBE_NO_REGISTER;
}

bool frame_address_at(struct frame_addresses *frames, uint32_t program, uint64_t address, uint8_t *base,
                      int64_t *offset)
{
    if (model_program(frames->model, program)->format == format_LISTING)
        return frame_in_listing(frames->model, program, address, base, offset);
    if (frames->program != program)
        open_file(frames, program);
    Dwarf_Frame *frame;
    if (!frames->information || dwarf_cfi_addrframe(frames->information, address, &frame))
        return false;
    Dwarf_Op *ops;
    size_t count = 0;
    enum isa isa = (enum isa)model_program(frames->model, program)->isa;
    *base = PROBE_NO_REGISTER;
    if (!dwarf_frame_cfa(frame, &ops, &count) && count == 1) {
        if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
            *base = frame_register(isa, ops[0].atom - DW_OP_breg0);
            *offset = (int64_t)ops[0].number;
        } else if (ops[0].atom == DW_OP_bregx) {
            *base = frame_register(isa, ops[0].number);
            *offset = (int64_t)ops[0].number2;
        }
    }
    free(frame);
    return *base != PROBE_NO_REGISTER;
}
