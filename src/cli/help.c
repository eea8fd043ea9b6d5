/* assay help: examples first, because they answer most questions. */
#include "cli/commands.h"

#include "cli/words.h"
#include "show/report/quality/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_COLUMN = 26, WIDTH = 96 };

/* Wraps text at WIDTH columns; the first line continues at the cursor, later lines are indented. */
static void print_wrapped(const char *text, int indent)
{
    int column = indent;
    while (*text) {
        size_t length = strcspn(text, " \n");
        int width = (int)words_columns(text, length);
        if (column > indent && column + width + 1 > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += width + (column > indent ? printf(" ") : 0);
        fwrite(text, 1, length, stdout);
        text += length;
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n\n%*s", indent, "");
            column = indent;
            text += 2;
        }
        text += *text == ' ' || *text == '\n';
    }
    putchar('\n');
}

static void print_option(enum option_id id)
{
    const struct option_description *option = option_described(id);
    autofree char *text = words_option(option);
    int used = printf("  %s", text);
    if (used >= OPTION_COLUMN)
        printf("\n%*s", OPTION_COLUMN, "");
    else
        printf("%*s", OPTION_COLUMN - used, "");
    autofree char *sentence = option->fallback
                                  ? memory_format("%s (default: %s)", option->sentence, option->fallback)
                                  : memory_format("%s", option->sentence);
    print_wrapped(sentence, OPTION_COLUMN);
}

static void print_command(const struct command *command)
{
    if (command->examples[0].line)
        puts("Examples:");
    for (unsigned i = 0; i < MOST_EXAMPLES && command->examples[i].line; i++)
        printf("  %s\n      %s\n", command->examples[i].line, command->examples[i].says);
    printf("%sUsage: assay %s %s%s[OPTION]…\n", command->examples[0].line ? "\n" : "", command->name,
           command->arguments, command->arguments[0] ? " " : "");
    print_wrapped(command->summary, 0);
    if (command->details) {
        putchar('\n');
        print_wrapped(command->details, 0);
    }
    if (command->options[0])
        puts("\nOptions:");
    for (unsigned i = 0; i < MOST_OPTIONS && command->options[i]; i++)
        print_option(command->options[i]);
    puts("\nOptions of every command:");
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        print_option(id);
    printf("\nExit code: %s.\n", command->exits ? command->exits : words_usual_exits);
}

static const char *const aims[aim_COUNT] = {
    [aim_RUN] = "Run: where a program spends its time, and on what data",
    [aim_LOOK] = "Look: what the compiler made of it",
    [aim_CHANGE] = "Change: make it faster",
    [aim_GUARD] = "Guard: keep what was won",
    [aim_PLAN] = "Plan: how long it will take, and where it should run",
    [aim_ASK] = "Ask: your own questions",
    [aim_COMPUTER] = "This computer, and Assay itself",
};

static void print_overview(void)
{
    puts(
        "Examples:\n"
        "  assay run -- ./prog data              which loops take its time, and what to change\n"
        "  assay report ./prog                   what is wrong with its loops, and what to do about it\n"
        "  assay loops ./prog                    every loop: function, source lines, nesting, size\n"
        "  assay db ./prog                       the whole program as tables in prog.db\n"
        "  assay sql prog.db 'select …'          query the tables\n"
        "  assay asm ./prog --loop 12            the instructions of a loop, with source lines\n"
        "  assay cycles ./prog --loop 12         how many cycles an iteration takes, and why\n"
        "  assay bounds ./prog --loop 12         how fast it could be, and what prevents that\n"
        "  assay analyses                        patterns to look for, in groups\n"
        "  assay analysis missing-fma ./prog     look for one of them\n"
        "  assay graph ./prog -F main -o f.svg   the control flow of main\n"
        "\nUsage: assay COMMAND [OPERAND]… [OPTION]…\n"
        "Reads compiled programs (ELF) and assembly listings for x86-64, i386, AArch64 and IA-64, and shows\n"
        "what the compiler made of them. Instead of ./prog you can give a listing or a database.\n"
        "\nCommands:");
    for (enum command_aim aim = 0; aim < aim_COUNT; aim++) {
        printf("\n%s\n", aims[aim]);
        for (unsigned i = 0; i < command_count; i++)
            if (commands[i].aim == aim && !commands[i].is_hidden)
                printf("  %-12s%s\n", commands[i].name, commands[i].summary);
    }
    puts("\nOptions of every command:");
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        print_option(id);
    puts("\nassay help COMMAND explains a command in full.");
}

/* Every metric in a sentence; too long for assay help report. */
static void print_metrics(void)
{
    struct quality_columns columns = quality_columns();
    puts("The metrics of assay report, for one iteration of an innermost loop along one path.  They are the "
         "columns of\nloop_metrics in SQL and of assay report --csv, and the members of metrics in assay "
         "report --json.");
    for (const struct table_column *it = columns.first; it < columns.end; it++) {
        if (it->group)
            printf("\n%s\n", it->group);
        printf("  %s\n      ", it->name);
        print_wrapped(it->doc, 6);
    }
}

int command_help(const struct invocation *invocation, struct error *error)
{
    const struct command *command = invocation->command;
    const char *name = options_operand(invocation, 0);
    if (command && command->run == command_help && (name || !options_has(invocation, OPTION_HELP)))
        command = name ? command_named(name) : NULL;
    if (name && !command && !strcmp(name, "metrics")) {
        print_metrics();
        return 0;
    }
    if (name && !command) {
        struct nearest nearest = {.wanted = name};
        for (unsigned i = 0; i < command_count; i++)
            if (!commands[i].is_hidden)
                nearest_offer(&nearest, commands[i].name);
        error_set(error, NULL, "unknown command %s%s%s%s", name, nearest.best ? "; did you mean " : "",
                  nearest.best ? nearest.best : "", nearest.best ? "?" : " (assay help lists them)");
        free(nearest.best);
        return 2;
    }
    if (command)
        print_command(command);
    else
        print_overview();
    return 0;
}
