/* Where functions keep the registers of their callers, from call frame information.

   The tracer finds variables in registers of outer functions with this: a register that a called function
   must preserve is either untouched, or on the stack at a fixed distance from the call frame address. Other
   rules (expressions, registers in registers) do not occur for compiled code; a function that has one gets no
   line for that stretch. */
#include "run/denormal/saved.h"

#include "base/memory.h"
#include "run/launch/elf_file.h"
#include "runtime/denormal-trace/array_list_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>

/* Rows of the information for one function: prologues and epilogues have several. */
enum { MOST_ROWS = 200 };

struct saved_reader {
    struct elf_file file;
    Dwarf_CFI *information;
    unsigned first, last; /* DWARF numbers of the wanted registers */
};

struct saved_reader *saved_open(const char *path)
{
    struct saved_reader *reader = memory_get(sizeof *reader);
    GElf_Ehdr header;
    reader->file = elf_file_open(path, INT64_MAX);
    Elf *elf = reader->file.elf;
    if (elf && gelf_getehdr(elf, &header) && header.e_type != ET_REL)
        reader->information = dwarf_getcfi_elf(elf);
    if (!reader->information) {
        saved_close(reader);
        return NULL;
    }
    bool is_arm = header.e_machine == EM_AARCH64;
    reader->first = is_arm ? 19 : 3;
    reader->last = is_arm ? 29 : 15;
    return reader;
}

void saved_close(struct saved_reader *reader)
{
    if (!reader)
        return;
    if (reader->information)
        dwarf_cfi_end(reader->information);
    elf_file_close(&reader->file);
    free(reader);
}

/* The distance from the call frame address, if the rule has one. */
static bool offset_of(Dwarf_Frame *frame, unsigned number, long long *offset)
{
    Dwarf_Op space[3], *ops;
    size_t count;
    if (dwarf_frame_register(frame, (int)number, space, &ops, &count) || !ops || count == 0)
        return false;
    if (ops[0].atom != DW_OP_call_frame_cfa || count > 2)
        return false;
    *offset = count == 2 ? (long long)ops[1].number : 0;
    return count == 1 || ops[1].atom == DW_OP_plus_uconst;
}

void saved_put(struct saved_reader *reader, uint64_t low, uint64_t high, FILE *out)
{
    uint64_t at = low;
    for (unsigned row = 0; reader && row < MOST_ROWS && at < high; row++) {
        Dwarf_Frame *frame;
        Dwarf_Addr start, end;
        if (dwarf_cfi_addrframe(reader->information, at, &frame))
            return;
        int found = dwarf_frame_info(frame, &start, &end, NULL);
        unsigned put = 0;
        for (unsigned number = reader->first; found >= 0 && number <= reader->last; number++) {
            long long offset;
            if (put == ARRAY_LIST_SAVED || !offset_of(frame, number, &offset))
                continue;
            if (put++ == 0)
                fprintf(out, "saved %llx %llx", (unsigned long long)at,
                        (unsigned long long)(end < high ? end : high));
            fprintf(out, " %u %lld", number, offset);
        }
        if (put)
            fputc('\n', out);
        free(frame);
        if (end <= at)
            return;
        at = end;
    }
}
