/* Names of full registers are the only thing that tells their numbers. */
#include "run/probe/site/registers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const x86_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
enum { X86_NAMES = sizeof x86_names / sizeof *x86_names, MOST_VECTORS = 32 };

static const struct register_ *full_register(const struct model *model, uint32_t row)
{
    return row ? model_register(model, model_full_register(model, row)) : NULL;
}

/* The number after a letter: x17. */
static uint8_t number_in(const char *name, size_t at, unsigned limit)
{
    char *end;
    if (name[at] < '0' || name[at] > '9')
        return PROBE_NO_REGISTER;
    unsigned long number = strtoul(name + at, &end, 10);
    return *end || number >= limit ? PROBE_NO_REGISTER : (uint8_t)number;
}

uint8_t probe_general_number(const struct model *model, uint32_t row)
{
    const struct register_ *full = full_register(model, row);
    if (!full || full->kind != register_kind_GENERAL)
        return PROBE_NO_REGISTER;
    const char *name = model_text(model, full->name);
    if (full->isa == isa_AARCH64)
        return !strcmp(name, "sp") ? PROBE_AARCH64_SP
               : *name == 'x'      ? number_in(name, 1, PROBE_AARCH64_SP)
                                   : PROBE_NO_REGISTER;
    for (uint8_t i = 0; full->isa == isa_X86_64 && i < X86_NAMES; i++)
        if (!strcmp(name, x86_names[i]))
            return i;
    return PROBE_NO_REGISTER;
}

uint8_t probe_vector_number(const struct model *model, uint32_t row)
{
    const struct register_ *full = full_register(model, row);
    if (!full || full->kind != register_kind_VECTOR)
        return PROBE_NO_REGISTER;
    const char *name = model_text(model, full->name);
    size_t letters = strcspn(name, "0123456789");
    return number_in(name, letters, MOST_VECTORS);
}

uint32_t probe_register_named(const struct model *model, enum isa isa, const char *name)
{
    for (uint32_t row = 1; row < model->registers.count; row++) {
        const struct register_ *fact = model_register(model, row);
        const char *text = model_text(model, fact->name);
        if (fact->isa == isa && text && !strcasecmp(text, name))
            return row;
    }
    return 0;
}

uint32_t probe_written(const struct model *model, uint32_t encoding, uint32_t *touched)
{
    uint32_t written = 0;
    size_t i =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; i < model->register_uses.count; i++) {
        const struct register_use *use = model_register_use(model, (uint32_t)i);
        if (use->encoding != encoding)
            break;
        uint8_t number = probe_general_number(model, use->register_);
        if (number == PROBE_NO_REGISTER)
            continue;
        *touched |= UINT32_C(1) << number;
        if (use->access & access_WRITE)
            written |= UINT32_C(1) << number;
    }
    return written;
}
