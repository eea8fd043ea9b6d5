/* Source lines as DWARF 4: a compile unit for each function that has some, and its line program. */
#include "run/sample/jit/parts.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static void put_unsigned(struct array *bytes, uint64_t number)
{
    do {
        uint8_t byte = number & 0x7f;
        number >>= 7;
        jit_put_number(bytes, byte | (number ? 0x80 : 0), 1);
    } while (number);
}

static void put_signed(struct array *bytes, int64_t number)
{
    for (bool more = true; more;) {
        uint8_t byte = (uint64_t)number & 0x7f;
        number >>= 7;
        more = !((number == 0 && !(byte & 0x40)) || (number == -1 && byte & 0x40));
        jit_put_number(bytes, byte | (more ? 0x80 : 0), 1);
    }
}

static void put_text(struct array *bytes, const char *text)
{
    jit_put(bytes, text, strlen(text) + 1);
}

/* Writes the length of what stands behind these four bytes. */
static void close_length(struct array *bytes, size_t at)
{
    uint32_t length = (uint32_t)(bytes->count - at - 4);
    memcpy((uint8_t *)bytes->data + at, &length, sizeof length);
}

static void put_abbreviations(struct array *bytes)
{
    static const uint8_t declared[] = {1,
                                       DW_TAG_compile_unit,
                                       DW_CHILDREN_no,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       DW_AT_stmt_list,
                                       DW_FORM_sec_offset,
                                       DW_AT_low_pc,
                                       DW_FORM_addr,
                                       DW_AT_high_pc,
                                       DW_FORM_data8,
                                       0,
                                       0,
                                       0};
    jit_put(bytes, declared, sizeof declared);
}

static void put_unit(struct array *bytes, const struct jit_codes *codes, const struct jit_code *code,
                     size_t lines)
{
    size_t start = bytes->count;
    const struct jit_line *first = ARRAY_AT(struct jit_line, &code->lines, 0);
    jit_put_number(bytes, 0, 4);
    jit_put_number(bytes, 4, 2);
    jit_put_number(bytes, 0, 4);
    jit_put_number(bytes, 8, 1);
    put_unsigned(bytes, 1);
    put_text(bytes, *ARRAY_AT(char *, &codes->files, first->file));
    jit_put_number(bytes, lines, 4);
    jit_put_number(bytes, code->address, 8);
    jit_put_number(bytes, code->size, 8);
    close_length(bytes, start);
}

static int by_address(const void *left, const void *right)
{
    const struct jit_line *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Files of a program: those of its lines in a row, each named again where it changes; numbers from 1. */
static void put_files(struct array *bytes, const struct jit_codes *codes, const struct jit_line *lines,
                      size_t count, uint32_t *numbers)
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!i || lines[i].file != lines[i - 1].file) {
            put_text(bytes, *ARRAY_AT(char *, &codes->files, lines[i].file));
            jit_put_number(bytes, 0, 3); /* folder, time, size */
            number++;
        }
        numbers[i] = number;
    }
    jit_put_number(bytes, 0, 1);
}

static void put_program(struct array *bytes, const struct jit_codes *codes, const struct jit_code *code)
{
    enum { LINE_BASE = 0xfb, LINE_RANGE = 14, OPCODES = 13 };
    static const uint8_t operands[OPCODES - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    size_t start = bytes->count, count = code->lines.count;
    struct jit_line *lines = code->lines.data;
    autofree uint32_t *numbers = memory_get((count + 1) * sizeof *numbers);
    qsort(lines, count, sizeof *lines, by_address);
    jit_put_number(bytes, 0, 4);
    jit_put_number(bytes, 4, 2);
    size_t head = bytes->count;
    jit_put_number(bytes, 0, 4);
    static const uint8_t facts[] = {1, 1, 1, LINE_BASE, LINE_RANGE, OPCODES};
    jit_put(bytes, facts, sizeof facts);
    jit_put(bytes, operands, sizeof operands);
    jit_put_number(bytes, 0, 1); /* folders */
    put_files(bytes, codes, lines, count, numbers);
    close_length(bytes, head);
    static const uint8_t set_address[] = {0, 9, DW_LNE_set_address};
    jit_put(bytes, set_address, sizeof set_address);
    jit_put_number(bytes, code->address, 8);
    uint64_t address = code->address;
    int64_t line = 1;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && lines[i + 1].address == lines[i].address)
            continue; /* the last one of an address counts */
        jit_put_number(bytes, DW_LNS_set_file, 1);
        put_unsigned(bytes, numbers[i]);
        jit_put_number(bytes, DW_LNS_advance_line, 1);
        put_signed(bytes, (int64_t)lines[i].line - line);
        jit_put_number(bytes, DW_LNS_advance_pc, 1);
        put_unsigned(bytes, lines[i].address - address);
        jit_put_number(bytes, DW_LNS_copy, 1);
        address = lines[i].address;
        line = lines[i].line;
    }
    jit_put_number(bytes, DW_LNS_advance_pc, 1);
    put_unsigned(bytes, code->address + code->size - address);
    static const uint8_t end[] = {0, 1, DW_LNE_end_sequence};
    jit_put(bytes, end, sizeof end);
    close_length(bytes, start);
}

void jit_lines_make(const struct jit_codes *codes, struct array *abbreviations, struct array *info,
                    struct array *lines)
{
    put_abbreviations(abbreviations);
    for (size_t i = 0; i < codes->codes.count; i++) {
        const struct jit_code *code = ARRAY_AT(struct jit_code, &codes->codes, i);
        if (!code->bytes || !code->lines.count)
            continue;
        put_unit(info, codes, code, lines->count);
        put_program(lines, codes, code);
    }
}
