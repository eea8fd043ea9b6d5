/* White space separates words; quotes of both kinds keep it, and a backslash takes the next character as it
   is, in quotes too.  A file may name others: MOST_FILES ends those that name themselves. */
#include "cli/response_files.h"

#include "base/regular_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 2000, MOST_BYTES = 64 << 20 };

/* The next word of a text, to be freed; NULL: there is none. */
static char *next_word(const char **text)
{
    const char *at = *text;
    while (isspace((unsigned char)*at))
        at++;
    char *word = *at ? memory_get(strlen(at) + 1) : NULL, *out = word, quote = 0;
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == '\\' && at[1])
            *out++ = *++at;
        else if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else
            *out++ = *at;
    }
    if (out)
        *out = 0;
    *text = at;
    return word;
}

/* Puts the words of a text at the place of one word. */
static void put_words(struct array *words, size_t place, const char *text)
{
    struct array found = ARRAY_OF(char *);
    for (char *word; (word = next_word(&text));)
        *(char **)array_add(&found) = word;
    free(*ARRAY_AT(char *, words, place));
    size_t after = words->count - place - 1;
    array_add_many(words, found.count);
    char **all = words->data;
    memmove(all + place + found.count, all + place + 1, after * sizeof *all);
    if (found.count)
        memcpy(all + place, found.data, found.count * sizeof *all);
    words->count = place + found.count + after;
    array_free(&found);
}

char **response_files_expand(const struct array *words)
{
    struct array all = ARRAY_OF(char *);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = *ARRAY_AT(const char *, words, i);
        *(char **)array_add(&all) = memory_copy_text(word, strlen(word));
    }
    unsigned files = 0;
    for (size_t i = 0; i < all.count;) {
        const char *word = *ARRAY_AT(char *, &all, i);
        struct error ignored = {0};
        bool is_file = word[0] == '@' && files++ < MOST_FILES;
        autofree char *text =
            is_file ? regular_file_text(word + 1, MOST_BYTES, "words of a compiler", &ignored) : NULL;
        if (text)
            put_words(&all, i, text);
        else
            i++;
    }
    *(char **)array_add(&all) = NULL;
    return all.data;
}

void response_files_free(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}
