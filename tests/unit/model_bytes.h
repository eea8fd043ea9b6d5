/* Loaded bytes of a program, for tests that decode them again. */
#ifndef TESTS_UNIT_MODEL_BYTES_H
#define TESTS_UNIT_MODEL_BYTES_H
#include "model/model.h"

/* NULL where the file does not hold them all. */
static const uint8_t *model_bytes(const struct model *model, uint32_t program, uint64_t address, size_t size)
{
    struct model_rows rows = MODEL_ROWS_OF(model, sections, section, program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct section *section = model_section(model, i);
        if (section->is_loaded && address >= section->address &&
            address - section->address < section->contents.size &&
            size <= section->contents.size - (address - section->address))
            return section->contents.data + (address - section->address);
    }
    return NULL;
}

#endif
