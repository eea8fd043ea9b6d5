/* The kind of a division is read from its form, because forms are also made up (what-if), without a row of
   encodings.  Forms of x87 and of halves have one figure: nobody publishes two. */
#include "code/machine/divisions.h"

#include "code/machine/machine.h"
#include "code/machine/reading.h"
#include "code/machine/write.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum class class;
    enum element element; /* NONE: by the first operand */
    bool is_vector, is_x86;
} mnemonics[] = {
    {"divss", class_DIVIDE, element_FP32, false, true},  {"divsd", class_DIVIDE, element_FP64, false, true},
    {"divps", class_DIVIDE, element_FP32, true, true},   {"divpd", class_DIVIDE, element_FP64, true, true},
    {"sqrtss", class_SQRT, element_FP32, false, true},   {"sqrtsd", class_SQRT, element_FP64, false, true},
    {"sqrtps", class_SQRT, element_FP32, true, true},    {"sqrtpd", class_SQRT, element_FP64, true, true},
    {"div", class_DIVIDE, element_NONE, false, true},    {"idiv", class_DIVIDE, element_NONE, false, true},
    {"fdiv", class_DIVIDE, element_NONE, true, false},   {"fdivr", class_DIVIDE, element_NONE, true, false},
    {"fsqrt", class_SQRT, element_NONE, true, false},    {"sdiv", class_DIVIDE, element_NONE, false, false},
    {"udiv", class_DIVIDE, element_NONE, false, false},  {"sdivr", class_DIVIDE, element_NONE, false, false},
    {"udivr", class_DIVIDE, element_NONE, false, false},
};

/* First operands: of vectors their bits, and the element where the mnemonic does not say it. */
static const struct {
    const char *kind;
    unsigned bits;                  /* 0: a scalar; SCALABLE: as long as the machine's vectors */
    enum element floating, integer; /* NONE: no such instruction */
} first_operands[] = {
    {"xmm", 128, element_NONE, element_NONE}, {"ymm", 256, element_NONE, element_NONE},
    {"zmm", 512, element_NONE, element_NONE}, {"r32", 0, element_NONE, element_INT32},
    {"r64", 0, element_NONE, element_INT64},  {"m32", 0, element_NONE, element_INT32},
    {"m64", 0, element_NONE, element_INT64},  {"s", 0, element_FP32, element_NONE},
    {"d", 0, element_FP64, element_NONE},     {"w", 0, element_NONE, element_INT32},
    {"x", 0, element_NONE, element_INT64},    {"2s", 64, element_FP32, element_NONE},
    {"4s", 128, element_FP32, element_NONE},  {"2d", 128, element_FP64, element_NONE},
    {"z.s", 1, element_FP32, element_INT32},  {"z.d", 1, element_FP64, element_INT64},
};
enum { SCALABLE = 1, SHORTEST_SCALABLE = 128 };

static bool is_same(const char *word, const char *text, size_t length)
{
    return !strncmp(word, text, length) && !word[length];
}

bool division_kind(const struct machine *machine, const char *form, struct machine_division *kind)
{
    const char *blank = form ? strchr(form, ' ') : NULL;
    if (!blank)
        return false;
    bool is_x86 = machine->isa != isa_AARCH64;
    const char *name = is_x86 && *form == 'v' ? form + 1 : form;
    size_t length = (size_t)(blank - name), operand = strcspn(blank + 1, ",");
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
        if (mnemonics[i].is_x86 != is_x86 || !is_same(mnemonics[i].name, name, length))
            continue;
        for (size_t k = 0; k < sizeof first_operands / sizeof *first_operands; k++) {
            if (!is_same(first_operands[k].kind, blank + 1, operand))
                continue;
            bool is_integer = !mnemonics[i].is_vector;
            *kind = (struct machine_division){
                .class = mnemonics[i].class, .element = mnemonics[i].element, .bits = first_operands[k].bits};
            if (kind->bits == SCALABLE)
                kind->bits =
                    machine->core.vector_bits ? (unsigned)machine->core.vector_bits : SHORTEST_SCALABLE;
            if (kind->element)
                kind->bits = mnemonics[i].is_vector ? kind->bits : 0;
            else
                kind->element = is_integer ? first_operands[k].integer : first_operands[k].floating;
            return kind->element != element_NONE;
        }
    }
    return false;
}

static struct machine_division *find(const struct machine *machine, const struct machine_division *kind)
{
    for (size_t i = 0; i < machine->divisions.count; i++) {
        struct machine_division *row = ARRAY_AT(struct machine_division, &machine->divisions, i);
        if (row->class == kind->class && row->element == kind->element && row->bits == kind->bits)
            return row;
    }
    return NULL;
}

const struct machine_division *machine_division(const struct machine *machine, const char *form)
{
    struct machine_division kind;
    return machine->divisions.count && division_kind(machine, form, &kind) ? find(machine, &kind) : NULL;
}

double machine_division_busy(const struct machine *machine, const char *form, double figure)
{
    const struct machine_division *row = machine_division(machine, form);
    bool is_float = row && (row->element == element_FP32 || row->element == element_FP64);
    return is_float ? fmax(figure, row->of[division_HARD].busy) : figure;
}

enum division_basis division_basis(const struct division_figures *figures)
{
    for (unsigned i = basis_MEASURED; i < basis_COUNT; i++) {
        const char *word = division_basis_word((enum division_basis)i);
        if (figures->source && !strncmp(figures->source, word, strlen(word)))
            return (enum division_basis)i;
    }
    return basis_SOURCE;
}

const char *division_basis_word(enum division_basis basis)
{
    static const char *const words[] = {
        [basis_SOURCE] = "published", [basis_MEASURED] = "measured", [basis_ASSUMED] = "assumed"};
    return words[basis];
}

static bool read_kind(struct reading *reading, struct machine_division *kind)
{
    static const enum class classes[] = {class_DIVIDE, class_SQRT};
    static const enum element elements[] = {element_FP32, element_FP64, element_INT32, element_INT64};
    unsigned found = 0;
    char *rest;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(reading->words[1], class_word(classes[i]))) {
            kind->class = classes[i];
            found++;
        }
    if (!found)
        return reading_complain(reading, "the operands decide over divide and sqrt, not over",
                                reading->words[1]);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (!strcmp(reading->words[2], element_word(elements[i]))) {
            kind->element = elements[i];
            found++;
        }
    if (found < 2)
        return reading_complain(reading, "this must be fp32, fp64, int32 or int64:", reading->words[2]);
    bool is_scalar = !strcmp(reading->words[3], "scalar");
    unsigned long bits = is_scalar ? 0 : strtoul(reading->words[3], &rest, 10);
    if (!is_scalar && (!isdigit((unsigned char)*reading->words[3]) || *rest || bits < 64 || bits > 2048))
        return reading_complain(reading, "this must be scalar or the bits of a vector:", reading->words[3]);
    kind->bits = (unsigned)bits;
    return true;
}

/* WORD CLASS ELEMENT WIDTH LATENCY BUSY SOURCE… */
bool division_read(struct reading *reading, enum division_end end)
{
    enum { FIGURES = 4, SOURCE = 6 };
    static const struct division_figures none = {NAN, NAN, NULL};
    struct machine *machine = reading->machine;
    struct machine_division kind = {.of = {none, none}};
    if (!read_kind(reading, &kind))
        return false;
    struct machine_division *row = find(machine, &kind);
    if (row && row->of[end].source)
        return reading_complain(reading, "the file has this line for the second time:", reading->words[0]);
    struct division_figures figures;
    if (!reading_number(reading, reading->words[FIGURES], &figures.latency) ||
        !reading_number(reading, reading->words[FIGURES + 1], &figures.busy))
        return false;
    if (!(figures.latency > 0) || !(figures.busy > 0))
        return reading_complain(reading, "cycles of a division are above 0:", reading->words[FIGURES]);
    figures.source = reading_keep(reading, reading_text_from(reading, SOURCE));
    if (!row) {
        row = array_add(&machine->divisions);
        *row = kind;
    }
    row->of[end] = figures;
    const struct division_figures *easy = &row->of[division_EASY], *hard = &row->of[division_HARD];
    if (easy->source && hard->source && (easy->latency > hard->latency || easy->busy > hard->busy))
        return reading_complain(reading, "hard operands take less than easy ones:", reading->words[2]);
    return true;
}

bool division_write(const struct machine_division *division, enum division_end end, FILE *out)
{
    const struct division_figures *figures = &division->of[end];
    if (!figures->source)
        return false;
    fprintf(out, " %s %s ", class_word(division->class), element_word(division->element));
    if (division->bits)
        fprintf(out, "%u ", division->bits);
    else
        fputs("scalar ", out);
    machine_write_number(figures->latency, out);
    putc(' ', out);
    machine_write_number(figures->busy, out);
    fprintf(out, " %s", figures->source);
    return true;
}
