/* The server: libmicrohttpd calls `answer_request` in one of a few threads, which finds the page, opens a
   connection to the program's tables and sends what the page wrote.  A page writes into memory, so an error
   in its middle becomes a whole error page. */
#include "ui/gate.h"
#include "ui/machines.h"
#include "ui/names.h"
#include "ui/request.h"
#include "ui/routes.h"
#include "ui/static_files.h"
#include "ui/workshop.h"

#include "base/path.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, MOST_BODY = 4 << 20, IDLE_SECONDS = 120, QUERY_SECONDS = 30, MOST_CONNECTIONS = 64 };

struct ui {
    struct ui_options options;
    struct ui_subject *subjects; /* from 0 */
    struct ui_machines *machines;
    struct MHD_Daemon *daemon;
    struct ui_gate gate;
    char link[256];
};

/* Of one request, while its body arrives. */
struct exchange {
    struct array body; /* of char */
    bool is_too_large;
};

const char *ui_parameter(const struct ui_request *request, const char *name)
{
    return MHD_lookup_connection_value((struct MHD_Connection *)(uintptr_t)request->transport,
                                       MHD_GET_ARGUMENT_KIND, name);
}

struct taking {
    ui_take_parameter *take;
    void *context;
};

static enum MHD_Result take_value(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    const struct taking *taking = context;
    (void)kind;
    taking->take(taking->context, name, value ? value : "");
    return MHD_YES;
}

void ui_each_parameter(const struct ui_request *request, ui_take_parameter *take, void *context)
{
    struct taking taking = {take, context};
    MHD_get_connection_values((struct MHD_Connection *)(uintptr_t)request->transport, MHD_GET_ARGUMENT_KIND,
                              take_value, &taking);
}

const struct ui_subject *ui_subject(const struct ui_request *request, unsigned number)
{
    return number && number <= request->subject_count ? &request->ui->subjects[number - 1] : NULL;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, const struct ui_answer *answer,
                                 void *text, size_t size, const char *mark)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, text, mark ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", answer->type);
    ui_gate_protect(response);
    MHD_add_response_header(response, "Cache-Control", mark ? "no-cache" : "no-store");
    if (mark)
        MHD_add_response_header(response, "ETag", mark);
    if (answer->location)
        MHD_add_response_header(response, "Location", answer->location);
    if (answer->file_name) {
        char header[300];
        snprintf(header, sizeof header, "attachment; filename=\"%s\"", answer->file_name);
        MHD_add_response_header(response, "Content-Disposition", header);
    }
    enum MHD_Result sent = MHD_queue_response(connection, answer->status, response);
    MHD_destroy_response(response);
    return sent;
}

/* request: with the navigation of its program; NULL: without. */
static enum MHD_Result send_error(struct MHD_Connection *connection, const struct ui_request *request,
                                  unsigned status, const char *words)
{
    struct ui_answer answer = {.status = status, .type = "text/html; charset=utf-8"};
    char *text = NULL;
    size_t size = 0;
    answer.out = open_memstream(&text, &size);
    if (!answer.out)
        return MHD_NO;
    ui_error_page(request, &answer, words);
    fclose(answer.out);
    return send_text(connection, &answer, text, size, NULL);
}

static enum MHD_Result send_static(struct MHD_Connection *connection, const char *name)
{
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    for (unsigned i = 0; i < ui_static_file_count; i++) {
        const struct ui_static_file *file = &ui_static_files[i];
        if (strcmp(file->name, name))
            continue;
        bool is_known = known && !strcmp(known, file->mark);
        struct ui_answer answer = {.status = is_known ? 304 : 200, .type = file->type};
        return send_text(connection, &answer, (void *)(uintptr_t)file->content, is_known ? 0 : file->size,
                         file->mark);
    }
    return send_error(connection, NULL, 404, "There is no such file.");
}

/* Ends queries that take too long. */
static int is_late(void *deadline)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > *(const time_t *)deadline;
}

static enum MHD_Result send_page(struct ui *ui, struct MHD_Connection *connection, ui_page *page,
                                 struct ui_request *request)
{
    struct ui_answer answer = {.status = 200, .type = "text/html; charset=utf-8"};
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    (void)ui;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t deadline = now.tv_sec + QUERY_SECONDS;
    if (request->subject) {
        request->store = store_open_file(request->subject->database, &error);
        if (!request->store)
            return send_error(connection, request, 500, error.text);
        request->connection = store_connection(request->store);
        sqlite3_progress_handler(request->connection, 10000, is_late, &deadline);
    }
    answer.out = open_memstream(&text, &size);
    bool good = answer.out && page(request, &answer, &error);
    if (answer.out)
        fclose(answer.out);
    store_close(request->store);
    request->store = NULL;
    request->connection = NULL;
    if (good) {
        if (answer.location)
            answer.status = 303;
        return send_text(connection, &answer, text, size, NULL);
    }
    free(text);
    return send_error(connection, request, answer.status == 200 ? 500 : answer.status, error.text);
}

static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection, const char *path,
                                      const char *method, const char *version, const char *data,
                                      size_t *data_size, void **state)
{
    struct ui *ui = context;
    struct exchange *exchange = *state;
    (void)version;
    if (!exchange) {
        *state = exchange = memory_get(sizeof *exchange);
        exchange->body = ARRAY_OF(char);
        return MHD_YES;
    }
    if (*data_size) {
        exchange->is_too_large |= exchange->body.count + *data_size > MOST_BODY;
        if (!exchange->is_too_large)
            memcpy(array_add_many(&exchange->body, *data_size), data, *data_size);
        *data_size = 0;
        return MHD_YES;
    }
    const char *refusal = NULL;
    switch (ui_gate_judge(&ui->gate, connection, method, path, &refusal)) {
    case gate_REFUSED:
        return send_error(connection, NULL, 403, refusal);
    case gate_ENTERING:
        return ui_gate_let_in(&ui->gate, connection, path);
    case gate_OPEN:
        break;
    }
    if (exchange->is_too_large)
        return send_error(connection, NULL, 413, "The request is too large.");
    *(char *)array_add(&exchange->body) = 0;
    if (!strncmp(path, "/static/", 8))
        return send_static(connection, path + 8);
    struct ui_request request = {.ui = ui,
                                 .options = &ui->options,
                                 .subject_count = (unsigned)ui->options.source_count,
                                 .machines = ui->machines,
                                 .body = exchange->body.data,
                                 .body_size = exchange->body.count - 1,
                                 .transport = connection};
    unsigned number;
    bool other_method;
    ui_page *page = ui_route(method, path, &number, &request.rest, &other_method);
    request.subject = ui_subject(&request, number);
    if (!page || (number && !request.subject))
        return send_error(connection, &request, other_method ? 405 : 404, "There is no such page.");
    return send_page(ui, connection, page, &request);
}

static void forget(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    struct exchange *exchange = *state;
    (void)context, (void)connection, (void)why;
    if (exchange)
        array_free(&exchange->body);
    free(exchange);
    *state = NULL;
}

static void take_subjects(struct ui *ui)
{
    ui->subjects = memory_get(ui->options.source_count * sizeof *ui->subjects);
    for (unsigned i = 0; i < ui->options.source_count; i++) {
        const struct ui_source *source = &ui->options.sources[i];
        ui->subjects[i] =
            (struct ui_subject){.number = i + 1,
                                .path = source->path,
                                .name = path_name(source->path),
                                .database = source->database,
                                .is_working = source->worker > 0,
                                .names = ui_names_begin(source->database, ui->options.demangle)};
        ui->subjects[i].workshop = workshop_open(&ui->options, &ui->subjects[i]);
    }
}

struct ui *ui_start(const struct ui_options *options, struct error *error)
{
    struct ui *ui = memory_get(sizeof *ui);
    ui->options = *options;
    const char *listen = options->listen ? options->listen : "127.0.0.1";
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(options->port)};
    if (inet_pton(AF_INET, listen, &address.sin_addr) != 1) {
        error_set(error, NULL, "--listen takes an IPv4 address, not '%s'", listen);
        free(ui);
        return NULL;
    }
    ui_gate_begin(&ui->gate, options->token);
    take_subjects(ui);
    ui->machines = ui_machines_load(options->machine_folders);
    ui->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, options->port, NULL, NULL, answer_request,
                                  ui, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                  MHD_OPTION_THREAD_POOL_SIZE, THREADS, MHD_OPTION_CONNECTION_LIMIT,
                                  MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
                                  MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        ui->daemon ? MHD_get_daemon_info(ui->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        error_set_errno(error, NULL, "cannot listen on %s, port %u", listen, options->port);
        ui_stop(ui);
        return NULL;
    }
    ui_gate_listens(&ui->gate, listen, info->port);
    snprintf(ui->link, sizeof ui->link, "http://%s:%u/?token=%s", listen, info->port, ui->gate.token);
    return ui;
}

const char *ui_link(const struct ui *ui)
{
    return ui->link;
}

void ui_stop(struct ui *ui)
{
    if (!ui)
        return;
    if (ui->daemon)
        MHD_stop_daemon(ui->daemon);
    ui_machines_free(ui->machines);
    for (unsigned i = 0; ui->subjects && i < ui->options.source_count; i++) {
        ui_names_free(ui->subjects[i].names);
        workshop_close(ui->subjects[i].workshop);
    }
    free(ui->subjects);
    free(ui);
}
