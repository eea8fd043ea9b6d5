/* Which labels of a listing begin functions.  Compilers say it with .type, and name what lies inside .L…; who
   writes by hand often does neither.  So of the labels that are local and have no type those are taken for
   places inside of functions that control falls into or that something jumps to, unless something calls them.
 */
#include "code/read/listing/assembled.h"

#include <string.h>

static string_id intern(struct strings *strings, struct span name)
{
    if (name.size > 2 && name.data[0] == '"')
        name = (struct span){name.data + 1, name.size - 2};
    return name.size && !memchr(name.data, 0, name.size)
               ? strings_add_length(strings, (const char *)name.data, name.size)
               : 0;
}

/* Control reaches the place of an emitter from the statement before it. */
static bool is_fallen_into(const struct assembled_text *text, uint32_t emitter)
{
    enum { FARTHEST = 64 }; /* statements of data */
    const struct emitter *before;
    unsigned steps = 0;
    do {
        if (emitter == 0 || steps++ == FARTHEST || emitter > text->emitters.count)
            return false;
        before = ARRAY_AT(struct emitter, &text->emitters, --emitter);
        if (before->kind == emitter_BORDER)
            return false;
    } while (before->kind == emitter_OTHER);
    return !before->is_end;
}

struct strings assembled_inner_labels(const struct assembled_text *texts, size_t count)
{
    struct strings called = {0}, jumped = {0}, inner = {0}, begun = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < texts[i].references.count; k++) {
            const struct assembled_reference *it =
                ARRAY_AT(struct assembled_reference, &texts[i].references, k);
            intern(it->is_call ? &called : &jumped, it->name);
        }
    }
    /* A name can stand in several files: where it begins a function in one, it stays. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < texts[i].words.count; k++) {
                const struct assembled_word *word = ARRAY_AT(struct assembled_word, &texts[i].words, k);
                if (word->kind != directive_kind_LABEL || !word->name.size || *word->name.data == '.')
                    continue;
                char name[256];
                if (word->name.size >= sizeof name || memchr(word->name.data, 0, word->name.size))
                    continue;
                memcpy(name, word->name.data, word->name.size);
                name[word->name.size] = 0;
                bool is_inner = !strings_find(&called, name) &&
                                (strings_find(&jumped, name) || is_fallen_into(&texts[i], word->emitter));
                if (pass == 0 && !is_inner)
                    intern(&begun, word->name);
                else if (pass == 1 && is_inner && !strings_find(&begun, name))
                    intern(&inner, word->name);
            }
    strings_free(&called);
    strings_free(&jumped);
    strings_free(&begun);
    return inner;
}
