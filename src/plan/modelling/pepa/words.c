/* Terms, labels and states as text. */
#include "plan/modelling/pepa/pepa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    const struct pepa_model *model;
    FILE *out;
    size_t most;
};

static void write_term(const struct writing *writing, uint32_t index, bool is_inner)
{
    const struct pepa_term *term = PEPA_TERM(writing->model, index);
    if (ftell(writing->out) > (long)writing->most)
        return;
    bool has_brackets = is_inner && (term->kind == pepa_CHOICE || term->kind == pepa_COOPERATION);
    if (has_brackets)
        fputc('(', writing->out);
    switch (term->kind) {
    case pepa_NAME:
        fputs(strings_text(&writing->model->names, PEPA_DEFINITION(writing->model, term->name)->name),
              writing->out);
        break;
    case pepa_STOP:
        fputs("Stop", writing->out);
        break;
    case pepa_PREFIX:
        fprintf(
            writing->out, "(%s, ",
            strings_text(&writing->model->names, *ARRAY_AT(string_id, &writing->model->actions, term->name)));
        if (!term->rate.is_passive)
            fprintf(writing->out, "%g).", term->rate.value);
        else if (term->rate.value == 1)
            fputs("T).", writing->out);
        else
            fprintf(writing->out, "%g*T).", term->rate.value);
        write_term(writing, term->left, true);
        break;
    case pepa_CHOICE:
        write_term(writing, term->left, false);
        fputs(" + ", writing->out);
        write_term(writing, term->right, false);
        break;
    case pepa_COOPERATION:
        write_term(writing, term->left, true);
        fputs(" <…> ", writing->out);
        write_term(writing, term->right, true);
        break;
    case pepa_HIDING:
        write_term(writing, term->left, true);
        fputs("/{…}", writing->out);
        break;
    case pepa_REPLICAS:
        write_term(writing, term->left, true);
        fprintf(writing->out, "[%u]", term->count);
        break;
    }
    if (has_brackets)
        fputc(')', writing->out);
}

char *pepa_term_text(const struct pepa_model *model, uint32_t term, size_t most)
{
    char *text = NULL;
    size_t size = 0;
    struct writing writing = {model, open_memstream(&text, &size), most};
    write_term(&writing, term, false);
    fclose(writing.out);
    if (size > most) { /* names are ASCII, and so are the rest but for the sets, which stand whole */
        size_t end = most - 1;
        while (end && ((unsigned char)text[end] & 0xC0) == 0x80)
            end--;
        text[end] = 0;
        char *cut = memory_format("%s…", text);
        free(text);
        return cut;
    }
    return text;
}

char *pepa_label_text(const struct pepa_model *model, pepa_label label)
{
    const char *name = strings_text(&model->names, *ARRAY_AT(string_id, &model->actions, label / 2));
    return label % 2 ? memory_format("tau (%s)", name) : memory_format("%s", name);
}

static void write_group(const struct pepa_structure *structure, const struct pepa_group *group,
                        const int32_t *slots, FILE *out)
{
    const struct pepa_automaton *automaton = PEPA_AUTOMATON(structure, group->automaton);
    bool is_first = true;
    if (group->count == 1) {
        fputs(ARRAY_AT(struct pepa_local_state, &automaton->states, slots[group->slot])->name, out);
        return;
    }
    for (uint32_t i = 0; i < automaton->states.count; i++) {
        if (!slots[group->slot + i])
            continue;
        fprintf(out, "%s%d %s", is_first ? "" : " + ", slots[group->slot + i],
                ARRAY_AT(struct pepa_local_state, &automaton->states, i)->name);
        is_first = false;
    }
}

char *pepa_slots_text(const struct pepa_structure *structure, const int32_t *slots)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputc('(', out);
    for (size_t i = 0; i < structure->groups.count && ftell(out) < 2000; i++) {
        fputs(i ? ", " : "", out);
        write_group(structure, PEPA_GROUP(structure, i), slots, out);
    }
    fputs(ftell(out) < 2000 ? ")" : "…)", out);
    fclose(out);
    return text;
}

char *pepa_state_text(const struct pepa_space *space, uint32_t state)
{
    int32_t *slots = memory_get((space->structure->slot_count + 1) * sizeof *slots);
    pepa_space_slots(space, state, slots);
    char *text = pepa_slots_text(space->structure, slots);
    free(slots);
    return text;
}

void pepa_group_counts(const struct pepa_structure *structure, const struct pepa_group *group,
                       const int32_t *slots, double *counts)
{
    size_t states = PEPA_AUTOMATON(structure, group->automaton)->states.count;
    for (size_t i = 0; i < states; i++)
        counts[i] = group->count == 1 ? slots[group->slot] == (int32_t)i : slots[group->slot + i];
}

bool pepa_stopped(struct error *error)
{
    return error_set(error, NULL, "stopped by Ctrl-C; nothing was written");
}
