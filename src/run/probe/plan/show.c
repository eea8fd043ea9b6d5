/* The plan for people: its wishes as they are read again, and as comments each subject with its probes. */
#include "run/probe/plan/text.h"

#include "base/text.h"
#include "model/demangle.h"
#include "runtime/probe/record_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const refusals[] = {
    [PROBE_NOT_REFUSED] = "",
    [PROBE_REFUSED_SMALL] = "another jump leads into the 5 bytes that a jump needs",
    [PROBE_REFUSED_UNKNOWN_JUMPS] = "jumps with unknown targets may lead into the 5 bytes that a jump needs",
    [PROBE_REFUSED_FAR] = "the code is larger than a jump can reach",
    [PROBE_REFUSED_NOT_MOVABLE] = "an instruction there cannot be executed elsewhere",
    [PROBE_REFUSED_EXCLUSIVE] = "it is between a load-exclusive and its store-exclusive, which would fail",
    [PROBE_REFUSED_NO_CODE] = "there is no instruction",
    [PROBE_REFUSED_NO_PLACE] = "no instruction belongs to this way through the code alone",
    [PROBE_REFUSED_NO_VALUE] = "the value is in no register and at no address that a probe can compute",
};

/* Where a point went: by subject, then in order of addresses. */
struct spot {
    uint32_t subject, window, moved, point;
};

struct showing {
    const struct probe_plan *plan;
    const struct model *model;
    FILE *out;
    struct array spots; /* of struct spot */
};

static int by_subject(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    if (a->subject != b->subject)
        return (a->subject > b->subject) - (a->subject < b->subject);
    return (a->point > b->point) - (a->point < b->point);
}

static const struct probe_window *window_at(const struct showing *showing, uint32_t number)
{
    return ARRAY_AT(struct probe_window, &showing->plan->windows.windows, number);
}

static void find_spots(struct showing *showing)
{
    const struct probe_windows *windows = &showing->plan->windows;
    for (uint32_t w = 0; w < windows->windows.count; w++) {
        const struct probe_window *window = window_at(showing, w);
        for (uint32_t m = 0; m < window->moved_count; m++) {
            const struct probe_moved *moved = &window->moved[m];
            for (uint32_t p = moved->first_point; p < moved->first_point + moved->point_count; p++)
                *(struct spot *)array_push(&showing->spots) =
                    (struct spot){ARRAY_AT(struct probe_point, &windows->points, p)->subject, w, m, p};
        }
    }
    if (showing->spots.count)
        qsort(showing->spots.data, showing->spots.count, sizeof(struct spot), by_subject);
}

/* ---- words ---- */

static void say_text(const struct showing *showing, const char *text)
{
    text_print_safe(text, strlen(text), showing->out);
}

static void say_name(const struct showing *showing, uint32_t function)
{
    const char *name = model_text(showing->model, model_function(showing->model, function)->name);
    char *plain = name ? demangle_name(name) : NULL;
    say_text(showing, plain ? plain : name ? name : "a function without a name");
    free(plain);
}

static void say_place(const struct showing *showing, uint32_t file, uint32_t first, uint32_t last)
{
    const char *path = file ? model_text(showing->model, model_file(showing->model, file)->path) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path || !first)
        return;
    fprintf(showing->out, " (");
    say_text(showing, slash ? slash + 1 : path);
    fprintf(showing->out, last > first ? ":%u-%u)" : ":%u)", first, last);
}

static void say_line(const struct showing *showing, uint32_t instruction)
{
    uint32_t line = instruction ? model_instruction(showing->model, instruction)->source_line : 0;
    const struct source_line *row = line ? model_source_line(showing->model, line) : NULL;
    if (row)
        say_place(showing, row->file, row->line, row->line);
}

static void say_register(const struct showing *showing, uint32_t program, uint8_t number)
{
    static const char *const x86[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    if (model_program(showing->model, program)->isa == isa_AARCH64)
        fprintf(showing->out, number == PROBE_AARCH64_SP ? "sp" : "x%u", number);
    else if (number < sizeof x86 / sizeof *x86)
        fputs(x86[number], showing->out);
    else
        fprintf(showing->out, "r%u", number);
}

static void say_sum(const struct showing *showing, uint32_t program, const struct probe_source *source)
{
    const char *joint = "";
    if (source->base != PROBE_NO_REGISTER) {
        say_register(showing, program, source->base);
        joint = " + ";
    }
    if (source->index != PROBE_NO_REGISTER && source->scale) {
        fputs(joint, showing->out);
        say_register(showing, program, source->index);
        if (source->extend != PROBE_WHOLE)
            fputs(source->extend == PROBE_SIGNED32 ? " (low half, signed)" : " (low half)", showing->out);
        if (source->scale > 1)
            fprintf(showing->out, " * %u", source->scale);
        joint = " + ";
    }
    if (source->displacement && *joint)
        fprintf(showing->out, source->displacement < 0 ? " - %" PRIu64 : " + %" PRIu64,
                source->displacement < 0 ? -(uint64_t)source->displacement : (uint64_t)source->displacement);
    else if (!*joint)
        fprintf(showing->out, "0x%" PRIx64, (uint64_t)source->displacement);
}

static void say_source(const struct showing *showing, uint32_t program, const struct probe_source *source)
{
    bool is_arm = model_program(showing->model, program)->isa == isa_AARCH64;
    switch ((enum probe_source_kind)source->kind) {
    case PROBE_FROM_CLOCK:
        fputs("the clock", showing->out);
        break;
    case PROBE_FROM_VECTOR:
        fprintf(showing->out, is_arm ? "d%u" : "the low half of xmm%u", source->base);
        break;
    case PROBE_FROM_MEMORY:
    case PROBE_FROM_PLACE_MEMORY:
        fprintf(showing->out, "%u bytes at ", source->bytes);
        say_sum(showing, program, source);
        if (source->may_be_null)
            fputs(", if that is not 0", showing->out);
        break;
    case PROBE_FROM_COUNTER:
        fprintf(showing->out, "counter %u", source->counter);
        break;
    case PROBE_FROM_LOOP_COUNT:
        fputs("ar.lc", showing->out);
        break;
    case PROBE_FROM_GENERAL:
        say_register(showing, program, source->base);
        break;
    case PROBE_FROM_ADDRESS:
    case PROBE_FROM_PLACE:
        say_sum(showing, program, source);
        break;
    }
}

static const char *event_word(uint32_t identity)
{
    static const char *const words[] = {
        [PROBE_ENTER] = "entered: ", [PROBE_LEAVE] = "left: ", [PROBE_START] = "starts at ",
        [PROBE_STOP] = "stops at ",  [PROBE_SEEN] = "value ",  [PROBE_TOUCH] = "address "};
    uint32_t kind = identity & 15;
    return kind < sizeof words / sizeof *words && words[kind] ? words[kind] : "";
}

static void say_action(const struct showing *showing, uint32_t program, const struct probe_point *point)
{
    const struct probe_action *action = &point->action;
    FILE *out = showing->out;
    if (point->is_past_entry) {
        fputs("goes past the probes of the entry", out);
        return;
    }
    switch ((enum probe_action_kind)action->kind) {
    case PROBE_DO_EVENT:
        fputs(event_word(action->identity), out);
        say_source(showing, program, &action->source);
        break;
    case PROBE_DO_COUNT:
        fprintf(out, "counts in counter %u", action->counter);
        break;
    case PROBE_DO_INCREMENT:
        fputs("counts in ", out);
        say_register(showing, program, action->register_);
        break;
    case PROBE_DO_CLEAR:
        fputs("clears ", out);
        say_register(showing, program, action->register_);
        break;
    case PROBE_DO_KEEP:
        fprintf(out, "keeps in counter %u ", action->counter);
        say_source(showing, program, &action->source);
        break;
    case PROBE_DO_TALLY:
        fputs("adds to the histogram of iterations, from ", out);
        say_source(showing, program, &action->source);
        break;
    }
}

static void say_free(const struct showing *showing, uint32_t program, const struct probe_free_registers *free)
{
    bool is_x86 = model_program(showing->model, program)->isa == isa_X86_64;
    fputs("; free:", showing->out);
    for (uint8_t number = 0; number < 32; number++) {
        if (!(free->general >> number & 1))
            continue;
        fputc(' ', showing->out);
        say_register(showing, program, number);
    }
    if (free->has_flags)
        fputs(" flags", showing->out);
    if (is_x86 && free->has_red_zone)
        fputs(" red zone", showing->out);
    if (!free->general && !free->has_flags && !(is_x86 && free->has_red_zone))
        fputs(" nothing", showing->out);
}

/* The text of an instruction, with the address that its @ stands for. */
static void say_instruction(const struct showing *showing, uint32_t instruction)
{
    const struct instruction *row = model_instruction(showing->model, instruction);
    const char *text = model_text(showing->model, model_encoding(showing->model, row->encoding)->text);
    const char *mark = text ? strchr(text, '@') : NULL;
    if (!text)
        return;
    text_print_safe(text, mark ? (size_t)(mark - text) : strlen(text), showing->out);
    if (mark) {
        fprintf(showing->out, "0x%" PRIx64, row->target);
        say_text(showing, mark + 1);
    }
}

/* ---- subjects ---- */

static void say_value_name(const struct showing *showing, const struct probe_subject *subject)
{
    const char *name = model_text(showing->model, subject->name);
    if (subject->kind == PROBE_OF_PARAMETER)
        fprintf(showing->out, "%s %u", subject->callee ? "argument" : "parameter", subject->position);
    else
        fputs("value", showing->out);
    if (name) {
        fputc(' ', showing->out);
        say_text(showing, name);
    }
}

static void say_subject(const struct showing *showing, const struct probe_subject *subject)
{
    static const char *const counting[] = {[PROBE_BY_VARIABLE] = "an induction variable",
                                           [PROBE_BY_REGISTER] = "a register",
                                           [PROBE_BY_MEMORY] = "a counter in memory"};
    const struct model *model = showing->model;
    FILE *out = showing->out;
    fputs("# ", out);
    switch ((enum probe_subject_of)subject->kind) {
    case PROBE_OF_FUNCTION:
        fputs("function ", out);
        say_name(showing, subject->function);
        say_place(showing, model_function(model, subject->function)->file,
                  model_function(model, subject->function)->line, 0);
        break;
    case PROBE_OF_LOOP:
        fprintf(out, "loop %u of ", subject->loop);
        say_name(showing, subject->function);
        say_place(showing, model_loop(model, subject->loop)->file,
                  model_loop(model, subject->loop)->first_line, model_loop(model, subject->loop)->last_line);
        fprintf(out, ", iterations by %s", counting[subject->counting]);
        break;
    case PROBE_OF_CALL:
        fputs("call of ", out);
        if (subject->callee)
            say_name(showing, subject->callee);
        else
            fputs("an unknown function", out);
        fputs(" in ", out);
        say_name(showing, subject->function);
        say_line(showing, subject->instruction);
        break;
    case PROBE_OF_PARAMETER:
    case PROBE_OF_AT:
        say_value_name(showing, subject);
        fputs(subject->callee ? " of " : " in ", out);
        say_name(showing, subject->callee ? subject->callee : subject->function);
        if (subject->kind == PROBE_OF_AT || subject->callee)
            say_line(showing, subject->instruction);
        break;
    case PROBE_OF_ACCESS:
        fprintf(out, "%s of %u bytes in loop %u: ", subject->how.flags & PROBE_IS_STORE ? "store" : "load",
                subject->how.width, subject->loop);
        say_instruction(showing, subject->instruction);
        say_line(showing, subject->instruction);
        break;
    case PROBE_OF_BRANCH:
    case PROBE_OF_OUTCOMES:
        fprintf(out, "%s of a branch in loop %u: ", subject->kind == PROBE_OF_BRANCH ? "counts" : "outcomes",
                subject->loop);
        say_instruction(showing, subject->instruction);
        say_line(showing, subject->instruction);
        break;
    }
}

/* first: row of its first instruction */
static void say_moved(const struct showing *showing, const struct probe_window *window, uint32_t first)
{
    for (unsigned m = 0; m < window->moved_count; m++) {
        const struct probe_moved *moved = &window->moved[m];
        fprintf(showing->out, "#     moves 0x%" PRIx64 " ", moved->address);
        for (unsigned i = 0; i < moved->size; i++)
            fprintf(showing->out, "%02x", moved->bytes[i]);
        if (first + m < showing->model->code.count &&
            model_address(showing->model, first + m) == moved->address) {
            fputc(' ', showing->out);
            say_instruction(showing, first + m);
        }
        fputc('\n', showing->out);
    }
}

static void say_spot(const struct showing *showing, const struct spot *spot, bool is_new_window)
{
    static const char *const where[] = {
        [PROBE_BEFORE] = "before", [PROBE_AFTER] = "after", [PROBE_TAKEN] = "if taken,"};
    const struct probe_window *window = window_at(showing, spot->window);
    const struct probe_point *point =
        ARRAY_AT(struct probe_point, &showing->plan->windows.points, spot->point);
    fprintf(showing->out, "#   0x%" PRIx64 " %s ", window->moved[spot->moved].address, where[point->where]);
    say_instruction(showing, point->instruction);
    fputs(": ", showing->out);
    say_action(showing, window->program, point);
    if (!point->is_past_entry)
        say_free(showing, window->program, &point->free);
    if (window->way == PROBE_BY_JUMP)
        fputs("; by jump\n", showing->out);
    else
        fprintf(showing->out, "; by trap: %s\n", refusals[window->refusal]);
    if (is_new_window)
        say_moved(showing, window, point->instruction - spot->moved);
}

static void show_subjects(const struct showing *showing)
{
    size_t at = 0;
    for (uint32_t i = 0; i < showing->plan->subjects.count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &showing->plan->subjects, i);
        fputc('\n', showing->out);
        say_subject(showing, subject);
        size_t first = at;
        for (; at < showing->spots.count && ARRAY_AT(struct spot, &showing->spots, at)->subject == i; at++) {
            const struct spot *spot = ARRAY_AT(struct spot, &showing->spots, at);
            if (at == first)
                fputc('\n', showing->out);
            say_spot(showing, spot,
                     at == first || ARRAY_AT(struct spot, &showing->spots, at - 1)->window != spot->window);
        }
        if (at == first)
            fprintf(showing->out, ": no probe: %s\n",
                    subject->refusal ? refusals[subject->refusal] : "it has no code that is reached");
    }
}

static void show_files(const struct showing *showing)
{
    for (uint32_t id = 1; id < showing->model->programs.count; id++) {
        const char *path = model_text(showing->model, model_program(showing->model, id)->path);
        fputs("# ", showing->out);
        say_text(showing, path ? path : "");
        fputc('\n', showing->out);
    }
}

static void show_sums(const struct showing *showing)
{
    size_t jumps = 0, traps = 0, left_out = 0;
    for (uint32_t i = 0; i < showing->plan->windows.windows.count; i++)
        *(window_at(showing, i)->way == PROBE_BY_JUMP ? &jumps : &traps) += 1;
    for (uint32_t i = 0; i < showing->plan->subjects.count; i++) {
        uint8_t refusal = ARRAY_AT(struct probe_subject, &showing->plan->subjects, i)->refusal;
        left_out += refusal != PROBE_NOT_REFUSED && refusal != PROBE_REFUSED_SMALL &&
                    refusal != PROBE_REFUSED_UNKNOWN_JUMPS && refusal != PROBE_REFUSED_FAR;
    }
    fprintf(showing->out,
            "\n# to measure: %zu, without a probe: %zu; places in the code: %zu by jump, %zu by trap\n",
            showing->plan->subjects.count, left_out, jumps, traps);
}

void plan_text_show(const struct probe_choice *choice, const struct probe_plan *plan, FILE *out)
{
    struct showing showing = {.plan = plan, .model = plan->model, .out = out, .spots = ARRAY_OF(struct spot)};
    find_spots(&showing);
    show_files(&showing);
    plan_text_write(choice, plan->model, out);
    show_sums(&showing);
    show_subjects(&showing);
    array_free(&showing.spots);
}
