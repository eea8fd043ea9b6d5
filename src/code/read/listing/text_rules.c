/* A person pastes what a compiler wrote, with .loc and .globl around it, and a stranger sends .incbin.  So
   directives are a list: what is not on it is refused.  Sizes are checked here, too: an alignment of 2^30
   would be a gigabyte. */
#include "code/read/listing/text_rules.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_REFUSALS = 50, LARGEST_ALIGNMENT = 64, LONGEST_WORDS = 300 };

enum meaning {
    REFUSED,
    SYNTAX, /* passed on: .intel_syntax noprefix */
    BYTES,  /* numbers */
    POWER,  /* an alignment by its power of two */
    MULTIPLE /* an alignment in bytes */,
    SKIPPED, /* says nothing about the code itself */
};

static const struct {
    const char *name;
    enum meaning meaning;
} directives[] = {
    {".2byte", BYTES},    {".4byte", BYTES},         {".8byte", BYTES},       {".addrsig", SKIPPED},
    {".align", MULTIPLE}, {".arch", SKIPPED},        {".att_syntax", SYNTAX}, {".balign", MULTIPLE},
    {".byte", BYTES},     {".cpu", SKIPPED},         {".file", SKIPPED},      {".global", SKIPPED},
    {".globl", SKIPPED},  {".hidden", SKIPPED},      {".ident", SKIPPED},     {".inst", BYTES},
    {".int", BYTES},      {".intel_syntax", SYNTAX}, {".loc", SKIPPED},       {".local", SKIPPED},
    {".long", BYTES},     {".p2align", POWER},       {".quad", BYTES},        {".short", BYTES},
    {".size", SKIPPED},   {".text", SKIPPED},        {".type", SKIPPED},      {".value", BYTES},
    {".weak", SKIPPED},   {".word", BYTES},
};

static bool is_word(struct span name, const char *word)
{
    return name.size == strlen(word) && !strncasecmp((const char *)name.data, word, name.size);
}

static enum meaning meaning_of(struct span name)
{
    if (name.size > 5 && !strncasecmp((const char *)name.data, ".cfi_", 5))
        return SKIPPED;
    for (unsigned i = 0; i < sizeof directives / sizeof *directives; i++)
        if (is_word(name, directives[i].name))
            return directives[i].meaning;
    return REFUSED;
}

/* Digits, signs and commas: neither names nor strings. */
static bool are_numbers(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isxdigit(text.data[i]) && !strchr("xX,-+ \t", text.data[i]))
            return false;
    return text.size > 0;
}

static bool is_small(struct span text, enum meaning meaning)
{
    char number[24] = "";
    memcpy(number, text.data, text.size < sizeof number - 1 ? text.size : sizeof number - 1);
    unsigned long value = strtoul(number, NULL, 0);
    return *number != '-' && (meaning == POWER ? value <= 6 : value <= LARGEST_ALIGNMENT);
}

static void add_refusal(struct array *refusals, uint32_t line, char *words)
{
    if (refusals && refusals->count < MOST_REFUSALS)
        *(struct text_refusal *)array_add(refusals) = (struct text_refusal){line, words};
    else
        free(words);
}

static char *shown(struct span span)
{
    return text_safe((const char *)span.data, span.size < 60 ? span.size : 60);
}

/* NULL: it is allowed. */
static char *objection(const struct assembled_word *word, enum meaning meaning)
{
    char *name = shown(word->name), *words = NULL;
    if (word->kind == directive_kind_ASSIGNMENT)
        words = memory_format("%s is assigned a value: only instructions and labels are taken here", name);
    else if (word->kind == directive_kind_MACRO || meaning == REFUSED)
        words = memory_format("%s is not taken here: only instructions and labels", name);
    else if (meaning == SYNTAX && word->text.size && !is_word(word->text, "noprefix") &&
             !is_word(word->text, "prefix"))
        words = memory_format("%s takes prefix or noprefix", name);
    else if ((meaning == BYTES || meaning == POWER || meaning == MULTIPLE) && !are_numbers(word->text))
        words = memory_format("%s takes numbers here", name);
    else if ((meaning == POWER || meaning == MULTIPLE) && !is_small(word->text, meaning))
        words = memory_format("%s takes at most %s here", name, meaning == POWER ? "6" : "64 bytes");
    free(name);
    return words;
}

static void blank(const struct assembled_word *word, const char *text, char *copy)
{
    const uint8_t *end =
        word->text.size ? word->text.data + word->text.size : word->name.data + word->name.size;
    for (const uint8_t *at = word->name.data; at < end; at++)
        if (*at != '\n')
            copy[(const char *)at - text] = ' ';
}

/* Text that no editor sends: the assembler's messages would be about something that nobody sees. */
static bool is_text(const char *text, size_t size, struct array *refusals)
{
    uint32_t line = 1;
    for (size_t i = 0; i < size; i++) {
        line += text[i] == '\n';
        if (((unsigned char)text[i] < ' ' && !strchr("\t\n\r\f\v", text[i])) || !text[i] || text[i] == 127) {
            add_refusal(refusals, line,
                        memory_format("contains a control character (byte 0x%02x): this is not text",
                                      (unsigned char)text[i]));
            return false;
        }
    }
    return true;
}

bool text_rules_apply(const struct assembled_text *statements, const char *text, size_t size, char *copy,
                      struct array *refusals)
{
    bool is_allowed = is_text(text, size, refusals);
    for (size_t i = 0; i < statements->words.count; i++) {
        const struct assembled_word *word = ARRAY_AT(struct assembled_word, &statements->words, i);
        if (word->kind != directive_kind_DIRECTIVE && word->kind != directive_kind_MACRO &&
            word->kind != directive_kind_ASSIGNMENT)
            continue;
        enum meaning meaning = meaning_of(word->name);
        char *words = objection(word, meaning);
        is_allowed &= !words;
        if (words)
            add_refusal(refusals, word->line, words);
        else if (meaning == SKIPPED && copy)
            blank(word, text, copy);
    }
    return is_allowed;
}

/* "no such instruction: `vaddpz ymm0,ymm1'" and "unknown mnemonic `fad' -- `fad d0,d1'" in the same words;
   what the assembler repeats of the line is left out. */
void text_rules_refuse(struct array *refusals, uint32_t line, const char *said)
{
    static const char *const unknown[] = {"no such instruction: `", "unknown mnemonic `"};
    size_t length = strcspn(said, "\n");
    for (unsigned i = 0; i < 2; i++)
        if (!strncmp(said, unknown[i], strlen(unknown[i]))) {
            const char *name = said + strlen(unknown[i]);
            char *safe = text_safe(name, strcspn(name, " \t'\n"));
            add_refusal(refusals, line, memory_format("unknown mnemonic %.60s", safe));
            free(safe);
            return;
        }
    const char *repeated = memmem(said, length, " -- `", 5);
    length = repeated ? (size_t)(repeated - said) : length;
    char *safe = text_safe(said, length < LONGEST_WORDS ? length : LONGEST_WORDS);
    add_refusal(refusals, line, memory_format("the assembler says: %s", safe));
    free(safe);
}
