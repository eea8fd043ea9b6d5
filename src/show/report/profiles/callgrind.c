/* The format of Callgrind, for callgrind_annotate, KCachegrind and QCachegrind: each function's own time by
   source line (from the samples), and the time of the calls that it makes (from the call tree).

   The cost is microseconds of processor time. How often a function was called is not known from samples: each call
   counts once. The line of a call is that of the calling function. Of a recursive call the outermost alone counts,
   as in the call tree. */
#include "show/report/profiles/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct made_call {
    uint32_t caller, callee; /* frames */
    double seconds;
};

static const struct profile_frame *frame_at(const struct profile *profile, uint32_t frame)
{
    return ARRAY_AT(struct profile_frame, &profile->frames, frame);
}

static const struct profile_stack *stack_at(const struct profile *profile, uint32_t stack)
{
    return ARRAY_AT(struct profile_stack, &profile->stacks, stack);
}

/* Names are the rest of a line. */
static void put_name(FILE *out, const char *key, const char *name)
{
    fprintf(out, "%s=", key);
    for (; *name; name++)
        fputc((unsigned char)*name < ' ' ? '?' : *name, out);
    fputc('\n', out);
}

static int compare_edges(const void *left, const void *right)
{
    const struct made_call *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Whether the same call stands further out in the chain. */
static bool is_recursive(const struct profile *profile, const struct profile_stack *stack)
{
    uint32_t caller = stack_at(profile, stack->caller)->frame;
    for (uint32_t at = stack->caller; at; at = stack_at(profile, at)->caller) {
        const struct profile_stack *outer = stack_at(profile, at);
        if (outer->caller && outer->frame == stack->frame &&
            stack_at(profile, outer->caller)->frame == caller)
            return true;
    }
    return false;
}

static struct array find_edges(const struct profile *profile)
{
    struct array edges = ARRAY_OF(struct made_call);
    for (size_t i = 1; i < profile->stacks.count; i++) {
        const struct profile_stack *stack = stack_at(profile, (uint32_t)i);
        if (stack->caller && stack->total > 0 && !is_recursive(profile, stack))
            *(struct made_call *)array_push(&edges) =
                (struct made_call){stack_at(profile, stack->caller)->frame, stack->frame, stack->total};
    }
    if (edges.count)
        qsort(edges.data, edges.count, sizeof(struct made_call), compare_edges);
    return edges;
}

static long long cost(double seconds)
{
    return llround(seconds * 1e6);
}

static void put_head(const struct profile *profile, FILE *out)
{
    fprintf(out, "# callgrind format\nversion: 1\ncreator: assay %s\n", profile->version);
    fputs("cmd: ", out);
    for (const char *at = profile->command; *at; at++)
        fputc((unsigned char)*at < ' ' ? ' ' : *at, out);
    fputs("\npart: 1\n\ndesc: Trigger: samples of assay run\n\npositions: line\n"
          "event: us : Microseconds of processor time\nevents: us\n",
          out);
    fprintf(out, "summary: %lld\n", cost(profile->sampled_seconds));
}

static const char *or_unknown(const char *text)
{
    return text ? text : "???";
}

/* A function's own lines; those from other files (inlined code) name them. */
static void put_lines(const struct profile *profile, uint32_t frame, size_t *at, FILE *out)
{
    const struct profile_frame *it = frame_at(profile, frame);
    const char *file = it->file;
    for (; *at < profile->lines.count; ++*at) {
        const struct profile_line *line = ARRAY_AT(struct profile_line, &profile->lines, *at);
        const char *own = line->file ? line->file : it->file;
        if (line->frame != frame)
            break;
        if (own != file)
            put_name(out, own == it->file ? "fe" : "fi", or_unknown(own));
        file = own;
        fprintf(out, "%u %lld\n", line->line, cost(line->seconds));
    }
    if (file != it->file)
        put_name(out, "fe", or_unknown(it->file));
}

/* Calls of one function by another, together. */
static void put_calls(const struct profile *profile, uint32_t frame, const struct array *edges, size_t *at,
                      FILE *out)
{
    const struct profile_frame *caller = frame_at(profile, frame);
    while (*at < edges->count && ARRAY_AT(struct made_call, edges, *at)->caller == frame) {
        const struct made_call *edge = ARRAY_AT(struct made_call, edges, *at);
        const struct profile_frame *callee = frame_at(profile, edge->callee);
        double seconds = 0;
        unsigned count = 0;
        for (; *at < edges->count && !compare_edges(edge, ARRAY_AT(struct made_call, edges, *at));
             ++*at, count++)
            seconds += ARRAY_AT(struct made_call, edges, *at)->seconds;
        put_name(out, "cob", or_unknown(callee->object));
        put_name(out, "cfi", or_unknown(callee->file));
        put_name(out, "cfn", callee->name);
        fprintf(out, "calls=%u %u\n%u %lld\n", count, callee->line, caller->line, cost(seconds));
    }
}

bool profile_callgrind(const struct profile *profile, FILE *out, struct error *error)
{
    (void)error;
    struct array edges = find_edges(profile);
    size_t line = 0, edge = 0;
    put_head(profile, out);
    for (uint32_t frame = 1; frame < profile->frames.count; frame++) {
        const struct profile_frame *it = frame_at(profile, frame);
        fputc('\n', out);
        put_name(out, "ob", or_unknown(it->object));
        put_name(out, "fl", or_unknown(it->file));
        put_name(out, "fn", it->name);
        put_lines(profile, frame, &line, out);
        put_calls(profile, frame, &edges, &edge, out);
    }
    array_free(&edges);
    return true;
}
