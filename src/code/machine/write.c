/* Writing a machine file: every fact of facts.def and core.def, then its forms (forms_write.c).

   A fact is written by a function that is given the number of a line, from 0, and writes its values, or says
   that there is no such line.  Comments and the order of a file are not kept; what its lines say is.

   What describes the machine comes first, then words that others refer to (ports), then the facts of each
   source together after a line `from`, so that such lines are few.  The lines of one word are not torn
   apart: they stand with the first of them, because the order of some matters (cache). */
#include "code/machine/write.h"

#include "model/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool write_text(const char *text, unsigned line, FILE *out)
{
    if (!line)
        fprintf(out, " %s", text);
    return !line;
}

static bool write_name(const struct machine *machine, unsigned line, FILE *out)
{
    return write_text(machine->base_name, line, out);
}

static bool write_title(const struct machine *machine, unsigned line, FILE *out)
{
    return write_text(machine->title, line, out);
}

static bool write_figures(const struct machine *machine, unsigned line, FILE *out)
{
    return write_text(machine->figures, line, out);
}

static bool write_target(const struct machine *machine, unsigned line, FILE *out)
{
    return machine->target && write_text(machine->target, line, out);
}

static bool write_extensions(uint32_t set, unsigned line, FILE *out)
{
    for (unsigned i = 0; !line && i < extension_COUNT; i++)
        if (set >> i & 1)
            fprintf(out, " %s", extensions[i].word);
    return !line && set;
}

static bool write_without(const struct machine *machine, unsigned line, FILE *out)
{
    return write_extensions(machine->without, line, out);
}

static bool write_lacks(const struct machine *machine, unsigned line, FILE *out)
{
    return write_extensions(extensions_named_of(machine->lacks), line, out);
}

static bool write_features(const struct machine *machine, unsigned line, FILE *out)
{
    for (unsigned i = 0; !line && i < feature_COUNT; i++)
        if (machine->features >> i & 1)
            fprintf(out, " %s", generation_feature_word((enum machine_feature)i));
    return !line && machine->features;
}

static bool write_isa(const struct machine *machine, unsigned line, FILE *out)
{
    return write_text(isa_word(machine->isa), line, out);
}

static bool write_also(const struct machine *machine, unsigned line, FILE *out)
{
    if (line || !machine->names[0])
        return false;
    for (unsigned i = 0; i < MOST_MACHINE_NAMES && machine->names[i]; i++)
        fprintf(out, " %s", machine->names[i]);
    return true;
}

static bool write_identity(const struct machine *machine, const char *word, unsigned line, FILE *out)
{
    for (size_t i = 0; i < machine->identities.count; i++) {
        const struct machine_identity_line *row =
            ARRAY_AT(struct machine_identity_line, &machine->identities, i);
        if (!strcmp(row->word, word) && !line--)
            return fprintf(out, " %s", row->values) > 0;
    }
    return false;
}

static bool write_cpuid(const struct machine *machine, unsigned line, FILE *out)
{
    return write_identity(machine, "cpuid", line, out);
}

static bool write_midr(const struct machine *machine, unsigned line, FILE *out)
{
    return write_identity(machine, "midr", line, out);
}

static bool write_ports(const struct machine *machine, unsigned line, FILE *out)
{
    if (line || !machine->port_count)
        return false;
    for (unsigned port = 0; port < machine->port_count; port++)
        fprintf(out, " %s", machine->ports[port]);
    return true;
}

/* The row of the instructions that the file has words for which a fact is given, by number. */
static const struct machine_instruction *instruction_with(const struct machine *machine, bool has_ports,
                                                          unsigned line)
{
    for (size_t i = 0; i < machine->instructions.count; i++) {
        const struct machine_instruction *row =
            ARRAY_AT(struct machine_instruction, &machine->instructions, i);
        if ((has_ports ? row->ports != 0 : !isnan(row->latency)) && !line--)
            return row;
    }
    return NULL;
}

static bool write_on(const struct machine *machine, unsigned line, FILE *out)
{
    const struct machine_instruction *row = instruction_with(machine, true, line);
    char before = ' ';
    for (unsigned port = 0; row && port < machine->port_count; port++)
        if (row->ports >> port & 1) {
            fprintf(out, "%c%s", before, machine->ports[port]);
            before = ',';
        }
    return row && fprintf(out, " %s", row->name) > 0;
}

static bool write_latency_of(const struct machine *machine, unsigned line, FILE *out)
{
    const struct machine_instruction *row = instruction_with(machine, false, line);
    if (!row)
        return false;
    fprintf(out, " %s ", row->name);
    machine_write_number(row->latency, out);
    return true;
}

static bool write_bundles(const struct machine *machine, unsigned line, FILE *out)
{
    return !line && machine->bundles && fprintf(out, " %u", machine->bundles) > 0;
}

static bool write_second(const struct machine *machine, unsigned line, FILE *out)
{
    if (line || !machine->template_count)
        return false;
    for (unsigned i = 0; i < machine->template_count; i++)
        fprintf(out, " %s", machine->templates[i]);
    return true;
}

static bool write_pair(const struct machine *machine, unsigned line, FILE *out)
{
    if (line >= machine->template_count)
        return false;
    fprintf(out, " %s", machine->templates[line]);
    for (unsigned i = 0; i < machine->template_count; i++) {
        unsigned pair = machine->pairs[line][i];
        fprintf(out, " %s%s",
                !pair                 ? "."
                : pair & pair_INTEGER ? "A"
                                      : "Y",
                pair & pair_NO_BRANCH ? "n" : "");
    }
    return true;
}

static bool write_class(unsigned class, unsigned element, bool is_vector, double cycles, FILE *out)
{
    fprintf(out, " %s", class_word(class));
    if (element < element_COUNT)
        fprintf(out, " %s", element_word(element));
    fprintf(out, "%s ", is_vector ? " vector" : "");
    machine_write_number(cycles, out);
    return true;
}

/* The pair of times, of scalars and of vectors, that most elements of a class have. */
static const double *most_common(double times[element_COUNT][2])
{
    unsigned best = 0, best_count = 0;
    for (unsigned e = 0; e < element_COUNT; e++) {
        unsigned count = 0;
        for (unsigned other = 0; other < element_COUNT; other++)
            count += times[e][0] == times[other][0] && times[e][1] == times[other][1];
        if (count > best_count) {
            best = e;
            best_count = count;
        }
    }
    return times[best];
}

/* The lines of a class: for all elements, where that is not what a class without lines has, then for each
   element that differs.  A line for vectors stands before that without the word, which is for both. */
static bool write_times(double times[class_COUNT][element_COUNT][2], double usual, unsigned line, FILE *out)
{
    for (unsigned class = 0; class < class_COUNT; class ++) {
        const double *common = most_common(times[class]);
        bool has_common = common[0] != usual || common[1] != usual;
        if (has_common && common[1] != common[0] && !line--)
            return write_class(class, element_COUNT, true, common[1], out);
        if (has_common && !line--)
            return write_class(class, element_COUNT, false, common[0], out);
        for (unsigned e = 0; e < element_COUNT; e++) {
            const double *mine = times[class][e];
            if (mine[0] == common[0] && mine[1] == common[1])
                continue;
            if (mine[1] != mine[0] && !line--)
                return write_class(class, e, true, mine[1], out);
            if (!line--)
                return write_class(class, e, false, mine[0], out);
        }
    }
    return false;
}

static bool write_latency(const struct machine *machine, unsigned line, FILE *out)
{
    return write_times(((struct machine *)machine)->latency, 1, line, out);
}

static bool write_busy(const struct machine *machine, unsigned line, FILE *out)
{
    return write_times(((struct machine *)machine)->busy, 0, line, out);
}

static bool write_accumulate(const struct machine *machine, unsigned line, FILE *out)
{
    for (unsigned class = 0; class < class_COUNT; class ++)
        for (unsigned e = 0; e < element_COUNT; e++) {
            double cycles = machine->accumulate[class][e];
            if (!isnan(cycles) && !line--)
                return write_class(class, e, false, cycles, out);
        }
    return false;
}

static bool write_load_to_address(const struct machine *machine, unsigned line, FILE *out)
{
    if (line || !(machine->load_to_address > 0))
        return false;
    putc(' ', out);
    machine_write_number(machine->load_to_address, out);
    return true;
}

static bool write_cache(const struct machine *machine, unsigned line, FILE *out)
{
    return caches_write(machine, line, out);
}

static bool write_main_memory(const struct machine *machine, unsigned line, FILE *out)
{
    return !line && caches_write_memory(machine, out);
}

static bool write_guarded_gather(const struct machine *machine, unsigned line, FILE *out)
{
    return !line && guards_write(machine, out);
}

static bool write_slow(const struct machine *machine, unsigned line, FILE *out)
{
    if (line >= machine->slow_forms.count)
        return false;
    const struct machine_slow_form *row = ARRAY_AT(struct machine_slow_form, &machine->slow_forms, line);
    putc(' ', out);
    machine_write_number(row->cycles, out);
    fprintf(out, " %s", row->form);
    return true;
}

/* Kinds whose line is left out do not count. */
static bool write_division(const struct machine *machine, unsigned line, enum division_end end, FILE *out)
{
    for (size_t i = 0; i < machine->divisions.count; i++) {
        const struct machine_division *row = ARRAY_AT(struct machine_division, &machine->divisions, i);
        if (row->of[end].source && !line--)
            return division_write(row, end, out);
    }
    return false;
}

static bool write_easy(const struct machine *machine, unsigned line, FILE *out)
{
    return write_division(machine, line, division_EASY, out);
}

static bool write_hard(const struct machine *machine, unsigned line, FILE *out)
{
    return write_division(machine, line, division_HARD, out);
}

static bool write_flag_group(const struct machine *machine, unsigned line, FILE *out)
{
    for (unsigned i = 0; line < machine->flag_group_count && i < machine->flag_count; i++)
        if (machine->flag_groups[i] == line + 1)
            fprintf(out, " %s", machine->flags[i]);
    return line < machine->flag_group_count;
}

static bool write_complete(const struct machine *machine, unsigned line, FILE *out)
{
    (void)out;
    return !line && machine->is_complete;
}

static bool write_like(const struct machine *machine, unsigned line, FILE *out)
{
    return machine->sibling && !machine->has_sibling_forms && write_text(machine->sibling, line, out);
}

/* Stands before the lines that it holds for: see begin_line. */
static bool write_from(const struct machine *machine, unsigned line, FILE *out)
{
    (void)machine, (void)line, (void)out;
    return false;
}

/* Facts of the core that have functions of their own. */
static bool write_complex_pop(const struct machine *machine, unsigned line, FILE *out)
{
    const struct machine_core *core = &machine->core;
    if (line || !core->complex_pops[0])
        return false;
    fprintf(out, " %u", core->complex_pop_decoders);
    for (unsigned i = 0; i < MOST_COMPLEX_POPS && core->complex_pops[i]; i++)
        fprintf(out, " %s", core->complex_pops[i]);
    return true;
}

static bool write_loop_copies(const struct machine *machine, unsigned line, FILE *out)
{
    const uint8_t *copies = machine->core.loop_copies;
    for (unsigned from = 1, to; from < MOST_LOOP_COPIES; from = to + 1) {
        to = from;
        while (to + 1 < MOST_LOOP_COPIES && copies[to + 1] == copies[from])
            to++;
        if (copies[from] && !line--)
            return fprintf(out, " %u %u %u", from, to, copies[from]) > 0;
    }
    return false;
}

static bool write_port_choice(const struct machine *machine, unsigned line, FILE *out)
{
    unsigned choice = machine->core.port_choice;
    return !line && choice && choice < port_choice_COUNT &&
           fprintf(out, " %s", port_choice_words[choice]) > 0;
}

static bool write_limit(const struct machine *machine, const struct machine_queue *limits, unsigned count,
                        unsigned line, FILE *out)
{
    if (line >= count)
        return false;
    putc(' ', out);
    machine_write_ports(machine, limits[line].ports, out);
    return fprintf(out, " %u", limits[line].size) > 0;
}

static bool write_queue(const struct machine *machine, unsigned line, FILE *out)
{
    return write_limit(machine, machine->core.queues, machine->core.queue_count, line, out);
}

static bool write_dispatch(const struct machine *machine, unsigned line, FILE *out)
{
    return write_limit(machine, machine->core.dispatches, machine->core.dispatch_count, line, out);
}

static void write_moves(unsigned moves, FILE *out)
{
    if (moves == ANY_NUMBER)
        fputs("any", out);
    else
        fprintf(out, "%u", moves);
}

static bool write_eliminates(const struct machine *machine, unsigned line, FILE *out)
{
    const unsigned moves[] = {machine->core.eliminates_general, machine->core.eliminates_vector};
    for (unsigned i = 0; i < 2; i++)
        if (moves[i] && !line--) {
            fputs(i ? " vector " : " general ", out);
            write_moves(moves[i], out);
            return true;
        }
    return false;
}

typedef bool fact_writer(const struct machine *machine, unsigned line, FILE *out);

/* The function of a word of the core; NULL for those whose members are written one after the other. */
static fact_writer *writer_of(const char *word)
{
    static const struct {
        const char *word;
        fact_writer *write;
    } own[] = {
#define OWN(word, name, values, says) {word, write_##name},
#include "code/machine/core.def"
    };
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!strcmp(own[i].word, word))
            return own[i].write;
    return NULL;
}

static bool is_given(const struct machine *machine, const struct core_row *row)
{
    const void *value = (const char *)&machine->core + row->offset;
    switch (row->kind) {
    case core_COUNT:
    case core_MOVES:
        return *(const unsigned *)value;
    case core_CYCLES:
        return *(const double *)value > 0;
    case core_PORTS:
        return *(const uint32_t *)value;
    case core_FLAG:
        return *(const bool *)value;
    default:
        return false;
    }
}

static void write_member(const struct machine *machine, const struct core_row *row, FILE *out)
{
    const void *value = (const char *)&machine->core + row->offset;
    switch (row->kind) {
    case core_COUNT:
        fprintf(out, "%u", *(const unsigned *)value);
        break;
    case core_MOVES:
        write_moves(*(const unsigned *)value, out);
        break;
    case core_CYCLES:
        machine_write_number(*(const double *)value, out);
        break;
    case core_PORTS:
        machine_write_ports(machine, *(const uint32_t *)value, out);
        break;
    default:
        break;
    }
}

/* Whether the file has the word: one of its members is not 0. */
static bool has_word(const struct machine *machine, const struct core_row *word)
{
    for (const struct core_row *row = word + 1; row < core_rows + core_row_count && row->kind != core_FACT;
         row++)
        if (is_given(machine, row))
            return true;
    return false;
}

static const struct core_row *word_of(const struct core_row *row)
{
    while (row->kind != core_FACT)
        row--;
    return row;
}

bool core_write_value(const struct machine *machine, const struct core_row *row, unsigned line, FILE *out)
{
    if (row->kind == core_OTHER)
        return writer_of(word_of(row)->name)(machine, line, out);
    if (line || !(row->kind == core_CYCLES ? has_word(machine, word_of(row)) : is_given(machine, row)))
        return false;
    write_member(machine, row, out);
    return true;
}

/* The values of a line of a word, to be freed; NULL: there is no such line. */
static char *values_of(const struct machine *machine, const struct core_row *row, fact_writer *write,
                       unsigned line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool is_there = out && (write ? write(machine, line, out) : !line && has_word(machine, row));
    const struct core_row *end = core_rows + core_row_count;
    for (row = row ? row + 1 : end; is_there && !write && row < end && row->kind != core_FACT; row++)
        if (row->kind != core_FLAG) {
            putc(' ', out);
            write_member(machine, row, out);
        }
    if (out)
        fclose(out);
    if (is_there)
        return text;
    free(text);
    return NULL;
}

/* What is written now: the lines of one source, and the last line `from`. */
struct writing {
    const struct machine *machine;
    machine_source source, last;
    enum stage { stage_DESCRIPTION, stage_REFERRED, stage_FACTS } stage;
    FILE *out;
};

static void begin_lines(struct writing *writing, machine_source source)
{
    const char *text = machine_source_text(writing->machine, source);
    if (source != writing->last)
        fprintf(writing->out, "from%s%s\n", text ? " " : "", text ? text : "");
    writing->last = source;
}

/* All lines of a word; among the facts, if they are of the source. */
static void write_lines(struct writing *writing, const char *word, const struct core_row *row,
                        fact_writer *write)
{
    char *values = values_of(writing->machine, row, write, 0);
    for (unsigned line = 0; values;) {
        const struct machine_origin *origin =
            machine_origin(writing->machine, word, values + strspn(values, " "));
        machine_source source = origin ? origin->source : 0;
        if (!line && writing->stage == stage_FACTS && source != writing->source) {
            free(values);
            return;
        }
        begin_lines(writing, source);
        fprintf(writing->out, "%s%s", word, values);
        machine_write_spread(origin ? origin->spread : NAN, writing->out);
        putc('\n', writing->out);
        free(values);
        values = values_of(writing->machine, row, write, ++line);
    }
}

static bool write_figure(double figure, unsigned line, FILE *out)
{
    if (line || !(figure > 0))
        return false;
    putc(' ', out);
    machine_write_number(figure, out);
    return true;
}

#define HEAD(word, name, least, most, values, says)
#define FIGURE(word, member, sentence, says)                                                                 \
    static bool write_##member(const struct machine *machine, unsigned line, FILE *out)                      \
    {                                                                                                        \
        return write_figure(machine->member, line, out);                                                     \
    }
#include "code/machine/facts.def"

static void write_facts(struct writing *writing)
{
    static const struct {
        const char *word;
        fact_writer *write;
    } facts[] = {
#define HEAD(word, name, least, most, values, says) {word, write_##name},
#define FIGURE(word, member, sentence, says) {word, write_##member},
#include "code/machine/facts.def"
    };
    bool is_description = true;
    for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const char *word = facts[i].word;
        is_description = is_description && strcmp(word, "from");
        bool is_referred = !strcmp(word, "ports") || !strcmp(word, "second");
        if (writing->stage == (is_description ? stage_DESCRIPTION
                               : is_referred  ? stage_REFERRED
                                              : stage_FACTS))
            write_lines(writing, word, NULL, facts[i].write);
    }
    for (const struct core_row *row = core_rows; row < core_rows + core_row_count; row++)
        if (row->kind == core_FACT && writing->stage == stage_FACTS)
            write_lines(writing, row->name, row, writer_of(row->name));
}

void machine_write_facts(const struct machine *machine, FILE *out)
{
    struct writing writing = {.machine = machine, .out = out, .stage = stage_REFERRED};
    write_facts(&writing);
    writing.stage = stage_FACTS;
    for (size_t source = 0; source <= machine->sources.count; source++) {
        writing.source = (machine_source)source;
        write_facts(&writing);
    }
}

void machine_write(const struct machine *machine, FILE *out)
{
    struct writing writing = {.machine = machine, .out = out};
    for (writing.stage = stage_DESCRIPTION; writing.stage < stage_FACTS; writing.stage++)
        write_facts(&writing);
    /* The source of the ports is the first that is read again, and so the first here. */
    machine_source first = writing.last;
    size_t count = machine->sources.count + 1;
    for (int forms = 0; forms < 2; forms++)
        for (size_t i = 0; i < count; i++) {
            writing.source = (machine_source)(!i ? first : i <= first ? i - 1 : i);
            if (!forms)
                write_facts(&writing);
            else if (forms_have(machine, writing.source)) {
                begin_lines(&writing, writing.source);
                forms_write(machine, writing.source, out);
            }
        }
}
