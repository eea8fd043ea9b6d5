/* The rows of calls, sorted by caller, are the graph. Calls and blocks are both in the order of instructions,
   so the loop around each call needs no row of code, which most functions lack when a few were chosen. Its
   strongly connected components come out callees first (Tarjan), so one pass over them upwards gives how deep
   loops are below each function, and one downwards how often it is entered. Nothing recurses: call graphs are
   as deep as a file likes.

   Who runs once is decided by evidence that no name of the user's takes part in: the system enters
   constructors; a function that does not return and calls exit ends the program; a loop that takes options
   (getopt), or that compares texts again and again without reading any, parses them. What only these lead to
   runs once, too, unless it has loops in loops: then a program does its work there, for each file that its
   options name. */
#include "code/quality/call_weights.h"

#include "code/quality/stubs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_COMPARISONS = 3, NO_COMPONENT = UINT32_MAX };

enum start_name { name_OTHER, name_PARSER, name_COMPARE, name_INPUT, name_ENDING };

struct known_name {
    const char *name;
    enum start_name kind;
};
static const struct known_name known_names[] = {
#define NAME(kind, name) {name, name_##kind},
#include "code/quality/start_names.def"
#undef NAME
};

struct graph {
    const struct model *model;
    uint32_t function_count;
    uint32_t *first;      /* by function, of calls; one more at the end */
    uint32_t *callees;    /* by call, imports resolved; 0: unknown */
    uint32_t *loops;      /* by call: the innermost loop around it; 0: none */
    uint8_t *kinds;       /* by function: enum start_name */
    uint32_t *components; /* by function; callees have smaller numbers */
    uint32_t *members;    /* functions in the order of components */
    uint32_t *ends;       /* by component: of members */
    uint32_t component_count;
};

/* What is known of a component before its callers: all of its functions together. */
struct component {
    bool is_circle;
    bool is_main, is_entry, ends_program, is_entered;
    uint32_t height; /* loops in loops below it, through calls */
    /* And from its callers. */
    bool has_caller, has_loop, has_entry, has_once, has_unknown;
    double entries;
    uint32_t around;
    uint8_t reach;
};

static enum start_name name_kind(const char *name)
{
    size_t length = strcspn(name, "@");
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
        if (!strncmp(known_names[i].name, name, length) && !known_names[i].name[length])
            return known_names[i].kind;
    return name_OTHER;
}

static void take_calls(struct graph *graph, const uint32_t *meant)
{
    const struct model *model = graph->model;
    uint32_t at = 0, block = 0;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        while (at <= call->caller)
            graph->first[at++] = i;
        graph->callees[i] = meant[call->callee];
        while (block + 1 < model->blocks.count &&
               model_block(model, block + 1)->first_instruction <= call->instruction)
            block++;
        graph->loops[i] = model_block(model, block)->loop;
    }
    while (at <= graph->function_count)
        graph->first[at++] = (uint32_t)model->calls.count;
}

/* Tarjan's algorithm with a stack of its own: `next` is the call of a function that is looked at next. */
struct search {
    uint32_t *number, *low, *next, *path, *open;
    bool *is_open;
    uint32_t path_count, open_count, numbered;
};

static void search_enter(struct search *search, const struct graph *graph, uint32_t function)
{
    search->number[function] = search->low[function] = ++search->numbered;
    search->next[function] = graph->first[function];
    search->path[search->path_count++] = function;
    search->open[search->open_count++] = function;
    search->is_open[function] = true;
}

static void search_close(struct search *search, struct graph *graph, uint32_t function)
{
    uint32_t component = graph->component_count++, other;
    uint32_t count = component ? graph->ends[component - 1] : 0;
    do {
        other = search->open[--search->open_count];
        search->is_open[other] = false;
        graph->components[other] = component;
        graph->members[count++] = other;
    } while (other != function);
    graph->ends[component] = count;
}

static void search_from(struct search *search, struct graph *graph, uint32_t root)
{
    search_enter(search, graph, root);
    while (search->path_count) {
        uint32_t function = search->path[search->path_count - 1], call = search->next[function];
        if (call < graph->first[function + 1]) {
            uint32_t callee = graph->callees[call];
            search->next[function]++;
            if (callee && !search->number[callee])
                search_enter(search, graph, callee);
            else if (callee && search->is_open[callee] && search->number[callee] < search->low[function])
                search->low[function] = search->number[callee];
            continue;
        }
        search->path_count--;
        if (search->low[function] == search->number[function])
            search_close(search, graph, function);
        if (search->path_count) {
            uint32_t caller = search->path[search->path_count - 1];
            if (search->low[function] < search->low[caller])
                search->low[caller] = search->low[function];
        }
    }
}

static void find_components(struct graph *graph)
{
    size_t count = graph->function_count;
    uint32_t *memory = memory_get((5 * count + 1) * sizeof *memory);
    struct search search = {.number = memory,
                            .low = memory + count,
                            .next = memory + 2 * count,
                            .path = memory + 3 * count,
                            .open = memory + 4 * count,
                            .is_open = memory_get(count + 1)};
    for (uint32_t id = 1; id < count; id++)
        if (!search.number[id])
            search_from(&search, graph, id);
    free(memory);
    free(search.is_open);
}

static void graph_find(struct graph *graph, const struct model *model, const uint32_t *meant)
{
    uint32_t count = (uint32_t)model->functions.count;
    *graph = (struct graph){.model = model, .function_count = count};
    graph->first = memory_get((count + 2) * sizeof *graph->first);
    graph->callees = memory_get((model->calls.count + 1) * sizeof *graph->callees);
    graph->components = memory_get((count + 1) * sizeof *graph->components);
    graph->members = memory_get((count + 1) * sizeof *graph->members);
    graph->ends = memory_get((count + 1) * sizeof *graph->ends);
    graph->loops = memory_get((model->calls.count + 1) * sizeof *graph->loops);
    graph->kinds = memory_get(count + 1);
    for (uint32_t id = 1; id < count; id++) {
        const char *name = model_text(model, model_function(model, id)->name);
        graph->kinds[id] = name ? (uint8_t)name_kind(name) : name_OTHER;
    }
    take_calls(graph, meant);
    find_components(graph);
}

static void graph_free(struct graph *graph)
{
    free(graph->first);
    free(graph->callees);
    free(graph->loops);
    free(graph->kinds);
    free(graph->components);
    free(graph->members);
    free(graph->ends);
}

/* A loop that parses options, and the loops in it. */
static void find_parsers(struct call_weights *weights, const struct graph *graph)
{
    const struct model *model = graph->model;
    uint8_t *comparisons = memory_get(model->loops.count + 1);
    bool *reads = memory_get(model->loops.count + 1);
    for (uint32_t call = 0; call < model->calls.count; call++) {
        enum start_name kind = graph->kinds[graph->callees[call]];
        uint32_t loop = kind == name_OTHER ? 0 : graph->loops[call];
        if (!loop)
            continue;
        weights->parses[loop] |= kind == name_PARSER;
        reads[loop] |= kind == name_INPUT;
        comparisons[loop] =
            (uint8_t)(comparisons[loop] + (kind == name_COMPARE && comparisons[loop] < UINT8_MAX));
    }
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        weights->parses[id] |= comparisons[id] >= MANY_COMPARISONS && !reads[id];
        weights->parses[id] |= weights->parses[loop->parent];
    }
    free(comparisons);
    free(reads);
}

static bool is_main(const struct model *model, const struct function *function)
{
    const char *name = model_text(model, function->name);
    return name && (!strcmp(name, "main") || !strcmp(name, "MAIN__")) &&
           model_program(model, function->program)->format != format_SHARED;
}

/* Whether a program has a main: then its global functions are not there for others. */
static bool *find_programs_with_main(const struct model *model)
{
    bool *has_main = memory_get(model->programs.count + 1);
    for (uint32_t id = 1; id < model->programs.count; id++) {
        enum format format = model_program(model, id)->format;
        has_main[id] = format == format_EXECUTABLE || format == format_PIE;
    }
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (stubs_is_defined(function) && is_main(model, function))
            has_main[function->program] = true;
    }
    return has_main;
}

static bool ends_program(const struct graph *graph, uint32_t id)
{
    const struct function *function = model_function(graph->model, id);
    if (function->returns || !stubs_is_defined(function))
        return false;
    for (uint32_t call = graph->first[id]; call < graph->first[id + 1]; call++)
        if (graph->kinds[graph->callees[call]] == name_ENDING)
            return true;
    return false;
}

/* Functions that compilers make to destroy static objects when the program ends: GCC's, Clang's. */
static bool is_finaliser(const struct model *model, const struct function *function)
{
    static const char *const beginnings[] = {"__tcf_", "__cxx_global_array_dtor", "_GLOBAL__sub_D_"};
    const char *name = function->name ? model_text(model, function->name) : "";
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Everything that callers do not decide; callees come first. */
static void look_at(const struct graph *graph, const bool *has_main, uint32_t number,
                    struct component *components)
{
    const struct model *model = graph->model;
    struct component *component = &components[number];
    uint32_t first = number ? graph->ends[number - 1] : 0;
    component->is_circle = graph->ends[number] - first > 1;
    component->ends_program = true;
    for (uint32_t i = first; i < graph->ends[number]; i++) {
        uint32_t id = graph->members[i];
        const struct function *function = model_function(model, id);
        component->is_main |= is_main(model, function);
        component->is_entered |= function->is_entered || is_finaliser(model, function);
        component->is_entry |=
            stubs_is_defined(function) && function->is_global && !has_main[function->program];
        component->ends_program &= ends_program(graph, id);
        for (uint32_t call = graph->first[id]; call < graph->first[id + 1]; call++) {
            uint32_t callee = graph->callees[call];
            uint32_t depth = model_loop(model, graph->loops[call])->depth;
            if (callee && graph->components[callee] == number)
                component->is_circle = true;
            else if (callee && components[graph->components[callee]].height + depth > component->height)
                component->height = components[graph->components[callee]].height + depth;
        }
    }
}

static void add_own_loops(const struct graph *graph, struct component *components)
{
    const struct model *model = graph->model;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        struct component *component = &components[graph->components[loop->function]];
        if (loop->depth > component->height)
            component->height = loop->depth;
    }
}

/* All callers have spoken. */
static void decide(struct component *component)
{
    enum { WORK = 2 }; /* loops in loops */
    if (component->entries < 1)
        component->entries = 1;
    bool is_once = !component->has_loop && !component->is_main;
    bool is_only_for_start = component->has_caller && !component->has_entry && !component->has_once &&
                             !component->has_unknown && !component->is_entry;
    if (is_once && (component->is_entered ||
                    (component->height < WORK &&
                     (is_only_for_start || (component->ends_program && component->has_caller)))))
        component->reach = call_reach_START;
    else if (component->has_loop || component->is_circle)
        component->reach = call_reach_IN_LOOP;
    else if (component->is_entry || component->has_entry)
        component->reach = call_reach_ENTRY;
    else if (component->is_main || component->has_once || is_only_for_start)
        component->reach = call_reach_ONCE;
    else
        component->reach = call_reach_UNKNOWN;
    if (component->is_circle) {
        component->entries = fmin(component->entries * USUAL_TRIPS, MOST_ENTRIES);
        component->around++;
    }
}

static void pass_on(const struct call_weights *weights, const struct graph *graph,
                    const struct component *from, uint32_t call, struct component *to)
{
    uint32_t loop = graph->loops[call], depth = model_loop(graph->model, loop)->depth;
    to->has_caller = true;
    if (from->reach == call_reach_START || (weights->parses[loop] && from->reach != call_reach_IN_LOOP))
        return;
    double entries = from->entries * (loop ? weights->times[loop] : 1);
    to->entries = fmax(to->entries, fmin(entries, MOST_ENTRIES));
    to->around = from->around + depth > to->around ? from->around + depth : to->around;
    if (depth || from->reach == call_reach_IN_LOOP)
        to->has_loop = true;
    else if (from->reach == call_reach_ENTRY)
        to->has_entry = true;
    else if (from->reach == call_reach_ONCE)
        to->has_once = true;
    else
        to->has_unknown = true;
}

static void find_times(struct call_weights *weights, const struct model *model, const double *trips)
{
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        double times = trips[id] * (loop->parent ? weights->times[loop->parent] : 1);
        weights->times[id] = fmin(times, loop->depth > DEEPEST_NEST ? MOST_TIMES_OF_STATES : MOST_TIMES);
    }
}

void call_weights_find(struct call_weights *weights, const struct model *model, const double *trips,
                       const uint32_t *meant)
{
    struct graph graph;
    graph_find(&graph, model, meant);
    size_t functions = model->functions.count + 1, loops = model->loops.count + 1;
    *weights = (struct call_weights){.times = memory_get(loops * sizeof *weights->times),
                                     .entries = memory_get(functions * sizeof *weights->entries),
                                     .around = memory_get(functions * sizeof *weights->around),
                                     .reach = memory_get(functions),
                                     .parses = memory_get(loops)};
    struct component *components = memory_get((graph.component_count + 1) * sizeof *components);
    bool *has_main = find_programs_with_main(model);
    find_times(weights, model, trips);
    find_parsers(weights, &graph);
    add_own_loops(&graph, components);
    for (uint32_t number = 0; number < graph.component_count; number++)
        look_at(&graph, has_main, number, components);
    for (uint32_t number = graph.component_count; number-- > 0;) {
        struct component *component = &components[number];
        decide(component);
        for (uint32_t i = number ? graph.ends[number - 1] : 0; i < graph.ends[number]; i++) {
            uint32_t id = graph.members[i];
            weights->entries[id] = component->entries;
            weights->around[id] = component->around;
            weights->reach[id] = component->reach;
            for (uint32_t call = graph.first[id]; call < graph.first[id + 1]; call++)
                if (graph.callees[call] && graph.components[graph.callees[call]] != number)
                    pass_on(weights, &graph, component, call,
                            &components[graph.components[graph.callees[call]]]);
        }
    }
    for (uint32_t id = 1; id < model->loops.count; id++)
        weights->parses[id] &= weights->reach[model_loop(model, id)->function] != call_reach_IN_LOOP;
    free(has_main);
    free(components);
    graph_free(&graph);
}

void call_weights_free(struct call_weights *weights)
{
    free(weights->times);
    free(weights->entries);
    free(weights->around);
    free(weights->reach);
    free(weights->parses);
}
