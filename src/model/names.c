#include "model/names.h"

#include "model/demangle.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the user's text is this source name, with or without its parameters. */
static bool is_source_name(const char *plain, const char *wanted)
{
    size_t length = strlen(wanted);
    return !strncmp(plain, wanted, length) && (!plain[length] || plain[length] == '(');
}

/* Fortran: a procedure outside modules has an underscore appended to its name in the file, and case does not
   matter. */
static bool is_fortran_name(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return length && !strncasecmp(name, wanted, length) && !strcmp(name + length, "_");
}

/* kernel.constprop.0 is a copy of kernel that GCC made for some of its callers; kernel.constprop.0.cold is
   the part of it that hardly ever runs. */
static bool is_clone_name(const char *name, const char *wanted)
{
    static const char cold[] = ".cold";
    size_t length = strlen(wanted), whole = strlen(name);
    return length && !strncmp(name, wanted, length) && name[length] == '.' &&
           (whole < sizeof cold || strcmp(name + whole + 1 - sizeof cold, cold) != 0);
}

static void add_id(struct array *ids, int64_t id)
{
    *(int64_t *)array_add(ids) = id;
}

void name_search_begin(struct name_search *search, const char *wanted)
{
    *search = (struct name_search){.wanted = wanted, .nearest = {.wanted = wanted}};
    search->exact = search->source = search->matching = ARRAY_OF(int64_t);
    search->has_expression = !regcomp(&search->expression, wanted, REG_EXTENDED | REG_NOSUB);
}

/* Also without the names around it, which a user may leave out: of solver::step and __solver_MOD_step, step.
 */
static void offer_nearest(struct name_search *search, const char *name)
{
    static const char *const marks[] = {"::", "_MOD_"};
    nearest_offer(&search->nearest, name);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (const char *at = name; (at = strstr(at, marks[i]));) {
            at += strlen(marks[i]);
            nearest_offer(&search->nearest, at);
        }
}

void name_search_offer(struct name_search *search, int64_t id, const char *name)
{
    if (!strcmp(name, search->wanted)) {
        add_id(&search->exact, id);
        return;
    }
    if (search->exact.count)
        return;
    char *plain = demangle_name(name);
    if (plain ? is_source_name(plain, search->wanted)
              : is_fortran_name(name, search->wanted) || is_clone_name(name, search->wanted))
        add_id(&search->source, id);
    else if (search->has_expression && (!regexec(&search->expression, name, 0, NULL, 0) ||
                                        (plain && !regexec(&search->expression, plain, 0, NULL, 0))))
        add_id(&search->matching, id);
    else
        offer_nearest(search, plain ? plain : name);
    free(plain);
}

const struct array *name_search_found(const struct name_search *search)
{
    return search->exact.count ? &search->exact : search->source.count ? &search->source : &search->matching;
}

bool name_search_fail(const struct name_search *search, const char *where, struct error *error)
{
    if (search->nearest.best)
        return error_set(error, where, "no function is called %s; did you mean %s?", search->wanted,
                         search->nearest.best);
    return error_set(error, where, "no function is called %s or matches it as a regular expression",
                     search->wanted);
}

void name_search_end(struct name_search *search)
{
    if (search->has_expression)
        regfree(&search->expression);
    array_free(&search->exact);
    array_free(&search->source);
    array_free(&search->matching);
    free(search->nearest.best);
}
