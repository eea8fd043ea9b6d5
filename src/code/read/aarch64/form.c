/* Spells the form of an instruction from its text: the mnemonic, then the kinds of its operands.

   The form keeps what the cost on a core may depend on: widths, arrangements, lanes, lists and their length,
   shifts and extensions, the kind of address.  It drops the rest: numbers of registers, constants,
   conditions, names of prefetches, barriers, patterns and system registers.

     add x0, x1, x2, lsl #3         add x,x,x,lsl          lsl by 1 … 4 is as cheap as none on many cores
     add x0, x1, x2, asr #3         add x,x,x,shift        larger lsl, and every other shift
     add x0, x1, w2, sxtw #2        add x,x,w,ext
     ldr q0, [x1, #32]              ldr q,[x]              also with a constant, which costs nothing
     ldr q0, [x1, x2, lsl #4]       ldr q,[x,x,lsl]
     ldr x0, [x1, w2, sxtw #3]      ldr x,[x,w,ext,lsl]
     ldr x0, [x1, #8]!              ldr x,[x]!
     ld1 {v0.4s-v1.4s}, [x0], #32   ld1 {4s,4s},[x],i
     fmla v0.4s, v1.4s, v2.s[1]     fmla 4s,4s,s[]
     fmla z0.d, p0/m, z1.d, z2.d    fmla z.d,p/m,z.d,z.d
     b.ne @                         b.cond rel

   Whether a move is free depends on its source, so in moves zero (i=0, xzr, wzr) and sp keep their names. */
#include "code/read/aarch64/form.h"
#include "code/read/aarch64/registers.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct spelling {
    const char *at;
    char *form;
    size_t used, size;
    bool is_move;
    unsigned depth; /* of brackets and braces */
    char before;    /* what was spelled last: r register, i constant, 0 nothing */
};

static void put(struct spelling *spelling, const char *text, size_t length)
{
    if (length >= spelling->size - spelling->used)
        length = spelling->size - spelling->used - 1;
    memcpy(spelling->form + spelling->used, text, length);
    spelling->used += length;
    spelling->form[spelling->used] = '\0';
}

static void put_text(struct spelling *spelling, const char *text)
{
    put(spelling, text, strlen(text));
}

static char last(const struct spelling *spelling)
{
    return spelling->form[spelling->used - 1];
}

/* The comma between two operands, written once the second is known to appear in the form. */
static void separate(struct spelling *spelling)
{
    if (!strchr("[{ ,", last(spelling)))
        put(spelling, ",", 1);
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_word_character(text[length]))
        length++;
    return length;
}

static bool is_any_of(const char *word, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return true;
    return false;
}

/* A number with its sign, fraction and exponent; whether it is zero. */
static bool skip_number(struct spelling *spelling)
{
    bool is_zero = true, is_mantissa = true;
    const char *at = spelling->at;
    bool is_hexadecimal = at[0] == '0' && at[1] == 'x';
    if (is_hexadecimal)
        at += 2;
    for (; is_word_character(*at) || *at == '.' || *at == '-' || *at == '+'; at++) {
        is_mantissa = is_mantissa && (is_hexadecimal || *at != 'e');
        if (is_mantissa && is_word_character(*at) && *at != '0')
            is_zero = false;
    }
    spelling->at = at;
    return is_zero;
}

static void spell_constant(struct spelling *spelling)
{
    bool is_zero = skip_number(spelling);
    if (spelling->depth > 0)
        return;
    separate(spelling);
    put_text(spelling, spelling->is_move && is_zero ? "i=0" : "i");
    spelling->before = 'i';
}

/* lsl #3, sxtw #2, sxtw, mul vl, mul #4, msl #8.  After a constant they are part of it. */
static void spell_modifier(struct spelling *spelling, const char *word, size_t length)
{
    unsigned amount = 0;
    while (*spelling->at == ' ')
        spelling->at++;
    if (*spelling->at == '#') {
        spelling->at++;
        const char *digits = spelling->at;
        skip_number(spelling);
        for (; digits < spelling->at && *digits >= '0' && *digits <= '9' && amount < 1000; digits++)
            amount = amount * 10 + (unsigned)(*digits - '0');
    } else {
        spelling->at += word_length(spelling->at); /* vl */
    }
    bool is_extension = word[1] == 'x', is_left = memcmp(word, "lsl", length) == 0;
    if (spelling->before != 'r' || word[0] == 'm' || (is_left && amount == 0))
        return;
    if (is_extension)
        put_text(spelling, ",ext");
    if (is_extension && amount > 0 && spelling->depth > 0)
        put_text(spelling, ",lsl");
    if (!is_extension)
        put_text(spelling, is_left && (amount <= 4 || spelling->depth > 0) ? ",lsl" : ",shift");
}

/* The suffix of a register: .4s becomes 4s for NEON, .d stays after z and p. */
static void spell_suffixes(struct spelling *spelling)
{
    if (*spelling->at == '/' && (spelling->at[1] == 'm' || spelling->at[1] == 'z')) {
        put(spelling, spelling->at, 2);
        spelling->at += 2;
    }
    if (spelling->at[0] == ' ' && spelling->at[1] == '[')
        spelling->at++; /* as some versions of binutils write slices */
    if (*spelling->at == '[') {
        const char *end = strchr(spelling->at, ']');
        if (end) {
            put_text(spelling, "[]");
            spelling->at = end + 1;
        }
    }
    if (*spelling->at == '!') {
        put(spelling, "!", 1);
        spelling->at++;
    }
}

static void spell_kind(struct spelling *spelling, const char *name, size_t length, unsigned number)
{
    const char *arrangement = spelling->at;
    size_t arranged = *arrangement == '.' ? 1 + word_length(arrangement + 1) : 0;
    spelling->at += arranged;
    if (number >= REGISTER_V && number < REGISTER_Z && arranged)
        put(spelling, arrangement + 1, arranged - 1);
    else if (spelling->is_move && (number == REGISTER_XZR || number == REGISTER_WZR || number == REGISTER_SP))
        put(spelling, name, length);
    else if (number == REGISTER_SP || number == REGISTER_WSP)
        put_text(spelling, number == REGISTER_SP ? "x" : "w");
    else if (number >= REGISTER_FFR)
        put(spelling, name, length);
    else
        put(spelling, name, name[0] == 'p' && name[1] == 'n' ? 2 : 1); /* a counter is another operand */
    if (number >= REGISTER_Z || number == 0)
        put(spelling, arrangement, arranged);
}

/* {v0.4s-v3.4s} is spelled with every register. */
static void repeat_to(struct spelling *spelling, unsigned first)
{
    spelling->at++;
    size_t length = word_length(spelling->at);
    const char *name = spelling->at;
    unsigned number = aarch64_find_register(name, length);
    spelling->at += length;
    const char *suffix = spelling->at;
    for (unsigned i = first + 1; i <= number && i < first + 4; i++) {
        spelling->at = suffix;
        separate(spelling);
        spell_kind(spelling, name, length, number);
    }
}

/* A register, or a word: one that changes the operand before it, or one that does not matter. */
static void spell_word(struct spelling *spelling)
{
    static const char *const modifiers[] = {"lsl",  "lsr",  "asr",  "ror",  "msl",  "uxtb", "uxth",
                                            "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "mul"};
    const char *word = spelling->at;
    size_t length = word_length(word);
    unsigned number = aarch64_find_register(word, length);
    bool is_tile =
        !number && length > 2 && word[0] == 'z' && word[1] == 'a' && word[2] >= '0' && word[2] <= '9';
    spelling->at += length;
    if (number || is_tile) {
        separate(spelling);
        if (is_tile)
            put_text(spelling, "za");
        else
            spell_kind(spelling, word, length, number);
        if (is_tile && *spelling->at == '.') {
            size_t arranged = 1 + word_length(spelling->at + 1);
            put(spelling, spelling->at, arranged);
            spelling->at += arranged;
        }
        if (number && *spelling->at == '-')
            repeat_to(spelling, number);
        spell_suffixes(spelling);
        spelling->before = 'r';
    } else if (is_any_of(word, length, modifiers, sizeof modifiers / sizeof *modifiers)) {
        spell_modifier(spelling, word, length);
    } else {
        spelling->before = 0;
    }
}

static void spell_next(struct spelling *spelling)
{
    char c = *spelling->at;
    if (is_word_character(c)) {
        spell_word(spelling);
        return;
    }
    spelling->at++;
    if (c == '#') {
        spell_constant(spelling);
    } else if (c == '@') {
        separate(spelling);
        put_text(spelling, "rel");
    } else if (c == '[' || c == '{') {
        separate(spelling);
        put(spelling, &c, 1);
        spelling->depth++;
    } else if (c == ']' || c == '}') {
        put(spelling, &c, 1);
        spelling->depth -= spelling->depth > 0;
        spelling->before = 0;
        if (c == '}' && *spelling->at == '[' && strchr(spelling->at, ']')) {
            put_text(spelling, "[]"); /* the lane of a list */
            spelling->at = strchr(spelling->at, ']') + 1;
        }
    } else if (c == '!') {
        put(spelling, "!", 1);
    }
}

void aarch64_write_form(const char *text, char *form, size_t size)
{
    static const char *const moves[] = {"mov", "fmov", "movi"};
    size_t length = strcspn(text, " ");
    struct spelling spelling = {.at = text + length, .form = form, .size = size};
    if (length > 2 && (memcmp(text, "b.", 2) == 0 || (length > 3 && memcmp(text, "bc.", 3) == 0))) {
        put(&spelling, text, text[1] == '.' ? 2 : 3);
        put_text(&spelling, "cond");
    } else {
        put(&spelling, text, length);
    }
    spelling.is_move = is_any_of(text, length, moves, sizeof moves / sizeof *moves);
    size_t name_only = spelling.used;
    put_text(&spelling, " ");
    while (*spelling.at)
        spell_next(&spelling);
    if (spelling.used == name_only + 1)
        form[name_only] = '\0';
}
