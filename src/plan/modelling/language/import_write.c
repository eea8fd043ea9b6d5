/* Writes CHIP³S objects as a model: hardware, templates, flows and subtasks, and the application last.

   Operations of the C language characterisation are in microseconds.  A subtask's variables become its
   arguments, in their order; the application's links say what they are.  A loop's own operation is paid in
   every iteration. */
#include "plan/modelling/language/chips.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct chips *chips;
    FILE *out;
    struct error *error;
};

static const struct chips_pair *pair_named(const struct array *pairs, const char *owner, const char *name)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct chips_pair *pair = ARRAY_AT(struct chips_pair, pairs, i);
        if (!strcmp(pair->name, name) && (!owner || (pair->owner && !strcmp(pair->owner, owner))))
            return pair;
    }
    return NULL;
}

static const struct chips_procedure *procedure_named(const struct chips_object *object, const char *kind,
                                                     const char *name)
{
    for (size_t i = 0; i < object->procedures.count; i++) {
        const struct chips_procedure *one = ARRAY_AT(struct chips_procedure, &object->procedures, i);
        if (!strcmp(one->kind, kind) && (!name || !strcmp(one->name, name)))
            return one;
    }
    return NULL;
}

static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    putc('"', out);
}

static void write_section(struct writer *writer, const struct chips_object *object, const char *section)
{
    bool is_clc = !strcmp(section, "clc");
    fprintf(writer->out, "    %s {\n", section);
    for (size_t i = 0; i < object->entries.count; i++) {
        const struct chips_pair *entry = ARRAY_AT(struct chips_pair, &object->entries, i);
        if (strcmp(entry->owner, section) != 0)
            continue;
        if (entry->is_text)
            fprintf(writer->out, "        // %s = %s\n", entry->name, entry->value);
        else if (is_clc)
            fprintf(writer->out, "        %s = (%s) * 1 us;\n", entry->name, entry->value);
        else
            fprintf(writer->out, "        %s = %s;\n", entry->name, entry->value);
    }
    fputs("    }\n", writer->out);
}

static void write_hardware(struct writer *writer, const struct chips_object *object)
{
    const struct chips_pair *says = pair_named(&object->entries, "hardware", "Desc"),
                            *clock = pair_named(&object->entries, "hardware", "Tclk");
    fprintf(writer->out, "hardware %s ", object->name);
    if (says && says->value) {
        write_text(writer->out, says->value);
        putc(' ', writer->out);
    }
    fputs("{\n", writer->out);
    if (clock && !clock->is_text)
        fprintf(writer->out, "    clock = 1 cycle / ((%s) * 1 us);\n", clock->value);
    for (size_t i = 0; i < object->entries.count; i++) {
        const char *section = ARRAY_AT(struct chips_pair, &object->entries, i)->owner;
        bool is_new = strcmp(section, "hardware") != 0;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = strcmp(ARRAY_AT(struct chips_pair, &object->entries, k)->owner, section) != 0;
        if (is_new)
            write_section(writer, object, section);
    }
    fputs("}\n\n", writer->out);
    if (object->has_gap)
        chips_note(writer->chips,
                   "hardware %s: the script leaves out entries (…); those are missing here, too",
                   object->name);
}

static void write_template(struct writer *writer, const struct chips_object *object)
{
    const struct chips_procedure *run = procedure_named(object, "exec", NULL);
    fprintf(writer->out, "template %s(", object->name);
    for (size_t i = 0; i < object->variables.count; i++) {
        const struct chips_pair *variable = ARRAY_AT(struct chips_pair, &object->variables, i);
        fprintf(writer->out, "%s%s%s", i ? ", " : "", variable->name,
                !strcmp(variable->owner, "compute") ? " in seconds" : "");
    }
    fputs(") {\n", writer->out);
    for (size_t i = 0; run && i < run->steps.count; i++) {
        const struct chips_step *step = ARRAY_AT(struct chips_step, &run->steps, i);
        if (step->kind == chips_CONFDEV)
            fprintf(writer->out, "    compute %s;\n", step->count);
    }
    fputs("}\n\n", writer->out);
}

static void indent(FILE *out, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        fputs("    ", out);
}

static void write_variables(struct writer *writer, const struct chips_object *object)
{
    bool has_any = false;
    for (size_t i = 0; i < object->variables.count; i++) {
        const struct chips_pair *variable = ARRAY_AT(struct chips_pair, &object->variables, i);
        if (!strcmp(variable->owner, "numeric"))
            fprintf(writer->out, "%s%s", has_any ? ", " : "", variable->name);
        has_any = true;
    }
}

static void write_flow(struct writer *writer, const struct chips_object *object,
                       const struct chips_procedure *flow)
{
    unsigned depth = 1;
    fprintf(writer->out, "flow %s_%s(", object->name, flow->name);
    write_variables(writer, object);
    fputs(") {\n", writer->out);
    for (size_t i = 0; i < flow->steps.count; i++) {
        const struct chips_step *step = ARRAY_AT(struct chips_step, &flow->steps, i);
        depth -= step->kind == chips_END;
        indent(writer->out, depth);
        if (step->kind == chips_COMPUTE)
            fprintf(writer->out, "compute %s(%s);\n", step->section, step->operations);
        else if (step->kind == chips_LOOP) {
            fprintf(writer->out, "repeat (%s) {\n", step->count);
            indent(writer->out, ++depth);
            fprintf(writer->out, "compute %s(%s);\n", step->section, step->operations);
        } else if (step->kind == chips_END)
            fputs("}\n", writer->out);
        else
            fprintf(writer->out, "// left out: a call inside of a flow\n");
    }
    fputs("}\n\n", writer->out);
}

/* blend() becomes blend_blend(Width, Height): a flow of this subtask, with its variables. */
static void write_linked(struct writer *writer, const struct chips_object *object, const char *value)
{
    size_t length = strcspn(value, "(");
    char *name = memory_copy_text(value, length);
    if (procedure_named(object, "cflow", name)) {
        fprintf(writer->out, "%s_%s(", object->name, name);
        write_variables(writer, object);
        putc(')', writer->out);
    } else {
        fputs(value, writer->out);
    }
    free(name);
}

static bool write_call(struct writer *writer, const struct chips_object *from,
                       const struct chips_object *callee, bool is_template)
{
    bool has_any = false;
    fprintf(writer->out, "    %s%s(", is_template ? "" : "    ", callee->name);
    for (size_t i = 0; i < callee->variables.count; i++) {
        const struct chips_pair *variable = ARRAY_AT(struct chips_pair, &callee->variables, i);
        const struct chips_pair *link = pair_named(&from->links, callee->name, variable->name);
        if (!is_template && strcmp(variable->owner, "numeric") != 0)
            continue;
        if (!link && !variable->value)
            return error_set(writer->error, NULL, "%s links no value to %s of %s", from->name, variable->name,
                             callee->name);
        fputs(has_any ? ", " : "", writer->out);
        if (link)
            write_linked(writer, from, link->value);
        else
            fputs(variable->value, writer->out);
        has_any = true;
    }
    fputs(");\n", writer->out);
    return true;
}

static bool write_subtask(struct writer *writer, const struct chips_object *object)
{
    for (size_t i = 0; i < object->procedures.count; i++) {
        const struct chips_procedure *one = ARRAY_AT(struct chips_procedure, &object->procedures, i);
        if (!strcmp(one->kind, "cflow"))
            write_flow(writer, object, one);
    }
    fprintf(writer->out, "subtask %s(", object->name);
    write_variables(writer, object);
    fputs(") {\n", writer->out);
    for (size_t i = 0; i < object->includes.count; i++) {
        const char *name = *ARRAY_AT(char *, &object->includes, i);
        const struct chips_object *template = chips_find(writer->chips, chips_TEMPLATE, name);
        if (!template)
            return error_set(writer->error, NULL, "%s includes %s, which was not found: give its script, too",
                             object->name, name);
        if (!write_call(writer, object, template, true))
            return false;
    }
    fputs("}\n\n", writer->out);
    return true;
}

/* The hardware that the script names; else the only one that was given. */
static const struct chips_object *hardware_of(struct writer *writer, const struct chips_object *object)
{
    const struct chips_pair *used = pair_named(&object->options, NULL, "hdruse");
    const struct chips_object *named =
        used && used->is_text ? chips_find(writer->chips, chips_HARDWARE, used->value) : NULL;
    const struct chips_object *any = chips_find(writer->chips, chips_HARDWARE, NULL);
    if (used && !named)
        chips_note(writer->chips, "hardware %s was not found%s%s", used->value,
                   any ? "; this one is used instead: " : ": give its .hmcl file, too", any ? any->name : "");
    return named ? named : any;
}

/* Operations that scripts use and the hardware does not have. */
static void note_missing(struct writer *writer, const struct chips_object *hardware)
{
    struct array missing = ARRAY_OF(char);
    for (size_t i = 0; i < writer->chips->objects.count; i++) {
        const struct chips_object *object = ARRAY_AT(struct chips_object, &writer->chips->objects, i);
        for (size_t k = 0; k < object->procedures.count; k++) {
            const struct chips_procedure *one = ARRAY_AT(struct chips_procedure, &object->procedures, k);
            for (size_t j = 0; j < one->steps.count; j++) {
                const struct chips_step *step = ARRAY_AT(struct chips_step, &one->steps, j);
                struct lexer lexer;
                struct token token;
                lexer_begin(&lexer, step->operations, step->operations ? strlen(step->operations) : 0, 0);
                for (token = lexer_next(&lexer); token.kind != token_END && token.kind != token_WRONG;
                     token = lexer_next(&lexer)) {
                    char *name = memory_format(" %.*s,", (int)token.length, token.text);
                    char *bare = memory_copy_text(token.text, token.length);
                    *(char *)array_add(&missing) = 0;
                    bool is_known = token.kind != token_NAME ||
                                    pair_named(&hardware->entries, step->section, bare) ||
                                    strstr(missing.data, name);
                    missing.count--;
                    if (!is_known)
                        memcpy(array_add_many(&missing, strlen(name)), name, strlen(name));
                    free(name);
                    free(bare);
                }
            }
        }
    }
    if (missing.count) {
        ((char *)missing.data)[missing.count - 1] = 0;
        chips_note(writer->chips, "hardware %s has no figures for%s: add them before the model can run",
                   hardware->name, (char *)missing.data);
        fprintf(writer->out, "// Missing figures of %s:%s\n", hardware->name, (char *)missing.data);
    }
    array_free(&missing);
}

static bool write_application(struct writer *writer, const struct chips_object *object)
{
    const struct chips_object *hardware = hardware_of(writer, object);
    const struct chips_pair *ranks = pair_named(&object->links, "hardware", "Nproc");
    const struct chips_procedure *run = procedure_named(object, "exec", NULL);
    if (hardware)
        note_missing(writer, hardware);
    fprintf(writer->out, "application %s {\n", object->name);
    for (size_t i = 0; i < object->variables.count; i++) {
        const struct chips_pair *variable = ARRAY_AT(struct chips_pair, &object->variables, i);
        fprintf(writer->out, "    parameter %s%s%s;\n", variable->name, variable->value ? " = " : "",
                variable->value ? variable->value : "");
    }
    if (hardware)
        fprintf(writer->out, "    hardware %s;\n", hardware->name);
    if (ranks)
        fprintf(writer->out, "    ranks %s;\n", ranks->value);
    fputs("    run {\n", writer->out);
    for (size_t i = 0; run && i < run->steps.count; i++) {
        const struct chips_step *step = ARRAY_AT(struct chips_step, &run->steps, i);
        const struct chips_object *subtask =
            step->kind == chips_CALL ? chips_find(writer->chips, chips_SUBTASK, step->count) : NULL;
        if (!subtask)
            return error_set(writer->error, NULL, "%s calls %s, which was not found: give its script, too",
                             object->name, step->count ? step->count : "something");
        if (!write_call(writer, object, subtask, false))
            return false;
    }
    fputs("    }\n}\n", writer->out);
    return true;
}

bool chips_write(struct chips *chips, FILE *out, struct error *error)
{
    struct writer writer = {.chips = chips, .out = out, .error = error};
    bool has_application = false;
    fputs("// Translated from CHIP3S scripts by assay model import.\n", out);
    for (unsigned kind = chips_HARDWARE + 1; kind-- > 0;)
        for (size_t i = 0; i < chips->objects.count; i++) {
            const struct chips_object *object = ARRAY_AT(struct chips_object, &chips->objects, i);
            if (object->kind != kind)
                continue;
            has_application |= kind == chips_APPLICATION;
            if (kind == chips_HARDWARE)
                write_hardware(&writer, object);
            else if (kind == chips_TEMPLATE)
                write_template(&writer, object);
            else if (!(kind == chips_SUBTASK ? write_subtask(&writer, object)
                                             : write_application(&writer, object)))
                return false;
        }
    if (!has_application)
        chips_note(chips, "no application among the scripts: the model can be included, but not run");
    return true;
}
