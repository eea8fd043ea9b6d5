#include "show/ui/answer.h"

#include "show/ui/gate.h"
#include "show/ui/static_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The name of a file to be saved, with only what every system takes. */
static void add_file_name(struct MHD_Response *response, const char *name)
{
    char header[200] = "attachment; filename=\"";
    size_t length = strlen(header);
    for (; *name && length < sizeof header - 2; name++)
        header[length++] =
            (unsigned char)*name < 0x80 && (isalnum((unsigned char)*name) || strchr("-._+", *name)) ? *name
                                                                                                    : '_';
    strcpy(header + length, "\"");
    MHD_add_response_header(response, "Content-Disposition", header);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, const struct ui_answer *answer,
                                     struct MHD_Response *response, const char *mark)
{
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", answer->type);
    /* Styles and scripts belong to this server, which usually has a port of its own: no need to ask again for
       each page. */
    MHD_add_response_header(response, "Cache-Control", mark ? "private, max-age=300" : "no-store");
    ui_gate_protect(response);
    if (mark)
        MHD_add_response_header(response, "ETag", mark);
    if (answer->location)
        MHD_add_response_header(response, "Location", answer->location);
    if (answer->file_name)
        add_file_name(response, answer->file_name);
    if (answer->status == 405)
        MHD_add_response_header(response, "Allow", "GET, HEAD, POST");
    enum MHD_Result sent = MHD_queue_response(connection, answer->location ? 303 : answer->status, response);
    MHD_destroy_response(response);
    return sent;
}

enum MHD_Result ui_send(struct MHD_Connection *connection, const struct ui_answer *answer, char *text,
                        size_t size)
{
    return send_response(connection, answer,
                         MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE), NULL);
}

enum MHD_Result ui_send_static(struct MHD_Connection *connection, const char *name)
{
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    for (unsigned i = 0; i < ui_static_file_count; i++) {
        const struct ui_static_file *file = &ui_static_files[i];
        if (strcmp(file->name, name))
            continue;
        bool is_known = known && !strcmp(known, file->mark);
        struct ui_answer answer = {.status = is_known ? 304 : 200, .type = file->type};
        struct MHD_Response *response = MHD_create_response_from_buffer(
            is_known ? 0 : file->size, (void *)(uintptr_t)file->content, MHD_RESPMEM_PERSISTENT);
        return send_response(connection, &answer, response, file->mark);
    }
    return ui_send_error(connection, NULL, false, 404, "There is no such file.");
}

enum MHD_Result ui_send_error(struct MHD_Connection *connection, const struct ui_request *request,
                              bool is_api, unsigned status, const char *words)
{
    struct ui_answer answer = {.status = status,
                               .type = is_api ? "application/json" : "text/html; charset=utf-8"};
    char *text = NULL;
    size_t size = 0;
    answer.out = open_memstream(&text, &size);
    if (!answer.out)
        return MHD_NO;
    if (is_api) {
        fputs("{\"error\":", answer.out);
        ui_json_string(answer.out, words);
        fputs("}\n", answer.out);
    } else {
        ui_error_page(request, &answer, words);
    }
    fclose(answer.out);
    return ui_send(connection, &answer, text, size);
}
