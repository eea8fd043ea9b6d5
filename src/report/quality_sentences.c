#include "report/quality_sentences.h"

#include "model/tables.h"
#include "report/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *quality_limit_words(enum core_part part)
{
    switch (part) {
    case core_part_PREDECODE:
        return "the processor cannot find where instructions start any faster, because they are long";
    case core_part_DECODE:
    case core_part_FRONT_END:
        return "fetching and decoding the instructions takes longer than executing them";
    case core_part_UOP_CACHE:
    case core_part_LOOP_BUFFER:
        return "instructions are not delivered any faster, though they are decoded already";
    case core_part_MICROCODE:
        return "it has instructions that the processor does in many small steps";
    case core_part_ISSUE:
        return "it has more instructions than the processor can start at a time";
    case core_part_PORTS:
        return "the execution units that its instructions need are busy all the time";
    case core_part_DIVIDER:
        return "divisions or square roots keep the one unit that does them busy";
    case core_part_LOADS:
        return "it loads as much as the processor can load at a time";
    case core_part_STORES:
        return "it stores as much as the processor can store at a time";
    case core_part_BRANCHES:
        return "it has as many jumps as the processor can do at a time";
    case core_part_RETIRE:
        return "instructions are not completed any faster";
    case core_part_LATENCY:
        return "each iteration waits for a result of an earlier one";
    case core_part_FORWARDING:
        return "loads wait for earlier stores to the same place to reach the cache";
    case core_part_WINDOW:
        return "an iteration takes so long that the processor cannot look ahead to enough others";
    case core_part_CONTENTION:
        return "instructions wait for results and for execution units in turn";
    case core_part_PAIRING:
        return "instructions run in their order and wait for each other";
    default:
        return "nothing that the model knows of limits it";
    }
}

/* The largest bound of the other parts. */
static const struct core_bound *next_bound(const struct quality_rows *path, unsigned limit)
{
    const struct core_bound *next = NULL;
    for (size_t i = 0; i < path->bound_count; i++)
        if (path->bounds[i].part != limit && (!next || path->bounds[i].cycles > next->cycles))
            next = &path->bounds[i];
    return next;
}

char *quality_cycles_words(const struct quality_rows *path)
{
    const struct loop_cycle *cycle = quality_slowest(path);
    if (!cycle)
        return memory_format("The model cannot tell how many cycles an iteration takes.");
    const struct core_bound *next = next_bound(path, cycle->limit);
    char *first = memory_format("An iteration takes %.2f cycles: %s (%s).", cycle->cycles,
                                quality_limit_words((enum core_part)cycle->limit),
                                enumeration_word("core_part", cycle->limit));
    if (!next)
        return first;
    char *both = memory_format("%s Without that it would %stake %.2f (%s).", first,
                               next->cycles < cycle->cycles ? "" : "still ", next->cycles,
                               enumeration_word("core_part", next->part));
    free(first);
    return both;
}

char *quality_role_words(const struct quality_rows *rows)
{
    const struct loop_role_row *role = rows->role;
    char kin[96] = "", work[96] = "", unroll[48] = "";
    if (!role)
        return NULL;
    if (rows->family && rows->family->loop_count > 1)
        snprintf(kin, sizeof kin, "%s%s of %u that come from one source loop",
                 enumeration_word("loop_role", role->role), role->role == loop_role_VERSION ? "" : " loop",
                 rows->family->loop_count);
    if (role->iterations != NO_NUMBER)
        snprintf(work, sizeof work, "an iteration does %d of the source's", role->iterations);
    if (role->unroll != NO_NUMBER && role->unroll > 1)
        snprintf(unroll, sizeof unroll, ", unrolled %d times", role->unroll);
    if (!*kin && !*work)
        return NULL;
    return memory_format("%s%s%s%s", kin, *kin && *work ? "; " : "", work, unroll);
}

char *quality_coverage_words(const struct loop_cycle *cycle)
{
    unsigned all = cycle->instruction_count, known = cycle->known_count;
    if (known == all && all == 1)
        return memory_format("The cost of its instruction is known.");
    if (known == all)
        return memory_format("The costs of all %u instructions are known.", all);
    return memory_format("The costs of %u of %u instructions are known; the others are assumed.", known, all);
}

char *quality_access_words(const struct access_pattern_row *access)
{
    const char *verb = access->is_load && access->is_store ? "loads and stores"
                       : access->is_store                  ? "stores"
                                                           : "loads";
    char bytes[32] = "", stride[48] = "";
    if (access->bytes)
        snprintf(bytes, sizeof bytes, " %u %s", access->bytes, access->bytes == 1 ? "byte" : "bytes");
    if (access->pattern == access_pattern_CONSTANT_STRIDE)
        snprintf(stride, sizeof stride, " of %lld bytes", (long long)access->stride);
    return memory_format("%s%s, %s%s%s", verb, bytes, enumeration_word("access_pattern", access->pattern),
                         stride, access->is_stack ? ", on the stack" : "");
}

char *quality_machine_words(const struct machine *machine, bool is_named, bool is_host)
{
    return memory_format("%s (%s)%s", machine->name, machine->title,
                         is_host    ? ", this computer's"
                         : is_named ? ""
                                    : ", assumed; --machine takes another");
}

char *quality_function(const struct model *model, uint32_t loop, bool demangle)
{
    const char *name = model_text(model, model_function(model, model_loop(model, loop)->function)->name);
    char *plain = demangle && name ? demangle_name(name) : NULL;
    return plain ? plain : memory_format("%s", name ? name : "?");
}

char *quality_place(const struct model *model, uint32_t id, const char *directory)
{
    const struct loop *loop = model_loop(model, id);
    const char *path = loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL;
    size_t length = directory ? strlen(directory) : 0;
    if (!path)
        return memory_format("0x%llx", (unsigned long long)model_block(model, loop->header)->address);
    if (length > 1 && !strncmp(path, directory, length))
        path += length;
    if (!loop->first_line)
        return memory_format("%s", path);
    if (loop->last_line <= loop->first_line)
        return memory_format("%s:%u", path, loop->first_line);
    return memory_format("%s:%u-%u", path, loop->first_line, loop->last_line);
}
