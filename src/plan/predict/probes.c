/* Which probes a query has, as commands for the shell, and which of them the ledger knows already.

   A probe's files are in the folder that it runs in, under names that say what they are: source-6.mif is the
   source, 6 times smaller. A smaller input that is there already is not made again, so that probes of one
   folder share it. */
#include "plan/predict/parts.h"
#include "base/clock.h"
#include "plan/predict/template.h"
#include "plan/predict/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The name of a smaller input in the private folder; to be freed. */
static char *small_name(const struct predict_query *query, unsigned input, double factor)
{
    return memory_format("%s-%g%s", *ARRAY_AT(char *, &query->description->inputs, input), factor,
                         predict_suffix(query->paths[input]));
}

static bool is_shrunk(const struct predict_query *query, unsigned input, const struct predict_place *place)
{
    return place->factor > 1 && query->description->shrink && !query->description->is_whole[input];
}

static char *output_name(const struct predict_query *query, size_t output, const struct predict_place *place)
{
    const struct predict_output *it = ARRAY_AT(struct predict_output, &query->description->outputs, output);
    const char *suffix = it->suffix ? it->suffix : predict_suffix(query->paths[0]);
    char processors[20] = "";
    if (place->processors > 1)
        snprintf(processors, sizeof processors, "-p%u", place->processors);
    return memory_format("%s-%g%s%s%s", it->name, place->factor, place->is_identity ? "-identity" : "",
                         processors, suffix);
}

static const char *given_output(const char *const *outputs, const char *name)
{
    for (; outputs && *outputs; outputs++)
        if (!strncmp(*outputs, name, strlen(name)) && (*outputs)[strlen(name)] == '=')
            return *outputs + strlen(name) + 1;
    return NULL;
}

/* The command with everything filled in; to be freed.  Templates were checked when the description was read;
   what is left (a division by a feature that is 0) becomes a command that fails and says so. */
static char *filled(const struct predict_query *query, const char *text, const struct predict_place *place,
                    const char *const *outputs)
{
    const struct predict_description *description = query->description;
    size_t inputs = description->inputs.count, outs = description->outputs.count,
           features = description->features.count, count = 0;
    struct template_name *names = memory_get((inputs + outs + features + 3) * sizeof *names);
    char **made = memory_get((inputs + outs) * sizeof *made);
    for (unsigned i = 0; i < inputs; i++, count++) {
        unsigned input = predict_stand_in(description, place->is_identity, i);
        made[i] = is_shrunk(query, input, place) ? small_name(query, input, place->factor) : NULL;
        names[count] = (struct template_name){*ARRAY_AT(char *, &description->inputs, i),
                                              made[i] ? made[i] : query->paths[input], 0, false};
    }
    for (size_t i = 0; i < outs; i++, count++) {
        const char *name = ARRAY_AT(struct predict_output, &description->outputs, i)->name;
        const char *given = given_output(outputs, name);
        given = given ? given : place->factor == 1 ? query->outputs[i] : NULL;
        made[inputs + i] = given ? memory_copy_text(given, strlen(given)) : output_name(query, i, place);
        names[count] = (struct template_name){name, made[inputs + i], 0, false};
    }
    for (size_t i = 0; i < features; i++, count++)
        names[count] =
            (struct template_name){ARRAY_AT(struct predict_feature, &description->features, i)->name, NULL,
                                   query->features[i], false};
    names[count++] = (struct template_name){"k", NULL, place->factor, false};
    names[count++] = (struct template_name){"processors", NULL, place->processors, false};
    names[count++] = (struct template_name){"here", description->here, 0, false};
    struct template_fault fault;
    char *command = template_fill(text, names, count, &fault);
    if (!command) {
        char *quoted = template_quote(fault.problem);
        command = memory_format("echo %s >&2; exit 2", quoted);
        free(quoted);
    }
    for (size_t i = 0; i < inputs + outs; i++)
        free(made[i]);
    free(made);
    free(names);
    return command;
}

char *predict_command(const struct predict_query *query, const char *const *outputs, unsigned processors)
{
    struct predict_place place = {.factor = 1, .processors = processors};
    return filled(query, query->description->command, &place, outputs);
}

bool predict_needs_output(const struct predict_query *query, const char **name)
{
    const struct predict_description *description = query->description;
    struct predict_place place = {.factor = 1, .processors = 1};
    for (size_t i = 0; i < description->outputs.count; i++) {
        *name = ARRAY_AT(struct predict_output, &description->outputs, i)->name;
        if (query->outputs[i])
            continue;
        /* Whether the command has it: it is another one with another file. */
        char *binding = memory_format("%s=another", *name);
        const char *const outputs[] = {binding, NULL};
        char *with = filled(query, description->command, &place, outputs);
        char *without = filled(query, description->command, &place, NULL);
        bool is_used = strcmp(with, without) != 0;
        free(binding);
        free(with);
        free(without);
        if (is_used)
            return true;
    }
    return false;
}

/* One shell command for each smaller input that is needed. */
static char *shrink_script(const struct predict_query *query, const struct predict_place *place)
{
    const struct predict_description *description = query->description;
    struct array script = ARRAY_OF(char);
    for (unsigned i = 0; i < description->inputs.count; i++) {
        if (!is_shrunk(query, i, place) || predict_stand_in(description, place->is_identity, i) != i)
            continue;
        char *name = small_name(query, i, place->factor), *quoted = template_quote(name);
        struct template_name names[] = {{"in", query->paths[i], 0, false},
                                        {"out", name, 0, false},
                                        {"here", description->here, 0, false},
                                        {"k", NULL, place->factor, false}};
        struct template_fault fault;
        char *command = template_fill(description->shrink, names, sizeof names / sizeof *names, &fault);
        char *line = memory_format("[ -e %s ] || { %s ; } || { rm -f %s; exit 1; }\n"
                                   "[ -e %s ] || { echo 'shrink wrote no file '%s >&2; exit 1; }\n",
                                   quoted, command ? command : "exit 2", quoted, quoted, quoted);
        memcpy(array_add_many(&script, strlen(line)), line, strlen(line));
        free(command);
        free(quoted);
        free(name);
        free(line);
    }
    *(char *)array_add(&script) = 0;
    return script.data;
}

static bool find_known(struct predict_query *query, struct predict_probe *probe, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(query->ledger, &rows, error, query_named(predict_queries, "find_known"), "ittrii",
                    query->predictor, probe->is_identity ? query->identity : query->inputs, query->host,
                    probe->factor, (int64_t)probe->is_identity, (int64_t)probe->processors))
        return false;
    while (ledger_next(&rows)) {
        probe->is_known = true;
        probe->seconds = ledger_real(&rows, 0);
        probe->cpu_seconds = ledger_real(&rows, 1);
    }
    return ledger_end(&rows, error);
}

static bool add_probe(struct predict_query *query, const struct predict_place *place, struct array *probes,
                      struct error *error)
{
    const struct predict_description *description = query->description;
    struct predict_probe *probe = array_add(probes);
    *probe = (struct predict_probe){
        .factor = place->factor,
        .is_identity = place->is_identity,
        .processors = place->processors,
        .seconds = NAN,
        .cpu_seconds = NAN,
        .shrink = shrink_script(query, place),
        .command =
            filled(query, description->probe ? description->probe : description->command, place, NULL)};
    return find_known(query, probe, error);
}

bool predict_probes_add(struct predict_query *query, double factor, struct array *probes, struct error *error)
{
    struct predict_place place = {.factor = factor, .processors = query->description->least};
    place.is_identity = query->description->pairs.count;
    if (place.is_identity && !add_probe(query, &place, probes, error))
        return false;
    place.is_identity = false;
    return add_probe(query, &place, probes, error);
}

bool predict_probes(struct predict_query *query, struct array *probes, struct error *error)
{
    struct array factors;
    bool is_fine = predict_factors(query, &factors, error);
    *probes = ARRAY_OF(struct predict_probe);
    for (size_t i = 0; i < factors.count && is_fine; i++)
        is_fine = predict_probes_add(query, *ARRAY_AT(double, &factors, i), probes, error);
    if (!is_fine)
        predict_probes_free(probes);
    array_free(&factors);
    return is_fine;
}

bool predict_scaling_probes(struct predict_query *query, const unsigned *processors, size_t count,
                            struct array *probes, struct error *error)
{
    struct array factors;
    bool is_fine = predict_factors(query, &factors, error);
    *probes = ARRAY_OF(struct predict_probe);
    for (size_t i = 0; i < count && factors.count && is_fine; i++) {
        struct predict_place place = {.factor = *ARRAY_AT(double, &factors, factors.count - 1),
                                      .processors = processors[i]};
        if (processors[i] == query->description->least)
            continue; /* one of the usual ones */
        is_fine = add_probe(query, &place, probes, error);
    }
    if (!is_fine)
        predict_probes_free(probes);
    array_free(&factors);
    return is_fine;
}

void predict_probes_free(struct array *probes)
{
    for (size_t i = 0; i < probes->count; i++) {
        free(ARRAY_AT(struct predict_probe, probes, i)->shrink);
        free(ARRAY_AT(struct predict_probe, probes, i)->command);
    }
    array_free(probes);
}

bool predict_note_shrunk(struct predict_query *query, const struct predict_probe *probe, const char *folder,
                         struct error *error)
{
    struct predict_place place = {.factor = probe->factor};
    double whole = 0, small = 0;
    for (unsigned i = 0; i < query->description->inputs.count; i++) {
        struct stat facts, shrunk;
        if (!is_shrunk(query, i, &place))
            continue;
        char *name = small_name(query, i, probe->factor), *path = memory_format("%s/%s", folder, name);
        bool is_there = !stat(query->paths[i], &facts) && !stat(path, &shrunk);
        whole += is_there ? (double)facts.st_size : 0;
        small += is_there ? (double)shrunk.st_size : 0;
        free(path);
        free(name);
    }
    if (!(whole > small) || !(small > 0))
        return true;
    char name[60];
    snprintf(name, sizeof name, "shrunk-%g", probe->factor);
    return ledger_do(query->ledger, error, query_named(predict_queries, "write_feature"), "itttr",
                     query->predictor, query->inputs, name, PREDICT_SHRUNK, whole / small);
}

bool predict_note_probe(struct predict_query *query, const struct predict_probe *probe, double seconds,
                        double cpu_seconds, double shrink_seconds, const char *problem, struct error *error)
{
    query->spent += probe->spent_seconds > 0 ? probe->spent_seconds : (isnan(seconds) ? 0 : seconds);
    query->spent += isnan(shrink_seconds) ? 0 : shrink_seconds;
    query->shrinking += isnan(shrink_seconds) ? 0 : shrink_seconds;
    return ledger_do(query->ledger, error, query_named(predict_queries, "add_probe_task"), "itttriirrrtr",
                     query->predictor, probe->is_identity ? query->identity : query->inputs,
                     probe->is_identity && query->identity_label ? query->identity_label : query->label,
                     query->host, probe->factor, (int64_t)probe->is_identity, (int64_t)probe->processors,
                     seconds, isnan(seconds) ? NAN : cpu_seconds, shrink_seconds,
                     isnan(seconds) ? problem : NULL, clock_calendar_seconds());
}

bool predict_note_run(struct predict_query *query, unsigned processors, double seconds, double cpu_seconds,
                      const char *source, struct error *error)
{
    return ledger_do(query->ledger, error, query_named(predict_queries, "add_run"), "itttirrtr",
                     query->predictor, query->inputs, query->label, query->host, (int64_t)processors, seconds,
                     cpu_seconds, source, clock_calendar_seconds());
}

bool predict_is_success(const struct predict_query *query, int exit_status)
{
    for (size_t i = 0; i < query->description->success.count; i++)
        if (*ARRAY_AT(int, &query->description->success, i) == exit_status)
            return true;
    return false;
}

unsigned predict_least_processors(const struct predict_query *query)
{
    return query->description->least;
}

unsigned predict_most_processors(const struct predict_query *query)
{
    return query->description->most;
}

const char *predict_host(const struct predict_query *query)
{
    return query->host;
}

double predict_shrinking(const struct predict_query *query)
{
    return query->shrinking;
}

double predict_spent(const struct predict_query *query)
{
    return query->spent;
}
