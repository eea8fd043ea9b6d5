/* Finds the rows of aarch64/rules.def and aarch64/operations.def for a mnemonic.

   The rows' lists of names are expanded once, when the first instruction is described, into a hash table with
   open addressing, which never changes afterwards.  A name in two rows would make the table depend on the
   order of rows: a test checks that there is none. */
#include "code/read/aarch64/rules.h"

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
#include "code/read/aarch64/rules.def"
#undef COMPUTES
#undef EXTENDS
#undef TESTS
#undef ACCESSES
#undef CONTROLS
};

static const struct aarch64_action actions[] = {
    {0},
#define DOES(OPERATION, NAMES) {.operation = operation_##OPERATION, .names = NAMES},
#define DECIDES(CONDITION, NAMES) {.condition = condition_##CONDITION, .names = NAMES},
#include "code/read/aarch64/operations.def"
#undef DOES
#undef DECIDES
};

static struct slot {
    char name[LONGEST_NAME];
    const struct aarch64_rule *rule;
    const struct aarch64_action *action;
} slots[SLOTS];
static pthread_once_t unfolded = PTHREAD_ONCE_INIT;

static struct slot *find_slot(const char *name)
{
    struct slot *slot = &slots[strings_hash(name, strlen(name)) % SLOTS];
    while (slot->name[0] && strcmp(slot->name, name) != 0)
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
static void unfold(const char *text, size_t length, const struct aarch64_rule *rule,
                   const struct aarch64_action *action)
{
    const char *brace = memchr(text, '{', length);
    if (!brace) {
        struct slot *slot;
        char name[LONGEST_NAME] = "";
        memcpy(name, text, length < LONGEST_NAME ? length : LONGEST_NAME - 1);
        slot = find_slot(name);
        memcpy(slot->name, name, sizeof name);
        slot->rule = slot->rule ? slot->rule : rule;
        slot->action = slot->action ? slot->action : action;
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
        unfold(name, before + size + after, rule, action);
        if (end == close)
            break;
        piece = end + 1;
    }
}

static void unfold_names(const char *name, const struct aarch64_rule *rule,
                         const struct aarch64_action *action)
{
    while (*name) {
        size_t length = strcspn(name, " ");
        unfold(name, length, rule, action);
        name += length + strspn(name + length, " ");
    }
}

static void unfold_all(void)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        unfold_names(rules[i].names, &rules[i], NULL);
    for (size_t i = 1; i < sizeof actions / sizeof *actions; i++)
        unfold_names(actions[i].names, NULL, &actions[i]);
}

struct aarch64_rows aarch64_find(const char *mnemonic)
{
    pthread_once(&unfolded, unfold_all);
    const struct slot *slot = find_slot(mnemonic);
    return (struct aarch64_rows){slot->rule, slot->action ? slot->action : actions};
}
