/* assay cycles: how many cycles an iteration takes, and which part of the core sets that number.

   Four kinds of input: a file's innermost loops (cycles_loops.c), bytes in hexadecimal, a piece of assembly,
   and many blocks at once (cycles_batch.c). Assembly is assembled to bytes first. */
#include "cli/cycles.h"

#include "base/output.h"
#include "cli/block_input.h"
#include "cli/commands.h"
#include "cli/machines.h"
#include "code/cost/text_block.h"
#include "model/tables.h"
#include "code/structure/snippet.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct session session;
    const struct invocation *invocation;
    struct machine *machine;
    bool is_host;
    enum isa isa;
    enum data_level data;
};

void cycles_print_details(struct session *session, struct cycles_view *view, struct block_costs *work,
                          size_t printed)
{
    struct cycles_details details;
    cycles_details_begin(&details, view, work);
    if (session->style.format == report_TABLE) {
        putc('\n', session->out);
        report_cycles(view, &session->style, session->out);
    } else {
        report_cycles_row(view, &session->style, !printed, session->out);
    }
    cycles_details_end(&details);
}

bool cycles_data_level(const struct invocation *invocation, enum data_level *level, struct error *error)
{
    const char *word = options_value(invocation, OPTION_DATA);
    *level = data_level_L1;
    for (unsigned i = 0; word && i < data_level_COUNT; i++)
        if (!strcmp(word, data_level_word((enum data_level)i))) {
            *level = (enum data_level)i;
            return true;
        }
    return !word || error_set(error, NULL, "--data takes l1, l2, l3 or memory, not %s", word);
}

bool cycles_check_level(const struct machine *machine, enum data_level level, struct error *error)
{
    autofree char *refusal = cycles_level_refusal(machine, level);
    if (refusal)
        error_set(error, NULL, "--data %s: %s", data_level_word(level), refusal);
    return !error->set;
}

/* The machine, and its instruction set if --isa is not given. */
static bool take_machine(struct work *work, enum isa isa, struct error *error)
{
    const char *name = options_value(work->invocation, OPTION_MACHINE);
    work->machine = machines_take(name, isa, &work->is_host, error);
    if (!work->machine)
        return false;
    work->isa = isa ? isa : work->machine->isa;
    return cycles_check_level(work->machine, work->data, error);
}

/* A loop if --loop-mode is given or the block ends in a branch to one of its instructions. */
static enum text_mode choose_mode(const struct work *work, const struct text_block *block)
{
    if (options_has(work->invocation, OPTION_UNROLLED))
        return text_UNROLLED;
    if (text_block_is_loop(block) && !options_has(work->invocation, OPTION_LOOP_MODE) &&
        work->session.style.format == report_TABLE) {
        size_t start = text_code_loop_start(block->code);
        if (start && start < block->code->instructions.count)
            session_say(&work->session,
                        "the block ends in a branch to its instruction %zu: the loop starts "
                        "there (use --unrolled to repeat the whole block instead)",
                        start + 1);
        else
            session_say(&work->session, "the block ends in a branch to its start, so it is treated as a loop "
                                        "(use --unrolled to repeat it instead)");
    }
    return options_has(work->invocation, OPTION_LOOP_MODE) ? text_LOOP : text_AS_IT_ENDS;
}

static void tell_result(struct work *work, struct text_block *block, struct error *error)
{
    struct session *session = &work->session;
    struct cycles_view view = {.model = &block->snippets.model,
                               .machine = work->machine,
                               .path = &block->path,
                               .mode = block->mode,
                               .data = work->data,
                               .targets = block->targets.data};
    autofree char *refusal = cycles_refusal(view.model, view.machine, &block->path);
    if (refusal) {
        error_set(error, NULL, "%s", refusal);
    } else {
        if (session->style.format == report_TABLE)
            machines_print(session, work->machine, work->is_host);
        fputs(session->style.format == report_JSON ? "[" : "", session->out);
        cycles_print_details(session, &view, &block->costs, 0);
        fputs(session->style.format == report_JSON ? "]\n" : "", session->out);
    }
}

static bool tell_block(struct work *work, const struct text_code *code, struct error *error)
{
    struct text_block block;
    if (text_block_begin(&block, code, error)) {
        text_block_predict(&block, work->machine, choose_mode(work, &block));
        tell_result(work, &block, error);
    }
    text_block_end(&block);
    return !error->set;
}

static bool tell_hex(struct work *work, enum isa isa, struct error *error)
{
    struct text_code code;
    text_code_begin(&code, isa);
    bool done = block_input_hex(options_value(work->invocation, OPTION_HEX), &code, error) &&
                take_machine(work, isa, error);
    code.isa = work->isa;
    done = done && tell_block(work, &code, error);
    text_code_end(&code);
    return done;
}

static bool tell_assembly(struct work *work, enum isa isa, struct error *error)
{
    struct text_code code;
    if (!isa && options_has(work->invocation, OPTION_MACHINE)) {
        if (!take_machine(work, isa, error))
            return false;
        isa = work->machine->isa;
    }
    text_code_begin(&code, isa);
    bool done =
        block_input_assembly(&work->session, options_value(work->invocation, OPTION_ASM), &code, error);
    if (done && !work->machine)
        done = take_machine(work, code.isa, error);
    done = done && tell_block(work, &code, error);
    text_code_end(&code);
    return done;
}

/* Harnesses that measure blocks give them easy numbers. */
static bool take_operands(const struct invocation *invocation, enum cost_operands *operands,
                          struct error *error)
{
    static const struct {
        const char *word;
        enum cost_operands operands;
    } kinds[] = {
        {"easy", cost_operands_EASY}, {"ordinary", cost_operands_ORDINARY}, {"hard", cost_operands_HARD}};
    const char *word = options_value(invocation, OPTION_OPERANDS);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(word ? word : "easy", kinds[i].word)) {
            *operands = kinds[i].operands;
            return true;
        }
    return error_set(error, NULL, "--operands is easy, ordinary or hard, not '%s'", word);
}

static bool check_ways(const struct invocation *invocation, struct error *error)
{
    unsigned ways = options_has(invocation, OPTION_HEX) + options_has(invocation, OPTION_ASM) +
                    options_has(invocation, OPTION_BATCH) + (options_operand(invocation, 0) != NULL);
    if (ways != 1)
        return error_set(error, NULL,
                         "cycles takes %s FILE, --hex, --asm and --batch (see assay help cycles)",
                         ways ? "only one of" : "one of");
    if (options_has(invocation, OPTION_BATCH) && options_has(invocation, OPTION_DATA))
        return error_set(error, NULL, "--data applies to loops and to single blocks, not to --batch");
    if (options_has(invocation, OPTION_OPERANDS) && !options_has(invocation, OPTION_BATCH))
        return error_set(error, NULL,
                         "--operands is for --batch; loops and single blocks have ordinary operands, and the "
                         "range where these decide");
    if (options_has(invocation, OPTION_ALIKE) && !options_has(invocation, OPTION_BATCH))
        return error_set(error, NULL, "--alike is for --batch: only harnesses give all registers one value");
    if (options_has(invocation, OPTION_LOOP_MODE) && options_has(invocation, OPTION_UNROLLED))
        return error_set(error, NULL, "choose one of --loop-mode and --unrolled");
    static const enum option_id of_files[] = {OPTION_FUNCTION, OPTION_LOOP,  OPTION_LINE,
                                              OPTION_PROGRAM,  OPTION_PATHS, OPTION_LIMIT};
    for (unsigned i = 0; i < sizeof of_files / sizeof of_files[0] && !options_operand(invocation, 0); i++)
        if (options_has(invocation, of_files[i]))
            return error_set(error, NULL, "--%s needs a FILE with loops",
                             option_described(of_files[i])->name);
    if (options_operand(invocation, 0) &&
        (options_has(invocation, OPTION_LOOP_MODE) || options_has(invocation, OPTION_UNROLLED)))
        return error_set(
            error, NULL,
            "--loop-mode and --unrolled apply to blocks (--hex, --asm, --batch), not to the loops of a FILE");
    return true;
}

static int run(struct work *work, struct error *error)
{
    const struct invocation *invocation = work->invocation;
    enum isa isa;
    if (!check_ways(invocation, error) || !session_isa(invocation, &isa, error) ||
        !cycles_data_level(invocation, &work->data, error))
        return 2;
    if (options_operand(invocation, 0))
        return cycles_of_file(&work->session, error);
    if (options_has(invocation, OPTION_HEX))
        return tell_hex(work, isa, error) ? 0 : 2;
    if (options_has(invocation, OPTION_ASM))
        return tell_assembly(work, isa, error) ? 0 : 2;
    if (!take_machine(work, isa, error))
        return 2;
    machines_say(&work->session, work->machine, work->is_host);
    struct cycles_blocks blocks = {.machine = work->machine,
                                   .isa = work->isa,
                                   .mode =
                                       options_has(invocation, OPTION_LOOP_MODE) ? cost_LOOP : cost_UNROLLED,
                                   .threads = session_threads(invocation),
                                   .are_alike = options_has(invocation, OPTION_ALIKE)};
    if (!take_operands(invocation, &blocks.operands, error))
        return 2;
    return cycles_batch(&work->session, options_value(invocation, OPTION_BATCH), &blocks, error);
}

int command_cycles(const struct invocation *invocation, struct error *error)
{
    struct work work = {.invocation = invocation};
    const char *const inputs[] = {options_operand(invocation, 0), options_value(invocation, OPTION_ASM),
                                  options_value(invocation, OPTION_BATCH)};
    int code = 2;
    for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i])
            output_spare(inputs[i]);
    if (session_begin(&work.session, invocation, error))
        code = run(&work, error);
    machine_free(work.machine);
    return session_end(&work.session, code, error);
}
