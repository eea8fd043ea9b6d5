/* Machine files are asked by the text of a form, so here names are exchanged. */
#include "code/quality/aligned.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *aligned, *unaligned;
} moves[] = {{"movaps", "movups"},   {"movapd", "movupd"},       {"movdqa", "movdqu"},
             {"movdqa", "lddqu"},    {"vmovaps", "vmovups"},     {"vmovapd", "vmovupd"},
             {"vmovdqa", "vmovdqu"}, {"vmovdqa64", "vmovdqu64"}, {"vmovdqa32", "vmovdqu32"}};

bool aligned_is_move(const struct subject *subject, const struct subject_item *item)
{
    const char *name = model_text(subject->model, item->row->name);
    for (size_t i = 0; name && i < sizeof moves / sizeof *moves; i++)
        if (!strcmp(name, moves[i].aligned))
            return true;
    return false;
}

bool aligned_is_half(const struct subject *subject, const struct subject_item *item)
{
    static const char *const inserts[] = {"vinsertf128", "vinserti128"}, *const extracts[] = {"vextractf128",
                                                                                              "vextracti128"};
    const char *name = model_text(subject->model, item->row->name);
    for (size_t i = 0; name && i < sizeof inserts / sizeof *inserts; i++)
        if ((item->row->load_bytes && !strcmp(name, inserts[i])) ||
            (item->row->store_bytes && !strcmp(name, extracts[i])))
            return true;
    return false;
}

const struct machine_form *aligned_form(const struct subject *subject, const struct subject_item *item)
{
    enum { LONGEST_FORM = 160 };
    const char *form = model_text(subject->model, item->row->form),
               *name = model_text(subject->model, item->row->name);
    char aligned[LONGEST_FORM];
    if (!form || !name || strncmp(form, name, strlen(name)))
        return NULL;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        if (strcmp(name, moves[i].unaligned))
            continue;
        snprintf(aligned, sizeof aligned, "%s%s", moves[i].aligned, form + strlen(name));
        const struct machine_form *dear = machine_form(subject->machine, form);
        const struct machine_form *cheap = machine_form(subject->machine, aligned);
        return dear && cheap && dear->fused > cheap->fused ? cheap : NULL;
    }
    return NULL;
}
