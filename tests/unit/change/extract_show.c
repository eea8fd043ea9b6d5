/* Extracts a loop as `assay optimise` does and writes the text of a variant to a file, for scripts
   (bench/extract, tests):

       extract-show FOLDER LINE SOURCE OPTIONS VARIANT -- COMPILER WORDS…

   FOLDER/extract.SUFFIX gets the text, FOLDER/patch the patch of a variant; standard output says what it is,
   and the command that compiles it. */
#include "change/optimise/apply/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const struct error *error, struct compilation *compilation, struct choices *choices,
                    struct variant *variant)
{
    fprintf(stderr, "%s\n", error->text);
    compilation_free(compilation);
    choices_free(choices);
    variant_free(variant);
    return 2;
}

static void show(const struct extract *extract, const struct choices *choices, const struct array *command)
{
    printf("choices\t%zu\n", choices->list.count);
    printf("function\t%s\nsymbol\t%s\nprogram_symbol\t%s\nlines\t%u\t%u\nloop_line\t%u\nwhole\t%s\nown_"
           "symbol\t%d\n",
           extract->function, extract->symbol, extract->program_symbol, extract->source_line,
           extract->source_last, extract->loop_line, extract->why_whole ? extract->why_whole : "",
           extract->has_own_symbol);
    for (size_t i = 0; i < extract->statics.count; i++)
        printf("static\t%s\n", *ARRAY_AT(char *, &extract->statics, i));
    for (size_t i = 0; i < command->count; i++)
        printf("word\t%s\n", *ARRAY_AT(char *, command, i));
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool is_written = file && fputs(text, file) >= 0;
    return file && !fclose(file) && is_written;
}

int main(int count, char **words)
{
    struct error error = {0};
    struct compilation compilation = {0};
    struct choices choices = {.list = ARRAY_OF(struct choice)};
    struct extract extract;
    struct variant variant = {0};
    if (count < 8)
        return 2;
    if (!compilation_from_words((const char *const *)words + 7, (size_t)count - 7, ".", words[3],
                                &compilation, &error) ||
        (*words[4] && !choices_read(words[4], &choices, &error)) ||
        !variant_parse(&choices, words[5], &variant, &error) ||
        !extract_loop(&compilation, (unsigned)atoi(words[2]), &extract, &error))
        return complain(&error, &compilation, &choices, &variant);
    char path[4096], object[4096];
    snprintf(path, sizeof path, "%s/extract%s", words[1], extract.suffix);
    snprintf(object, sizeof object, "%s/extract.o", words[1]);
    char *text = extract_variant(&extract, &choices, &variant);
    struct array command = extract_command(&extract, &choices, &variant, path, object);
    bool is_written = write_file(path, text);
    struct applied applied = {0};
    const char *patch =
        *words[5] && apply_variant(&extract, &choices, &variant, &applied, &error) ? applied.patch : NULL;
    snprintf(path, sizeof path, "%s/patch", words[1]);
    if (patch)
        is_written &= write_file(path, patch);
    else if (*words[5])
        printf("no_patch\t%s\n", error.text);
    applied_free(&applied);
    show(&extract, &choices, &command);
    free(text);
    extract_command_free(&command);
    extract_free(&extract);
    variant_free(&variant);
    choices_free(&choices);
    compilation_free(&compilation);
    return is_written ? 0 : 2;
}
