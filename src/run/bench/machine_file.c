#include "run/bench/machine_file.h"

#include "run/bench/core/core.h"
#include "run/bench/file_parts.h"
#include "code/machine/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char bench_file_figures[] = "measured by assay bench";
static const char COMMENT[] =
    "# Written by assay bench, which replaces it when it runs again. docs/machines.md "
    "describes the format.\n";

bool bench_file_is_ours(const char *text)
{
    const char *line = strstr(text, "\nfigures ");
    return line && !strncmp(line + strlen("\nfigures "), bench_file_figures, strlen(bench_file_figures));
}

/* The lines of a kind are gathered before they are written. */
struct draft {
    const struct bench_evidence *evidence;
    struct bench_file_counts *counts;
    FILE *out;
    char *source; /* the last line `from`; NULL: there was none */
};

static const char *title_of(const struct bench_evidence *evidence)
{
    const char *processor = evidence->bench->results.computer.processor;
    return evidence->is_known || !*processor ? evidence->nearest->title : processor;
}

/* Writes a line `from`, unless the last one says the same.  Takes the text. */
static void put_source(struct draft *draft, char *source)
{
    if (draft->source && !strcmp(draft->source, source)) {
        free(source);
        return;
    }
    fprintf(draft->out, "%s\n", source);
    free(draft->source);
    draft->source = source;
}

/* What was measured: when, on what, with which version. */
static void write_source(struct draft *draft, bench_session session, const char *more)
{
    struct bench_session_facts facts = bench_results_session(&draft->evidence->bench->results, session);
    put_source(draft, memory_format("from measured%s%s on %s%s%s%s", *facts.day ? " " : "", facts.day,
                                    title_of(draft->evidence), *facts.version ? " by assay " : "",
                                    facts.version, more));
}

static void write_assumption(struct draft *draft)
{
    put_source(draft, memory_format("from assumed, as %s", draft->evidence->nearest->base_name));
}

static void write_extensions(const char *word, uint32_t set, FILE *out)
{
    fputs(set ? word : "", out);
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (set >> i & 1)
            fprintf(out, " %s", extensions[i].word);
    fputs(set ? "\n" : "", out);
}

/* What the processor calls itself; the stepping where the known file has it. */
static void write_identity(const struct bench_evidence *evidence, FILE *out)
{
    const struct host_facts *facts = &evidence->bench->results.computer.facts;
    struct machine_identity identity = host_identify(facts);
    if (!identity.isa)
        return;
    bool has_stepping = false;
    for (size_t i = 0; evidence->is_known && i < evidence->nearest->identities.count; i++)
        has_stepping |=
            strchr(ARRAY_AT(struct machine_identity_line, &evidence->nearest->identities, i)->values, '.') !=
            NULL;
    fprintf(out, "%s %x %x", identity.isa == isa_AARCH64 ? "midr" : "cpuid", identity.family, identity.model);
    if (has_stepping)
        fprintf(out, ".%x", identity.stepping);
    putc('\n', out);
    for (unsigned i = 0; i < feature_COUNT; i++)
        if (identity.features >> i & 1)
            fprintf(out, "%s %s", identity.features & ((1U << i) - 1) ? "" : "features",
                    generation_feature_word((enum machine_feature)i));
    fputs(identity.features ? "\n" : "", out);
}

static void write_description(const struct draft *draft)
{
    const struct bench_evidence *evidence = draft->evidence;
    const struct machine *nearest = evidence->nearest;
    const struct host_facts *facts = &evidence->bench->results.computer.facts;
    fprintf(draft->out, "name %s\ntitle %s (measured)\nisa %s\n", evidence->name, title_of(evidence),
            isa_word(nearest->isa));
    if (evidence->is_known && nearest->target)
        fprintf(draft->out, "target %s\n", nearest->target);
    fprintf(draft->out, "figures %s; each part says what was measured and what is assumed\n",
            bench_file_figures);
    write_identity(evidence, draft->out);
    write_extensions("lacks", extensions_named_of(nearest->lacks), draft->out);
    uint32_t without = facts->isa ? machine_extensions(nearest) & ~host_identify(facts).extensions : 0;
    write_extensions("without", extensions_named_of(without | nearest->without), draft->out);
    fprintf(draft->out, "like %s\n", nearest->base_name);
}

/* Findings whose samples are further apart are not better than what is known.  Levels of caches come
   together, and depend on the neighbours of this computer. */
static const double TOO_WIDE = 0.25;

static bool is_believed(const struct bench_finding *finding)
{
    return machine_knows_fact(finding->word) &&
           (!(finding->spread > TOO_WIDE) || !strcmp(finding->word, "cache"));
}

static bool has_finding(const struct bench_evidence *evidence, const char *word)
{
    for (size_t i = 0; i < evidence->findings->count; i++)
        if (!strcmp(ARRAY_AT(struct bench_finding, evidence->findings, i)->word, word) &&
            is_believed(ARRAY_AT(struct bench_finding, evidence->findings, i)))
            return true;
    return false;
}

static void write_fact(const struct draft *draft, const char *word, const char *values, double spread)
{
    fprintf(draft->out, "%s%s%s", word, *values ? " " : "", values);
    if (!isnan(spread))
        machine_write_spread((float)(round(10000 * spread) / 100), draft->out);
    putc('\n', draft->out);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The clock that most tests saw. */
static double median_clock(const struct bench_session *bench)
{
    const struct array *rows = &bench->results.rows;
    double *clocks = memory_get((rows->count + 1) * sizeof *clocks);
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct bench_result *result = &ARRAY_AT(struct bench_row, rows, i)->result;
        if (result->status == bench_MEASURED && result->ghz > 0)
            clocks[count++] = result->ghz;
    }
    qsort(clocks, count, sizeof *clocks, by_number);
    double clock = count ? round(1000 * clocks[count / 2]) / 1000 : NAN;
    free(clocks);
    return clock;
}

static bool has_vectors(enum isa isa, const char *form)
{
    struct bench_instruction sample;
    bool is_found = !bench_sample(&sample, isa, form);
    for (unsigned i = 0; !is_found && i < sample.slot_count; i++)
        is_found = sample.slots[i].domain == domain_VECTOR;
    return is_found;
}

/* Integer divisions with large quotients take longer than the form's figures say.  Easy ones come first. */
static void write_slow_forms(struct draft *draft)
{
    const struct array *figures = draft->evidence->figures;
    const struct bench_figure *easy = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, figures, i);
        if (!bench_is_measured(figure) || figure->planned->kind != bench_THROUGHPUT)
            continue;
        if (figure->planned->operands == operands_EASY)
            easy = figure;
        else if (easy && figure->planned->operands == operands_HARD && easy->form == figure->form &&
                 figure->cycles > 1.1 * easy->cycles &&
                 !has_vectors(draft->evidence->bench->isa, figure->form->text)) {
            char *values = memory_format("%g %s", bench_round_cycles(figure->cycles, figure->spread),
                                         figure->form->text);
            write_source(draft, figure->session, "");
            write_fact(draft, "slow", values, NAN);
            free(values);
        }
    }
}

/* The µops that wait together, for the ports of the form that filled the queue. */
static void write_queues(struct draft *draft)
{
    const struct bench_evidence *evidence = draft->evidence;
    for (size_t i = 0; evidence->queues && i < evidence->queues->count; i++) {
        const struct bench_queue *queue = ARRAY_AT(struct bench_queue, evidence->queues, i);
        const struct machine_form *known = machine_form(evidence->nearest, queue->form);
        if (!known || known->ports.count != 1)
            continue;
        char *ports = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&ports, &size);
        if (!out)
            continue;
        form_write_ports(evidence->nearest, known->ports, out);
        fclose(out);
        char *values = memory_format("%s %u", ports, queue->size);
        write_source(draft, queue->session, "");
        write_fact(draft, "queue", values, queue->spread);
        free(values);
        free(ports);
    }
}

static void write_measured_facts(struct draft *draft)
{
    const struct bench_evidence *evidence = draft->evidence;
    for (size_t i = 0; i < evidence->findings->count; i++) {
        const struct bench_finding *finding = ARRAY_AT(struct bench_finding, evidence->findings, i);
        if (!is_believed(finding))
            continue;
        write_source(draft, finding->session, "");
        write_fact(draft, finding->word, finding->values, finding->spread);
        draft->counts->facts++;
    }
    if (!has_finding(evidence, "clock") && draft->counts->clock > 0) {
        write_source(draft, (bench_session)evidence->bench->results.sessions.count, "");
        fprintf(draft->out, "clock %g\n", draft->counts->clock);
        draft->counts->facts++;
    }
    write_slow_forms(draft);
}

/* Levels of caches beyond those that were found stay, if they are larger. */
static bool is_further_cache(const struct bench_evidence *evidence, const char *values)
{
    unsigned long highest = 0;
    for (size_t i = 0; i < evidence->findings->count; i++) {
        const struct bench_finding *finding = ARRAY_AT(struct bench_finding, evidence->findings, i);
        unsigned long level = strcmp(finding->word, "cache") ? 0 : strtoul(finding->values, NULL, 10);
        highest = level > highest ? level : highest;
    }
    return strtoul(values, NULL, 10) > highest;
}

/* A line of the nearest core, if nothing else was found out about its word. */
static void write_assumed_line(struct draft *draft, char *line)
{
    const struct bench_evidence *evidence = draft->evidence;
    char *spread = strstr(line, " ±");
    if (spread)
        *spread = 0;
    size_t length = strcspn(line, " ");
    char *word = memory_copy_text(line, length);
    const char *values = line + length + (line[length] == ' ');
    bool is_own = !strcmp(word, "from") || !strcmp(word, "like") || !strcmp(word, "slow") ||
                  (!strcmp(word, "clock") && draft->counts->clock > 0) ||
                  (!strcmp(word, "queue") && evidence->queues && evidence->queues->count);
    if (!is_own &&
        (!has_finding(evidence, word) || (!strcmp(word, "cache") && is_further_cache(evidence, values)))) {
        write_fact(draft, word, values, NAN);
        draft->counts->assumed_facts++;
    }
    free(word);
}

/* The ports, which other facts name, or everything but them. */
static void write_assumed_facts(struct draft *draft, bool are_ports)
{
    char *text = NULL, *saved = NULL;
    size_t size = 0;
    FILE *facts = open_memstream(&text, &size);
    if (!facts)
        return;
    machine_write_facts(draft->evidence->nearest, facts);
    fclose(facts);
    write_assumption(draft);
    for (char *line = strtok_r(text, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved))
        if (!strncmp(line, "ports ", strlen("ports ")) == are_ports)
            write_assumed_line(draft, line);
    free(text);
}

static void count_figure(struct bench_file_counts *counts, const struct bench_figure *figure)
{
    if (!bench_is_measured(figure))
        return;
    counts->latencies += figure->planned->kind == bench_LATENCY;
    counts->throughputs += figure->planned->kind == bench_THROUGHPUT;
    counts->unsteady += figure->spread > BENCH_STEADY;
}

/* Ports that were found are as new as the newest mix. */
static bench_session newest_session(const struct bench_evidence *evidence, const struct bench_form_line *line,
                                    enum bench_line_kind kind)
{
    const struct array *rows = &evidence->bench->results.rows;
    bench_session newest = 0;
    for (size_t i = 0; i < line->count; i++)
        newest = line->figures[i].session > newest ? line->figures[i].session : newest;
    bool has_mixes = kind == line_MEASURED || kind == line_UOPS_COUNTED || kind == line_COUNTED;
    for (size_t i = 0; has_mixes && i < rows->count; i++) {
        const struct bench_row *row = ARRAY_AT(struct bench_row, rows, i);
        if (row->session > newest && !strncmp(row->name, "pair|", strlen("pair|")))
            newest = row->session;
    }
    return newest;
}

/* Lines of forms of one kind; what is said after the source of each. */
static void write_forms(struct draft *draft, enum bench_line_kind kind, const char *more, bool is_counted)
{
    const struct array *figures = draft->evidence->figures;
    struct bench_file_counts *counts = draft->counts;
    for (size_t first = 0, next; first < figures->count; first = next) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, figures, first);
        for (next = first + 1;
             next < figures->count && ARRAY_AT(struct bench_figure, figures, next)->form == figure->form;)
            next++;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out)
            return;
        struct bench_form_line line = {figure->form, figure, next - first};
        enum bench_line_kind found = bench_write_form(draft->evidence, &line, out);
        fclose(out);
        if (found == kind && found != line_NONE) {
            write_source(draft, newest_session(draft->evidence, &line, kind), more);
            fprintf(draft->out, "%s\n", text);
        }
        free(text);
        if (!is_counted)
            continue;
        bool has_counts =
            found == line_COUNTED || found == line_UOPS_COUNTED || found == line_UOPS_COUNTED_ASSUMED;
        counts->forms += has_counts || found == line_MEASURED || found == line_PORTS_ASSUMED;
        counts->counted += has_counts;
        counts->counted_ports += found == line_COUNTED;
        counts->missing += found == line_MISSING;
        counts->untested += figure->form->refusal != refusal_NONE;
        for (size_t i = first; i < next; i++)
            count_figure(counts, ARRAY_AT(struct bench_figure, figures, i));
    }
}

/* The text as it is put together; to be freed. */
static char *draft_text(const struct bench_evidence *evidence, struct bench_file_counts *counts)
{
    char *text = NULL;
    size_t size = 0;
    struct draft draft = {.evidence = evidence, .counts = counts, .out = open_memstream(&text, &size)};
    if (!draft.out)
        return NULL;
    write_description(&draft);
    write_assumed_facts(&draft, true);
    write_measured_facts(&draft);
    write_assumed_facts(&draft, false);
    write_queues(&draft); /* after the line `ports` */
    write_forms(&draft, line_MEASURED, "", true);
    write_forms(&draft, line_COUNTED, "; µops and ports counted", false);
    write_forms(&draft, line_UOPS_COUNTED, "; µops counted", false);
    write_forms(&draft, line_MISSING, "", false);
    char *ports = memory_format("; µops counted, ports assumed, as %s", evidence->nearest->base_name);
    write_forms(&draft, line_UOPS_COUNTED_ASSUMED, ports, false);
    free(ports);
    ports = memory_format("; µops and ports assumed, as %s", evidence->nearest->base_name);
    write_forms(&draft, line_PORTS_ASSUMED, ports, false);
    free(ports);
    free(draft.source);
    fclose(draft.out);
    return text;
}

char *bench_machine_file(const struct bench_evidence *evidence, struct bench_file_counts *counts,
                         struct error *error)
{
    *counts = (struct bench_file_counts){.clock = median_clock(evidence->bench),
                                         .has_ports = evidence->ports != NULL};
    char *draft = draft_text(evidence, counts);
    struct machine *machine = draft ? machine_parse(evidence->name, draft, strlen(draft), error) : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = machine ? open_memstream(&text, &size) : NULL;
    if (out) {
        fputs(COMMENT, out);
        machine_write(machine, out);
        fclose(out);
    }
    machine_free(machine);
    free(draft);
    return text;
}
