/* The menus of analyses, and saving one of the user's own.

   A saved analysis is a file of the user's folder (~/.config/assay/analyses), as if he had written it with an
   editor: `assay analyses` lists it, too.  The browser names it and never says where it goes. */
#include "show/ui/pages/pages.h"

#include "base/output.h"
#include "base/path.h"
#include "store/analyses.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_NAME = 60 };

static int compare_menus(const void *left, const void *right)
{
    return analyses_compare_menus(left, right);
}

static struct array find_analyses(const struct ui_request *request)
{
    struct array list = ARRAY_OF(struct analysis);
    const struct array *folders = request->options->analysis_folders;
    analyses_find(&list, folders->data, folders->count);
    return list;
}

/* The file in the user's folder; NULL: he has none. To be freed. */
static char *own_path(const struct ui_request *request, const char *name, bool is_script)
{
    return request->options->own_analyses
               ? memory_format("%s/%s.%s", request->options->own_analyses, name, is_script ? "lua" : "sql")
               : NULL;
}

/* The editor takes SQL unless the header says otherwise; of metrics and rules it shows what the report has.
 */
static char *text_for_editor(const struct analysis *analysis)
{
    if (analysis->kind == KIND_ANALYSIS)
        return memory_format("%s%s", analysis->is_script ? "-- language: lua\n" : "", analysis->text);
    char *sql = analysis_judged_rows(analysis);
    char *text = memory_format("-- title: %s\n-- does: %s\n%s;\n", analysis->title, analysis->does, sql);
    sqlite3_free(sql);
    return text;
}

static void print_analysis(const struct ui_request *request, FILE *out, const struct analysis *analysis)
{
    autofree char *isas = analysis_isas(analysis),
                  *own = own_path(request, analysis->name, analysis->is_script);
    fputs("{\"name\":", out);
    ui_json_string(out, analysis->name);
    fputs(",\"title\":", out);
    ui_json_string(out, analysis->title ? analysis->title : analysis->name);
    fputs(",\"group\":", out);
    ui_json_string(out, analysis->group ? analysis->group : "");
    fputs(",\"group_title\":", out);
    ui_json_string(out, analyses_group_title(analysis->group));
    fputs(",\"does\":", out);
    ui_json_string(out, analysis->error.set ? analysis->error.text : analysis->does);
    fputs(",\"isa\":", out);
    ui_json_string(out, isas);
    fprintf(out,
            ",\"is_own\":%s,\"text\":", own && path_is_same_file(own, analysis->path) ? "true" : "false");
    autofree char *text = text_for_editor(analysis);
    ui_json_string(out, text);
    fputs("}", out);
}

bool page_analyses(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct array list = find_analyses(request);
    (void)error;
    if (list.count)
        qsort(list.data, list.count, list.width, compare_menus);
    answer->type = "application/json";
    fprintf(answer->out, "{\"can_save\":%s,\"analyses\":[",
            request->options->own_analyses ? "true" : "false");
    bool is_first = true;
    for (size_t i = 0; i < list.count; i++) {
        const struct analysis *analysis = array_at(&list, i);
        fputs(is_first ? "" : ",\n", answer->out);
        print_analysis(request, answer->out, analysis);
        is_first = false;
    }
    fputs("]}\n", answer->out);
    analyses_free(&list);
    return true;
}

static bool is_good_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = name ? strlen(name) : 0;
    return length && length <= LONGEST_NAME && name[0] != '-' && strspn(name, letters) == length;
}

/* A folder and those above it. */
static bool make_folder(const char *path, struct error *error)
{
    autofree char *copy = memory_copy_text(path, strlen(path));
    bool done = true;
    for (char *slash = strchr(copy + 1, '/'); done; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        done = !mkdir(copy, 0777) || errno == EEXIST || error_set_errno(error, copy, "cannot be created");
        if (!slash)
            break;
        *slash = '/';
    }
    return done;
}

static bool write_analysis(const char *folder, const char *path, const char *text, size_t size,
                           struct error *error)
{
    struct output *output = make_folder(folder, error) ? output_open(path, error) : NULL;
    if (!output)
        return false;
    fwrite(text, 1, size, output_stream(output));
    if (size && text[size - 1] != '\n')
        putc('\n', output_stream(output));
    return output_finish(output, error);
}

/* Why the name needs a question first: "own", "shipped", or NULL. */
static const char *who_has(const struct ui_request *request, const char *name, const char *path)
{
    struct array list = find_analyses(request);
    bool is_known = analyses_named(&list, name);
    analyses_free(&list);
    return !access(path, F_OK) ? "own" : is_known ? "shipped" : NULL;
}

static bool refuse(struct ui_answer *answer, unsigned status, const char *field, const char *words)
{
    answer->status = status;
    fprintf(answer->out, "{\"%s\":", field);
    ui_json_string(answer->out, words);
    fputs("}\n", answer->out);
    return true;
}

bool page_save_analysis(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one file at a time */
    const char *name = ui_parameter(request, "name"), *replaces = ui_parameter(request, "replace");
    struct analysis analysis;
    struct error inner = {0};
    (void)error;
    answer->type = "application/json";
    if (!request->options->own_analyses)
        return refuse(answer, 400, "error", "There is no folder for analyses: HOME is not set.");
    if (!is_good_name(name))
        return refuse(answer, 400, "error",
                      "A name has letters, digits, - and _, at most 60 of them, and no - in front.");
    if (strlen(request->body) != request->body_size)
        return refuse(answer, 400, "error", "The text has zero bytes.");
    analysis_parse(&analysis, name, request->body);
    autofree char *path = own_path(request, name, analysis.is_script);
    pthread_mutex_lock(&lock);
    const char *holder = replaces ? NULL : who_has(request, name, path);
    bool done =
        !analysis.error.set && !holder &&
        write_analysis(request->options->own_analyses, path, request->body, request->body_size, &inner);
    pthread_mutex_unlock(&lock);
    if (analysis.error.set)
        refuse(answer, 400, "error", analysis.error.text);
    else if (holder)
        refuse(answer, 409, "exists", holder);
    else if (!done)
        refuse(answer, 500, "error", inner.text);
    else {
        fputs("{\"path\":", answer->out);
        ui_json_string(answer->out, path);
        fputs("}\n", answer->out);
    }
    analysis_free(&analysis);
    return true;
}
