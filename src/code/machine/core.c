/* The facts of a machine file about the parts of the core.

   core.def lists them.  Almost all are a word and numbers, and each number goes to a member of struct
   machine_core; a few lines have their own function here.  Counts are whole numbers above 0; cycles are any
   number that is not negative. */
#include "code/machine/reading.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_COUNT = 100000 };

#define ROW(kind, member, sentence) {core_##kind, #member, sentence, offsetof(struct machine_core, member)},
const struct core_row core_rows[] = {
#define FACT(word, values, says) {core_FACT, word, NULL, 0},
#define OWN(word, name, values, says) {core_FACT, word, NULL, 0},
#define COUNT(member, sentence) ROW(COUNT, member, sentence)
#define CYCLES(member, sentence) ROW(CYCLES, member, sentence)
#define PORTS(member, sentence) ROW(PORTS, member, sentence)
#define FLAG(member, sentence) ROW(FLAG, member, sentence)
#define MOVES(member, sentence) ROW(MOVES, member, sentence)
#define OTHER(name, sentence, declaration) {core_OTHER, #name, sentence, 0},
#include "code/machine/core.def"
};
const unsigned core_row_count = sizeof core_rows / sizeof core_rows[0];

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

/* A line whose values go to the members below its word. */
static bool read_values(struct reading *reading, const struct core_row *word)
{
    char *core = (char *)&reading->machine->core;
    const struct core_row *end = core_rows + core_row_count, *value = word + 1;
    unsigned wanted = 0;
    while (value + wanted < end && value[wanted].kind != core_FACT && value[wanted].kind != core_FLAG)
        wanted++;
    if (reading->count != wanted + 1) {
        char what[80];
        snprintf(what, sizeof what, "wanted: %u value%s for", wanted, wanted == 1 ? "" : "s");
        return reading_complain(reading, what, word->name);
    }
    if (value->kind == core_FLAG)
        *(bool *)(core + value->offset) = true;
    for (unsigned i = 0; i < wanted; i++) {
        void *place = core + value[i].offset;
        const char *text = reading->words[i + 1];
        if (value[i].kind == core_CYCLES  ? !reading_number(reading, text, place)
            : value[i].kind == core_PORTS ? !read_ports(reading, text, place)
                                          : !read_count(reading, text, LARGEST_COUNT, place))
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

/* WORD PORTS N: the letters of the ports */
static bool read_limit(struct reading *reading, struct machine_queue *limits, unsigned *count, unsigned most)
{
    if (reading->count != 3)
        return reading_complain(reading, "wanted: PORTS N after", reading->words[0]);
    if (*count == MOST_QUEUES)
        return reading_complain(reading, "there are at most 8 lines of", reading->words[0]);
    struct machine_queue *limit = &limits[(*count)++];
    return read_ports(reading, reading->words[1], &limit->ports) &&
           read_count(reading, reading->words[2], most, &limit->size);
}

static bool read_queue(struct reading *reading)
{
    struct machine_core *core = &reading->machine->core;
    return read_limit(reading, core->queues, &core->queue_count, LARGEST_COUNT);
}

static bool read_dispatch(struct reading *reading)
{
    struct machine_core *core = &reading->machine->core;
    return read_limit(reading, core->dispatches, &core->dispatch_count, MOST_DISPATCHED);
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
const char *const port_choice_words[port_choice_COUNT] = {"", "second", "in-turn", "spread", "fewest"};

static bool read_port_choice(struct reading *reading)
{
    for (unsigned i = 1; reading->count == 2 && i < port_choice_COUNT; i++)
        if (!strcmp(port_choice_words[i], reading->words[1])) {
            reading->machine->core.port_choice = (enum machine_port_choice)i;
            return true;
        }
    return reading_complain(reading, "wanted: second, in-turn, spread or fewest after port-choice", NULL);
}

bool core_read_fact(struct reading *reading, bool *is_known)
{
    static const struct {
        const char *word;
        bool (*read)(struct reading *);
    } own[] = {
#define OWN(word, name, values, says) {word, read_##name},
#include "code/machine/core.def"
    };
    *is_known = true;
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!strcmp(own[i].word, reading->words[0]))
            return own[i].read(reading);
    for (unsigned i = 0; i < core_row_count; i++)
        if (core_rows[i].kind == core_FACT && !strcmp(core_rows[i].name, reading->words[0]))
            return read_values(reading, &core_rows[i]);
    *is_known = false;
    return false;
}
