/* Line programs: bytecode of a small machine, each step of which may add a row "from this address on, this
   file, line and column".

   A program is a number of sequences; within one, a row holds until the next row's address, and the last row
   of a sequence only ends it.  Empty rows are left out, so the last of several rows at one address counts, as
   in other tools.  A sequence that does not start in a code section belongs to code that the linker dropped:
   all of it is left out, even if it reaches into addresses of code.

   A table's file names become paths, and rows of files, only when something refers to them. */
#include "code/read/dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

enum { FAILED = UINT32_MAX };

struct line_program {
    struct cursor at;
    uint8_t address_size, offset_size, version;
    uint8_t instruction_bytes, most_operations, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *operand_counts; /* of opcode 1 at [0] */
};

char *debug_path(const char *directory, const char *name)
{
    bool joined = directory && *directory && name[0] != '/';
    char *path = joined ? memory_format("%s/%s", directory, name) : memory_copy_text(name, strlen(name));
    bool absolute = path[0] == '/';
    char *out = path + absolute, *floor = out; /* ".." cannot remove anything before floor */
    for (char *part = path; *part;) {
        while (*part == '/')
            part++;
        size_t length = strcspn(part, "/");
        bool up = length == 2 && part[0] == '.' && part[1] == '.';
        char *next = part + length;
        if (length == 0 || (length == 1 && part[0] == '.') || (up && absolute && out == floor)) {
            part = next;
            continue;
        }
        if (up && out > floor) {
            while (out > floor && *--out != '/')
                ;
        } else {
            if (out > path + absolute)
                *out++ = '/';
            memmove(out, part, length);
            out += length;
            if (up)
                floor = out;
        }
        part = next;
    }
    *out = 0;
    return path;
}

uint32_t debug_line_file(struct debug_reader *reader, uint32_t number, uint64_t index)
{
    struct line_table *table = array_at(&reader->line_tables, number - 1);
    if (index >= table->files.count)
        return 0;
    struct line_file *file = array_at(&table->files, index);
    if (file->row || !file->name)
        return file->row;
    const char *base = model_text(reader->model, table->directory);
    const char *directory = NULL;
    if (file->directory < table->directories.count)
        directory = *ARRAY_AT(const char *, &table->directories, file->directory);
    if (!base && table->version >= 5 && table->directories.count)
        base = *ARRAY_AT(const char *, &table->directories, 0);
    char *whole = directory ? debug_path(base, directory) : NULL;
    char *path = debug_path(whole ? whole : base, file->name);
    file->row = model_file_id(reader->model, path);
    free(path);
    free(whole);
    return file->row;
}

static void add_file(struct line_table *table, const char *name, uint64_t directory)
{
    *(struct line_file *)array_add(&table->files) = (struct line_file){.name = name, .directory = directory};
}

static void read_old_tables(struct cursor *at, struct line_table *table)
{
    *(const char **)array_add(&table->directories) = NULL; /* 0: the compilation directory */
    add_file(table, NULL, 0);
    const char *text;
    while ((text = cursor_text(at)) && *text)
        *(const char **)array_add(&table->directories) = text;
    while ((text = cursor_text(at)) && *text) {
        add_file(table, text, cursor_unsigned_leb(at));
        cursor_unsigned_leb(at);
        cursor_unsigned_leb(at);
    }
}

struct entry_form {
    uint64_t content, form;
};

static const char *section_text(const struct debug_file *file, enum debug_section section, uint64_t offset)
{
    struct cursor cursor = debug_cursor(file, section, offset);
    return cursor_text(&cursor);
}

/* One value of a directory or file; text is NULL for numbers. */
static uint64_t read_value(const struct debug_file *file, struct cursor *at, uint64_t form,
                           unsigned offset_size, const char **text)
{
    *text = NULL;
    switch (form) {
    case DW_FORM_string:
        *text = cursor_text(at);
        return 0;
    case DW_FORM_line_strp:
        *text = section_text(file, SECTION_LINE_STR, cursor_number(at, offset_size));
        return 0;
    case DW_FORM_strp:
        *text = section_text(file, SECTION_STR, cursor_number(at, offset_size));
        return 0;
    case DW_FORM_udata:
        return cursor_unsigned_leb(at);
    case DW_FORM_data1:
        return cursor_number(at, 1);
    case DW_FORM_data2:
        return cursor_number(at, 2);
    case DW_FORM_data4:
        return cursor_number(at, 4);
    case DW_FORM_data8:
        return cursor_number(at, 8);
    case DW_FORM_data16:
        cursor_skip(at, 16);
        return 0;
    case DW_FORM_block:
        cursor_skip(at, cursor_unsigned_leb(at));
        return 0;
    }
    at->failed = true;
    return 0;
}

static void read_new_entries(const struct debug_file *file, struct cursor *at, struct line_table *table,
                             unsigned offset_size, bool are_files)
{
    struct entry_form forms[255];
    unsigned form_count = (unsigned)cursor_number(at, 1);
    for (unsigned i = 0; i < form_count; i++)
        forms[i] = (struct entry_form){cursor_unsigned_leb(at), cursor_unsigned_leb(at)};
    uint64_t count = cursor_unsigned_leb(at);
    if (count && !form_count)
        at->failed = true;
    for (uint64_t i = 0; i < count && !at->failed; i++) {
        const char *name = NULL, *text;
        uint64_t directory = 0;
        for (unsigned j = 0; j < form_count; j++) {
            uint64_t number = read_value(file, at, forms[j].form, offset_size, &text);
            if (forms[j].content == DW_LNCT_path)
                name = text;
            else if (forms[j].content == DW_LNCT_directory_index)
                directory = number;
        }
        if (at->failed)
            break;
        if (are_files)
            add_file(table, name, directory);
        else
            *(const char **)array_add(&table->directories) = name;
    }
}

static bool read_header(const struct debug_file *file, uint64_t offset, unsigned address_size,
                        struct line_program *program, struct line_table *table)
{
    struct cursor at = debug_cursor(file, SECTION_LINE, offset);
    *program = (struct line_program){.address_size = (uint8_t)address_size, .offset_size = 4};
    uint64_t length = cursor_number(&at, 4);
    if (length == UINT32_MAX) {
        program->offset_size = 8;
        length = cursor_number(&at, 8);
    }
    if (at.failed || length > (uint64_t)(at.end - at.at))
        return false;
    at.end = at.at + length;
    program->version = (uint8_t)cursor_number(&at, 2);
    if (program->version < 2 || program->version > 5)
        return false;
    if (program->version == 5) {
        program->address_size = (uint8_t)cursor_number(&at, 1);
        cursor_number(&at, 1);
    }
    uint64_t header_length = cursor_number(&at, program->offset_size);
    if (at.failed || header_length > (uint64_t)(at.end - at.at) ||
        (program->address_size != 4 && program->address_size != 8))
        return false;
    program->at = at;
    program->at.at += header_length;
    at.end = program->at.at;
    program->instruction_bytes = (uint8_t)cursor_number(&at, 1);
    program->most_operations = program->version >= 4 ? (uint8_t)cursor_number(&at, 1) : 1;
    cursor_number(&at, 1);
    program->line_base = (int8_t)cursor_number(&at, 1);
    program->line_range = (uint8_t)cursor_number(&at, 1);
    program->opcode_base = (uint8_t)cursor_number(&at, 1);
    program->operand_counts = at.at;
    if (program->opcode_base)
        cursor_skip(&at, program->opcode_base - 1u);
    if (at.failed || !program->line_range || !program->most_operations || !program->opcode_base)
        return false;
    if (!table)
        return true;
    table->version = program->version;
    if (program->version < 5) {
        read_old_tables(&at, table);
    } else {
        read_new_entries(file, &at, table, program->offset_size, false);
        read_new_entries(file, &at, table, program->offset_size, true);
    }
    return !at.failed;
}

uint32_t debug_line_table(struct debug_reader *reader, const struct debug_file *file, uint64_t offset,
                          unsigned address_size, string_id directory)
{
    struct span section = file->sections[SECTION_LINE];
    if (!section.data || offset >= section.size)
        return 0;
    uint32_t *number = debug_number_at(&reader->line_table_at, section.data + offset);
    if (!*number) {
        struct line_table table = {.directory = directory};
        table.directories = ARRAY_OF(const char *);
        table.files = ARRAY_OF(struct line_file);
        struct line_program program;
        *number = FAILED;
        if (read_header(file, offset, address_size, &program, &table)) {
            *(struct line_table *)array_add(&reader->line_tables) = table;
            *number = (uint32_t)reader->line_tables.count;
        } else {
            array_free(&table.directories);
            array_free(&table.files);
            debug_damaged(reader, "the header of a line table is damaged");
        }
        debug_spend(reader, 64 + (*number == FAILED ? 0 : 8 * (table.files.count + table.directories.count)));
    }
    return *number == FAILED ? 0 : *number;
}

struct line_state {
    uint64_t address, operation, file, column;
    int64_t line;
    bool started, is_dropped, has_row;
    struct source_line row; /* that waits for its end */
    uint64_t known_file;
    uint32_t known_row;
};

static const struct line_state start_state = {.file = 1, .line = 1, .known_file = UINT64_MAX};

static void keep_row(struct debug_reader *reader, struct source_line row, uint64_t end)
{
    uint64_t code_end;
    if (end <= row.address || !debug_in_code(reader, row.address, &code_end))
        return;
    row.end = end < code_end ? end : code_end;
    struct source_line *last = reader->rows.count ? array_at(&reader->rows, reader->rows.count - 1) : NULL;
    if (last && last->end == row.address && last->file == row.file && last->line == row.line &&
        last->column == row.column && last->unit == row.unit) {
        last->end = row.end;
        return;
    }
    *(struct source_line *)array_add(&reader->rows) = row;
}

static void add_row(struct debug_reader *reader, struct line_state *state, uint32_t table, uint32_t unit,
                    bool ends)
{
    uint64_t address = debug_place(reader, state->address), code_end;
    if (!state->started) {
        state->started = true;
        state->is_dropped = !debug_in_code(reader, address, &code_end);
    }
    if (state->is_dropped)
        return;
    if (state->has_row)
        keep_row(reader, state->row, address);
    state->has_row = !ends;
    if (ends)
        return;
    if (state->known_file != state->file) {
        state->known_file = state->file;
        state->known_row = debug_line_file(reader, table, state->file);
    }
    state->row = (struct source_line){
        .program = reader->program,
        .address = address,
        .file = state->known_row,
        .line = state->line < 0 || state->line > UINT32_MAX ? 0 : (uint32_t)state->line,
        .column = state->column > UINT32_MAX ? 0 : (uint32_t)state->column,
        .unit = unit,
    };
}

static void advance(const struct line_program *program, struct line_state *state, uint64_t operations)
{
    if (program->most_operations == 1) {
        state->address += program->instruction_bytes * operations;
        return;
    }
    uint64_t total = state->operation + operations;
    state->address += program->instruction_bytes * (total / program->most_operations);
    state->operation = total % program->most_operations;
}

static void run_extended(struct debug_reader *reader, struct line_program *program, struct line_state *state,
                         uint32_t table, uint32_t unit)
{
    struct cursor *at = &program->at;
    uint64_t length = cursor_unsigned_leb(at);
    const uint8_t *start = at->at;
    cursor_skip(at, length);
    if (at->failed || !length)
        return;
    struct cursor inside = {start, at->at, at->big_endian, false};
    switch (cursor_number(&inside, 1)) {
    case DW_LNE_end_sequence:
        add_row(reader, state, table, unit, true);
        *state = start_state;
        break;
    case DW_LNE_set_address:
        state->address = cursor_number(&inside, length == 5 ? 4 : program->address_size);
        state->operation = 0;
        break;
    case DW_LNE_define_file: {
        const char *name = cursor_text(&inside);
        uint64_t directory = cursor_unsigned_leb(&inside);
        if (!inside.failed)
            add_file(array_at(&reader->line_tables, table - 1), name, directory);
        break;
    }
    }
    at->failed |= inside.failed;
}

static void run_standard(struct debug_reader *reader, struct line_program *program, struct line_state *state,
                         unsigned opcode, uint32_t table, uint32_t unit)
{
    struct cursor *at = &program->at;
    switch (opcode) {
    case DW_LNS_copy:
        add_row(reader, state, table, unit, false);
        break;
    case DW_LNS_advance_pc:
        advance(program, state, cursor_unsigned_leb(at));
        break;
    case DW_LNS_advance_line:
        state->line = (int64_t)((uint64_t)state->line + (uint64_t)cursor_signed_leb(at));
        break;
    case DW_LNS_set_file:
        state->file = cursor_unsigned_leb(at);
        break;
    case DW_LNS_set_column:
        state->column = cursor_unsigned_leb(at);
        break;
    case DW_LNS_const_add_pc:
        advance(program, state, (255u - program->opcode_base) / program->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        state->address += cursor_number(at, 2);
        state->operation = 0;
        break;
    default: /* unknown, or without effect on rows: their operands are skipped */
        for (unsigned i = 0; i < program->operand_counts[opcode - 1]; i++)
            cursor_unsigned_leb(at);
    }
}

static void run(struct debug_reader *reader, struct line_program *program, uint32_t table, uint32_t unit)
{
    struct line_state state = start_state;
    struct cursor *at = &program->at;
    while (at->at < at->end && !at->failed) {
        unsigned opcode = (unsigned)cursor_number(at, 1);
        if (opcode >= program->opcode_base) {
            unsigned special = opcode - program->opcode_base;
            advance(program, &state, special / program->line_range);
            int64_t step = program->line_base + (int)(special % program->line_range);
            state.line = (int64_t)((uint64_t)state.line + (uint64_t)step);
            add_row(reader, &state, table, unit, false);
        } else if (opcode == 0) {
            run_extended(reader, program, &state, table, unit);
        } else {
            run_standard(reader, program, &state, opcode, table, unit);
        }
    }
    if (at->failed)
        debug_damaged(reader, "a line table is damaged");
}

void debug_line_program(struct debug_reader *reader, struct unit_context *lines, uint32_t unit_row)
{
    struct facts facts;
    uint64_t offset;
    Dwarf_Word word;
    if (!debug_facts(reader, &lines->die, &facts) || !FACT(&facts, stmt_list))
        return;
    if (dwarf_formudata(FACT(&facts, stmt_list), &word) != 0)
        return;
    offset = word;
    uint32_t table = debug_line_table(reader, lines->file, offset, lines->address_size, lines->directory);
    if (!table)
        return;
    uint32_t *seen =
        debug_number_at(&reader->line_program_at, lines->file->sections[SECTION_LINE].data + offset);
    struct line_program program;
    if (*seen || !read_header(lines->file, offset, lines->address_size, &program, NULL))
        return;
    *seen = 1;
    if (debug_spend(reader, (uint64_t)(program.at.end - program.at.at)))
        run(reader, &program, table, unit_row);
}
