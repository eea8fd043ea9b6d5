/* How many registers there are is a fact of the instruction set. The stack pointer holds no value, nor does
   the register that always reads zero; frame and platform registers count as free, because compilers use them
   in loops. Only 16 of the 32 vector registers of AVX-512 count, unless the code names others: code that was
   not compiled for them cannot use them. */
#include "quality/rules/spare.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    enum isa isa;
    unsigned general, vector, long_vector;
} counts[] = {{isa_X86_64, 15, 16, 32}, {isa_I386, 7, 8, 8}, {isa_AARCH64, 30, 32, 32}};

/* Whether instructions of the path name vector registers beyond the first 16, or vectors of 512 bits. */
static bool uses_all(const struct subject *subject)
{
    enum { FEW = 16, LONG_VECTOR = 512 };
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->vector_bits >= LONG_VECTOR)
            return true;
        for (unsigned u = 0; u < item->use_count; u++) {
            const struct register_ *row = model_register(subject->model, item->uses[u].register_);
            const char *name = model_text(subject->model, row->name);
            if (row->kind != register_kind_VECTOR || !name)
                continue;
            if (strtoul(name + strcspn(name, "0123456789"), NULL, 10) >= FEW)
                return true;
        }
    }
    return false;
}

unsigned all_registers(const struct subject *subject, enum register_kind kind)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].isa != subject->items[0].row->isa)
            continue;
        if (kind == register_kind_GENERAL)
            return counts[i].general;
        if (kind == register_kind_VECTOR)
            return uses_all(subject) ? counts[i].long_vector : counts[i].vector;
    }
    return 0;
}

unsigned spare_registers(const struct subject *subject, enum register_kind kind)
{
    const struct loop_metric *metric = subject->metric;
    int32_t pressure = kind == register_kind_GENERAL ? metric->general_pressure : metric->vector_pressure;
    unsigned all = all_registers(subject, kind);
    if (pressure == NO_NUMBER || pressure < 0 || (unsigned)pressure >= all)
        return 0;
    return all - (unsigned)pressure;
}
