/* Objects of the C++ library that each iteration copies and destroys again: for (auto p : pointers), or an
   argument by value of a function that was inlined.

   The evidence is the copy constructor and the destructor of one class, both in the loop: bodies that were
   inlined have their names in the debug information, others are called. Where only the constructor is in the
   loop, the copy goes somewhere and is needed; so is one that a member function of the library makes, such as
   what str() of a stream returns. What a copy costs depends on the class: a shared_ptr counts its owners, with
   an atomic operation on each side as soon as the program has threads; strings and vectors allocate memory
   unless they are short. The model knows nothing of that, so there is no figure. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>
#include <string.h>

enum { MOST_DEPTH = 100 };

/* What is copied: how mangled names of the class begin. */
enum { STRING_CLASS = 2 };
static const struct class_ {
    const char *prefix, *name;
    bool counts; /* owners, in place of copying what it holds */
} classes[] = {
    {"NSt14__shared_countI", "shared_ptr", true},
    {"NSt10shared_ptrI", "shared_ptr", true},
    [STRING_CLASS] = {"NSt7__cxx1112basic_stringI", "string", false},
    {"NSt6vectorI", "vector", false},
};

/* A constructor or destructor: its class, and the mangled name of that. */
struct special {
    const struct class_ *of;
    const char *name;
    size_t length;
};

/* What s + x calls since libstdc++ 14, in place of the copy constructor: __str_concat<string>(…). */
static bool is_concatenation(const char *name, struct special *special)
{
    static const char start[] = "_ZSt12__str_concatI", end[] = "EET_";
    const char *class = name + sizeof start - 1, *after = strstr(name, end);
    if (strncmp(name, start, sizeof start - 1) || !after ||
        strncmp(class, classes[STRING_CLASS].prefix, strlen(classes[STRING_CLASS].prefix)))
        return false;
    *special = (struct special){&classes[STRING_CLASS], class, (size_t)(after - class)};
    return true;
}

/* Whether a mangled name is the copy constructor (C1ERKS1_, with any number) or the destructor (D1Ev). */
static bool is_special(const char *name, bool is_copy, struct special *special)
{
    if (name && is_copy && is_concatenation(name, special))
        return true;
    const char *at = name && !strncmp(name, "_Z", 2) ? strrchr(name, is_copy ? 'C' : 'D') : NULL;
    if (!at || at[-1] != 'E' || !at[1] || !strchr("124", at[1]))
        return false;
    const char *rest = at + 2;
    if (is_copy ? strncmp(rest, "ERKS", 4) || strcspn(rest, "_") + 1 != strlen(rest) : strcmp(rest, "Ev"))
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strncmp(name + 2, classes[i].prefix, strlen(classes[i].prefix))) {
            *special = (struct special){&classes[i], name + 2, (size_t)(at - name - 2)};
            return true;
        }
    return false;
}

/* Whether a mangled name is a member function of the library that is no constructor or destructor. */
static bool is_library_member(const char *name)
{
    enum { PREFIX = 5 }; /* before a letter that says which constructor */
    if (strncmp(name, "_ZNSt", PREFIX) && strncmp(name, "_ZNKSt", PREFIX + 1))
        return false;
    for (const char *at = name + PREFIX; *at; at++)
        if ((*at == 'C' || *at == 'D') && at[-1] == 'E' && at[1] >= '0' && at[1] <= '9' &&
            (at[2] == 'E' || at[2] == 'I'))
            return false;
    return true;
}

/* Whether the body of a member function of the library that was inlined contains an inlined body. */
static bool is_within_library(const struct model *model, uint32_t inlined)
{
    for (unsigned depth = 0; inlined && depth < MOST_DEPTH; depth++) {
        const struct inlined_call *call = model_inlined_call(model, inlined);
        if (call->name && is_library_member(model_text(model, call->name)))
            return true;
        inlined = call->parent;
    }
    return false;
}

/* Whether an instruction belongs to the inlined body of such a function, or calls it. */
static bool belongs(const struct subject *subject, uint32_t instruction, bool is_copy,
                    struct special *special)
{
    const struct model *model = subject->model;
    struct callee callee;
    uint32_t line = model_instruction(model, instruction)->source_line;
    uint32_t inlined = line ? model_source_line(model, line)->inlined_call : 0;
    for (unsigned depth = 0; inlined && depth < MOST_DEPTH; depth++) {
        const struct inlined_call *call = model_inlined_call(model, inlined);
        if (call->name && is_special(model_text(model, call->name), is_copy, special))
            return !is_copy || !is_within_library(model, call->parent);
        inlined = call->parent;
    }
    if (is_copy && line && is_within_library(model, model_source_line(model, line)->inlined_call))
        return false;
    return callee_find(subject, instruction, &callee) && is_special(callee.name, is_copy, special);
}

/* Whether the loop, on whatever path, destroys an object of that class. */
static bool destroys(const struct subject *subject, const struct special *copy)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            struct special other;
            if (belongs(subject, block->first_instruction + i, false, &other) &&
                other.length == copy->length && !memcmp(other.name, copy->name, copy->length))
                return true;
        }
    }
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct special copy = {0}, other;
    if (subject_is_aside(subject) || !subject->compiler->optimisation)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (belongs(subject, subject->items[i].instruction, true, &other) &&
            (copy.of || destroys(subject, &other))) {
            copy = copy.of ? copy : other;
            remark_point(remark, i);
        }
    if (!copy.of)
        return false;
    remark_say(remark, "An iteration copies a std::%s and destroys the copy: ", copy.of->name);
    if (copy.of->counts)
        remark_say(remark, "the count of its owners goes up and down again, by two atomic operations as soon "
                           "as the program has threads, and memory of another object is written.");
    else
        remark_say(remark, "its elements are copied, into memory that is allocated and freed again unless "
                           "they are few.");
    return true;
}

static bool copies_text(const struct subject *subject)
{
    struct special copy;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (belongs(subject, subject->items[i].instruction, true, &copy) && !strcmp(copy.of->name, "string"))
            return true;
    return false;
}

const struct rule rule_copies = {
    .name = "copies",
    .title = "Each iteration copies an object, and destroys the copy",
    .meaning = "In C++, a variable or parameter without & is an object of its own. If the iteration only "
               "looks at it, the copy is for nothing.",
    .level = advice_level_POTENTIAL,
    .is_shared = true,
    .remedies = {{audience_C, NULL,
                  "Take it by reference: for (const auto &p : all), const auto &p = all[i], and const T & as "
                  "the parameter of functions; or hand on what it points to (*p). That is the same unless "
                  "the iteration changes the copy, or the original goes away meanwhile.",
                  action_NO_COPY},
                 {audience_C, NULL, "Append with s += x: s = s + x copies all of s first.", action_NO_COPY,
                  copies_text},
                 {0}},
    .find = find,
};
