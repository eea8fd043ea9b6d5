/* The text goes through the same splitter, marks and assembler as a listing (assembled.h), with a mark before
   every statement.  The object file is then decoded from its start: there is one section, and the last mark
   is where it ends (constants that the assembler puts after the code do not count). */
#include "code/read/listing/text_code.h"

#include "code/read/bytes.h"
#include "code/read/isa.h"
#include "code/read/listing/text_rules.h"
#include "code/read/opcodes.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 1 << 16, LEAST_DIGITS = 4 };
#define FIRST_UNKNOWN UINT64_C(0x7e0000000000) /* addresses of undefined names, SPACING apart */
#define SPACING UINT64_C(0x100000)

/* What a statement became. */
struct piece {
    uint64_t offset, address;
    uint32_t line;
    bool is_raw;
};

struct assembly {
    struct text_code *code;
    struct span object;
    struct array pieces;      /* of struct piece, by offset; the last one is the end */
    struct array relocations; /* of struct relocation, by address (an offset) */
};

void text_code_begin(struct text_code *code, enum isa isa)
{
    *code = (struct text_code){.isa = isa,
                               .bytes = ARRAY_OF(uint8_t),
                               .instructions = ARRAY_OF(struct text_instruction),
                               .refusals = ARRAY_OF(struct text_refusal)};
}

static void clear(struct text_code *code)
{
    for (size_t i = 0; i < code->refusals.count; i++)
        free(ARRAY_AT(struct text_refusal, &code->refusals, i)->words);
    code->bytes.count = code->instructions.count = code->refusals.count = 0;
    code->has_addresses = false;
}

void text_code_end(struct text_code *code)
{
    clear(code);
    array_free(&code->bytes);
    array_free(&code->instructions);
    array_free(&code->refusals);
}

bool text_code_refuse(const struct text_code *code, const char *where, struct error *error)
{
    if (!code->refusals.count)
        return error->set ? false : error_set(error, where, "cannot be assembled");
    const struct text_refusal *first = ARRAY_AT(struct text_refusal, &code->refusals, 0);
    char *place = !first->line ? memory_format("%s", where) : memory_format("%s:%u", where, first->line);
    error_set(error, place, "%s", first->words);
    free(place);
    return false;
}

static bool refuse_whole(struct text_code *code, const char *words)
{
    *(struct text_refusal *)array_add(&code->refusals) =
        (struct text_refusal){.words = memory_format("%s", words)};
    return false;
}

/* The address of a name such as data_601040; NO_ADDRESS: it has none. */
static uint64_t address_in_name(const char *name)
{
    const char *digits = strrchr(name, '_');
    size_t count = digits ? strspn(digits + 1, "0123456789abcdef") : 0;
    return count >= LEAST_DIGITS && count <= 16 && !digits[1 + count] ? strtoull(digits + 1, NULL, 16)
                                                                      : NO_ADDRESS;
}

/* "at 0x401130" */
static bool parse_address(struct span comment, uint64_t *address)
{
    char text[32] = "", *end;
    memcpy(text, comment.data, comment.size < sizeof text - 1 ? comment.size : sizeof text - 1);
    if (strncmp(text, "at 0x", 5) || !isxdigit((unsigned char)text[5]))
        return false;
    *address = strtoull(text + 3, &end, 16);
    return !*end;
}

/* Marks become pieces with addresses. */
static bool place_pieces(struct assembly *assembly, const struct assembled_text *text,
                         const struct array *marks)
{
    uint64_t base = 0, from = 0;
    size_t word = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct assembled_mark *mark = ARRAY_AT(struct assembled_mark, marks, i);
        if (mark->emitter != i)
            return false;
        for (; word < text->words.count; word++) {
            const struct assembled_word *at = ARRAY_AT(struct assembled_word, &text->words, word);
            if (at->emitter > mark->emitter)
                break;
            if (at->kind == directive_kind_COMMENT && parse_address(at->text, &base)) {
                from = mark->offset;
                assembly->code->has_addresses = true;
            }
        }
        const struct emitter *emitter = ARRAY_AT(struct emitter, &text->emitters, mark->emitter);
        *(struct piece *)array_push(&assembly->pieces) = (struct piece){
            mark->offset, base + mark->offset - from, emitter->line, emitter->kind == emitter_OTHER};
    }
    return marks->count == text->emitters.count;
}

static const struct piece *piece_at(const struct assembly *assembly, uint64_t offset)
{
    return array_last_at(&assembly->pieces, offsetof(struct piece, offset), offset);
}

static uint64_t address_of(const struct assembly *assembly, uint64_t offset)
{
    const struct piece *piece = piece_at(assembly, offset);
    return piece ? piece->address + offset - piece->offset : offset;
}

static uint64_t symbol_value(const struct assembly *assembly, Elf *elf, const GElf_Shdr *symbols,
                             const GElf_Sym *symbol, uint64_t number)
{
    if (symbol->st_shndx == SHN_ABS)
        return symbol->st_value;
    if (symbol->st_shndx != SHN_UNDEF)
        return address_of(assembly, symbol->st_value);
    const char *name = elf_strptr(elf, symbols->sh_link, symbol->st_name);
    uint64_t address = name ? address_in_name(name) : NO_ADDRESS;
    return address != NO_ADDRESS ? address : FIRST_UNKNOWN + number * SPACING;
}

static void read_relocations(struct assembly *assembly, Elf *elf, Elf_Scn *table, const GElf_Shdr *header)
{
    GElf_Shdr symbols;
    Elf_Data *rows = elf_getdata(table, NULL), *names = NULL;
    Elf_Scn *named = elf_getscn(elf, header->sh_link);
    if (named && gelf_getshdr(named, &symbols))
        names = elf_getdata(named, NULL);
    size_t count = rows && names && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela row = {0};
        GElf_Rel bare;
        GElf_Sym symbol;
        if (header->sh_type == SHT_RELA ? !gelf_getrela(rows, (int)i, &row)
                                        : !gelf_getrel(rows, (int)i, &bare))
            continue;
        if (header->sh_type == SHT_REL)
            row = (GElf_Rela){.r_offset = bare.r_offset, .r_info = bare.r_info, .r_addend = -4};
        uint64_t number = GELF_R_SYM(row.r_info);
        if (!gelf_getsym(names, (int)number, &symbol))
            continue;
        *(struct relocation *)array_add(&assembly->relocations) =
            (struct relocation){.address = row.r_offset,
                                .type = (uint32_t)GELF_R_TYPE(row.r_info),
                                .value = symbol_value(assembly, elf, &symbols, &symbol, number),
                                .addend = row.r_addend};
    }
}

/* The bytes of the only code section, up to the last mark, and the relocations. */
static void read_object(struct assembly *assembly, uint32_t section, uint64_t size)
{
    Elf *elf = elf_memory((char *)assembly->object.data, assembly->object.size);
    for (Elf_Scn *at = NULL; elf && (at = elf_nextscn(elf, at));) {
        GElf_Shdr header;
        if (!gelf_getshdr(at, &header))
            continue;
        if ((header.sh_type == SHT_RELA || header.sh_type == SHT_REL) && header.sh_info == section)
            read_relocations(assembly, elf, at, &header);
        Elf_Data *data = elf_ndxscn(at) == section ? elf_getdata(at, NULL) : NULL;
        if (data && data->d_size >= size && size)
            memcpy(array_push_many(&assembly->code->bytes, size), data->d_buf, size);
    }
    if (elf)
        elf_end(elf);
}

static uint64_t target_of(const struct assembly *assembly, const struct isa_reader *reader,
                          const struct text_instruction *at, uint64_t target)
{
    uint64_t size = assembly->code->bytes.count, end = at->offset + at->size;
    if (target == NO_ADDRESS)
        return target;
    for (size_t i =
             array_first_at(&assembly->relocations, 0, offsetof(struct relocation, address), at->offset);
         i < assembly->relocations.count; i++) {
        const struct relocation *relocation = ARRAY_AT(struct relocation, &assembly->relocations, i);
        if (relocation->address >= end)
            break;
        uint64_t found;
        if (reader->relocated && reader->relocated(relocation, end, &found))
            return found;
        return relocation->value;
    }
    return target <= size ? address_of(assembly, target) : at->address + (target - at->offset);
}

static bool decode(struct assembly *assembly, struct error *error)
{
    struct text_code *code = assembly->code;
    const struct isa_reader *reader = isa_reader(code->isa);
    const uint8_t *bytes = code->bytes.data;
    for (size_t offset = 0; offset < code->bytes.count;) {
        struct step step = {0};
        const struct piece *piece = piece_at(assembly, offset);
        uint32_t line = piece ? piece->line : 0;
        if (!reader->step(bytes + offset, code->bytes.count - offset, offset, &step) || !step.key.size ||
            step.key.size > code->bytes.count - offset) {
            text_rules_refuse(&code->refusals, line, "these bytes are not an instruction");
            return false;
        }
        if (code->instructions.count == MOST_INSTRUCTIONS)
            return error_set(error, NULL, "more than %d instructions", MOST_INSTRUCTIONS);
        struct text_instruction *row = array_push(&code->instructions);
        *row = (struct text_instruction){.offset = (uint32_t)offset,
                                         .size = step.key.size,
                                         .line = line,
                                         .is_raw = piece && piece->is_raw,
                                         .address = address_of(assembly, offset)};
        row->target = target_of(assembly, reader, row, step.target);
        offset += step.key.size;
    }
    return code->instructions.count || refuse_whole(code, "there is no instruction in the text");
}

static int compare_relocations(const void *left, const void *right)
{
    const struct relocation *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool understand(struct text_code *code, struct span object, const struct assembled_text *text,
                       const char *prefix, struct error *error)
{
    struct assembly assembly = {.code = code,
                                .object = object,
                                .pieces = ARRAY_OF(struct piece),
                                .relocations = ARRAY_OF(struct relocation)};
    struct array marks = assembled_marks(object, prefix);
    bool done = place_pieces(&assembly, text, &marks);
    if (!done)
        refuse_whole(code,
                     "the assembler splits the text into other statements; put each instruction on a line");
    if (done && marks.count) {
        const struct assembled_mark *last = ARRAY_AT(struct assembled_mark, &marks, marks.count - 1);
        read_object(&assembly, last->section, last->offset);
    }
    if (assembly.relocations.count)
        qsort(assembly.relocations.data, assembly.relocations.count, sizeof(struct relocation),
              compare_relocations);
    done = done && decode(&assembly, error);
    array_free(&marks);
    array_free(&assembly.pieces);
    array_free(&assembly.relocations);
    return done;
}

static bool assemble(struct text_code *code, const char *text, size_t size, struct error *error)
{
    char prefix[32];
    struct trust nothing = {.is_none = true};
    struct read_options options = {.trust = &nothing};
    struct listing_source source = {.path = "the text", .text = {(const uint8_t *)text, size}};
    struct assembling work = {.isa = code->isa,
                              .sources = &source,
                              .count = 1,
                              .options = &options,
                              .deadline = assembled_deadline(&source, 1),
                              .refuse = text_rules_refuse,
                              .refusals = &code->refusals};
    struct assembled_text statements;
    struct span object;
    bool is_refused;
    assembled_choose_prefix(&source, 1, prefix, sizeof prefix);
    assembled_lex(source.text, code->isa, prefix, 0, 1, &statements);
    bool done = assembled_assemble(&work, &statements, &object, &is_refused, error);
    if (done) {
        done = understand(code, object, &statements, prefix, error);
        bytes_free(object);
    }
    assembled_free(&statements);
    return done;
}

static bool is_assembled(enum isa isa)
{
    return isa == isa_X86_64 || isa == isa_I386 || isa == isa_AARCH64;
}

bool text_code_read(struct text_code *code, const char *text, size_t size, struct error *error)
{
    clear(code);
    if (!is_assembled(code->isa))
        return refuse_whole(code, "there is no assembler for this instruction set");
    if (!opcodes_know(code->isa, error))
        return false;
    if (size > MOST_TEXT_CODE)
        return refuse_whole(code, "the text is larger than 256 KB");
    if (!size)
        return refuse_whole(code, "there is no instruction in the text");
    struct assembled_text statements;
    char *copy = memory_copy_text(text, size);
    assembled_lex((struct span){(const uint8_t *)text, size}, code->isa, "", 0, 0, &statements);
    bool done =
        text_rules_apply(&statements, text, size, copy, &code->refusals) && assemble(code, copy, size, error);
    assembled_free(&statements);
    free(copy);
    return done;
}

bool text_code_is_plain(enum isa isa, const char *text, size_t size)
{
    if (!is_assembled(isa) || size > MOST_TEXT_CODE)
        return false;
    struct assembled_text statements;
    assembled_lex((struct span){(const uint8_t *)text, size}, isa, "", 0, 0, &statements);
    bool is_plain = text_rules_apply(&statements, text, size, NULL, NULL);
    assembled_free(&statements);
    return is_plain;
}

size_t text_code_loop_start(const struct text_code *code)
{
    size_t count = code->instructions.count;
    const struct text_instruction *rows = code->instructions.data;
    if (!count || rows[count - 1].target == NO_ADDRESS || rows[count - 1].is_raw)
        return count;
    for (size_t i = 0; i < count; i++)
        if (rows[i].address == rows[count - 1].target)
            return i;
    return count;
}
