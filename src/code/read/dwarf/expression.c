/* DWARF expressions: as text, and classified into the model's kinds of location.

   The text is the operations in order, without their DW_OP_ (and GNU_), each with its operands: numbers in
   decimal, addresses in hexadecimal, registers as reg5(rdi) and breg7(rsp), the expression that an
   entry_value holds in parentheses, bytes in hexadecimal.  A reference to a DIE is its offset.  Text longer
   than MOST_TEXT is cut and ends in "…". */
#include "code/read/dwarf/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1000, MOST_NESTING = 4 };

/* Operands: a address, x index of an address, u and s LEB128, 1 2 4 8 unsigned and b h w l signed numbers of
   so many bytes, r reference of the size of an offset, e expression with its length, k bytes with their
   length, c bytes with their length in one byte, g register number. */
struct dwarf_operation {
    const char *name, *operands;
};

#define PLAIN(name) [DW_OP_##name] = {#name, ""}
#define WITH(name, operands) [DW_OP_##name] = {#name, operands}
static const struct dwarf_operation operations[256] = {
    WITH(addr, "a"),
    PLAIN(deref),
    WITH(const1u, "1"),
    WITH(const1s, "b"),
    WITH(const2u, "2"),
    WITH(const2s, "h"),
    WITH(const4u, "4"),
    WITH(const4s, "w"),
    WITH(const8u, "8"),
    WITH(const8s, "l"),
    WITH(constu, "u"),
    WITH(consts, "s"),
    PLAIN(dup),
    PLAIN(drop),
    PLAIN(over),
    WITH(pick, "1"),
    PLAIN(swap),
    PLAIN(rot),
    PLAIN(xderef),
    PLAIN(abs),
    PLAIN(and),
    PLAIN(div),
    PLAIN(minus),
    PLAIN(mod),
    PLAIN(mul),
    PLAIN(neg),
    PLAIN(not ),
    PLAIN(or),
    PLAIN(plus),
    WITH(plus_uconst, "u"),
    PLAIN(shl),
    PLAIN(shr),
    PLAIN(shra),
    PLAIN(xor),
    WITH(bra, "h"),
    PLAIN(eq),
    PLAIN(ge),
    PLAIN(gt),
    PLAIN(le),
    PLAIN(lt),
    PLAIN(ne),
    WITH(skip, "h"),
    WITH(regx, "g"),
    WITH(fbreg, "s"),
    WITH(bregx, "gs"),
    WITH(piece, "u"),
    WITH(deref_size, "1"),
    WITH(xderef_size, "1"),
    PLAIN(nop),
    PLAIN(push_object_address),
    WITH(call2, "2"),
    WITH(call4, "4"),
    WITH(call_ref, "r"),
    PLAIN(form_tls_address),
    PLAIN(call_frame_cfa),
    WITH(bit_piece, "uu"),
    WITH(implicit_value, "k"),
    PLAIN(stack_value),
    WITH(implicit_pointer, "rs"),
    WITH(addrx, "x"),
    WITH(constx, "x"),
    WITH(entry_value, "e"),
    WITH(const_type, "uc"),
    WITH(regval_type, "gu"),
    WITH(deref_type, "1u"),
    WITH(xderef_type, "1u"),
    WITH(convert, "u"),
    WITH(reinterpret, "u"),
    [DW_OP_GNU_push_tls_address] = {"form_tls_address", ""},
    [DW_OP_GNU_uninit] = {"uninit", ""},
    [DW_OP_GNU_implicit_pointer] = {"implicit_pointer", "rs"},
    [DW_OP_GNU_entry_value] = {"entry_value", "e"},
    [DW_OP_GNU_const_type] = {"const_type", "uc"},
    [DW_OP_GNU_regval_type] = {"regval_type", "gu"},
    [DW_OP_GNU_deref_type] = {"deref_type", "1u"},
    [DW_OP_GNU_convert] = {"convert", "u"},
    [DW_OP_GNU_reinterpret] = {"reinterpret", "u"},
    [DW_OP_GNU_parameter_ref] = {"parameter_ref", "4"},
    [DW_OP_GNU_addr_index] = {"addr", "x"},
    [DW_OP_GNU_const_index] = {"constx", "x"},
    [DW_OP_GNU_variable_value] = {"variable_value", "r"},
};
#undef PLAIN
#undef WITH

static int add_register(void *context, int number, const char *set, const char *prefix, const char *name,
                        int bits, int type)
{
    (void)set, (void)prefix, (void)bits, (void)type;
    struct debug_reader *reader = context;
    char lower[32];
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof lower; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    lower[i] = 0;
    if (number >= 0 && number < MOST_REGISTERS && i)
        reader->registers[number] = model_string(reader->model, lower);
    return 0;
}

static void add_registers(struct debug_reader *reader, unsigned first, unsigned count, const char *name,
                          unsigned number)
{
    for (unsigned i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%u", name, number + i);
        reader->registers[first + i] = model_string(reader->model, text);
    }
}

void debug_registers(struct debug_reader *reader, Dwfl_Module *module)
{
    dwfl_module_register_names(module, add_register, reader);
    /* Registers that elfutils lacks or spells differently from the rest of the model. */
    switch (model_program(reader->model, reader->program)->isa) {
    case isa_X86_64:
    case isa_K1OM:
        add_registers(reader, 67, 16, "xmm", 16);
        add_registers(reader, 118, 8, "k", 0);
        break;
    case isa_I386:
        add_registers(reader, 93, 8, "k", 0);
        break;
    case isa_AARCH64:
        reader->registers[46] = model_string(reader->model, "vg");
        reader->registers[47] = model_string(reader->model, "ffr");
        add_registers(reader, 48, 16, "p", 0);
        add_registers(reader, 96, 32, "z", 0);
        break;
    }
}

static string_id register_name(struct debug_reader *reader, uint64_t number)
{
    if (number < MOST_REGISTERS && reader->registers[number])
        return reader->registers[number];
    char text[32];
    snprintf(text, sizeof text, "register%llu", (unsigned long long)number);
    return model_string(reader->model, text);
}

struct text {
    char bytes[MOST_TEXT + 4];
    size_t length;
    bool is_cut;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
    if (text->is_cut)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, MOST_TEXT - text->length, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= MOST_TEXT - text->length) {
        strcpy(text->bytes + text->length, "…");
        text->is_cut = true;
    } else {
        text->length += (size_t)length;
    }
}

static void say_bytes(struct text *text, struct cursor *cursor, uint64_t size)
{
    const uint8_t *bytes = cursor->at;
    cursor_skip(cursor, size);
    say(text, " ");
    for (uint64_t i = 0; !cursor->failed && !text->is_cut && i < size; i++)
        say(text, "%02x", bytes[i]);
}

static uint64_t read_operand(const struct unit_context *unit, char kind, struct cursor *cursor)
{
    uint64_t number = 0;
    switch (kind) {
    case 'a':
        return cursor_number(cursor, unit->address_size);
    case 'x':
        if (!debug_indexed_address(unit, cursor_unsigned_leb(cursor), &number))
            cursor->failed = true;
        return number;
    case 'u':
    case 'g':
    case 'e':
    case 'k':
        return cursor_unsigned_leb(cursor);
    case 's':
        return (uint64_t)cursor_signed_leb(cursor);
    case '1':
    case 'c':
        return cursor_number(cursor, 1);
    case '2':
        return cursor_number(cursor, 2);
    case '4':
        return cursor_number(cursor, 4);
    case '8':
        return cursor_number(cursor, 8);
    case 'b':
        return (uint64_t)cursor_signed(cursor, 1);
    case 'h':
        return (uint64_t)cursor_signed(cursor, 2);
    case 'w':
        return (uint64_t)cursor_signed(cursor, 4);
    case 'l':
        return (uint64_t)cursor_signed(cursor, 8);
    case 'r':
        return cursor_number(cursor, unit->version == 2 ? unit->address_size : unit->offset_size);
    }
    cursor->failed = true;
    return 0;
}

static bool is_literal(unsigned code)
{
    return code >= DW_OP_lit0 && code <= DW_OP_lit31;
}
static bool is_register(unsigned code)
{
    return code >= DW_OP_reg0 && code <= DW_OP_reg31;
}
static bool is_based(unsigned code)
{
    return code >= DW_OP_breg0 && code <= DW_OP_breg31;
}

static bool is_address(unsigned code)
{
    return code == DW_OP_addr || code == DW_OP_addrx || code == DW_OP_GNU_addr_index;
}

/* An operation with 32 numbers. */
static bool say_numbered(struct debug_reader *reader, struct text *text, unsigned code, struct cursor *cursor)
{
    const struct model *model = reader->model;
    if (is_literal(code))
        say(text, "lit%u", code - DW_OP_lit0);
    else if (is_register(code))
        say(text, "reg%u(%s)", code - DW_OP_reg0,
            model_text(model, register_name(reader, code - DW_OP_reg0)));
    else if (is_based(code))
        say(text, "breg%u(%s) %lld", code - DW_OP_breg0,
            model_text(model, register_name(reader, code - DW_OP_breg0)),
            (long long)cursor_signed_leb(cursor));
    else
        return false;
    return true;
}

/* inner[] are the ends of the expressions around the one at hand: entry_value nests. */
static void say_expression(struct debug_reader *reader, const struct unit_context *unit, struct span bytes,
                           const struct frame *frame, struct text *text)
{
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, unit->file->big_endian, false};
    const uint8_t *inner[MOST_NESTING];
    unsigned depth = 0;
    bool first = true;
    while (!cursor.failed && !text->is_cut) {
        if (depth && cursor.at >= inner[depth - 1]) {
            depth--;
            say(text, ")");
            continue;
        }
        if (cursor.at >= cursor.end)
            break;
        if (!first)
            say(text, " ");
        first = false;
        unsigned code = (unsigned)cursor_number(&cursor, 1);
        if (say_numbered(reader, text, code, &cursor))
            continue;
        if (code == DW_OP_fbreg && frame && frame->is_register) {
            say(text, "bregx %s %lld", model_text(reader->model, frame->register_name),
                (long long)((uint64_t)cursor_signed_leb(&cursor) + (uint64_t)frame->offset));
            continue;
        }
        if (!operations[code].name) {
            say(text, "operation_0x%x", code);
            cursor.failed = true;
            break;
        }
        say(text, "%s", code == DW_OP_addrx ? "addr" : operations[code].name);
        for (const char *kind = operations[code].operands; *kind && !cursor.failed; kind++) {
            uint64_t number = read_operand(unit, *kind, &cursor);
            if (*kind == 'a' || *kind == 'x' || *kind == 'r') {
                say(text, " 0x%llx", (unsigned long long)(number + (is_address(code) ? reader->adjust : 0)));
            } else if (*kind == 'g') {
                say(text, " %s", model_text(reader->model, register_name(reader, number)));
            } else if (*kind == 'k' || *kind == 'c') {
                say_bytes(text, &cursor, number);
            } else if (*kind == 'e') {
                if (depth == MOST_NESTING || number > (uint64_t)(cursor.end - cursor.at)) {
                    cursor.failed = true;
                    break;
                }
                inner[depth++] = cursor.at + number;
                say(text, "(");
                first = true;
            } else {
                say(text, strchr("sbhwl", *kind) ? " %lld" : " %llu", (long long)number);
            }
        }
    }
    if (cursor.failed && !text->is_cut) {
        say(text, " damaged");
        debug_damaged(reader, "a DWARF expression is damaged");
    }
}

string_id debug_expression_text(struct debug_reader *reader, const struct unit_context *unit,
                                struct span bytes, const struct frame *frame)
{
    struct text text = {.length = 0};
    if (!debug_spend(reader, bytes.size))
        return 0;
    say_expression(reader, unit, bytes, frame, &text);
    return model_string(reader->model, text.bytes);
}

string_id debug_block_text(struct debug_reader *reader, struct span bytes)
{
    struct text text = {.length = 0};
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, false, false};
    say(&text, "implicit_value");
    say_bytes(&text, &cursor, bytes.size);
    return model_string(reader->model, text.bytes);
}

bool debug_block(Dwarf_Attribute *attribute, struct span *bytes)
{
    Dwarf_Block block;
    switch (attribute->form) {
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_exprloc:
    case DW_FORM_data16:
        if (dwarf_formblock(attribute, &block) != 0)
            return false;
        *bytes = (struct span){block.data, block.length};
        return true;
    }
    return false;
}

struct decoded {
    unsigned code;
    uint64_t number, second;
    struct span bytes; /* of an implicit value */
};

/* The first few operations; their number, or 0 if there are more or one is unknown. */
static unsigned decode_short(const struct unit_context *unit, struct span bytes, struct decoded *decoded,
                             unsigned most)
{
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, unit->file->big_endian, false};
    unsigned count = 0;
    while (cursor.at < cursor.end) {
        if (count == most)
            return 0;
        struct decoded *now = &decoded[count++];
        *now = (struct decoded){.code = (unsigned)cursor_number(&cursor, 1)};
        if (is_literal(now->code)) {
            now->number = now->code - DW_OP_lit0;
        } else if (is_register(now->code)) {
            now->number = now->code - DW_OP_reg0;
        } else if (is_based(now->code)) {
            now->number = now->code - DW_OP_breg0;
            now->second = (uint64_t)cursor_signed_leb(&cursor);
        } else if (operations[now->code].name) {
            const char *kind = operations[now->code].operands;
            if (kind[0])
                now->number = read_operand(unit, kind[0], &cursor);
            if (kind[0] && kind[1] && kind[1] != 'c')
                now->second = read_operand(unit, kind[1], &cursor);
            if (kind[0] == 'k') {
                now->bytes = (struct span){cursor.at, now->number};
                cursor_skip(&cursor, now->number);
            } else if (kind[0] == 'e' || (kind[0] && kind[1] == 'c')) {
                return 0;
            }
        } else {
            return 0;
        }
        if (cursor.failed)
            return 0;
    }
    return count;
}

static bool is_constant(unsigned code)
{
    return is_literal(code) || (code >= DW_OP_const1u && code <= DW_OP_consts);
}
static bool classify_one(struct debug_reader *reader, const struct unit_context *unit,
                         const struct decoded *one, const struct frame *frame, struct location *location)
{
    if (is_address(one->code)) {
        location->kind = location_kind_ADDRESS;
        location->value = (int64_t)(one->number + reader->adjust);
    } else if (is_register(one->code) || one->code == DW_OP_regx) {
        location->kind = location_kind_REGISTER;
        location->register_name = register_name(reader, one->number);
    } else if (is_based(one->code) || one->code == DW_OP_bregx) {
        location->kind = location_kind_BASED;
        location->register_name = register_name(reader, one->number);
        location->value = (int64_t)one->second;
    } else if (one->code == DW_OP_fbreg && frame && frame->is_register) {
        location->kind = location_kind_BASED;
        location->register_name = frame->register_name;
        location->value = (int64_t)(one->number + (uint64_t)frame->offset);
    } else if (one->code == DW_OP_fbreg) {
        location->kind = location_kind_FRAME;
        location->value = (int64_t)one->number;
    } else if (one->code == DW_OP_call_frame_cfa) {
        location->kind = location_kind_FRAME;
    } else if (one->code == DW_OP_implicit_value && one->bytes.size && one->bytes.size <= 8) {
        struct cursor cursor = {one->bytes.data, one->bytes.data + one->bytes.size, unit->file->big_endian,
                                false};
        location->kind = location_kind_CONSTANT;
        location->value = (int64_t)cursor_number(&cursor, (unsigned)one->bytes.size);
    } else {
        return false;
    }
    return true;
}

void debug_classify(struct debug_reader *reader, const struct unit_context *unit, struct span bytes,
                    const struct frame *frame, struct location *location)
{
    struct decoded ops[3];
    unsigned count = decode_short(unit, bytes, ops, 3);
    unsigned last = count == 2 ? ops[1].code : 0;
    if (!bytes.size) {
        location->kind = location_kind_NONE;
        return;
    }
    if (count == 1 && classify_one(reader, unit, &ops[0], frame, location))
        return;
    if (last == DW_OP_stack_value && is_constant(ops[0].code)) {
        location->kind = location_kind_CONSTANT;
        location->value = (int64_t)ops[0].number;
        return;
    }
    if ((last == DW_OP_form_tls_address || last == DW_OP_GNU_push_tls_address) &&
        (is_constant(ops[0].code) || is_address(ops[0].code) || ops[0].code == DW_OP_constx ||
         ops[0].code == DW_OP_GNU_const_index)) {
        location->kind = location_kind_TLS;
        location->value = (int64_t)ops[0].number;
        /* If GCC uses an index, it writes the address in the image instead of the offset. */
        if (!is_constant(ops[0].code) && ops[0].number >= reader->thread_storage.address &&
            ops[0].number < reader->thread_storage.end)
            location->value -= (int64_t)reader->thread_storage.address;
        return;
    }
    location->kind = location_kind_EXPRESSION;
    location->expression = debug_expression_text(reader, unit, bytes, frame);
}
