/* The manual page assay(1), in the man macros of roff. */
#include "cli/words.h"
#include "show/report/quality/metrics.h"

#include <stdlib.h>
#include <string.h>

#ifndef ASSAY_VERSION
#define ASSAY_VERSION "unknown"
#endif

/* Escapes roff's special characters. */
static void write_text(FILE *out, const char *text)
{
    bool starts_line = true;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", out);
            text++;
            starts_line = true;
            continue;
        }
        if (starts_line && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        starts_line = *text == '\n';
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (!strncmp(text, "…", strlen("…"))) {
            fputs("\\&...", out);
            text += strlen("…") - 1;
        } else
            putc(*text, out);
    }
}

static void write_line(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    write_text(out, text);
    fputs(after, out);
}

static void write_option(FILE *out, enum option_id id)
{
    const struct option_description *option = option_described(id);
    autofree char *text = words_option(option);
    write_line(out, ".TP\n\\fB", text, "\\fR\n");
    write_text(out, option->sentence);
    if (option->fallback)
        write_line(out, " (default: ", option->fallback, ")");
    putc('\n', out);
}

static void write_command(FILE *out, const struct command *command)
{
    write_line(out, ".SS assay ", command->name, " ");
    write_text(out, command->arguments);
    putc('\n', out);
    write_line(out, "", command->summary, ".\n");
    if (command->details)
        write_line(out, ".PP\n", command->details, "\n");
    for (unsigned i = 0; i < MOST_OPTIONS && command->options[i]; i++)
        write_option(out, command->options[i]);
    if (command->examples[0].line)
        fputs(".PP\nExamples:\n", out);
    for (unsigned i = 0; i < MOST_EXAMPLES && command->examples[i].line; i++) {
        write_line(out, ".TP\n\\fB", command->examples[i].line, "\\fR\n");
        write_line(out, "", command->examples[i].says, "\n");
    }
    if (command->exits)
        write_line(out, ".PP\nExit code: ", command->exits, ".\n");
}

/* The man page lists every metric with its sentence. */
static void write_metrics(FILE *out)
{
    struct quality_columns columns = quality_columns();
    fputs(".SH METRICS\nFigures of assay report for one iteration of an innermost loop along one path: the "
          "columns of loop_metrics in SQL and of \\-\\-csv, and the members of metrics in \\-\\-json.\n",
          out);
    for (const struct table_column *it = columns.first; it < columns.end; it++) {
        if (it->group)
            write_line(out, ".SS ", it->group, "\n");
        write_line(out, ".TP\n\\fB", it->name, "\\fR\n");
        write_line(out, "", it->doc, "\n");
    }
}

void man_write(FILE *out)
{
    fputs(".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION "\" \"User Commands\"\n"
          ".SH NAME\nassay \\- find out what is wrong with the loops of compiled programs\n"
          ".SH SYNOPSIS\n.B assay\n.I command\n[operands] [options]\n"
          ".SH DESCRIPTION\n"
          "Assay reads compiled programs (ELF executables, shared objects, object files and archives for "
          "x86\\-64, "
          "i386, AArch64 and IA\\-64) and assembly listings and finds their functions, blocks, loops and "
          "calls.  It reports what limits each innermost loop and what to do about it, and shows everything "
          "it found as listings, as graphs, and in SQL tables.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (unsigned i = 0; i < command_count; i++)
        if (!commands[i].is_hidden)
            write_command(out, &commands[i]);
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        write_option(out, id);
    write_line(out, ".SH EXIT STATUS\n", words_usual_exits, ".\n");
    write_metrics(out);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n\\fBASSAY_ANALYSES\\fR\ndirectories of analyses, separated by colons, searched first\n"
          ".TP\n\\fBASSAY_CONFINE\\fR\nmust: queries, scripts and models are refused where the kernel cannot "
          "confine their process\n"
          ".TP\n\\fBASSAY_SQL_MEMORY\\fR\nmemory limit of SQL, in MB (default: 2048; 0: no limit)\n"
          ".TP\n\\fBASSAY_SQL_SECONDS\\fR\ntime limit of the SQL in rules of assay check, in seconds "
          "(default: 60)\n"
          ".TP\n\\fBNO_COLOR\\fR\nno colours, unless \\-\\-color always is given\n"
          ".TP\n\\fBCOLUMNS\\fR\nwidth of tables on a terminal\n"
          ".SH FILES\n.TP\n\\fI~/.config/assay/analyses/*.sql\\fR\nthe user's own analyses\n"
          ".SH SEE ALSO\n.BR objdump (1),\n.BR sqlite3 (1),\n.BR dot (1)\n",
          out);
}
