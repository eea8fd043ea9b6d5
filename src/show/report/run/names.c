/* Names, places and figures for people.  A place is short: the path below the working directory, else the
   name of the file alone. */
#include "show/report/run/parts.h"

#include "base/path.h"
#include "model/demangle.h"
#include "model/tables.h"
#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

enum run_kind run_file_kind(const struct run_report *report, const struct run_file *file)
{
    const char *path = model_text(report->model, file->path);
    switch (file->state) {
    case run_file_state_KERNEL:
    case run_file_state_VDSO:
        return RUN_KERNEL;
    case run_file_state_GENERATED:
        return RUN_GENERATED;
    case run_file_state_UNKNOWN:
        return RUN_UNKNOWN;
    default:
        break;
    }
    if (file->program && file->program < report->model->programs.count)
        return model_program(report->model, file->program)->format == format_SHARED ? RUN_LIBRARY
                                                                                    : RUN_PROGRAM;
    const char *name = path ? path_name(path) : "";
    return strstr(name, ".so") || !strncmp(name, "ld-", 3) ? RUN_LIBRARY : RUN_PROGRAM;
}

const char *run_kind_word(enum run_kind kind)
{
    static const char *const words[RUN_KINDS] = {"program", "library", "kernel", "generated", "unknown"};
    return words[kind];
}

char *run_file_name(const struct run_report *report, uint32_t file)
{
    const struct run_file *row =
        file && file < report->model->run_files.count ? model_run_file(report->model, file) : NULL;
    const char *path = row ? model_text(report->model, row->path) : NULL;
    switch (row ? row->state : run_file_state_UNKNOWN) {
    case run_file_state_KERNEL:
        return copy("the kernel");
    case run_file_state_VDSO:
        return copy("the kernel's vdso");
    case run_file_state_GENERATED:
        return copy("generated code");
    case run_file_state_UNKNOWN:
        return copy("unknown code");
    default:
        return copy(path ? path_name(path) : "?");
    }
}

/* A name of the linker as in the source, to be freed. */
static char *plain_name(const struct run_report *report, const char *name)
{
    char *plain = report->view->quality.demangle ? demangle_name(name) : NULL;
    return plain ? plain : copy(name);
}

char *run_code_name(const struct run_report *report, const char *name)
{
    size_t length = strlen(name);
    const char *library = length && name[length - 1] == ')' ? strstr(name, " (") : NULL;
    if (!strcmp(name, "[kernel]"))
        return copy("the kernel");
    if (length > 2 && *name == '[' && name[length - 1] == ']')
        return memory_copy_text(name + 1, length - 2);
    if (!library)
        return plain_name(report, name);
    autofree char *head = memory_copy_text(name, (size_t)(library - name)), *plain = plain_name(report, head);
    return memory_format("%s%s", plain, library);
}

/* "exp (libm.so.6)" is "exp" where its place names the library. */
static void drop_library(const struct run_report *report, char *name, uint32_t file)
{
    autofree char *library = run_file_name(report, file), *tail = memory_format(" (%s)", library);
    size_t length = strlen(name), end = strlen(tail);
    if (length > end && !strcmp(name + length - end, tail))
        name[length - end] = 0;
}

char *run_name(const struct run_report *report, uint32_t function, uint32_t code)
{
    const struct model *model = report->model;
    const struct run_function *row =
        code && code < model->run_functions.count ? model_run_function(model, code) : NULL;
    const char *name = NULL;
    if (function && function < model->functions.count)
        name = model_text(model, model_function(model, function)->name);
    else if (row)
        name = model_text(model, row->name);
    if (!name)
        return row ? run_file_name(report, row->file) : copy("?");
    char *shown = run_code_name(report, name);
    if (row && !function)
        drop_library(report, shown, row->file);
    return shown;
}

/* The inlined function that a loop came from; NULL: none. */
static char *inlined_name(const struct run_report *report, const struct loop *loop)
{
    const struct model *model = report->model;
    const char *name = loop->inlined_call < model->inlined_calls.count
                           ? model_text(model, model_inlined_call(model, loop->inlined_call)->name)
                           : NULL;
    char *plain = name && report->view->quality.demangle ? demangle_name(name) : NULL;
    return plain ? plain : name ? copy(name) : NULL;
}

char *run_loop_origin(const struct run_report *report, uint32_t id)
{
    const struct loop *loop = model_loop(report->model, id);
    char *inner = inlined_name(report, loop);
    return inner ? inner : run_name(report, loop->function, 0);
}

char *run_hot_name(const struct run_report *report, const struct run_hot *hot)
{
    if (hot->library_call)
        return run_library_name(report, hot->library_call);
    return hot->loop ? run_loop_origin(report, hot->loop) : run_name(report, hot->function, hot->code);
}

/* What code does besides computing, in the fewest words; NULL: it computes, or its name says it. */
static const char *activity_words(unsigned activity)
{
    switch (activity) {
    case run_activity_MPI:
        return "MPI";
    case run_activity_PARALLEL_WAIT:
        return "waits in OpenMP";
    case run_activity_LOCK:
        return "locks";
    default:
        return NULL;
    }
}

char *run_hot_remark(const struct run_report *report, const struct run_hot *hot)
{
    const struct model *model = report->model;
    if (hot->library_call) {
        autofree char *caller = run_library_caller(report, hot->library_call);
        return caller ? memory_format("called in %s", caller) : copy("caller unknown");
    }
    const struct loop *loop = hot->loop ? model_loop(model, hot->loop) : NULL;
    const char *activity = hot->code ? activity_words(model_run_function(model, hot->code)->activity) : NULL;
    if (activity)
        return copy(activity);
    if (!loop)
        return hot->has_hot_loops ? copy("outside its loops") : NULL;
    autofree char *inner = inlined_name(report, loop);
    if (!inner)
        return NULL;
    char *name = run_name(report, loop->function, 0), *remark = memory_format("inlined in %s", name);
    free(name);
    return remark;
}

static const char *short_path(const struct run_report *report, uint32_t file)
{
    const char *path = file && file < report->model->files.count
                           ? model_text(report->model, model_file(report->model, file)->path)
                           : NULL;
    if (!path)
        return NULL;
    const char *shown = places_path(&report->places, path);
    return shown != path ? shown : path_name(path);
}

char *run_line_place(const struct run_report *report, uint32_t source, uint32_t line)
{
    const char *path = short_path(report, source);
    if (!path)
        return NULL;
    return line ? memory_format("%s:%u", path, line) : copy(path);
}

char *run_loop_place(const struct run_report *report, uint32_t id)
{
    const struct model *model = report->model;
    struct loop_place place = loop_place_find(model, id);
    const char *path = short_path(report, place.file);
    if (!path) {
        const struct loop *loop = model_loop(model, id);
        const char *file =
            model_text(model, model_program(model, model_function(model, loop->function)->program)->path);
        return memory_format("%s 0x%llx", file ? path_name(file) : "address",
                             (unsigned long long)model_block(model, loop->header)->address);
    }
    if (!place.first_line)
        return copy(path);
    if (place.last_line <= place.first_line)
        return memory_format("%s:%u", path, place.first_line);
    return memory_format("%s:%u-%u", path, place.first_line, place.last_line);
}

char *run_loop_places(const struct run_report *report, uint32_t id)
{
    struct loop_place place = loop_place_find(report->model, id);
    char *own = run_loop_place(report, id);
    const char *origin = short_path(report, place.origin_file);
    if (!origin)
        return own;
    char *both = memory_format(place.origin_first_line ? "%s, inlined from %s:%u" : "%s, inlined from %s",
                               own, origin, place.origin_first_line);
    free(own);
    return both;
}

char *run_hot_place(const struct run_report *report, const struct run_hot *hot)
{
    const struct model *model = report->model;
    if (hot->loop)
        return run_loop_place(report, hot->loop);
    if (hot->library_call)
        return run_library_place(report, hot->library_call);
    const struct function *function =
        hot->function && hot->function < model->functions.count ? model_function(model, hot->function) : NULL;
    const struct run_function *row = hot->code ? model_run_function(model, hot->code) : NULL;
    if (row && row->hot_line && row->hot_source < model->files.count)
        return run_line_place(report, row->hot_source, row->hot_line);
    const char *path = function ? short_path(report, function->file) : NULL;
    if (path)
        return function->line ? memory_format("%s:%u", path, function->line) : copy(path);
    return run_file_name(report, hot->code ? model_run_function(model, hot->code)->file : 0);
}

char *run_share(const struct run_report *report, double share, double error)
{
    double points = share * error * 100;
    if (!(share > 0) || !(error > 0.03) || points < 0.05 || share < LEAST_SHOWN)
        return phrase_share(share > 0 ? share : 0);
    return memory_format(points < 0.95 ? "%s %s%.1f %%" : "%s %s%.0f %%", share_words(share).text,
                         report->is_plain ? "+-" : "±", points);
}

char *run_figure(double figure)
{
    if (!isfinite(figure))
        return copy("?");
    if (figure >= 999.5)
        return phrase_count((uint64_t)(figure + 0.5));
    return memory_format(figure >= 99.95 ? "%.0f" : figure >= 9.995 ? "%.1f" : "%.2f", figure);
}

char *run_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    unsigned unit = 0;
    while (bytes >= 1023.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    bool is_whole = bytes >= 99.5 || fabs(bytes - round(bytes)) < 0.05 || !unit;
    return memory_format(is_whole ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}
