/* The canonical frame address at places of a program's code, from its call frame information. */
#ifndef RUN_PROBE_SITE_FRAME_ADDRESS_H
#define RUN_PROBE_SITE_FRAME_ADDRESS_H
#include "model/model.h"
#include "run/launch/elf_file.h"

#include <elfutils/libdw.h>

struct frame_addresses {
    const struct model *model;
    uint32_t program; /* whose file is open; 0: none */
    struct elf_file file;
    Dwarf_CFI *information; /* NULL: it has none */
};

void frame_addresses_begin(struct frame_addresses *frames, const struct model *model);
void frame_addresses_end(struct frame_addresses *frames);
/* A register (as in run/probe/action.h) and a distance; false if they are unknown. */
bool frame_address_at(struct frame_addresses *frames, uint32_t program, uint64_t address, uint8_t *base,
                      int64_t *offset);
/* The number of a register as run/probe/action.h has it, from DWARF's. */
uint8_t frame_register(enum isa isa, uint64_t number);
/* The same as frame_address_at for a listing. */
bool frame_in_listing(const struct model *model, uint32_t program, uint64_t address, uint8_t *base,
                      int64_t *offset);
#endif
