/* The frame address in a listing: its own unwind directives say where it is.

   A directive counts from the address of the code after it.  Between .cfi_startproc and .cfi_endproc they
   are followed up to the address in question. */
#include "run/probe/site/frame_address.h"

#include "run/probe/action.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 16 };

struct rule {
    uint8_t base;
    int64_t offset;
};

struct following {
    enum isa isa;
    struct rule now, kept[DEEPEST];
    unsigned depth;
    bool is_known;
};

static uint8_t register_in(const struct following *following, const char *text)
{
    static const char *const x86[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    size_t length = strcspn(text += strspn(text, " \t%"), " \t,");
    if (*text >= '0' && *text <= '9')
        return frame_register(following->isa, strtoul(text, NULL, 10));
    if (following->isa == isa_AARCH64 &&
        (!strncasecmp(text, "sp", length) || !strncasecmp(text, "wsp", length)))
        return PROBE_AARCH64_SP;
    if (following->isa == isa_AARCH64 && strchr("wx", *text))
        return frame_register(following->isa, strtoul(text + 1, NULL, 10));
    for (uint8_t i = 0; following->isa == isa_X86_64 && i < sizeof x86 / sizeof *x86; i++)
        if (length == strlen(x86[i]) && !strncasecmp(text, x86[i], length))
            return i;
    return following->isa == isa_X86_64 && *text == 'r' ? (uint8_t)strtoul(text + 1, NULL, 10)
                                                        : (uint8_t)PROBE_NO_REGISTER;
}

static void start(struct following *following)
{
    bool is_arm = following->isa == isa_AARCH64;
    following->now = (struct rule){is_arm ? PROBE_AARCH64_SP : PROBE_X86_RSP, is_arm ? 0 : 8};
    following->depth = 0;
    following->is_known = true;
}

static void follow(struct following *following, const char *name, const char *text)
{
    struct rule *now = &following->now;
    const char *comma = strchr(text, ',');
    if (!strcmp(name, ".cfi_def_cfa")) {
        *now = (struct rule){register_in(following, text), comma ? strtoll(comma + 1, NULL, 0) : 0};
    } else if (!strcmp(name, ".cfi_def_cfa_register")) {
        now->base = register_in(following, text);
    } else if (!strcmp(name, ".cfi_def_cfa_offset")) {
        now->offset = strtoll(text, NULL, 0);
    } else if (!strcmp(name, ".cfi_adjust_cfa_offset")) {
        now->offset += strtoll(text, NULL, 0);
    } else if (!strcmp(name, ".cfi_escape")) {
        following->is_known = false;
    } else if (!strcmp(name, ".cfi_remember_state")) {
        if (following->depth < DEEPEST)
            following->kept[following->depth] = *now;
        following->depth++;
    } else if (!strcmp(name, ".cfi_restore_state") && following->depth) {
        if (--following->depth < DEEPEST)
            *now = following->kept[following->depth];
    }
}

bool frame_in_listing(const struct model *model, uint32_t program, uint64_t address, uint8_t *base,
                      int64_t *offset)
{
    struct following following = {.isa = (enum isa)model_program(model, program)->isa};
    struct rule found = {PROBE_NO_REGISTER, 0};
    uint64_t begin = NO_ADDRESS;
    bool is_known = false;
    struct model_rows rows = MODEL_ROWS_OF(model, directives, directive, program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct directive *row = model_directive(model, i);
        const char *name = row->name ? model_text(model, row->name) : "";
        if (row->kind != directive_kind_DIRECTIVE || strncmp(name, ".cfi_", 5) != 0)
            continue;
        if (!strcmp(name, ".cfi_startproc")) {
            start(&following);
            begin = row->address;
        } else if (!strcmp(name, ".cfi_endproc")) {
            if (is_known && address < row->address)
                break;
            begin = NO_ADDRESS;
            is_known = false;
        } else if (row->address <= address) {
            follow(&following, name, row->text ? model_text(model, row->text) : "");
        }
        if (begin != NO_ADDRESS && begin <= address && row->address <= address) {
            found = following.now;
            is_known = following.is_known;
        }
    }
    *base = found.base;
    *offset = found.offset;
    return is_known && found.base != PROBE_NO_REGISTER;
}
