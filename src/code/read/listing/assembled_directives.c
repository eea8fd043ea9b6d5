/* What directives do, as far as it matters for marks.  An unknown directive is assumed to emit bytes: a mark
   before it does no harm. */
#include "code/read/listing/assembled.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct known {
    const char *name;
    enum directive_effect effect;
};

/* Sorted by name, without the dot. */
static const struct known known[] = {
    {"addrsig", directive_SILENT},
    {"addrsig_sym", directive_SILENT},
    {"altmacro", directive_SILENT},
    {"arch", directive_SILENT},
    {"arch_extension", directive_SILENT},
    {"att_mnemonic", directive_SILENT},
    {"att_syntax", directive_SILENT},
    {"bss", directive_SECTION},
    {"code16", directive_SILENT},
    {"code32", directive_SILENT},
    {"code64", directive_SILENT},
    {"comm", directive_SILENT},
    {"cpu", directive_SILENT},
    {"data", directive_SECTION},
    {"else", directive_CONDITION},
    {"elseif", directive_CONDITION},
    {"end", directive_SILENT},
    {"endfunc", directive_SILENT},
    {"endif", directive_CONDITION},
    {"endm", directive_END_MACRO},
    {"endr", directive_END_REPEAT},
    {"equ", directive_SILENT},
    {"equiv", directive_SILENT},
    {"eqv", directive_SILENT},
    {"err", directive_SILENT},
    {"error", directive_SILENT},
    {"exitm", directive_SILENT},
    {"extern", directive_SILENT},
    {"file", directive_SILENT},
    {"func", directive_SILENT},
    {"global", directive_SILENT},
    {"globl", directive_SILENT},
    {"gnu_attribute", directive_SILENT},
    {"hidden", directive_SILENT},
    {"ident", directive_SILENT},
    {"intel_mnemonic", directive_SILENT},
    {"intel_syntax", directive_SILENT},
    {"internal", directive_SILENT},
    {"irep", directive_REPEAT},
    {"irepc", directive_REPEAT},
    {"irp", directive_REPEAT},
    {"irpc", directive_REPEAT},
    {"lcomm", directive_SILENT},
    {"linkonce", directive_SILENT},
    {"list", directive_SILENT},
    {"ln", directive_SILENT},
    {"loc", directive_SILENT},
    {"loc_mark_labels", directive_SILENT},
    {"local", directive_SILENT},
    {"lto_discard", directive_SILENT},
    {"macro", directive_MACRO},
    {"noaltmacro", directive_SILENT},
    {"nolist", directive_SILENT},
    {"popsection", directive_SECTION},
    {"previous", directive_SECTION},
    {"print", directive_SILENT},
    {"protected", directive_SILENT},
    {"purgem", directive_SILENT},
    {"pushsection", directive_SECTION},
    {"rep", directive_REPEAT},
    {"rept", directive_REPEAT},
    {"section", directive_SECTION},
    {"set", directive_SILENT},
    {"size", directive_SILENT},
    {"struct", directive_SECTION},
    {"subsection", directive_SECTION},
    {"symver", directive_SILENT},
    {"text", directive_SECTION},
    {"type", directive_SILENT},
    {"unreq", directive_SILENT},
    {"variant_pcs", directive_SILENT},
    {"version", directive_EMITS},
    {"warning", directive_SILENT},
    {"weak", directive_SILENT},
    {"weakref", directive_SILENT},
};

static int compare(const void *left, const void *right)
{
    const struct span *name = left;
    const char *other = ((const struct known *)right)->name;
    size_t length = strlen(other);
    int difference = strncasecmp((const char *)name->data, other, name->size < length ? name->size : length);
    return difference ? difference : name->size < length ? -1 : name->size > length;
}

enum directive_effect assembled_directive(const char *name, size_t length)
{
    if (length < 2 || name[0] != '.')
        return directive_EMITS;
    if (length > 5 && !strncasecmp(name, ".cfi_", 5))
        return directive_SILENT;
    if (!strncasecmp(name, ".if", 3))
        return directive_CONDITION;
    struct span bare = {(const uint8_t *)name + 1, length - 1};
    const struct known *found = bsearch(&bare, known, sizeof known / sizeof *known, sizeof *known, compare);
    return found ? found->effect : directive_EMITS;
}

/* Sections without code, unless flags say otherwise. */
static const char *const data_sections[] = {
    ".data",  ".bss",   ".rodata", ".debug",   ".note",   ".eh_frame",      ".comment",    ".gnu.",
    ".ctors", ".tbss",  ".tdata",  ".dtors",   ".gcc_",   ".init_array",    ".fini_array", ".llvm",
    ".stack", ".ldata", ".lbss",   ".lrodata", ".zdebug", ".preinit_array", ".tm_clone",   ".eh_frame_hdr",
};

static bool section_may_be_code(struct span operands)
{
    const char *text = (const char *)operands.data, *end = text + operands.size;
    const char *comma = operands.size ? memchr(text, ',', operands.size) : NULL;
    const char *open = comma ? memchr(comma, '"', (size_t)(end - comma)) : NULL;
    if (open) { /* the flags after the quoted name */
        for (const char *at = open + 1; at < end && *at != '"'; at++)
            if (*at == 'x' || *at == '?')
                return true;
        return false;
    }
    if (text < end && *text == '"')
        text++;
    for (unsigned i = 0; i < sizeof data_sections / sizeof *data_sections; i++) {
        size_t length = strlen(data_sections[i]);
        if ((size_t)(end - text) >= length && !memcmp(text, data_sections[i], length))
            return false;
    }
    return true;
}

static bool is_named(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && !strncasecmp(name, other, length);
}

void assembled_enter_section(struct assembled_sections *sections, const char *name, size_t length,
                             struct span operands)
{
    const unsigned most = sizeof sections->pushed / sizeof *sections->pushed;
    bool was = sections->is_code;
    if (is_named(name, length, ".popsection")) {
        bool is_known = sections->depth > 0 && sections->depth <= most;
        sections->depth -= sections->depth > 0;
        sections->is_code = is_known ? sections->pushed[sections->depth] : true;
        sections->was_code = is_known ? sections->pushed_was[sections->depth] : true;
        return;
    }
    if (is_named(name, length, ".pushsection")) {
        if (sections->depth < most) {
            sections->pushed[sections->depth] = sections->is_code;
            sections->pushed_was[sections->depth] = sections->was_code;
        }
        sections->depth++;
        sections->is_code = section_may_be_code(operands);
    } else if (is_named(name, length, ".previous")) {
        sections->is_code = sections->was_code;
    } else if (is_named(name, length, ".section")) {
        sections->is_code = section_may_be_code(operands);
    } else if (!is_named(name, length, ".subsection")) {
        sections->is_code = is_named(name, length, ".text");
    }
    sections->was_code = was;
}
