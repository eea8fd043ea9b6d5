/* Finds the row of aarch64/rules.def for a mnemonic.

   The rows' lists of names are expanded once, when the first instruction is described, into a hash table with
   open addressing, which never changes afterwards.  A name in two rows would make the table depend on the
   order of rows: a test checks that there is none. */
#include "read/aarch64/rules.h"

#include "base/strings.h"
#include <pthread.h>
#include <string.h>

enum { SLOTS = 4096, LONGEST_NAME = 16 };

static const struct aarch64_rule rules[] = {
#define COMPUTES(CLASS, PATTERN, NUMBERS, NAMES)                                                             \
    {.class = class_##CLASS, .pattern = PATTERN, .numbers = NUMBERS, .implicit = "", .names = NAMES},
#define EXTENDS(CLASS, PATTERN, NUMBERS, NAMES)                                                              \
    {.class = class_##CLASS,                                                                                 \
     .pattern = PATTERN,                                                                                     \
     .numbers = NUMBERS,                                                                                     \
     .traits = RULE_SIGN,                                                                                    \
     .implicit = "",                                                                                         \
     .names = NAMES},
#define TESTS(CLASS, PATTERN, NUMBERS, NZCV, NAMES)                                                          \
    {.class = class_##CLASS,                                                                                 \
     .pattern = PATTERN,                                                                                     \
     .numbers = NUMBERS,                                                                                     \
     .nzcv = access_##NZCV,                                                                                  \
     .implicit = "",                                                                                         \
     .names = NAMES},
#define ACCESSES(CLASS, PATTERN, MEMORY, BYTES, TRAITS, NZCV, NAMES)                                         \
    {.class = class_##CLASS,                                                                                 \
     .pattern = PATTERN,                                                                                     \
     .numbers = class_##CLASS == class_PREFETCH ? 'n' : 'd',                                                 \
     .memory = access_##MEMORY,                                                                              \
     .bytes = BYTES,                                                                                         \
     .traits = (TRAITS) | RULE_MEMORY,                                                                       \
     .nzcv = access_##NZCV,                                                                                  \
     .implicit = "",                                                                                         \
     .names = NAMES},
#define CONTROLS(CLASS, FLOW, PATTERN, NZCV, IMPLICIT, NAMES)                                                \
    {.class = class_##CLASS,                                                                                 \
     .flow = flow_##FLOW,                                                                                    \
     .pattern = PATTERN,                                                                                     \
     .numbers = 'n',                                                                                         \
     .nzcv = access_##NZCV,                                                                                  \
     .implicit = IMPLICIT,                                                                                   \
     .names = NAMES},
#include "read/aarch64/rules.def"
#undef COMPUTES
#undef EXTENDS
#undef TESTS
#undef ACCESSES
#undef CONTROLS
};

static struct slot {
    char name[LONGEST_NAME];
    const struct aarch64_rule *rule;
} slots[SLOTS];
static pthread_once_t unfolded = PTHREAD_ONCE_INIT;

static struct slot *find_slot(const char *name)
{
    struct slot *slot = &slots[hash_bytes(name, strlen(name)) % SLOTS];
    while (slot->rule && strcmp(slot->name, name) != 0)
        slot = slot == &slots[SLOTS - 1] ? slots : slot + 1;
    return slot;
}

/* The end of the piece of text that starts here: the first of stop outside inner braces. */
static const char *piece_end(const char *text, const char *stop)
{
    for (int depth = 0; *text; text++) {
        if (depth == 0 && strchr(stop, *text))
            break;
        depth += (*text == '{') - (*text == '}');
    }
    return text;
}

/* Adds every name that text (up to a space) expands to.  Each call has one pair of braces less, so the
   recursion ends; the text is our own. */
static void unfold(const char *text, size_t length, const struct aarch64_rule *rule)
{
    const char *brace = memchr(text, '{', length);
    if (!brace) {
        struct slot *slot;
        char name[LONGEST_NAME] = "";
        memcpy(name, text, length < LONGEST_NAME ? length : LONGEST_NAME - 1);
        slot = find_slot(name);
        memcpy(slot->name, name, sizeof name);
        if (!slot->rule)
            slot->rule = rule;
        return;
    }
    const char *close = piece_end(brace + 1, "}");
    size_t before = (size_t)(brace - text), after = length - (size_t)(close + 1 - text);
    for (const char *piece = brace + 1;;) {
        const char *end = piece_end(piece, ",}");
        char name[200];
        size_t size = (size_t)(end - piece);
        memcpy(name, text, before);
        memcpy(name + before, piece, size);
        memcpy(name + before + size, close + 1, after);
        unfold(name, before + size + after, rule);
        if (end == close)
            break;
        piece = end + 1;
    }
}

static void unfold_all(void)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (const char *name = rules[i].names; *name;) {
            size_t length = strcspn(name, " ");
            unfold(name, length, &rules[i]);
            name += length + strspn(name + length, " ");
        }
}

const struct aarch64_rule *aarch64_find_rule(const char *mnemonic)
{
    pthread_once(&unfolded, unfold_all);
    return find_slot(mnemonic)->rule;
}
