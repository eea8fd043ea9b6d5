/* The life of a connection: initialize, then requests and notifications in the order in which they come, then shutdown
   and exit. Between messages the file of the build is looked at once a second; it is read when it has changed and then
   stayed the same for a second, because linkers write it piece by piece. */
#include "show/lsp/lsp.h"

#include "base/leftovers.h"
#include "base/output.h"
#include "base/path.h"
#include "show/lsp/answers.h"
#include "show/lsp/wire.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_MILLISECONDS = 1000, MOST_LINES = INT32_MAX };
/* Errors of JSON-RPC and of the protocol. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    NOT_INITIALIZED = -32002
};
enum message_type { message_ERROR = 1, message_WARNING, message_INFO, message_LOG };

enum life { life_NEW, life_ACTIVE, life_SHUT };

struct server {
    const struct lsp_options *options;
    struct wire wire;
    struct message message;
    struct quality_view view; /* model NULL: nothing is read yet */
    struct places places;
    bool has_places;
    struct array documents; /* of struct document */
    enum life life;
    bool is_markdown, shows_documents, shows_content, refreshes_hints, refreshes_lenses;
    unsigned asked; /* requests of ours */
    struct stat seen, read;
    char *folder; /* of assembly that is shown as files; NULL: not made yet */
    bool is_gone; /* nobody reads our answers */
    bool is_done;
    int code;
};

/* --- sending --- */
struct outgoing {
    FILE *out;
    char *text;
    size_t size;
};

/* The stream keeps the addresses of text and size: the caller's stay where they are. */
static void begin(struct outgoing *outgoing)
{
    *outgoing = (struct outgoing){0};
    outgoing->out = open_memstream(&outgoing->text, &outgoing->size);
    if (!outgoing->out) /* no memory: what is not said ends the connection */
        outgoing->out = fopen("/dev/null", "we");
    fputs("{\"jsonrpc\":\"2.0\"", outgoing->out);
}

static void send(struct server *server, struct outgoing *outgoing)
{
    putc('}', outgoing->out);
    bool is_whole = !ferror(outgoing->out) && !fclose(outgoing->out);
    if (!server->is_gone)
        server->is_gone =
            !is_whole || !outgoing->text || !wire_send(&server->wire, outgoing->text, outgoing->size);
    free(outgoing->text);
}

static void fail(struct server *server, const char *id, int code, const char *text)
{
    struct outgoing outgoing;
    begin(&outgoing);
    fprintf(outgoing.out, ",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id ? id : "null", code);
    report_json_text(outgoing.out, text, strlen(text));
    putc('}', outgoing.out);
    send(server, &outgoing);
}

static void begin_result(struct outgoing *outgoing, const char *id)
{
    begin(outgoing);
    fprintf(outgoing->out, ",\"id\":%s,\"result\":", id);
}

static void say(struct server *server, const char *method, enum message_type type, const char *text)
{
    struct outgoing outgoing;
    begin(&outgoing);
    fprintf(outgoing.out, ",\"method\":\"window/%s\",\"params\":{\"type\":%d,\"message\":", method, type);
    report_json_text(outgoing.out, text, strlen(text));
    putc('}', outgoing.out);
    send(server, &outgoing);
}

/* A request without parameters, whose answer nobody waits for. */
static void ask(struct server *server, const char *method)
{
    struct outgoing outgoing;
    begin(&outgoing);
    fprintf(outgoing.out, ",\"id\":\"assay-%u\",\"method\":\"%s\"", ++server->asked, method);
    send(server, &outgoing);
}

/* --- the figures --- */
static bool is_older(const struct server *server, const struct document *document)
{
    struct stat source;
    return document->path && !stat(document->path, &source) && source.st_mtime > server->read.st_mtime;
}

static struct figures figures_of(struct server *server, const struct document *document)
{
    return (struct figures){.view = &server->view,
                            .document = document,
                            .places = &server->places,
                            .older = is_older(server, document) ? " (the file is newer than the build)" : ""};
}

static void publish(struct server *server, const struct document *document)
{
    struct outgoing outgoing;
    begin(&outgoing);
    struct figures figures = figures_of(server, document);
    fputs(",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":", outgoing.out);
    report_json_text(outgoing.out, document->uri, strlen(document->uri));
    fputs(",\"diagnostics\":", outgoing.out);
    if (document->is_open && server->view.model)
        answer_diagnostics(&figures, outgoing.out);
    else
        fputs("[]", outgoing.out);
    putc('}', outgoing.out);
    send(server, &outgoing);
}

static void tell_news(struct server *server)
{
    for (size_t i = 0; i < server->documents.count; i++) {
        struct document *document = ARRAY_AT(struct document, &server->documents, i);
        document_rebuild(document);
        publish(server, document);
    }
    if (server->refreshes_hints)
        ask(server, "workspace/inlayHint/refresh");
    if (server->refreshes_lenses)
        ask(server, "workspace/codeLens/refresh");
}

static void load(struct server *server)
{
    struct error error = {0};
    struct stat before = server->seen;
    if (!server->options->load(server->options->context, &server->view, &error)) {
        autofree char *text = memory_format("assay: %s", error.text);
        server->read = before;
        say(server, server->view.model ? "logMessage" : "showMessage", message_WARNING, text);
        return;
    }
    if (server->has_places)
        places_free(&server->places);
    places_take(&server->places, server->view.model, server->view.demangle, server->view.trust);
    server->has_places = true;
    server->read = before;
    autofree char *text =
        memory_format("assay: %s: %zu innermost loops", server->options->path, server->view.analysed_count);
    say(server, "logMessage", message_INFO, text);
    tell_news(server);
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

/* Called when nothing came for a while. */
static void look(struct server *server)
{
    struct stat present;
    if (server->life != life_ACTIVE || stat(server->options->path, &present))
        return;
    bool is_settled = is_same(&present, &server->seen), is_new = !is_same(&present, &server->read);
    server->seen = present;
    if (is_settled && is_new)
        load(server);
}

/* --- documents --- */
static struct document *document_of(struct server *server, const char *uri)
{
    for (size_t i = 0; i < server->documents.count; i++)
        if (!strcmp(ARRAY_AT(struct document, &server->documents, i)->uri, uri))
            return ARRAY_AT(struct document, &server->documents, i);
    return NULL;
}

static void open_document(struct server *server, const char *uri)
{
    enum { MOST_DOCUMENTS = 10000 };
    struct document *document = document_of(server, uri);
    if (!document && server->documents.count < MOST_DOCUMENTS) {
        document = array_push(&server->documents);
        *document = document_begin(uri);
    }
    if (!document)
        return;
    document->is_open = true;
    document_take_text(document, &server->message);
    publish(server, document);
}

static void close_document(struct server *server, struct document *document)
{
    document->is_open = false;
    publish(server, document);
    document_free(document);
    struct document *last = ARRAY_AT(struct document, &server->documents, server->documents.count - 1);
    *document = *last;
    server->documents.count--;
}

/* --- assembly --- */
/* Where the client can show it: under an address that it asks us for, or as a file of our folder. To be freed; NULL:
   nowhere. */
static char *assembly_uri(struct server *server, const struct figures *figures,
                          const struct shown_loop *shown, const char *text)
{
    struct error error = {0};
    autofree char *name = figures_name(figures, shown);
    if (server->shows_content) {
        autofree char *source = path_uri(figures->document->path);
        return memory_format("assay:/%u/%s?%s", shown->first, name, source);
    }
    if (!server->shows_documents)
        return NULL;
    if (!server->folder && !(server->folder = leftovers_make_folder(&error)))
        return NULL;
    autofree char *path = memory_format("%s/%s", server->folder, name);
    struct output *output = output_open(path, &error);
    if (!output)
        return NULL;
    fputs(text, output_stream(output));
    return output_finish(output, &error) ? path_uri(path) : NULL;
}

static void show_assembly(struct server *server, const char *id, const struct figures *figures,
                          const struct shown_loop *shown)
{
    autofree char *text = figures_assembly(figures, shown);
    autofree char *uri = assembly_uri(server, figures, shown, text);
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    fputs("{\"uri\":", outgoing.out);
    if (uri)
        report_json_text(outgoing.out, uri, strlen(uri));
    else
        fputs("null", outgoing.out);
    fputs(",\"text\":", outgoing.out);
    report_json_text(outgoing.out, text, strlen(text));
    putc('}', outgoing.out);
    send(server, &outgoing);
    if (!uri || !server->shows_documents)
        return;
    begin(&outgoing);
    fprintf(outgoing.out,
            ",\"id\":\"assay-%u\",\"method\":\"window/showDocument\",\"params\":{\"uri\":", ++server->asked);
    report_json_text(outgoing.out, uri, strlen(uri));
    fputs(",\"takeFocus\":true}", outgoing.out);
    send(server, &outgoing);
}

/* --- requests --- */
typedef void handler(struct server *server, const char *id);

static void initialize(struct server *server, const char *id)
{
    const struct message *message = &server->message;
    autofree char *format =
        message_text(message, "$.params.capabilities.textDocument.hover.contentFormat[0]");
    server->is_markdown = format && !strcmp(format, "markdown");
    server->shows_documents = message_is_true(message, "$.params.capabilities.window.showDocument.support");
    autofree char *content = message_type(message, "$.params.capabilities.workspace.textDocumentContent");
    server->shows_content = content && !strcmp(content, "object");
    server->refreshes_hints =
        message_is_true(message, "$.params.capabilities.workspace.inlayHint.refreshSupport");
    server->refreshes_lenses =
        message_is_true(message, "$.params.capabilities.workspace.codeLens.refreshSupport");
    server->life = life_ACTIVE;
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    fputs("{\"capabilities\":{\"textDocumentSync\":{\"openClose\":true,\"change\":1,\"save\":true},"
          "\"hoverProvider\":true,\"codeLensProvider\":{},\"inlayHintProvider\":true,"
          "\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\"]},"
          "\"executeCommandProvider\":{\"commands\":[\"assay.assembly\",\"assay.remedy\"]},"
          "\"workspace\":{\"textDocumentContent\":{\"schemes\":[\"assay\"]}}},"
          "\"serverInfo\":{\"name\":\"assay\",\"version\":",
          outgoing.out);
    report_json_text(outgoing.out, server->options->version, strlen(server->options->version));
    fputs("}}", outgoing.out);
    send(server, &outgoing);
}

static void initialized(struct server *server, const char *id)
{
    (void)id;
    if (!stat(server->options->path, &server->seen))
        load(server);
    else {
        autofree char *text = memory_format("assay: %s is not there yet: its figures come when it is built",
                                            server->options->path);
        say(server, "showMessage", message_WARNING, text);
    }
}

static void shutdown_asked(struct server *server, const char *id)
{
    server->life = life_SHUT;
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    fputs("null", outgoing.out);
    send(server, &outgoing);
}

static void exit_asked(struct server *server, const char *id)
{
    (void)id;
    server->is_done = true;
    server->code = server->life != life_SHUT;
}

static void did_open(struct server *server, const char *id)
{
    (void)id;
    autofree char *uri = message_text(&server->message, "$.params.textDocument.uri");
    if (uri)
        open_document(server, uri);
}

static struct document *document_named(struct server *server)
{
    autofree char *uri = message_text(&server->message, "$.params.textDocument.uri");
    return uri ? document_of(server, uri) : NULL;
}

static void did_change(struct server *server, const char *id)
{
    (void)id;
    struct document *document = document_named(server);
    if (!document)
        return;
    document_change(document, &server->message);
    publish(server, document);
}

static void did_save(struct server *server, const char *id)
{
    (void)id;
    struct document *document = document_named(server);
    if (document)
        document_save(document);
}

static void did_close(struct server *server, const char *id)
{
    (void)id;
    struct document *document = document_named(server);
    if (document)
        close_document(server, document);
}

/* The document of a request, which need not be open. */
struct subject {
    struct document own, *document;
    struct figures figures;
};

static bool take_subject(struct server *server, const char *id, const char *path, struct subject *subject)
{
    autofree char *uri = message_text(&server->message, path);
    *subject = (struct subject){0};
    if (!uri) {
        fail(server, id, INVALID_PARAMS, "the request names no document");
        return false;
    }
    subject->own = document_begin(uri);
    struct document *open = document_of(server, uri);
    subject->figures = figures_of(server, open ? open : &subject->own);
    return true;
}

static void free_subject(struct subject *subject)
{
    document_free(&subject->own);
}

static bool take_range(struct server *server, const char *id, struct answer_range *range)
{
    if (message_number(&server->message, "$.params.range.start.line", MOST_LINES, &range->first) &&
        message_number(&server->message, "$.params.range.end.line", MOST_LINES, &range->last))
        return true;
    fail(server, id, INVALID_PARAMS, "the request has no range");
    return false;
}

static void about_range(struct server *server, const char *id,
                        void (*answer)(const struct figures *, const struct answer_range *, FILE *))
{
    struct subject subject;
    struct answer_range range;
    if (!take_range(server, id, &range) || !take_subject(server, id, "$.params.textDocument.uri", &subject))
        return;
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    answer(&subject.figures, &range, outgoing.out);
    send(server, &outgoing);
    free_subject(&subject);
}

static void inlay_hint(struct server *server, const char *id)
{
    about_range(server, id, answer_hints);
}

static void code_action(struct server *server, const char *id)
{
    about_range(server, id, answer_actions);
}

static void code_lens(struct server *server, const char *id)
{
    struct subject subject;
    if (!take_subject(server, id, "$.params.textDocument.uri", &subject))
        return;
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    answer_lenses(&subject.figures, outgoing.out);
    send(server, &outgoing);
    free_subject(&subject);
}

static void hover(struct server *server, const char *id)
{
    struct subject subject;
    uint32_t line;
    if (!message_number(&server->message, "$.params.position.line", MOST_LINES, &line)) {
        fail(server, id, INVALID_PARAMS, "the request has no position");
        return;
    }
    if (!take_subject(server, id, "$.params.textDocument.uri", &subject))
        return;
    struct outgoing outgoing;
    begin_result(&outgoing, id);
    answer_hover(&subject.figures, line, server->is_markdown, outgoing.out);
    send(server, &outgoing);
    free_subject(&subject);
}

static void execute_assembly(struct server *server, const char *id)
{
    struct subject subject;
    uint32_t line;
    if (!message_number(&server->message, "$.params.arguments[0].line", MOST_LINES, &line)) {
        fail(server, id, INVALID_PARAMS, "assay.assembly takes an object with uri and line");
        return;
    }
    if (!take_subject(server, id, "$.params.arguments[0].uri", &subject))
        return;
    struct shown_loop shown = answer_loop_at(&subject.figures, line);
    if (shown.loop)
        show_assembly(server, id, &subject.figures, &shown);
    else
        fail(server, id, INVALID_PARAMS, "no loop of the build is at this line");
    free_subject(&subject);
}

static void execute_command(struct server *server, const char *id)
{
    autofree char *command = message_text(&server->message, "$.params.command");
    autofree char *text = message_text(&server->message, "$.params.arguments[0]");
    if (command && !strcmp(command, "assay.assembly")) {
        execute_assembly(server, id);
    } else if (command && !strcmp(command, "assay.remedy") && text) {
        struct outgoing outgoing;
        begin_result(&outgoing, id);
        fputs("null", outgoing.out);
        send(server, &outgoing);
        say(server, "showMessage", message_INFO, text);
    } else
        fail(server, id, INVALID_PARAMS, "the commands are assay.assembly and assay.remedy");
}

/* assay:/LINE/NAME?ADDRESS OF THE SOURCE */
static void text_document_content(struct server *server, const char *id)
{
    autofree char *uri = message_text(&server->message, "$.params.uri");
    const char *source = uri ? strchr(uri, '?') : NULL;
    char *end = NULL;
    unsigned long line = uri && !strncmp(uri, "assay:/", 7) ? strtoul(uri + 7, &end, 10) : 0;
    if (!source || !end || *end != '/' || line > MOST_LINES) {
        fail(server, id, INVALID_PARAMS, "this is no address of a loop's assembly");
        return;
    }
    struct document own = document_begin(source + 1), *open = document_of(server, source + 1);
    struct figures figures = figures_of(server, open ? open : &own);
    struct shown_loop shown = answer_loop_at(&figures, (uint32_t)line);
    if (shown.loop) {
        autofree char *text = figures_assembly(&figures, &shown);
        struct outgoing outgoing;
        begin_result(&outgoing, id);
        fputs("{\"text\":", outgoing.out);
        report_json_text(outgoing.out, text, strlen(text));
        putc('}', outgoing.out);
        send(server, &outgoing);
    } else
        fail(server, id, INVALID_PARAMS, "no loop of the build is at this line");
    document_free(&own);
}

static const struct {
    const char *method;
    bool is_request;
    handler *handler;
} methods[] = {{"initialize", true, initialize},
               {"initialized", false, initialized},
               {"shutdown", true, shutdown_asked},
               {"exit", false, exit_asked},
               {"textDocument/didOpen", false, did_open},
               {"textDocument/didChange", false, did_change},
               {"textDocument/didSave", false, did_save},
               {"textDocument/didClose", false, did_close},
               {"textDocument/inlayHint", true, inlay_hint},
               {"textDocument/codeLens", true, code_lens},
               {"textDocument/codeAction", true, code_action},
               {"textDocument/hover", true, hover},
               {"workspace/executeCommand", true, execute_command},
               {"workspace/textDocumentContent", true, text_document_content}};

static void dispatch(struct server *server, const char *method, const char *id)
{
    bool is_exit = !strcmp(method, "exit"), is_first = !strcmp(method, "initialize");
    if (server->life == life_NEW && !is_first && !is_exit) {
        if (id)
            fail(server, id, NOT_INITIALIZED, "initialize comes first");
        return;
    }
    if ((server->life == life_SHUT && !is_exit) || (server->life == life_ACTIVE && is_first)) {
        if (id)
            fail(server, id, INVALID_REQUEST,
                 is_first ? "initialize was there already" : "after shutdown only exit may come");
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].method, method)) {
            if (methods[i].is_request == (id != NULL))
                methods[i].handler(server, id);
            else if (id)
                fail(server, id, INVALID_REQUEST, "this is a notification, which has no id");
            return;
        }
    if (id)
        fail(server, id, METHOD_NOT_FOUND, "this server has no such method");
}

/* An id is a number or a text; that of an answer to a request of ours comes without a method. */
static void take(struct server *server, const char *text, size_t size)
{
    struct message *message = &server->message;
    if (!message_take(message, text, size)) {
        fail(server, NULL, PARSE_ERROR, "the message is no JSON");
        return;
    }
    autofree char *method = message_text(message, "$.method"), *kind = message_type(message, "$.id");
    bool has_id = kind && (!strcmp(kind, "integer") || !strcmp(kind, "text"));
    autofree char *id = has_id ? message_json(message, "$.id") : NULL;
    autofree char *result = message_type(message, "$.result"), *problem = message_type(message, "$.error");
    if (!method && (result || problem))
        return;
    if (!method || (kind && !has_id))
        fail(server, id, INVALID_REQUEST, "the message is no request of JSON-RPC 2.0");
    else
        dispatch(server, method, id);
}

static void end(struct server *server)
{
    for (size_t i = 0; i < server->documents.count; i++)
        document_free(ARRAY_AT(struct document, &server->documents, i));
    array_free(&server->documents);
    if (server->has_places)
        places_free(&server->places);
    if (server->folder) {
        leftovers_remove_folder(server->folder);
        leftovers_drop(server->folder);
    }
    free(server->folder);
    message_end(&server->message);
    wire_free(&server->wire);
}

int lsp_serve(const struct lsp_options *options, struct error *error)
{
    struct server server = {.options = options,
                            .wire = {.in = options->in, .out = options->out, .bytes = ARRAY_OF(char)},
                            .documents = ARRAY_OF(struct document),
                            .code = 1};
    if (!message_begin(&server.message)) {
        error_set(error, NULL, "SQLite cannot be started");
        server.code = 2;
        server.is_done = true;
    }
    while (!server.is_done && !server.is_gone) {
        const char *text = NULL;
        size_t size = 0;
        enum wire_state state = wire_next(&server.wire, LOOK_MILLISECONDS, &text, &size, error);
        if (state == wire_MESSAGE)
            take(&server, text, size);
        else if (state == wire_QUIET)
            look(&server);
        else if (state == wire_BROKEN) {
            fail(&server, NULL, PARSE_ERROR, error->text);
            server.code = 2;
        }
        server.is_done |= state == wire_END || state == wire_BROKEN;
    }
    end(&server);
    return server.code;
}
