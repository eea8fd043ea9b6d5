#include "show/ui/machines.h"

#include "code/machine/host.h"
#include "model/isa.h"
#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/ui/queries.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static void find_host(struct ui_machines *machines, const char *const *folders, size_t count)
{
    struct machine_identity host = machine_host();
    struct error ignored = {0};
    bool is_host = false;
    struct machine *machine =
        host.isa ? machine_load_usual(host.isa, &host, folders, count, &is_host, &ignored) : NULL;
    if (is_host) {
        machines->host = copy(machine->name);
        machines->host_title = copy(machine->title);
        machines->host_isa = machine->isa;
    }
    machine_free(machine);
}

struct ui_machines *ui_machines_load(const struct array *folders)
{
    struct ui_machines *machines = memory_get(sizeof *machines);
    const char *const *directories = (const char *const *)folders->data;
    struct array names = machine_names(directories, folders->count);
    machines->all = ARRAY_OF(struct ui_machine);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = *ARRAY_AT(char *, &names, i);
        struct error ignored = {0}; /* a file that cannot be read is not offered */
        struct machine *machine = machine_load(name, directories, folders->count, &ignored);
        if (machine)
            *(struct ui_machine *)array_push(&machines->all) =
                (struct ui_machine){copy(name), copy(machine->title), machine->isa};
        machine_free(machine);
    }
    machine_names_free(&names);
    find_host(machines, directories, folders->count);
    return machines;
}

void ui_machines_free(struct ui_machines *machines)
{
    for (size_t i = 0; machines && i < machines->all.count; i++) {
        struct ui_machine *machine = ARRAY_AT(struct ui_machine, &machines->all, i);
        free(machine->name);
        free(machine->title);
    }
    if (!machines)
        return;
    array_free(&machines->all);
    free(machines->host);
    free(machines->host_title);
    free(machines);
}

enum isa ui_isa(const struct ui_request *request)
{
    sqlite3_stmt *statement = NULL;
    enum isa isa = isa_NONE;
    if (!sqlite3_prepare_v2(request->connection, query_named(ui_queries, "instruction_sets"), -1, &statement,
                            NULL) &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *word = (const char *)sqlite3_column_text(statement, 0);
        for (unsigned i = 0; word && i < isa_COUNT; i++)
            if (!strcmp(isa_word(i), word))
                isa = isa_facts(i)->machine;
    }
    sqlite3_finalize(statement);
    return isa;
}

void ui_print_machine(const struct ui_request *request, FILE *out)
{
    const char *name = ui_parameter(request, "machine");
    if (name && *name) {
        fputs("?machine=", out);
        ui_print_encoded(out, name);
    }
}

static void print_option(FILE *out, const char *name, const char *title, const char *more, bool is_chosen)
{
    html_format(out, "<option value=\"%s", name);
    fputs(is_chosen ? "\" selected>" : "\">", out);
    html_string(out, title ? title : name);
    fprintf(out, "%s</option>\n", more);
}

void ui_print_machines(const struct ui_request *request, FILE *out)
{
    const struct ui_machines *machines = request->machines;
    const char *chosen = ui_parameter(request, "machine");
    enum isa isa = ui_isa(request);
    if (!chosen)
        chosen = request->options->machine ? request->options->machine : "";
    fputs("<select id=\"machine\" name=\"machine\">\n", out);
    if (!request->options->machine) {
        bool is_host = machines->host && machines->host_isa == isa;
        print_option(out, "", is_host ? machines->host_title : "the usual machine",
                     is_host ? " (this computer)" : "", !*chosen);
    }
    for (size_t i = 0; i < machines->all.count; i++) {
        const struct ui_machine *machine = ARRAY_AT(struct ui_machine, &machines->all, i);
        if (machine->isa == isa)
            print_option(out, machine->name, machine->title, "", !strcmp(machine->name, chosen));
    }
    fputs("</select>\n", out);
}
