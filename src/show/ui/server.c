/* The server: libmicrohttpd calls `answer_request` in a thread for each connection, which finds the page,
   takes a connection to the program's tables and sends what the page wrote.  A page writes into memory, so an
   error in its middle becomes a whole error page.

   A browser has up to six connections, and one of them may wait for a slow query while the others go on. Who
   may ask is decided before anything of a request but its headers is read. */
#include "show/ui/answer.h"
#include "store/analyses.h"
#include "show/ui/budget.h"
#include "show/ui/gate.h"
#include "show/ui/guests.h"
#include "show/ui/judging.h"
#include "show/ui/machines.h"
#include "show/ui/pages/ask_answer.h"
#include "show/ui/pages/pages.h"
#include "show/ui/quiet.h"
#include "show/ui/routes.h"
#include "show/ui/running.h"
#include "show/ui/subjects.h"
#include "show/ui/tables.h"

#include <arpa/inet.h>
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODY = 4 << 20, MOST_HEADERS = 32 << 10, IDLE_SECONDS = 30, MOST_PAGES = 8, MOST_QUESTIONS = 4 };

static const uint64_t MOST_MEMORY = UINT64_C(2) << 30; /* of a question of a user */

struct ui {
    struct ui_options options;
    struct ui_subjects *subjects;
    struct ui_machines *machines;
    struct MHD_Daemon *daemon;
    struct ui_gate gate;
    struct guests *guests;
    struct quiet *quiet;
    struct running running;
    struct asked asked;
    struct judges judging;
    struct desk *desk, *judges;
    /* What may still be started: pages each have a connection to a database, with its memory; questions of
       the editor each have a process. Pages do not wait for questions. */
    sem_t pages, questions;
    char link[512];
};

/* Of one request, while its body arrives. */
struct exchange {
    struct array body; /* of char */
    bool is_too_large;
};

const char *ui_parameter(const struct ui_request *request, const char *name)
{
    for (size_t i = 0; request->given && i < request->given->count; i++)
        if (!strcmp(ARRAY_AT(struct analysis_value, request->given, i)->name, name))
            return ARRAY_AT(struct analysis_value, request->given, i)->text;
    if (request->given)
        return NULL;
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
    return ui_subjects_find(request->ui->subjects, number);
}

/* Addresses that scripts ask: /api/… and /N/api/…. */
static bool is_api(const char *path)
{
    path += *path == '/';
    size_t digits = strspn(path, "0123456789");
    if (digits && path[digits] == '/')
        path += digits + 1;
    return !strncmp(path, "api/", 4);
}

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static bool write_page(ui_page *page, struct ui_request *request, struct ui_answer *answer,
                       struct ui_budget *budget, struct error *error)
{
    const struct ui_subject *subject = request->subject;
    if (subject) {
        request->store = ui_tables_take(subject->tables, error);
        if (!request->store)
            return false;
        request->connection = store_connection(request->store);
        ui_budget_watch(budget, request->connection);
    }
    answer->out = ui_budget_open(budget);
    bool good = answer->out && page(request, answer, error);
    good = answer->out && !fclose(answer->out) && good;
    if (subject)
        ui_tables_give(subject->tables, request->store);
    request->store = NULL;
    request->connection = NULL;
    return good;
}

/* Waits for a place; a question that has to end meanwhile needs none, and says so. */
static bool wait_for_place(sem_t *places, struct running_query *query)
{
    enum { LOOK_NANOSECONDS = 100000000 };
    for (;;) {
        struct timespec next;
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += LOOK_NANOSECONDS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (!sem_timedwait(places, &next))
            return true;
        if (query && running_must_end(query))
            return false;
    }
}

static enum MHD_Result send_page(struct ui *ui, struct MHD_Connection *connection, ui_page *page,
                                 const char *path, struct ui_request *request)
{
    struct ui_answer answer = {.status = 200, .type = "text/html; charset=utf-8"};
    struct error error = {0};
    struct ui_budget budget;
    bool is_question = page == page_query || page == page_export;
    const char *name = ui_parameter(request, "name");
    struct running_query query = {.name = name ? name : "", .budget = &budget};
    sem_t *places = is_question ? &ui->questions : &ui->pages;
    ui_budget_begin(&budget, socket_of(connection));
    if (is_question)
        running_add(&ui->running, &query);
    bool has_place = wait_for_place(places, is_question ? &query : NULL);
    if (has_place)
        ui_budget_begin(&budget, budget.socket); /* waiting is not its fault */
    request->budget = &budget;
    request->query = &query;
    bool good = write_page(page, request, &answer, &budget, &error);
    if (has_place)
        sem_post(places);
    if (is_question)
        running_remove(&ui->running, &query);
    if (good)
        return ui_send(connection, &answer, budget.text, budget.size);
    free(budget.text);
    if (budget.exceeded)
        return ui_send_error(connection, request, is_api(path), 503, budget.exceeded);
    return ui_send_error(connection, request, is_api(path), answer.status == 200 ? 500 : answer.status,
                         error.set ? error.text : "The page could not be written.");
}

static struct guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* A connection comes or goes. */
static void note_connection(void *context, struct MHD_Connection *connection, void **guest,
                            enum MHD_ConnectionNotificationCode what)
{
    struct ui *ui = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *guest = guests_come(ui->guests, socket_of(connection));
    else
        guests_go(ui->guests, *guest);
}

/* Headers are here, the body is not: the moment to refuse. */
static enum MHD_Result begin_request(struct ui *ui, struct MHD_Connection *connection, const char *path,
                                     const char *method, struct exchange **state)
{
    const char *refusal = NULL,
               *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    switch (ui_gate_judge(&ui->gate, connection, method, &refusal)) {
    case gate_REFUSED:
        return ui_send_error(connection, NULL, is_api(path), 403, refusal);
    case gate_ENTERING:
        guests_enter(ui->guests, guest_of(connection));
        return ui_gate_let_in(&ui->gate, connection, path);
    case gate_OPEN:
        guests_enter(ui->guests, guest_of(connection));
        break;
    }
    guests_speak(ui->guests, guest_of(connection), false);
    if (length && (strlen(length) > 9 || strtoul(length, NULL, 10) > MOST_BODY))
        return ui_send_error(connection, NULL, is_api(path), 413, "The request is too large.");
    *state = memory_get(sizeof **state);
    (*state)->body = ARRAY_OF(char);
    return MHD_YES;
}

static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection, const char *path,
                                      const char *method, const char *version, const char *data,
                                      size_t *data_size, void **state)
{
    struct ui *ui = context;
    struct exchange *exchange = *state;
    (void)version;
    if (!exchange)
        return begin_request(ui, connection, path, method, (struct exchange **)state);
    if (*data_size) {
        exchange->is_too_large |= exchange->body.count + *data_size > MOST_BODY;
        if (!exchange->is_too_large)
            memcpy(array_add_many(&exchange->body, *data_size), data, *data_size);
        *data_size = 0;
        return MHD_YES;
    }
    guests_speak(ui->guests, guest_of(connection), true);
    if (exchange->is_too_large)
        return ui_send_error(connection, NULL, is_api(path), 413, "The request is too large.");
    const char *asked = strcmp(method, "HEAD") ? method : "GET"; /* the body of its answer is not sent */
    if (!strncmp(path, "/static/", 8) && !strcmp(asked, "GET"))
        return ui_send_static(connection, path + 8);
    *(char *)array_add(&exchange->body) = 0;
    struct ui_request request = {.ui = ui,
                                 .options = &ui->options,
                                 .subject_count = (unsigned)ui->options.source_count,
                                 .machines = ui->machines,
                                 .running = &ui->running,
                                 .desk = ui->desk,
                                 .judges = ui->judges,
                                 .body = exchange->body.data,
                                 .body_size = exchange->body.count - 1,
                                 .transport = connection};
    unsigned number;
    bool other_method;
    ui_page *page = ui_route(asked, path, &number, &request.rest, &other_method);
    request.subject = ui_subject(&request, number);
    other_method |= !strncmp(path, "/static/", 8);
    if (!page || (number && !request.subject))
        return ui_send_error(connection, &request, is_api(path), other_method ? 405 : 404,
                             other_method ? "This address does not take such a request."
                                          : "There is no such page.");
    if (page == page_progress) /* which asks about the report all the time */
        return send_page(ui, connection, page, path, &request);
    quiet_enter(ui->quiet);
    enum MHD_Result sent = send_page(ui, connection, page, path, &request);
    quiet_leave(ui->quiet);
    return sent;
}

static void forget(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    autofree struct exchange *exchange = *state;
    (void)context, (void)connection, (void)why;
    if (exchange)
        array_free(&exchange->body);
    *state = NULL;
}

/* An address to listen on; true in *is_own if only this computer reaches it. */
union place {
    struct sockaddr any;
    struct sockaddr_in version_4;
    struct sockaddr_in6 version_6;
};

static bool read_address(const char *text, uint16_t port, union place *place, bool *is_own)
{
    *place = (union place){.version_4 = {.sin_family = AF_INET, .sin_port = htons(port)}};
    if (inet_pton(AF_INET, text, &place->version_4.sin_addr) == 1) {
        *is_own = ntohl(place->version_4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
        return true;
    }
    *place = (union place){.version_6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)}};
    if (inet_pton(AF_INET6, text, &place->version_6.sin6_addr) != 1)
        return false;
    *is_own = IN6_IS_ADDR_LOOPBACK(&place->version_6.sin6_addr);
    return true;
}

bool ui_is_own_address(const char *text, bool *is_own)
{
    union place place;
    return read_address(text, 0, &place, is_own);
}

static void ignore_log(void *context, const char *format, va_list list)
{
    (void)context, (void)format, (void)list;
}

/* The error number of listening there: that of the library is lost when it cleans up. */
static int reason_against(const union place *place)
{
    int file = socket(place->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (file < 0)
        return errno;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = place->any.sa_family == AF_INET6 ? sizeof place->version_6 : sizeof place->version_4;
    int reason = bind(file, &place->any, size) || listen(file, 1) ? errno : 0;
    close(file);
    return reason;
}

static bool listen_at(struct ui *ui, struct error *error)
{
    const char *address = ui->options.listen ? ui->options.listen : "127.0.0.1";
    union place place;
    bool is_own = false;
    if (!read_address(address, ui->options.port, &place, &is_own))
        return error_set(error, NULL, "--listen takes an address such as 127.0.0.1 or ::1, not '%s'",
                         address);
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ERROR_LOG |
                     (place.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    ui->daemon = MHD_start_daemon(
        flags, ui->options.port, NULL, NULL, answer_request, ui, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_SOCK_ADDR, &place.any, MHD_OPTION_CONNECTION_LIMIT, GUESTS_MOST,
        MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MOST_HEADERS,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_NOTIFY_CONNECTION, note_connection, ui,
        MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        ui->daemon ? MHD_get_daemon_info(ui->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    errno = info ? 0 : reason_against(&place);
    if (!info && errno == EADDRINUSE)
        return error_set(error, NULL, "port %u of %s is in use; choose another --port, or none",
                         ui->options.port, address);
    if (!info)
        return error_set_errno(error, NULL, "cannot listen on %s, port %u", address, ui->options.port);
    ui_gate_listens(&ui->gate, address, info->port, !is_own);
    bool is_any = !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
    snprintf(ui->link, sizeof ui->link, "http://%s:%u/?token=%s",
             is_any && *ui->gate.computer ? ui->gate.computer : ui->gate.address, info->port, ui->gate.token);
    return true;
}

struct ui *ui_start(const struct ui_options *options, struct error *error)
{
    struct ui *ui = memory_get(sizeof *ui);
    ui->options = *options;
    sem_init(&ui->pages, 0, MOST_PAGES);
    sem_init(&ui->questions, 0, MOST_QUESTIONS);
    running_begin(&ui->running);
    ui->asked.options = &ui->options;
    ui->desk = desk_open(
        &(struct desk_options){
            .open = ask_open, .answer = ask_answer, .context = &ui->asked, .memory = MOST_MEMORY},
        error); /* before there are threads */
    ui->judging.options = &ui->options;
    ui->judges = ui->desk ? desk_open(&(struct desk_options){.open = judging_open,
                                                             .answer = judging_answer,
                                                             .context = &ui->judging,
                                                             .memory = MOST_MEMORY},
                                      error)
                          : NULL;
    ui->guests = guests_begin();
    ui->quiet = quiet_begin(options->report_process);
    ui_gate_begin(&ui->gate, options->token);
    ui->subjects = ui->judges ? ui_subjects_open(options, error) : NULL;
    ui->machines = ui_machines_load(options->machine_folders);
    if (ui->subjects && listen_at(ui, error))
        return ui;
    ui_stop(ui);
    return NULL;
}

const char *ui_link(const struct ui *ui)
{
    return ui->link;
}

void ui_stop(struct ui *ui)
{
    if (!ui)
        return;
    ui_budget_end_all();
    if (ui->daemon)
        MHD_stop_daemon(ui->daemon);
    guests_end(ui->guests);
    quiet_end(ui->quiet);
    ui_machines_free(ui->machines);
    ui_subjects_close(ui->subjects);
    desk_close(ui->desk);
    desk_close(ui->judges);
    sem_destroy(&ui->pages);
    sem_destroy(&ui->questions);
    running_free(&ui->running);
    free(ui);
}
