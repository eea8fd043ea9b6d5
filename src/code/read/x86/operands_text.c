/* Operands in AT&T's syntax, for the assembler of Knights Corner's own instructions (x86/assemble.c):

       %zmm3{%k1}   %zmm1{cdab}   %eax   $177   64(%rdi,%rax,8){1to8}   table+64(%rip)   ..B1.4   {rn-sae}

   Braces say what the instruction does with an operand: the mask of the result, swizzles, broadcasts, conversions,
   rounding, the hint that a line may go.  Segments, and immediates with names, are not read. */
#include "code/read/x86/assemble.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct text {
    const char *at, *end;
};

static struct text trimmed(struct text text)
{
    while (text.at < text.end && isspace((unsigned char)*text.at))
        text.at++;
    while (text.end > text.at && isspace((unsigned char)text.end[-1]))
        text.end--;
    return text;
}

static bool is_word(struct text text, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(text.end - text.at) == length && !strncasecmp(text.at, word, length);
}

static bool parse_number(struct text text, int64_t *number)
{
    char digits[32], *end;
    text = trimmed(text);
    size_t length = (size_t)(text.end - text.at);
    if (!length || length >= sizeof digits)
        return false;
    memcpy(digits, text.at, length);
    digits[length] = 0;
    errno = 0;
    *number = *digits == '-' ? strtoll(digits, &end, 0) : (int64_t)strtoull(digits, &end, 0);
    return !*end && !errno;
}

/* %zmm3; ZYDIS_REGISTER_NONE: no register. */
static ZydisRegister parse_register(struct text text)
{
    text = trimmed(text);
    if (text.at == text.end || *text.at != '%')
        return ZYDIS_REGISTER_NONE;
    text.at++;
    text = trimmed(text);
    for (int i = ZYDIS_REGISTER_NONE + 1; i <= ZYDIS_REGISTER_MAX_VALUE; i++) {
        const char *name = ZydisRegisterGetString((ZydisRegister)i);
        if (name && is_word(text, name))
            return (ZydisRegister)i;
    }
    return ZYDIS_REGISTER_NONE;
}

/* What stands in braces: {cdab}. */
static bool take_brace(struct text text, struct x86_statement *statement)
{
    static const struct {
        const char *word;
        uint8_t broadcast, conversion, rounding, swizzle;
        bool sae, eviction_hint;
    } words[] = {
        {.word = "1to16", .broadcast = ZYDIS_BROADCAST_MODE_1_TO_16},
        {.word = "4to16", .broadcast = ZYDIS_BROADCAST_MODE_4_TO_16},
        {.word = "1to8", .broadcast = ZYDIS_BROADCAST_MODE_1_TO_8},
        {.word = "4to8", .broadcast = ZYDIS_BROADCAST_MODE_4_TO_8},
        {.word = "float16", .conversion = ZYDIS_CONVERSION_MODE_FLOAT16},
        {.word = "sint8", .conversion = ZYDIS_CONVERSION_MODE_SINT8},
        {.word = "uint8", .conversion = ZYDIS_CONVERSION_MODE_UINT8},
        {.word = "sint16", .conversion = ZYDIS_CONVERSION_MODE_SINT16},
        {.word = "uint16", .conversion = ZYDIS_CONVERSION_MODE_UINT16},
        {.word = "rn", .rounding = ZYDIS_ROUNDING_MODE_RN},
        {.word = "rd", .rounding = ZYDIS_ROUNDING_MODE_RD},
        {.word = "ru", .rounding = ZYDIS_ROUNDING_MODE_RU},
        {.word = "rz", .rounding = ZYDIS_ROUNDING_MODE_RZ},
        {.word = "rn-sae", .rounding = ZYDIS_ROUNDING_MODE_RN, .sae = true},
        {.word = "rd-sae", .rounding = ZYDIS_ROUNDING_MODE_RD, .sae = true},
        {.word = "ru-sae", .rounding = ZYDIS_ROUNDING_MODE_RU, .sae = true},
        {.word = "rz-sae", .rounding = ZYDIS_ROUNDING_MODE_RZ, .sae = true},
        {.word = "sae", .sae = true},
        {.word = "dcba", .swizzle = ZYDIS_SWIZZLE_MODE_DCBA},
        {.word = "cdab", .swizzle = ZYDIS_SWIZZLE_MODE_CDAB},
        {.word = "badc", .swizzle = ZYDIS_SWIZZLE_MODE_BADC},
        {.word = "dacb", .swizzle = ZYDIS_SWIZZLE_MODE_DACB},
        {.word = "aaaa", .swizzle = ZYDIS_SWIZZLE_MODE_AAAA},
        {.word = "bbbb", .swizzle = ZYDIS_SWIZZLE_MODE_BBBB},
        {.word = "cccc", .swizzle = ZYDIS_SWIZZLE_MODE_CCCC},
        {.word = "dddd", .swizzle = ZYDIS_SWIZZLE_MODE_DDDD},
        {.word = "eh", .eviction_hint = true},
    };
    text = trimmed(text);
    ZydisRegister mask = parse_register(text);
    if (mask) {
        bool is_first = !statement->mask;
        statement->mask = mask;
        return is_first && ZydisRegisterGetClass(mask) == ZYDIS_REGCLASS_MASK;
    }
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, words[i].word)) {
            x86_mvex *mvex = &statement->mvex;
            mvex->broadcast = words[i].broadcast ? words[i].broadcast : mvex->broadcast;
            mvex->conversion = words[i].conversion ? words[i].conversion : mvex->conversion;
            mvex->rounding = words[i].rounding ? words[i].rounding : mvex->rounding;
            mvex->swizzle = words[i].swizzle ? words[i].swizzle : mvex->swizzle;
            mvex->sae |= words[i].sae;
            mvex->eviction_hint |= words[i].eviction_hint;
            return true;
        }
    return false;
}

/* Takes the braces at the end of an operand. */
static bool take_braces(struct text *text, struct x86_statement *statement)
{
    *text = trimmed(*text);
    while (text->end > text->at && text->end[-1] == '}') {
        const char *open = memrchr(text->at, '{', (size_t)(text->end - text->at));
        if (!open || !take_brace((struct text){open + 1, text->end - 1}, statement))
            return false;
        text->end = open;
        *text = trimmed(*text);
    }
    return true;
}

/* A number, or an expression that the assembler computes. */
static bool take_expression(struct text text, int64_t placeholder, struct x86_statement *statement,
                            int64_t *number)
{
    text = trimmed(text);
    *number = 0;
    if (text.at == text.end || parse_number(text, number))
        return true;
    for (const char *at = text.at; at < text.end; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_.$@+-*() \t", *at))
            return false;
    if (statement->name.size)
        return false;
    statement->name = (struct span){(const uint8_t *)text.at, (size_t)(text.end - text.at)};
    *number = placeholder;
    return true;
}

/* (%rdi,%rax,8), without its parentheses. */
static bool take_address(struct text text, ZydisEncoderOperand *operand)
{
    const char *first = memchr(text.at, ',', (size_t)(text.end - text.at));
    const char *stop = first ? first : text.end;
    struct text base = trimmed((struct text){text.at, stop});
    operand->mem.base = parse_register(base);
    if (!operand->mem.base && base.at < base.end)
        return false;
    if (!first)
        return operand->mem.base;
    const char *second = memchr(first + 1, ',', (size_t)(text.end - first - 1));
    int64_t scale = 1;
    operand->mem.index = parse_register((struct text){first + 1, second ? second : text.end});
    if (!operand->mem.index || (second && !parse_number((struct text){second + 1, text.end}, &scale)) ||
        (scale != 1 && scale != 2 && scale != 4 && scale != 8))
        return false;
    operand->mem.scale = (ZyanU8)scale;
    return true;
}

/* A memory operand, or where a jump goes: both look the same if there are no parentheses, and jumps have no other. */
static bool take_place(struct text text, int64_t placeholder, struct x86_statement *statement,
                       ZydisEncoderOperand *operand)
{
    const char *open = text.end[-1] == ')' ? memrchr(text.at, '(', (size_t)(text.end - text.at)) : NULL;
    bool has_register = open && (memchr(open, '%', (size_t)(text.end - open)));
    int64_t number = 0;
    if (memchr(text.at, ':', (size_t)(text.end - text.at)) ||
        !take_expression((struct text){text.at, has_register ? open : text.end}, placeholder, statement,
                         &number))
        return false;
    if (!has_register) {
        *operand = (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = number};
        return true;
    }
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.displacement = number;
    bool is_read = take_address((struct text){open + 1, text.end - 1}, operand);
    statement->is_relative = operand->mem.base == ZYDIS_REGISTER_RIP;
    return is_read;
}

static bool take_operand(struct text text, int64_t placeholder, struct x86_statement *statement)
{
    if (!take_braces(&text, statement))
        return false;
    if (text.at == text.end)
        return true; /* {rn-sae} */
    if (statement->operand_count == X86_MOST_OPERANDS)
        return false;
    ZydisEncoderOperand *operand = &statement->operands[statement->operand_count++];
    *operand = (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER};
    if (*text.at == '%') {
        operand->reg.value = parse_register(text);
        return operand->reg.value;
    }
    if (*text.at != '$')
        return take_place(text, placeholder, statement, operand);
    operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
    return parse_number((struct text){text.at + 1, text.end}, &operand->imm.s);
}

/* The next operand ends at a comma that stands in no parentheses and no braces. */
static const char *operand_end(struct text text)
{
    int depth = 0;
    while (text.at < text.end && (depth > 0 || *text.at != ',')) {
        depth += *text.at == '(' || *text.at == '{';
        depth -= *text.at == ')' || *text.at == '}';
        text.at++;
    }
    return text.at;
}

bool x86_parse_operands(struct span span, int64_t placeholder, struct x86_statement *statement)
{
    const char *start = (const char *)span.data;
    struct text left = trimmed((struct text){start, start + span.size});
    while (left.at < left.end) {
        const char *stop = operand_end(left);
        if (!take_operand((struct text){left.at, stop}, placeholder, statement))
            return false;
        if (stop + 1 == left.end)
            return false; /* a comma at the end */
        left.at = stop < left.end ? stop + 1 : left.end;
    }
    for (unsigned i = 0, last = statement->operand_count; i + 1 < last; i++) {
        ZydisEncoderOperand kept = statement->operands[i];
        statement->operands[i] = statement->operands[--last];
        statement->operands[last] = kept;
    }
    return true;
}
