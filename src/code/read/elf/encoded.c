#include "code/read/elf/encoded.h"

#include <dwarf.h>

uint64_t encoded_number(struct cursor *cursor, uint8_t encoding, unsigned address_size, bool *is_known)
{
    *is_known = true;
    switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
        return cursor_number(cursor, address_size);
    case DW_EH_PE_uleb128:
        return cursor_unsigned_leb(cursor);
    case DW_EH_PE_udata2:
        return cursor_number(cursor, 2);
    case DW_EH_PE_udata4:
        return cursor_number(cursor, 4);
    case DW_EH_PE_udata8:
        return cursor_number(cursor, 8);
    case DW_EH_PE_signed:
        return (uint64_t)cursor_signed(cursor, address_size);
    case DW_EH_PE_sleb128:
        return (uint64_t)cursor_signed_leb(cursor);
    case DW_EH_PE_sdata2:
        return (uint64_t)cursor_signed(cursor, 2);
    case DW_EH_PE_sdata4:
        return (uint64_t)cursor_signed(cursor, 4);
    case DW_EH_PE_sdata8:
        return (uint64_t)cursor_signed(cursor, 8);
    default:
        *is_known = false;
        return 0;
    }
}

bool encoded_pointer(struct cursor *cursor, uint8_t encoding, unsigned address_size, uint64_t place,
                     uint64_t function, uint64_t *value)
{
    if ((encoding & 0x70) == DW_EH_PE_aligned) {
        uint64_t padding = -place & (address_size - 1);
        cursor_skip(cursor, padding);
        place += padding;
        encoding = DW_EH_PE_absptr;
    }
    bool is_known;
    *value = encoded_number(cursor, encoding, address_size, &is_known);
    if (!is_known || cursor->failed)
        return false;
    switch (encoding & 0x70) {
    case DW_EH_PE_absptr:
        break;
    case DW_EH_PE_pcrel:
        *value = *value ? *value + place : 0;
        break;
    case DW_EH_PE_funcrel:
        *value = *value ? *value + function : 0;
        break;
    default:
        return false;
    }
    if (address_size == 4)
        *value &= UINT32_MAX;
    return !(encoding & DW_EH_PE_indirect);
}
