/* Assembles what binutils cannot: the instructions that only Knights Corner has, and all of its vectors, which
   it encodes in its own way.  In AT&T's syntax, as Intel's compiler and GNU as for k1om write them.

   A statement becomes directives that emit its bytes. x86/operands_text.c reads it, Zydis encodes it.
   Displacements and targets with names are left to the assembler: `.long name-.-4`.  The text does not say how
   many bytes an instruction takes from memory, so the sizes that exist are tried; broadcasts and conversions
   leave one of them.  What was encoded is decoded again, as object files are: nothing is emitted that the rest
   of Assay would read otherwise.

   What cannot be assembled becomes an .error, so that it is told with its line like the assembler's own. */
#include "code/read/x86/assemble.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NAME = 32, LONG_FIELD = 4 };

/* A displacement or distance that needs 32 bits; the assembler's .long stands there afterwards. */
static const int64_t placeholder = 0x12345670;

static ZydisMnemonic mnemonic_of(const char *name)
{
    for (int i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        if (!strcasecmp(ZydisMnemonicGetString((ZydisMnemonic)i), name))
            return (ZydisMnemonic)i;
    return ZYDIS_MNEMONIC_INVALID;
}

/* vcmpltps is vcmpps with 1 as the last operand: false if the name is no such comparison. */
static bool take_comparison(const char *name, struct x86_statement *statement)
{
    static const char *const predicates[] = {"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"};
    static const char *const families[] = {"vcmp", "vpcmp"};
    for (unsigned f = 0; f < 2; f++) {
        size_t start = strlen(families[f]);
        if (strncasecmp(name, families[f], start))
            continue;
        for (unsigned i = 0; i < sizeof predicates / sizeof *predicates; i++) {
            char whole[LONGEST_NAME];
            size_t length = strlen(predicates[i]);
            if (strncasecmp(name + start, predicates[i], length))
                continue;
            snprintf(whole, sizeof whole, "%s%s", families[f], name + start + length);
            ZydisMnemonic mnemonic = mnemonic_of(whole);
            if (mnemonic == ZYDIS_MNEMONIC_INVALID || statement->operand_count == X86_MOST_OPERANDS)
                continue;
            statement->mnemonic = mnemonic;
            statement->operands[statement->operand_count++] =
                (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.u = i};
            return true;
        }
    }
    return false;
}

/* Counts of bits have a suffix for the size of their operands at times. */
static bool is_bit_count(const char *name)
{
    static const char *const names[] = {"popcnt", "tzcnt", "tzcnti", "lzcnt"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncasecmp(name, names[i], length) &&
            (!name[length] || (strchr("wlqWLQ", name[length]) && !name[length + 1])))
            return true;
    }
    return false;
}

/* Whether binutils' assembler would refuse a statement with this name, or encode it for another processor. */
static bool is_own(const char *name)
{
    static const char others[] = "cdjkst"; /* clevict0, delay, jkzd, kmov, spflt, tzcnti */
    char first = (char)tolower((unsigned char)*name);
    if (first == 'v' || is_bit_count(name))
        return true;
    if (!first || !strchr(others, first))
        return false;
    ZydisMnemonic mnemonic = mnemonic_of(name);
    return mnemonic != ZYDIS_MNEMONIC_INVALID && x86_mnemonic(mnemonic)->is_of_knights_corner;
}

static bool take_mnemonic(const char *name, struct x86_statement *statement)
{
    statement->mnemonic = mnemonic_of(name);
    if (statement->mnemonic == ZYDIS_MNEMONIC_INVALID && is_bit_count(name)) {
        char stem[LONGEST_NAME];
        snprintf(stem, sizeof stem, "%.*s", (int)strlen(name) - 1, name);
        statement->mnemonic = mnemonic_of(stem);
    }
    return statement->mnemonic != ZYDIS_MNEMONIC_INVALID || take_comparison(name, statement);
}

/* Operands as Zydis wants them: the mask after the first one. */
static void fill(const struct x86_statement *statement, bool has_mask, ZydisEncoderRequest *request)
{
    *request = (ZydisEncoderRequest){.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                     .allowed_encodings =
                                         ZYDIS_ENCODABLE_ENCODING_VEX | ZYDIS_ENCODABLE_ENCODING_MVEX,
                                     .mnemonic = statement->mnemonic};
    request->mvex = statement->mvex;
    for (unsigned i = 0; i < statement->operand_count; i++) {
        request->operands[request->operand_count++] = statement->operands[i];
        if (!i && has_mask)
            request->operands[request->operand_count++] =
                (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER,
                                      .reg.value = statement->mask ? statement->mask : ZYDIS_REGISTER_K0};
    }
}

static bool encode_as_it_is(const ZydisEncoderRequest *request, struct x86_encoded *encoded)
{
    ZyanUSize size = sizeof encoded->bytes;
    ZydisDecodedInstruction *decoded = &encoded->decoded;
    struct step step;
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, encoded->bytes, &size)) ||
        !k1om_reader.step(encoded->bytes, size, 0, &step) || step.key.size != size ||
        !x86_decode_knights_corner(encoded->bytes, size, decoded))
        return false;
    return decoded->mnemonic == request->mnemonic;
}

/* With and without a mask, with each size of memory. */
static bool encode(const struct x86_statement *statement, struct x86_encoded *encoded)
{
    static const uint8_t sizes[] = {64, 32, 16, 8, 4, 2, 1};
    unsigned memory = 0;
    while (memory < statement->operand_count && statement->operands[memory].type != ZYDIS_OPERAND_TYPE_MEMORY)
        memory++;
    for (unsigned way = 0; way < (statement->mask ? 1 : 2); way++) {
        bool has_mask = way == 0;
        ZydisEncoderRequest request;
        if (statement->operand_count + has_mask > ZYDIS_ENCODER_MAX_OPERANDS)
            continue;
        fill(statement, has_mask, &request);
        if (memory == statement->operand_count) {
            if (encode_as_it_is(&request, encoded))
                return true;
            continue;
        }
        for (unsigned i = 0; i < sizeof sizes; i++) {
            request.operands[memory + (memory && has_mask)].mem.size = sizes[i];
            if (encode_as_it_is(&request, encoded))
                return true;
        }
    }
    return false;
}

/* Writes .byte and the bytes from first to before end. */
static size_t put_bytes(char *text, size_t room, const uint8_t *bytes, unsigned first, unsigned end)
{
    size_t at = 0;
    for (unsigned i = first; i < end && at < room; i++)
        at += (size_t)snprintf(text + at, room - at, "%s0x%02x", i > first ? "," : ".byte ", bytes[i]);
    return at;
}

/* Directives for the bytes, with the name in the place of its field. */
static char *directives(const struct x86_statement *statement, const struct x86_encoded *encoded)
{
    const ZydisDecodedInstruction *decoded = &encoded->decoded;
    char front[6 * ZYDIS_MAX_INSTRUCTION_LENGTH + 8] = "", back[sizeof front] = "";
    unsigned size = decoded->length;
    if (!statement->name.size) {
        put_bytes(front, sizeof front, encoded->bytes, 0, size);
        return memory_format("%s", front);
    }
    bool is_target = decoded->raw.imm[0].is_relative;
    unsigned field = is_target ? decoded->raw.imm[0].offset : decoded->raw.disp.offset;
    put_bytes(front, sizeof front, encoded->bytes, 0, field);
    put_bytes(back, sizeof back, encoded->bytes, field + LONG_FIELD, size);
    char distance[32] = "";
    if (is_target || statement->is_relative)
        snprintf(distance, sizeof distance, "-.-%u", size - field);
    return memory_format("%s;.long (%.*s)%s%s%s", front, (int)statement->name.size,
                         (const char *)statement->name.data, distance, *back ? ";" : "", back);
}

static char *refusal(struct span name, struct span operands, const char *why)
{
    char text[160];
    size_t length = 0;
    int size = snprintf(text, sizeof text, "%.*s %.*s", (int)name.size, (const char *)name.data,
                        operands.size < 100 ? (int)operands.size : 100, (const char *)operands.data);
    for (int i = 0; i < size && i < (int)sizeof text - 1; i++)
        if (isprint((unsigned char)text[i]) && !strchr("\"\\;", text[i]))
            text[length++] = text[i];
    text[length] = 0;
    return memory_format(".error \"%s: '%s'\"", why, text);
}

char *x86_assemble_knights_corner(struct span name, struct span operands)
{
    char word[LONGEST_NAME];
    struct x86_statement statement = {0};
    struct x86_encoded encoded;
    if (name.size >= sizeof word || memchr(name.data, 0, name.size))
        return NULL;
    snprintf(word, sizeof word, "%.*s", (int)name.size, (const char *)name.data);
    if (!is_own(word))
        return NULL;
    if (!x86_parse_operands(operands, placeholder, &statement))
        return refusal(name, operands,
                       "Assay cannot read these operands of an instruction for Knights Corner");
    if (!take_mnemonic(word, &statement) || !encode(&statement, &encoded) ||
        (statement.name.size && !encoded.decoded.raw.imm[0].is_relative &&
         encoded.decoded.raw.disp.size != 32))
        return refusal(name, operands, "Knights Corner has no such instruction");
    return directives(&statement, &encoded);
}
