/* Code without a name is called by one.

   Libraries of a distribution are stripped, and what they export is often only the way in: memcpy is a
   function that chooses one of several, which have no symbol left.  But whoever calls them says memcpy.  So a
   function that has no name of its own gets the one under which another file called it; the first call that
   shows one decides. */
#include "run/sample/rows_parts.h"

#include "run/sample/activities.h"

#include "base/path.h"
#include <stdlib.h>
#include <string.h>

/* The name under which an instruction calls another file; 0: it does not. */
static string_id called_name(struct model *model, uint32_t instruction)
{
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), instruction);
    if (!instruction || at >= model->calls.count)
        return 0;
    const struct call *call = model_call(model, (uint32_t)at);
    if (call->instruction != instruction || call->kind != call_kind_IMPORT || !call->callee)
        return 0;
    const char *name = model_text(model, model_function(model, call->callee)->name);
    size_t length = name ? strcspn(name, "@") : 0; /* memcpy@plt */
    return length ? strings_add_length(&model->strings, name, length) : 0;
}

static bool has_made_up_name(const struct function *function)
{
    return function->origin == origin_UNWIND || function->origin == origin_CALL ||
           function->origin == origin_GAP || function->origin == origin_REFERENCE;
}

static void name_function(struct sample_rows *rows, struct row_code *code, string_id name)
{
    const struct sample_file *file = ARRAY_AT(struct sample_file, &rows->recording->files, code->file);
    model_function(rows->model, code->function)->name = name;
    code->is_nameless = false;
    if (code->activity == run_activity_COMPUTE)
        code->activity =
            (uint8_t)activity_of(file->path ? path_name(file->path) : NULL, model_text(rows->model, name));
}

bool row_code_lacks_name(const struct model *model, const struct sample_file *file, uint32_t function,
                         string_id symbol)
{
    return file->kind == SAMPLE_FILE_CODE &&
           (function ? has_made_up_name(model_function(model, function)) : !symbol);
}

void row_names_find(struct sample_rows *rows, struct code_search *search)
{
    for (size_t i = 1; i < rows->recording->nodes.count; i++) {
        uint32_t caller = recorded_node(rows, i)->caller;
        struct row_code *code = row_code_of(rows, i);
        if (!code->is_nameless || !caller || caller >= i ||
            recorded_frame(rows, i)->file == recorded_frame(rows, caller)->file)
            continue;
        string_id name = called_name(rows->model, row_frame_of(rows, caller)->instruction);
        if (name && code->function)
            name_function(rows, code, name);
        else if (name)
            row_frame_of(rows, i)->code = row_code_named(search, recorded_frame(rows, i)->file, name);
    }
}
