/* Tables of names.  Encodings tell the class, and the element of the result; what an instruction takes is in
   its name on x86 (cvtps2pd, pmaddwd), and in the arrangement of its last operand on AArch64 (v1.2s). */
#include "quality/element_words.h"

#include <string.h>

unsigned element_bits(enum element element)
{
    switch (element) {
    case element_INT8:
        return 8;
    case element_INT16:
    case element_FP16:
    case element_BF16:
        return 16;
    case element_INT32:
    case element_FP32:
        return 32;
    case element_INT64:
    case element_FP64:
        return 64;
    case element_X87:
        return 80;
    default:
        return 0;
    }
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static const char *name_of(const struct model *model, const struct subject_item *item)
{
    const char *name = model_text(model, item->row->name);
    return name ? name : "";
}

struct word {
    const char *text;
    enum element element;
};

/* Between cvt and 2. */
static const struct word x86_sources[] = {
    {"ss", element_FP32},   {"ps", element_FP32},   {"sd", element_FP64},  {"pd", element_FP64},
    {"sh", element_FP16},   {"ph", element_FP16},   {"phx", element_FP16}, {"si", element_INT32},
    {"dq", element_INT32},  {"usi", element_INT32}, {"qq", element_INT64}, {"uqq", element_INT64},
    {"pi", element_INT32},  {"udq", element_INT32}, {"w", element_INT16},  {"uw", element_INT16},
    {"neps", element_FP32}, {NULL, element_NONE}};

/* Products and sums of narrower numbers; extensions. */
static const struct word x86_narrow[] = {
    {"pmaddwd", element_INT16}, {"pmaddubsw", element_INT8}, {"pmuludq", element_INT32},
    {"pmuldq", element_INT32},  {"psadbw", element_INT8},    {"mpsadbw", element_INT8},
    {"pdpbus", element_INT8},   {"pdpwss", element_INT16},   {"pmovsxb", element_INT8},
    {"pmovzxb", element_INT8},  {"pmovsxw", element_INT16},  {"pmovzxw", element_INT16},
    {"pmovsxd", element_INT32}, {"pmovzxd", element_INT32},  {NULL, element_NONE}};

static enum element x86_taken(const struct encoding *row, const char *name)
{
    name += *name == 'v';
    for (const struct word *word = x86_narrow; word->text; word++)
        if (starts_with(name, word->text))
            return word->element;
    if (row->class != class_CONVERT)
        return (enum element)row->element;
    if (!starts_with(name, "cvt"))
        return element_NONE;
    name += 3 + (name[3] == 't');
    for (const struct word *word = x86_sources; word->text; word++)
        if (starts_with(name, word->text) && name[strlen(word->text)] == '2')
            return word->element;
    return element_NONE;
}

static enum element number_of_bits(unsigned bits, bool is_floating)
{
    switch (bits) {
    case 8:
        return is_floating ? element_NONE : element_INT8;
    case 16:
        return is_floating ? element_FP16 : element_INT16;
    case 32:
        return is_floating ? element_FP32 : element_INT32;
    case 64:
        return is_floating ? element_FP64 : element_INT64;
    default:
        return element_NONE;
    }
}

/* The lanes of the last operand that has any: z1.s, v1.2s, v1.s[0]; 0 where there is none. */
static unsigned last_lane_bits(const char *text)
{
    unsigned bits = 0;
    for (const char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
        const char *letter = dot + 1 + strspn(dot + 1, "0123456789");
        bits = *letter == 'b' ? 8 : *letter == 'h' ? 16 : *letter == 's' ? 32 : *letter == 'd' ? 64 : bits;
    }
    return bits;
}

static enum element aarch64_taken(const struct model *model, const struct subject_item *item,
                                  const char *name)
{
    const struct encoding *row = item->row;
    bool is_floating = element_is_fp((enum element)row->element);
    if (row->class == class_CONVERT)
        is_floating = *name == 'f' || *name == 'b';
    if (row->is_vector) {
        const char *text = model_text(model, row->text);
        unsigned bits = text ? last_lane_bits(text) : 0;
        return bits ? number_of_bits(bits, is_floating) : (enum element)row->element;
    }
    if (row->class == class_CONVERT && item->operand_count > 1)
        return number_of_bits(item->operands[1].bits, is_floating);
    return (enum element)row->element;
}

enum element element_taken(const struct model *model, const struct subject_item *item)
{
    const char *name = name_of(model, item);
    switch (item->row->isa) {
    case isa_AARCH64:
        return aarch64_taken(model, item, name);
    case isa_IA64:
        return item->row->class == class_CONVERT ? element_NONE : (enum element)item->row->element;
    default:
        return x86_taken(item->row, name);
    }
}

bool element_is_idiom(const struct model *model, const struct subject_item *item)
{
    static const char *const stems[] = {"xor",    "eor",    "pxor", "sub",   "psub",
                                        "pcmpeq", "pcmpgt", "andn", "pandn", NULL};
    const char *name = name_of(model, item);
    uint32_t first = 0;
    unsigned class = item->row->class, reads = 0;
    if (class != class_LOGIC && class != class_ADD && class != class_COMPARE)
        return false;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            return false;
        if (operand->kind == operand_kind_IMMEDIATE && starts_with(name, "vpternlog") &&
            ((operand->value & 0xff) == 0xff || !(operand->value & 0xff)))
            return true;
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ))
            continue;
        if (first && first != operand->register_)
            return false;
        first = operand->register_;
        reads++;
    }
    name += *name == 'v';
    for (unsigned i = 0; reads > 1 && stems[i]; i++)
        if (starts_with(name, stems[i]))
            return true;
    return false;
}

static bool starts_with_one(const char *name, const char *const *starts)
{
    for (; *starts; starts++)
        if (starts_with(name, *starts))
            return true;
    return false;
}

bool element_is_broadcast(const struct model *model, const struct subject_item *item)
{
    static const char *const starts[] = {"vbroadcast", "vpbroadcast", "movddup", "vmovddup", "ld1r",
                                         "ld2r",       "ld3r",        "ld4r",    NULL};
    static const char *const pieces[] = {"ld1rq", "ld1ro", NULL};
    const char *name = name_of(model, item);
    return item->row->class == class_LOAD && item->row->is_vector && starts_with_one(name, starts) &&
           (item->row->load_bytes * 8 < item->row->vector_bits || starts_with_one(name, pieces));
}

bool element_is_low_store(const struct model *model, const struct subject_item *item)
{
    static const char *const names[] = {"movlps", "movlpd", "movq", "movd", "movsd", "movss", NULL};
    const char *name = name_of(model, item);
    name += *name == 'v';
    for (unsigned i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool element_is_sign(const struct model *model, const struct subject_item *item)
{
    static const char *const names[] = {"fneg", "fabs", "fchs", NULL};
    const char *name = name_of(model, item);
    for (unsigned i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}
