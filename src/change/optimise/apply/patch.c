/* From a variant to a patch: what goes where in the source, which of the forms of apply.h is taken, and its
   words. The changed source is compiled before it is handed out, with the options of the variant. A place
   that a macro makes cannot be patched; then the error says so. */
#include "change/optimise/apply/apply_parts.h"
#include "change/optimise/apply/patch_text.h"
#include "change/optimise/extract/tokens.h"

#include "base/path.h"
#include "base/regular_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE = 64 << 20 };

static size_t line_before(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static bool complain(const struct patching *patching, const char *what, struct error *error)
{
    char *where = memory_format("%s:%u", patching->extract->source_file, patching->extract->source_line);
    error_set(error, where, "no patch: %s", what);
    free(where);
    return false;
}

/* A line of its own before the loop, or within the line where the loop does not begin it. */
static bool put_pragma(struct patching *patching, const char *value, struct error *error)
{
    const char *text = patching->text;
    size_t at = patching->places.loop;
    if (at == SIZE_MAX)
        return complain(patching, "the loop comes from a macro, or shares its line with another one", error);
    size_t line = line_before(text, at), indent = strspn(text + line, " \t");
    char *made;
    if (line + indent == at) {
        made = memory_format("%.*s#pragma %s\n", (int)indent, text + line, value);
        text_edit_add(&patching->edits, line, 0, made);
    } else {
        made = memory_format("\n%.*s#pragma %s\n%.*s", (int)indent, text + line, value, (int)indent,
                             text + line);
        text_edit_add(&patching->edits, at, 0, made);
    }
    free(made);
    return true;
}

static bool put_fortran_line(struct patching *patching, const char *value, struct error *error)
{
    const char *text = patching->text;
    size_t at = 0;
    for (unsigned i = 1; i < patching->extract->source_line && text[at]; i++)
        at += strcspn(text + at, "\n") + 1;
    if (patching->extract->loop_at == SIZE_MAX)
        return complain(patching, "the loop does not begin its line", error);
    char *made = memory_format(strncmp(value, "omp", 3) ? "!%s\n" : "!$%s\n", value);
    text_edit_add(&patching->edits, at, 0, made);
    free(made);
    return true;
}

static bool put_attribute(struct patching *patching, const char *value, struct error *error)
{
    if (patching->places.function == SIZE_MAX)
        return complain(patching, "the head of the function comes from a macro", error);
    char *made = memory_format("__attribute__((%s))\n", value);
    text_edit_add(&patching->edits, patching->places.function, 0, made);
    free(made);
    return true;
}

static bool is_old_c(const struct compilation *compilation)
{
    bool is_it = false;
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        if (!strcmp(word, "-ansi") || !strncmp(word, "-std=", 5))
            is_it = !strcmp(word, "-ansi") || strstr(word, "89") || strstr(word, "90");
    }
    return is_it;
}

static bool put_restrict(struct patching *patching, struct error *error)
{
    const struct extract *extract = patching->extract;
    bool is_cpp = extract->compilation->language == source_CPP;
    const char *word = is_cpp || is_old_c(extract->compilation) ? "__restrict " : "restrict ";
    for (size_t i = 0; i < extract->parameters.count; i++) {
        const struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        size_t at = patching->places.names[i];
        if (!one->is_pointer || one->is_restrict || !one->name_at)
            continue;
        if (at == SIZE_MAX)
            return complain(patching, "a parameter comes from a macro", error);
        size_t behind = at + strlen(one->name);
        struct token next = tokens_next(patching->text, &behind, strlen(patching->text));
        if (!tokens_is(patching->text, next, "[")) {
            text_edit_add(&patching->edits, at, 0, word);
        } else if (!is_cpp) {
            bool is_empty = patching->text[behind] == ']';
            text_edit_add(&patching->edits, behind, 0,
                          is_empty ? (is_old_c(extract->compilation) ? "__restrict" : "restrict") : word);
        } else {
            size_t end = tokens_past_bracket(patching->text, next.at, strlen(patching->text));
            text_edit_add(&patching->edits, at, 0, "(*__restrict ");
            text_edit_add(&patching->edits, next.at, end - next.at, ")");
        }
    }
    return true;
}

static bool put_alignment(struct patching *patching, const char *bytes, struct error *error)
{
    const struct extract *extract = patching->extract;
    if (patching->places.body == SIZE_MAX)
        return complain(patching, "the head of the function comes from a macro", error);
    for (size_t i = 0; i < extract->parameters.count; i++) {
        const struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        if (!one->is_pointer || one->is_constant || !one->name_at)
            continue;
        char *cast = extract->compilation->language == source_CPP ? memory_format("(decltype(%s))", one->name)
                                                                  : memory_format("%s", "");
        char *made = memory_format("\n    %s = %s__builtin_assume_aligned(%s, %s);", one->name, cast,
                                   one->name, bytes);
        text_edit_add(&patching->edits, patching->places.body, 0, made);
        free(made);
        free(cast);
    }
    return true;
}

static void add_words(struct array *flags, const char *words)
{
    while (words && *(words += strspn(words, " "))) {
        size_t length = strcspn(words, " ");
        *(char **)array_push(flags) = memory_copy_text(words, length);
        words += length;
    }
}

/* -funroll-loops → optimize("unroll-loops"); whether all options can be said so. */
static bool put_optimize(struct patching *patching, struct error *error)
{
    struct array list = ARRAY_OF(char);
    const struct array *all = &patching->choices->list;
    for (size_t i = 0; i < all->count; i++) {
        const struct choice *choice = choices_at(patching->choices, i);
        const char *word = patching->variant->values[i] ? choice->values[patching->variant->values[i]] : "";
        while (choice->form == choice_FLAG && *(word += strspn(word, " "))) {
            size_t length = strcspn(word, " "), skip = !strncmp(word, "-f", 2) ? 2 : 1;
            char *made =
                memory_format("%s\"%.*s\"", list.count ? ", " : "", (int)(length - skip), word + skip);
            memcpy(array_push_many(&list, strlen(made)), made, strlen(made));
            free(made);
            word += length;
        }
    }
    char *value = memory_format("optimize(%.*s)", (int)list.count, list.count ? (char *)list.data : "");
    bool done = put_attribute(patching, value, error);
    free(value);
    array_free(&list);
    return done;
}

static bool put_flags(struct patching *patching, struct error *error)
{
    const struct compilation *compilation = patching->extract->compilation;
    const struct extract *extract = patching->extract;
    /* A function with options of its own is not inlined into others, nor they into it: only where there are
     * none. */
    bool is_attribute =
             compilation->family == compiler_GCC && !extract->has_callees && !extract->is_whole_file,
         has_flags = false;
    for (size_t i = 0; i < patching->choices->list.count; i++) {
        const struct choice *choice = choices_at(patching->choices, i);
        if (!patching->variant->values[i])
            continue;
        add_words(&patching->flags, choice->with);
        if (choice->form != choice_FLAG)
            continue;
        has_flags = true;
        is_attribute &= choice->is_attribute;
    }
    if (has_flags && is_attribute && patching->places.function != SIZE_MAX)
        return put_optimize(patching, error);
    patching->has_build_flags = has_flags;
    for (size_t i = 0; has_flags && i < patching->choices->list.count; i++) {
        const struct choice *choice = choices_at(patching->choices, i);
        if (patching->variant->values[i] && choice->form == choice_FLAG)
            add_words(&patching->flags, choice->values[patching->variant->values[i]]);
    }
    return true;
}

static bool put_source(struct patching *patching, struct error *error)
{
    bool is_fortran = patching->extract->compilation->language == source_FORTRAN, done = true;
    for (size_t i = 0; done && i < patching->choices->list.count; i++) {
        const struct choice *choice = choices_at(patching->choices, i);
        const char *value =
            patching->variant->values[i] ? choice->values[patching->variant->values[i]] : NULL;
        if (!value)
            continue;
        if (choice->form == choice_PRAGMA)
            done = is_fortran ? put_fortran_line(patching, value, error) : put_pragma(patching, value, error);
        else if (choice->form == choice_ATTRIBUTE && !is_fortran)
            done = put_attribute(patching, value, error);
        else if (choice->form == choice_RESTRICT && !is_fortran)
            done = put_restrict(patching, error);
        else if (choice->form == choice_ALIGNED && !is_fortran)
            done = put_alignment(patching, value, error);
    }
    return done;
}

/* The folder that names in the patch are relative to: the project's (.git), else the one of the compilation.
 */
static char *base_of(const struct compilation *compilation)
{
    char *folder = path_folder(compilation->source);
    for (char *slash = folder + strlen(folder); slash; slash = strrchr(folder, '/')) {
        *slash = 0;
        char *mark = memory_format("%s/.git", folder);
        bool is_project = *folder && !access(mark, F_OK);
        free(mark);
        if (is_project)
            return folder;
    }
    free(folder);
    size_t length = strlen(compilation->folder);
    if (!strncmp(compilation->source, compilation->folder, length) && compilation->source[length] == '/')
        return memory_copy_text(compilation->folder, length);
    return path_folder(compilation->source);
}

static void put(struct array *out, char *text)
{
    memcpy(array_push_many(out, strlen(text)), text, strlen(text));
    free(text);
}

/* A word as a shell takes it. */
static void put_word(struct array *out, const char *word)
{
    bool is_plain = *word && !word[strcspn(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}")];
    put(out, is_plain ? memory_format(" %s", word) : memory_format(" '"));
    for (; !is_plain && *word; word++)
        put(out, *word == '\'' ? memory_format("'\\''") : memory_format("%c", *word));
    if (!is_plain)
        put(out, memory_format("'"));
}

static void put_words(struct array *out, const struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        put_word(out, *ARRAY_AT(char *, words, i));
}

/* Without the folders that compilation.c adds for texts that lie elsewhere. */
static void put_meaning(struct array *out, const struct compilation *compilation)
{
    char *folder = path_folder(compilation->source);
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        const char *next =
            i + 1 < compilation->meaning.count ? *ARRAY_AT(char *, &compilation->meaning, i + 1) : "";
        if ((!strcmp(word, "-iquote") || !strcmp(word, "-I")) &&
            (!strcmp(next, folder) || !strcmp(next, compilation->folder)))
            i++;
        else
            put_word(out, word);
    }
    free(folder);
}

/* The changed source must compile. */
static bool prove(const struct patching *patching, struct error *error)
{
    struct array out = ARRAY_OF(char), tuning = ARRAY_OF(char *);
    text_edits_apply(&out, patching->text, 0, strlen(patching->text), &patching->edits);
    struct compilation compilation = *patching->extract->compilation;
    for (size_t i = 0; i < compilation.tuning.count + patching->flags.count; i++)
        *(char **)array_push(&tuning) =
            i < compilation.tuning.count ? *ARRAY_AT(char *, &compilation.tuning, i)
                                         : *ARRAY_AT(char *, &patching->flags, i - compilation.tuning.count);
    compilation.tuning = tuning;
    struct extract changed = *patching->extract;
    changed.compilation = &compilation;
    changed.text = memory_copy_text(out.data, out.count);
    changed.suffix = compilation.language == source_FORTRAN ? extract_fortran_suffix(&compilation)
                     : compilation.language == source_CPP   ? ".cpp"
                                                            : ".c";
    char *message = NULL;
    bool done = extract_compiles(&changed, &message, error);
    if (!done && message) {
        char *what = memory_format("the changed source does not compile (%s)", message);
        complain(patching, what, error);
        free(what);
    }
    free(message);
    free(changed.text);
    array_free(&tuning);
    array_free(&out);
    return done;
}

static void put_build_line(struct array *out, const struct patching *patching, const char *name)
{
    const struct compilation *compilation = patching->extract->compilation;
    put(out, memory_format("   "));
    put_word(out, path_name(compilation->compiler));
    put_meaning(out, compilation);
    put_words(out, &compilation->tuning);
    put_words(out, &patching->flags);
    put(out, memory_format(" -c"));
    put_word(out, name);
    put(out, memory_format("\n"));
}

static char *finish(struct array *out, char *base)
{
    char *text = memory_copy_text(out->count ? out->data : "", out->count);
    array_free(out);
    free(base);
    return text;
}

static char *write_patch(struct patching *patching, const char *why_not_own)
{
    const struct compilation *compilation = patching->extract->compilation;
    struct array out = ARRAY_OF(char);
    char *base = base_of(compilation);
    const char *name = compilation->source + strlen(base) + 1;
    if (patching->edits.count)
        put(&out, memory_format("In %s: patch -p1 < THIS FILE\n", base));
    if (!patching->flags.count && !patching->edits.count) {
        put(&out, memory_format("Compile %s with %s:\n", name, path_name(compilation->compiler)));
        put_build_line(&out, patching, name);
    }
    if (patching->flags.count) {
        put(&out, memory_format("Compile %s with these options more:", name));
        put_words(&out, &patching->flags);
        put(&out, memory_format("\n"));
        put_build_line(&out, patching, name);
    }
    if (why_not_own)
        put(&out, memory_format("(%s in a file of its own is not possible: %s.)\n",
                                patching->extract->function, why_not_own));
    if (patching->edits.count) {
        put(&out, memory_format("\n"));
        patch_put(&out, name, patching->text, &patching->edits);
    }
    return finish(&out, base);
}

static char *write_own_patch(struct patching *patching, struct own_file *own)
{
    const struct compilation *compilation = patching->extract->compilation;
    const char *function = patching->extract->function;
    struct array out = ARRAY_OF(char);
    char *base = base_of(compilation);
    const char *name = compilation->source + strlen(base) + 1, *own_name = own->path + strlen(base) + 1;
    put(&out, memory_format("In %s: patch -p1 < THIS FILE\n", base));
    put(&out, memory_format("%s moves to %s, a file of its own. Compile that with", function, own_name));
    put_words(&out, &patching->flags);
    put(&out, memory_format(" besides the options of %s, and link its object file, too:\n", name));
    put_build_line(&out, patching, own_name);
    if (own->was_static)
        put(&out, memory_format("%s is not static any more: should the linker find another one of that name, "
                                "rename it.\n",
                                function));
    put(&out, memory_format("\n"));
    patch_put(&out, name, patching->text, &own->edits);
    patch_put_new(&out, own_name, own->text);
    return finish(&out, base);
}

/* Lines of a source from Windows end in two characters; new ones shall, too. */
static void end_lines_alike(struct patching *patching)
{
    const char *end = strchr(patching->text, '\n');
    if (!end || end == patching->text || end[-1] != '\r')
        return;
    for (size_t i = 0; i < patching->edits.count; i++) {
        struct text_edit *edit = ARRAY_AT(struct text_edit, &patching->edits, i);
        if (!edit->insert)
            continue;
        struct array longer = ARRAY_OF(char);
        for (const char *c = edit->insert; *c; c++) {
            if (*c == '\n')
                *(char *)array_push(&longer) = '\r';
            *(char *)array_push(&longer) = *c;
        }
        free(edit->insert);
        edit->insert = memory_copy_text(longer.count ? longer.data : "", longer.count);
        array_free(&longer);
    }
}

/* Whether options on the build line would reach other functions, too. */
static bool has_other_functions(const struct extract *extract)
{
    for (size_t i = 0; i < extract->pieces.count; i++) {
        const struct extract_piece *piece = ARRAY_AT(struct extract_piece, &extract->pieces, i);
        if (piece->is_function && piece->kind != extract_piece_TARGET)
            return true;
    }
    return extract->is_whole_file;
}

static char *changed_text(const struct patching *patching, const struct array *edits)
{
    return text_edits_text(patching->text, 0, strlen(patching->text), edits);
}

/* The function in a file of its own, where that is proven; else why not. */
static bool apply_own(struct patching *patching, struct applied *applied)
{
    struct own_file own;
    char *changed = NULL;
    bool is_proven = own_file_make(patching, &own, &applied->why_not_own);
    if (is_proven) {
        changed = changed_text(patching, &own.edits);
        is_proven = own_file_prove(patching, &own, changed, &applied->why_not_own);
    }
    if (is_proven) {
        applied->patch = write_own_patch(patching, &own);
        applied->source = changed;
        applied->own_name = own.path;
        applied->own_text = own.text;
        own.path = own.text = changed = NULL;
    }
    free(changed);
    own_file_free(&own);
    return is_proven;
}

static bool begin(const struct extract *extract, const struct choices *choices, const struct variant *variant,
                  struct patching *patching, struct error *error)
{
    char *source = regular_file_text(extract->compilation->source, MOST_SOURCE, "a source", error);
    *patching = (struct patching){.extract = extract,
                                  .choices = choices,
                                  .variant = variant,
                                  .text = source,
                                  .edits = ARRAY_OF(struct text_edit),
                                  .flags = ARRAY_OF(char *)};
    if (source)
        source_places_find(extract, source, &patching->places);
    return source != NULL;
}

static void end(struct patching *patching)
{
    if (patching->text)
        source_places_free(&patching->places);
    text_edits_free(&patching->edits);
    extract_command_free(&patching->flags);
    free((char *)patching->text);
}

bool apply_variant(const struct extract *extract, const struct choices *choices,
                   const struct variant *variant, struct applied *applied, struct error *error)
{
    struct patching patching;
    *applied = (struct applied){.flags = ARRAY_OF(char *)};
    bool done = begin(extract, choices, variant, &patching, error) && put_source(&patching, error) &&
                put_flags(&patching, error);
    text_edits_sort(&patching.edits);
    if (done && patching.has_build_flags && has_other_functions(extract) && apply_own(&patching, applied)) {
        end(&patching);
        return true;
    }
    if (patching.text)
        end_lines_alike(&patching);
    done = done && prove(&patching, error);
    if (done) {
        applied->patch = write_patch(&patching, applied->why_not_own);
        applied->source = patching.edits.count ? changed_text(&patching, &patching.edits) : NULL;
        applied->flags = patching.flags;
        patching.flags = ARRAY_OF(char *);
    }
    end(&patching);
    return done;
}

char *apply_source(const struct extract *extract, const struct choices *choices,
                   const struct variant *variant, struct error *error)
{
    struct patching patching;
    char *text = NULL;
    if (begin(extract, choices, variant, &patching, error) && put_source(&patching, error)) {
        text_edits_sort(&patching.edits);
        end_lines_alike(&patching);
        text = changed_text(&patching, &patching.edits);
    }
    end(&patching);
    return text;
}

char *apply_out_of_line(const struct extract *extract, const struct choices *choices, struct error *error)
{
    const struct compilation *compilation = extract->compilation;
    struct variant none = {.values = memory_get(choices->list.count + 1)};
    struct patching patching;
    char *text = NULL;
    if (compilation->language == source_FORTRAN)
        error_set(error, compilation->source, "procedures of Fortran cannot be kept out of line");
    else if (begin(extract, choices, &none, &patching, error)) {
        if (put_attribute(&patching, compilation->family == compiler_CLANG ? "noinline" : "noipa", error)) {
            end_lines_alike(&patching);
            text = changed_text(&patching, &patching.edits);
        }
        end(&patching);
    }
    free(none.values);
    return text;
}

struct array applied_own_command(const struct extract *extract, const struct choices *choices,
                                 const struct variant *variant, const char *text, const char *object)
{
    struct extract own = *extract;
    own.suffix = extract->compilation->language == source_CPP ? ".cpp" : ".c";
    return extract_command(&own, choices, variant, text, object);
}

void applied_free(struct applied *applied)
{
    free(applied->patch);
    free(applied->source);
    free(applied->own_name);
    free(applied->own_text);
    free(applied->why_not_own);
    extract_command_free(&applied->flags);
    *applied = (struct applied){0};
}
