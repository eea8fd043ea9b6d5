/* Completions for bash, zsh and fish.  Names of machines and analyses are not fixed: the shell asks assay for
   them when it needs them. */
#include "cli/words.h"

#include <string.h>

/* Options whose value is a file or a directory. */
static bool takes_path(enum option_id id)
{
    return id == OPTION_OUTPUT || id == OPTION_SCRIPT || id == OPTION_DEBUG_DIR;
}

static const char *const value_words[OPTION_COUNT] = {
#define OPTION(symbol, name, letter, argument, sentence, fallback)
#define GLOBAL_END
#define VALUES(symbol, words) [OPTION_##symbol] = words,
#define NAMES(symbol, command)
#include "cli/options.def"
#undef VALUES
#undef NAMES
};
static const char *const value_commands[OPTION_COUNT] = {
#define VALUES(symbol, words)
#define NAMES(symbol, command) [OPTION_##symbol] = command,
#include "cli/options.def"
};

static void write_options(FILE *out, const struct command *command)
{
    for (unsigned i = 0; command && i < MOST_OPTIONS && command->options[i]; i++)
        fprintf(out, " --%s", option_described(command->options[i])->name);
}

static void write_bash_value(FILE *out, enum option_id id)
{
    const struct option_description *option = option_described(id);
    fprintf(out, "    --%s", option->name);
    if (option->letter)
        fprintf(out, "|-%c", option->letter);
    fputs(") ", out);
    if (value_words[id])
        fprintf(out, "COMPREPLY=($(compgen -W '%s' -- \"$current\")); ", value_words[id]);
    if (value_commands[id])
        fprintf(out, "COMPREPLY=($(compgen -W \"$(_assay_names %s)\" -- \"$current\")); ",
                value_commands[id]);
    fputs("return ;;\n", out);
}

/* First operands that are names; files are offered as well. */
static void write_bash_operands(FILE *out)
{
    for (unsigned i = 0; i < command_count; i++)
        if (commands[i].operands)
            fprintf(out,
                    "    %s) COMPREPLY=($(compgen -W \"$(_assay_names %s)\" -- \"$current\") "
                    "$(compgen -f -- \"$current\")) ;;\n",
                    commands[i].name, commands[i].operands);
}

void completion_write_bash(FILE *out)
{
    fputs("# bash completion for assay; made by `assay generate bash`\n"
          "_assay_names() { assay \"$1\" --csv --quiet 2> /dev/null | sed '1d; s/,.*//'; }\n"
          "_assay()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word command=\n"
          "    [[ $current == = ]] && current=\n"
          "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        [[ $word == -* ]] || { command=$word; break; }\n"
          "    done\n"
          "    COMPREPLY=()\n"
          "    case $previous in\n",
          out);
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_described(id)->argument && !takes_path(id))
            write_bash_value(out, id);
    fputs("    esac\n    if [[ -z $command ]]; then\n        COMPREPLY=($(compgen -W '", out);
    for (unsigned i = 0; i < command_count; i++)
        if (!commands[i].is_hidden)
            fprintf(out, "%s ", commands[i].name);
    fputs("--help --version' -- \"$current\"))\n        return\n    fi\n"
          "    if [[ $current == -* ]]; then\n        local options='",
          out);
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        fprintf(out, "%s--%s", id ? " " : "", option_described(id)->name);
    fputs("'\n        case $command in\n", out);
    for (unsigned i = 0; i < command_count; i++) {
        if (commands[i].is_hidden || !commands[i].options[0])
            continue;
        fprintf(out, "        %s) options+='", commands[i].name);
        write_options(out, &commands[i]);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n        return\n    "
          "fi\n"
          "    case $command in\n"
          "    help) COMPREPLY=($(compgen -W '",
          out);
    for (unsigned i = 0; i < command_count; i++)
        if (!commands[i].is_hidden)
            fprintf(out, "%s%s", i ? " " : "", commands[i].name);
    fputs("' -- \"$current\")) ;;\n", out);
    write_bash_operands(out);
    fputs("    *) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
          "    esac\n}\ncomplete -F _assay assay\n",
          out);
}

/* Text inside a shell's single quotes; characters of special are escaped with a backslash. */
static void write_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr(special, *text))
            putc('\\', out);
        putc(*text, out);
    }
}

static void write_zsh_option(FILE *out, enum option_id id)
{
    const struct option_description *option = option_described(id);
    fprintf(out, " \\\n            '%s--%s%s[", id == OPTION_SET ? "*" : "", option->name,
            option->argument ? "=" : "");
    write_quoted(out, option->sentence, "[]:");
    putc(']', out);
    if (option->argument) {
        putc(':', out);
        write_quoted(out, option->argument, "[]:");
        if (value_words[id])
            fprintf(out, ":(%s)", value_words[id]);
        else if (value_commands[id])
            fprintf(out, ": _assay_names %s", value_commands[id]);
        else
            fputs(takes_path(id) ? ":_files" : ": ", out);
    }
    putc('\'', out);
}

void completion_write_zsh(FILE *out)
{
    fputs("#compdef assay\n# zsh completion for assay; made by `assay generate zsh`\n"
          "_assay_names() {\n    local -a names\n"
          "    names=(${(f)\"$(assay $1 --csv --quiet 2> /dev/null | sed '1d; s/,.*//')\"})\n"
          "    _describe name names\n}\n"
          "_assay() {\n    local -a commands\n    local state line\n    commands=(\n",
          out);
    for (unsigned i = 0; i < command_count; i++) {
        if (commands[i].is_hidden)
            continue;
        fprintf(out, "        '%s:", commands[i].name);
        write_quoted(out, commands[i].summary, ":");
        fputs("'\n", out);
    }
    fputs("    )\n    _arguments -C '1:command:->command' '*::operand:->operand'\n"
          "    case $state in\n    command) _describe command commands ;;\n"
          "    operand)\n        case $line[1] in\n",
          out);
    for (unsigned i = 0; i < command_count; i++) {
        if (commands[i].is_hidden)
            continue;
        fprintf(out, "        %s)\n            _arguments", commands[i].name);
        for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
            write_zsh_option(out, id);
        for (unsigned k = 0; k < MOST_OPTIONS && commands[i].options[k]; k++)
            write_zsh_option(out, commands[i].options[k]);
        if (commands[i].operands)
            fprintf(out, " \\\n            '1:name: _assay_names %s'", commands[i].operands);
        fprintf(out, " \\\n            '*:operand:%s' ;;\n",
                strcmp(commands[i].name, "help") ? "_files" : "_describe command commands");
    }
    fputs("        esac ;;\n    esac\n}\n_assay \"$@\"\n", out);
}

static void write_fish_option(FILE *out, enum option_id id, const char *command)
{
    const struct option_description *option = option_described(id);
    fputs("complete -c assay", out);
    if (command)
        fprintf(out, " -n '__fish_seen_subcommand_from %s'", command);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    fprintf(out, " -l %s", option->name);
    if (option->argument)
        fputs(takes_path(id) ? " -r -F" : " -x", out);
    if (value_words[id])
        fprintf(out, " -a '%s'", value_words[id]);
    if (value_commands[id])
        fprintf(out, " -a '(__assay_names %s)'", value_commands[id]);
    fputs(" -d '", out);
    write_quoted(out, option->sentence, "");
    fputs("'\n", out);
}

void completion_write_fish(FILE *out)
{
    fputs("# fish completion for assay; made by `assay generate fish`\n"
          "function __assay_names\n    assay $argv --csv --quiet 2> /dev/null | sed '1d; s/,.*//'\nend\n",
          out);
    for (unsigned i = 0; i < command_count; i++) {
        if (commands[i].is_hidden)
            continue;
        fprintf(out, "complete -c assay -n __fish_use_subcommand -f -a %s -d '", commands[i].name);
        write_quoted(out, commands[i].summary, "");
        fputs("'\n", out);
    }
    for (unsigned i = 0; i < command_count; i++)
        if (commands[i].operands)
            fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -a '(__assay_names %s)'\n",
                    commands[i].name, commands[i].operands);
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        write_fish_option(out, id, NULL);
    for (unsigned i = 0; i < command_count; i++)
        for (unsigned k = 0; !commands[i].is_hidden && k < MOST_OPTIONS && commands[i].options[k]; k++)
            write_fish_option(out, commands[i].options[k], commands[i].name);
}
