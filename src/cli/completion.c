/* Completions for bash, zsh and fish. */
#include "cli/words.h"

#include <string.h>

/* Options whose value is a file or a directory. */
static bool takes_path(enum option_id id)
{
    return id == OPTION_OUTPUT || id == OPTION_SCRIPT || id == OPTION_DEBUG_DIR;
}

static void write_options(FILE *out, const struct command *command)
{
    for (unsigned i = 0; command && i < MOST_OPTIONS && command->options[i]; i++)
        fprintf(out, " --%s", option_described(command->options[i])->name);
}

void completion_write_bash(FILE *out)
{
    fputs("# bash completion for assay; made by `assay generate bash`\n"
          "_assay()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word command=\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        [[ $word == -* ]] || { command=$word; break; }\n"
          "    done\n"
          "    COMPREPLY=()\n"
          "    case $previous in\n"
          "    --color) COMPREPLY=($(compgen -W 'auto always never' -- \"$current\")); return ;;\n",
          out);
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_described(id)->argument && !takes_path(id) && id != OPTION_COLOR)
            fprintf(out, "    --%s) return ;;\n", option_described(id)->name);
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
    fputs(
        "' -- \"$current\")) ;;\n    *) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
        "    esac\n}\ncomplete -F _assay assay\n",
        out);
}

/* Text inside single quotes of a shell, with the characters in special escaped by a backslash. */
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
        fputs(takes_path(id) ? ":_files" : id == OPTION_COLOR ? ":(auto always never)" : ": ", out);
    }
    putc('\'', out);
}

void completion_write_zsh(FILE *out)
{
    fputs("#compdef assay\n# zsh completion for assay; made by `assay generate zsh`\n"
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
        fputs(takes_path(id) ? " -r -F" : id == OPTION_COLOR ? " -x -a 'auto always never'" : " -x", out);
    fputs(" -d '", out);
    write_quoted(out, option->sentence, "");
    fputs("'\n", out);
}

void completion_write_fish(FILE *out)
{
    fputs("# fish completion for assay; made by `assay generate fish`\n", out);
    for (unsigned i = 0; i < command_count; i++) {
        if (commands[i].is_hidden)
            continue;
        fprintf(out, "complete -c assay -n __fish_use_subcommand -f -a %s -d '", commands[i].name);
        write_quoted(out, commands[i].summary, "");
        fputs("'\n", out);
    }
    for (enum option_id id = 0; id < OPTION_GLOBAL_COUNT; id++)
        write_fish_option(out, id, NULL);
    for (unsigned i = 0; i < command_count; i++)
        for (unsigned k = 0; !commands[i].is_hidden && k < MOST_OPTIONS && commands[i].options[k]; k++)
            write_fish_option(out, commands[i].options[k], commands[i].name);
}
