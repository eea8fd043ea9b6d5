/* The literal that Hatchet reads (GraphFrame.from_literal, GraphFrame.from_json) and Thicket with it: a list of trees; a
   node has a frame, metrics and children.  Times are seconds of processor time: "time" in the function itself,
   "time (inc)" with what it called.  A frame is a name and nothing else, so that trees of several runs, and of
   several builds, fall together where functions are the same. */
#include "show/report/profiles/profiles.h"

#include "show/report/common/rows.h"
#include "show/report/common/row_writer.h"

#include <stdlib.h>
#include <string.h>

struct tree {
    const struct profile *profile;
    uint32_t *first, *next; /* by stack: the first one that it called, the next one beside it; 0: none */
    double *total;
    FILE *out;
};

static const struct profile_stack *stack_at(const struct profile *profile, size_t i)
{
    return ARRAY_AT(struct profile_stack, &profile->stacks, i);
}

static void begin_node(const struct tree *tree, uint32_t stack, size_t depth)
{
    const struct profile_stack *row = stack_at(tree->profile, stack);
    const struct profile_frame *frame = ARRAY_AT(struct profile_frame, &tree->profile->frames, row->frame);
    fprintf(tree->out, "\n%*s{\"frame\": {\"name\": ", (int)depth, "");
    report_json_text(tree->out, frame->name, strlen(frame->name));
    fputs(", \"type\": \"function\"}, \"metrics\": {\"time\": ", tree->out);
    row_print_number(row->self, tree->out);
    fputs(", \"time (inc)\": ", tree->out);
    row_print_number(tree->total[stack], tree->out);
    fputs(tree->first[stack] ? "}, \"children\": [" : "}}", tree->out);
}

/* Callers come before what they called, whatever the depth. */
static void put_nodes(const struct tree *tree)
{
    size_t depth = 0;
    for (uint32_t at = tree->first[0]; at;) {
        begin_node(tree, at, depth + 1);
        if (tree->first[at]) {
            at = tree->first[at];
            depth++;
            continue;
        }
        while (at && !tree->next[at]) {
            at = stack_at(tree->profile, at)->caller;
            depth -= at != 0;
            fputs(at ? "]}" : "", tree->out);
        }
        at = at ? tree->next[at] : 0;
        fputs(at ? "," : "", tree->out);
    }
}

bool profile_hatchet(const struct profile *profile, FILE *out, struct error *error)
{
    (void)error;
    size_t count = profile->stacks.count;
    autofree uint32_t *first = memory_get((count + 1) * sizeof *first),
                      *next = memory_get((count + 1) * sizeof *next);
    autofree double *total = memory_get((count + 1) * sizeof *total);
    struct tree tree = {.profile = profile, .first = first, .next = next, .total = total, .out = out};
    for (size_t i = count; i-- > 1;) {
        const struct profile_stack *stack = stack_at(profile, i);
        next[i] = first[stack->caller];
        first[stack->caller] = (uint32_t)i;
    }
    /* A callee has a higher number than its caller, so all that it called was added up before. */
    for (size_t i = count; i-- > 1;) {
        total[i] += stack_at(profile, i)->self;
        total[stack_at(profile, i)->caller] += total[i];
    }
    fputs("[", out);
    put_nodes(&tree);
    fputs("\n]\n", out);
    return true;
}
