/* Samples: an instruction of each form.  Those of AArch64 are a table, by form, made by tools/bench-samples;
   those of x86-64 are made from the form itself (sample_x86.c).  To find where the registers of one are takes
   dozens of decodings, and plans ask for a few forms thousands of times: the last ones are kept. */
#include "run/bench/instruction.h"

#include <stdlib.h>
#include <string.h>

extern const char bench_aarch64_samples[];

/* The line of a form. */
static const char *find_line(const char *text, const char *form)
{
    size_t length = strlen(form);
    size_t low = 0, high = strlen(text);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        while (middle > low && text[middle - 1] != '\n')
            middle--;
        const char *line = text + middle;
        size_t size = strcspn(line, "\t");
        int order = memcmp(form, line, length < size ? length : size);
        if (!order)
            order = (length > size) - (length < size);
        if (!order)
            return line + size + 1;
        if (order < 0)
            high = middle;
        else
            low = middle + strcspn(line, "\n") + 1;
    }
    return NULL;
}

enum { KEPT = 16, LONGEST_FORM = 96 };

struct kept {
    enum isa isa;
    char form[LONGEST_FORM];
    struct bench_instruction instruction;
};

static bool make_sample(struct bench_instruction *instruction, enum isa isa, const char *form)
{
    if (isa == isa_X86_64)
        return bench_sample_x86(instruction, form);
    const char *line = isa == isa_AARCH64 ? find_line(bench_aarch64_samples, form) : NULL;
    if (!line)
        return false;
    uint32_t word = (uint32_t)strtoul(line, NULL, 16);
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
    return bench_instruction_read(instruction, isa, bytes, sizeof bytes) &&
           !strcmp(instruction->description.form, form);
}

bool bench_sample(struct bench_instruction *instruction, enum isa isa, const char *form)
{
    static _Thread_local struct kept kept[KEPT];
    static _Thread_local unsigned next;
    for (unsigned i = 0; i < KEPT; i++)
        if (kept[i].isa == isa && !strcmp(kept[i].form, form)) {
            *instruction = kept[i].instruction;
            return true;
        }
    if (!make_sample(instruction, isa, form))
        return false;
    if (strlen(form) < LONGEST_FORM) {
        struct kept *place = &kept[next++ % KEPT];
        place->isa = isa;
        strcpy(place->form, form);
        place->instruction = *instruction;
    }
    return true;
}
