/* Units of a program whose debug information was left out, because only a part of the program is needed. */
#ifndef CODE_READ_DWARF_UNREAD_H
#define CODE_READ_DWARF_UNREAD_H
#include "model/model.h"

/* The code of the unit from address to end. */
void unread_add(struct model *model, uint32_t unit, uint64_t address, uint64_t end);
/* The unit (row) that has the code at an address of the program; 0 for none. */
uint32_t unread_unit_at(const struct model *model, uint32_t program, uint64_t address);
#endif
