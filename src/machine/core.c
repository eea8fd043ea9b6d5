/* The facts of a machine file about the parts of the core.

   Almost all are a word and numbers, each of which goes to a member of struct machine_core: a table says
   which.  Numbers of things are whole and above 0; cycles may be any number that is not negative. */
#include "machine/reading.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum value_kind { value_NONE, value_COUNT, value_CYCLES, value_PORTS };
enum { MOST_VALUES = 4, MOST_SLOTS = 200, LARGEST_COUNT = 100000 };

struct core_word {
    const char *word;
    struct {
        enum value_kind kind;
        size_t offset;
    } values[MOST_VALUES];
    bool is_flag;
    size_t flag; /* a member that is true where the word stands there */
};

#define COUNT(member)                                                                                        \
    {                                                                                                        \
        value_COUNT, offsetof(struct machine_core, member)                                                   \
    }
#define CYCLES(member)                                                                                       \
    {                                                                                                        \
        value_CYCLES, offsetof(struct machine_core, member)                                                  \
    }
#define PORTS(member)                                                                                        \
    {                                                                                                        \
        value_PORTS, offsetof(struct machine_core, member)                                                   \
    }
#define TRUE(member) .is_flag = true, .flag = offsetof(struct machine_core, member)

static const struct core_word core_words[] = {
    {"predecode", {COUNT(predecode_bytes), COUNT(predecode_width)}},
    {"length-change", {CYCLES(length_change)}},
    {"instruction-queue", {COUNT(instruction_queue)}},
    {"decoders", {COUNT(decoders), COUNT(complex_uops), COUNT(decode_uops)}},
    {"fuses-on-last-decoder", TRUE(fuses_on_last_decoder)},
    {"microcode", {CYCLES(microcode_switch), CYCLES(microcode_switch_cached)}},
    {"uop-cache", {COUNT(cache_width), COUNT(cache_block), COUNT(cache_lines), COUNT(cache_line_uops)}},
    {"cache-in-pairs", TRUE(cache_in_pairs)},
    {"cache-without-borders", TRUE(cache_without_borders)},
    {"decode-queue", {COUNT(decode_queue)}},
    {"loop-buffer", {COUNT(loop_buffer)}},
    {"issue", {COUNT(issue)}},
    {"keeps-pairs", TRUE(keeps_pairs)},
    {"splits", {COUNT(splits), COUNT(split_reach)}},
    {"retire", {COUNT(retire)}},
    {"reorder-buffer", {COUNT(reorder_buffer)}},
    {"scheduler", {COUNT(scheduler)}},
    {"late-operands", {COUNT(late_operands)}},
    {"elimination-delay", {COUNT(elimination_delay)}},
    {"keeps-elimination-slots", TRUE(keeps_elimination_slots)},
    {"high-bytes-apart", TRUE(high_bytes_apart)},
    {"stack-engine", TRUE(has_stack_engine)},
    {"merges-flags", TRUE(merges_flags)},
    {"load-ports", {PORTS(load_ports)}},
    {"address-ports", {PORTS(address_ports)}},
    {"store-ports", {PORTS(store_ports)}},
    {"load-bytes", {COUNT(load_bytes)}},
    {"store-bytes", {COUNT(store_bytes)}},
    {"load-banks", {COUNT(load_banks)}},
    {"forward", {CYCLES(forward), CYCLES(forward_vector)}},
    {"forward-failed", {CYCLES(forward_failed)}},
    {"renames-memory", TRUE(renames_memory)},
    {"wide-loads", {COUNT(wide_load), COUNT(wide_loads)}},
    {"load-line", {COUNT(load_line)}},
    {"store-line", {COUNT(store_line)}},
    {"branch-border", {COUNT(branch_border)}},
    {"fast-pointer", {CYCLES(pointer_bonus), COUNT(pointer_reach)}},
    {"vector-bits", {COUNT(vector_bits)}},
    {"vector-registers", {COUNT(vector_registers)}},
    {"transition", {CYCLES(transition)}},
    {"blends-upper-halves", TRUE(blends_upper_halves)},
    {"clock", {CYCLES(clock)}},
    {"in-order", TRUE(is_in_order)},
    {"issue-every", {COUNT(issue_every)}},
    {"address-wait", {COUNT(address_wait)}},
};

static bool read_count(struct reading *reading, const char *word, unsigned most, unsigned *count)
{
    double value;
    if (!reading_number(reading, word, &value))
        return false;
    if (value < 1 || value > most || value != (unsigned)value) {
        char what[80];
        snprintf(what, sizeof what, "this must be a whole number from 1 to %u:", most);
        return reading_complain(reading, what, word);
    }
    *count = (unsigned)value;
    return true;
}

/* p and the letters of ports */
static bool read_ports(struct reading *reading, const char *word, uint32_t *ports)
{
    for (const char *name = word + (word[0] == 'p' && word[1]); *name; name++) {
        int port = reading_port(reading, name, 1);
        if (port < 0)
            return reading_complain(reading, "the line `ports` has no port", name);
        *ports |= 1U << port;
    }
    return true;
}

static bool read_values(struct reading *reading, const struct core_word *word)
{
    char *core = (char *)&reading->machine->core;
    unsigned wanted = 0;
    while (wanted < MOST_VALUES && word->values[wanted].kind)
        wanted++;
    if (reading->count != wanted + 1) {
        char what[80];
        snprintf(what, sizeof what, "wanted: %u value%s for", wanted, wanted == 1 ? "" : "s");
        return reading_complain(reading, what, word->word);
    }
    if (word->is_flag)
        *(bool *)(core + word->flag) = true;
    for (unsigned i = 0; i < wanted; i++) {
        void *place = core + word->values[i].offset;
        const char *value = reading->words[i + 1];
        enum value_kind kind = word->values[i].kind;
        if (kind == value_CYCLES  ? !reading_number(reading, value, place)
            : kind == value_PORTS ? !read_ports(reading, value, place)
                                  : !read_count(reading, value, LARGEST_COUNT, place))
            return false;
    }
    return true;
}

/* loop-copies FROM TO N */
static bool read_loop_copies(struct reading *reading)
{
    unsigned from, to, copies;
    if (reading->count != 4)
        return reading_complain(reading, "wanted: FROM TO N after loop-copies", NULL);
    if (!read_count(reading, reading->words[1], MOST_LOOP_COPIES - 1, &from) ||
        !read_count(reading, reading->words[2], MOST_LOOP_COPIES - 1, &to) ||
        !read_count(reading, reading->words[3], ANY_NUMBER, &copies))
        return false;
    if (from > to)
        return reading_complain(reading, "FROM must not be above TO:", reading->words[1]);
    for (unsigned uops = from; uops <= to; uops++)
        reading->machine->core.loop_copies[uops] = (uint8_t)copies;
    return true;
}

/* queue PORTS N: the letters of the ports */
static bool read_queue(struct reading *reading)
{
    struct machine_core *core = &reading->machine->core;
    if (reading->count != 3)
        return reading_complain(reading, "wanted: PORTS N after queue", NULL);
    if (core->queue_count == MOST_QUEUES)
        return reading_complain(reading, "there are at most 8 queues", NULL);
    struct machine_queue *queue = &core->queues[core->queue_count];
    core->queue_count++;
    return read_ports(reading, reading->words[1], &queue->ports) &&
           read_count(reading, reading->words[2], LARGEST_COUNT, &queue->size);
}

/* eliminates general|vector N|any */
static bool read_eliminates(struct reading *reading)
{
    struct machine_core *core = &reading->machine->core;
    if (reading->count != 3)
        return reading_complain(reading, "wanted: general or vector, then N or any, after eliminates", NULL);
    bool is_vector = !strcmp(reading->words[1], "vector");
    if (!is_vector && strcmp(reading->words[1], "general"))
        return reading_complain(reading, "wanted: general or vector, not", reading->words[1]);
    unsigned *moves = is_vector ? &core->eliminates_vector : &core->eliminates_general;
    if (!strcmp(reading->words[2], "any")) {
        *moves = ANY_NUMBER;
        return true;
    }
    return read_count(reading, reading->words[2], ANY_NUMBER - 1, moves);
}

/* complex-pop SIMPLE REGISTER… */
static bool read_complex_pop(struct reading *reading)
{
    struct machine_core *core = &reading->machine->core;
    double simple;
    if (reading->count < 3 || reading->count > 2 + MOST_COMPLEX_POPS)
        return reading_complain(reading, "wanted: SIMPLE and one to four registers after complex-pop", NULL);
    if (!reading_number(reading, reading->words[1], &simple))
        return false;
    if (simple < 0 || simple > LARGEST_COUNT || simple != (unsigned)simple)
        return reading_complain(reading, "this must be a number of decoders:", reading->words[1]);
    core->complex_pop_decoders = (unsigned)simple;
    for (unsigned i = 2; i < reading->count; i++)
        core->complex_pops[i - 2] = reading_keep(reading, reading->words[i]);
    return true;
}

/* port-choice second|in-turn|spread */
static bool read_port_choice(struct reading *reading)
{
    static const char *const words[] = {"", "second", "in-turn", "spread"};
    for (unsigned i = 1; reading->count == 2 && i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i], reading->words[1])) {
            reading->machine->core.port_choice = (enum machine_port_choice)i;
            return true;
        }
    return reading_complain(reading, "wanted: second, in-turn or spread after port-choice", NULL);
}

bool core_read_fact(struct reading *reading, bool *is_known)
{
    static const struct {
        const char *word;
        bool (*read)(struct reading *);
    } others[] = {{"loop-copies", read_loop_copies},
                  {"queue", read_queue},
                  {"eliminates", read_eliminates},
                  {"port-choice", read_port_choice},
                  {"complex-pop", read_complex_pop}};
    *is_known = true;
    for (unsigned i = 0; i < sizeof core_words / sizeof core_words[0]; i++)
        if (!strcmp(core_words[i].word, reading->words[0]))
            return read_values(reading, &core_words[i]);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(others[i].word, reading->words[0]))
            return others[i].read(reading);
    *is_known = false;
    return false;
}
