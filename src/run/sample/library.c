/* Names of run-time libraries and of their functions, by the patterns of library.def; and what usually helps
   where they take the time, by library_cures.def.

   What a call costs is known where the iterations of the loop around it were counted: the time in the library
   over them.  A call that only some iterations make costs more than that. */
#include "run/sample/library.h"

#include "run/sample/rows.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATTERN = 64 };
static const double SHORT_CALL = 100, LONG_CALL = 1000; /* cycles */

static bool fits(const char *pattern, const char *text)
{
    return text && !fnmatch(pattern, text, 0);
}

static bool fits_any(const char *const *patterns, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (fits(patterns[i], text))
            return true;
    return false;
}

bool library_is_file(const char *name)
{
    static const char *const files[] = {
#define LIBRARY(file) file,
#define LIBRARY_CODE(symbol)
#define LIBRARY_NAME(symbol, name)
#include "run/sample/library.def"
#undef LIBRARY
#undef LIBRARY_CODE
    };
    return fits_any(files, sizeof files / sizeof *files, name);
}

bool library_is_code(const char *symbol)
{
    static const char *const codes[] = {
#define LIBRARY(file)
#define LIBRARY_CODE(symbol) symbol,
#include "run/sample/library.def"
#undef LIBRARY_CODE
#undef LIBRARY_NAME
    };
    return fits_any(codes, sizeof codes / sizeof *codes, symbol);
}

/* Whether an inlined function is one of a header of the system, by its symbol or by where it is declared. */
static bool is_header(const char *symbol, const char *path)
{
    static const char *const symbols[] = {"_ZNSt*", "_ZNKSt*", "_ZSt*", "_ZN9__gnu_cxx*", "_ZNK9__gnu_cxx*"};
    static const char *const paths[] = {"/usr/include/*", "/usr/lib/gcc*/include/*", "*/include/c++/*"};
    return fits_any(symbols, sizeof symbols / sizeof *symbols, symbol) ||
           fits_any(paths, sizeof paths / sizeof *paths, path);
}

uint32_t library_header_around(const struct model *model, uint32_t inlined)
{
    uint32_t found = 0;
    for (size_t depth = 0; inlined && inlined < model->inlined_calls.count && depth < 1000; depth++) {
        const struct inlined_call *call = model_inlined_call(model, inlined);
        const char *path = call->file ? model_text(model, model_file(model, call->file)->path) : NULL;
        if (!is_header(model_text(model, call->name), path))
            break;
        found = inlined;
        inlined = call->parent;
    }
    return found;
}

void library_line_around(const struct model *model, uint32_t inlined, uint32_t *source, uint32_t *line)
{
    uint32_t header = library_header_around(model, inlined);
    const struct inlined_call *call = header ? model_inlined_call(model, header) : NULL;
    if (!call || !call->call_file || !call->call_line)
        return;
    *source = call->call_file;
    *line = call->call_line;
}

char *library_plain_name(const char *symbol)
{
    static const struct {
        const char *pattern, *name;
    } names[] = {
#define LIBRARY_CODE(symbol)
#define LIBRARY_NAME(symbol, name) {symbol, name},
#include "run/sample/library.def"
#undef LIBRARY
#undef LIBRARY_CODE
#undef LIBRARY_NAME
    };
    static const char inner[] = "__GI_", wide[] = "f64";
    if (!strncmp(symbol, inner, sizeof inner - 1))
        symbol += sizeof inner - 1;
    size_t length = strcspn(symbol, "@ ");
    char *plain = memory_copy_text(symbol, length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fits(names[i].pattern, plain)) {
            free(plain);
            return memory_copy_text(names[i].name, strlen(names[i].name));
        }
    if (length > sizeof wide && *plain != '_' && !strcmp(plain + length - (sizeof wide - 1), wide))
        plain[length - (sizeof wide - 1)] = 0; /* powf64 is another name of pow */
    return plain;
}

/* ---- cures ---- */

enum cure_when { WHEN_ANY, WHEN_LOOP, WHEN_SHORT, WHEN_LONG };
struct cure {
    const char *name, *functions;
    enum cure_when when;
    double faster;
    const char *finding, *remedy;
};
static const struct cure cures[] = {
#define CURE(name, functions, when, faster, finding, remedy)                                                 \
    {name, functions, WHEN_##when, faster, finding, remedy},
#include "run/sample/library_cures.def"
#undef CURE
};
enum { CURES = sizeof cures / sizeof *cures };

static bool is_about(const struct cure *cure, const char *symbol)
{
    char pattern[MOST_PATTERN + 1];
    for (const char *at = cure->functions; *at;) {
        size_t length = strcspn(at, " ");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        if (length <= MOST_PATTERN && fits(pattern, symbol))
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

bool library_is_known(const char *symbol)
{
    for (size_t i = 0; i < CURES; i++)
        if (is_about(&cures[i], symbol))
            return true;
    return false;
}

static bool applies(const struct cure *cure, const struct run_library_call *call)
{
    switch (cure->when) {
    case WHEN_LOOP:
        return call->loop;
    case WHEN_SHORT:
        return call->cycles_per_iteration < SHORT_CALL;
    case WHEN_LONG:
        return call->cycles_per_iteration > LONG_CALL;
    default:
        return true;
    }
}

static double cycles_of(const struct model *model, const struct run_library_call *call)
{
    double clock =
        call->run < model->runs.count ? model_sampled_run(model, call->run)->cycles_per_second : NAN;
    for (uint32_t i = 0; call->loop && i < model->run_loops.count; i++) {
        const struct run_loop *loop = model_run_loop(model, i);
        if (loop->run == call->run && loop->loop == call->loop && loop->iterations)
            return (call->self_seconds + call->inlined_seconds) * clock / (double)loop->iterations;
    }
    return NAN;
}

/* Share of the run, if the cure helps as in its measured pair; NaN: unknown. */
static double saving_of(const struct model *model, const struct run_library_call *call,
                        const struct cure *cure)
{
    double all = call->run < model->runs.count ? model_sampled_run(model, call->run)->sampled_seconds : 0;
    double seconds = call->self_seconds + fmax(call->inlined_seconds, 0) + fmax(call->callback_seconds, 0);
    return cure && cure->faster > 1 && all > 0 ? fmin(seconds / all, 1) * (1 - 1 / cure->faster) : NAN;
}

void sample_library_cures(struct model *model)
{
    for (uint32_t id = 1; id < model->run_library_calls.count; id++) {
        struct run_library_call *call = model_run_library_call(model, id);
        call->cycles_per_iteration = cycles_of(model, call);
        const char *name = model_text(model, call->name);
        const struct cure *cure = NULL;
        for (size_t i = 0; name && !cure && i < CURES; i++)
            if (is_about(&cures[i], name) && applies(&cures[i], call))
                cure = &cures[i];
        string_id known = model_string(model, cure ? cure->name : NULL);
        string_id finding = model_string(model, cure ? cure->finding : NULL);
        string_id remedy = model_string(model, cure ? cure->remedy : NULL);
        call->cure = known;
        call->saving = saving_of(model, call, cure);
        call->finding = finding;
        call->remedy = remedy;
    }
}
