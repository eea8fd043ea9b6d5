#include "show/ui/gate.h"

#include "show/ui/request.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static bool make_secret(char text[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool ui_is_token(const char *text)
{
    size_t length = strlen(text);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at >= 0x80 || !(isalnum(*at) || *at == '-' || *at == '_'))
            return false;
    return length >= LEAST_TOKEN && length <= MOST_TOKEN;
}

/* Empty secrets let nobody in. */
void ui_gate_begin(struct ui_gate *gate, const char *token)
{
    *gate = (struct ui_gate){.token = ""};
    make_secret(gate->pass);
    if (token)
        snprintf(gate->token, sizeof gate->token, "%s", token);
    else
        make_secret(gate->token);
}

void ui_gate_listens(struct ui_gate *gate, const char *address, uint16_t port, bool is_open_to_many)
{
    bool is_version_6 = strchr(address, ':');
    snprintf(gate->address, sizeof gate->address, is_version_6 ? "[%s]" : "%s", address);
    snprintf(gate->cookie, sizeof gate->cookie, "assay%u", port);
    gate->is_open_to_many = is_open_to_many;
    if (is_open_to_many && gethostname(gate->computer, sizeof gate->computer - 1))
        *gate->computer = 0;
}

/* Takes the same time whatever differs. */
static bool is_secret(const char *secret, const char *text)
{
    size_t length = strlen(secret);
    if (!text || !length || strlen(text) != length)
        return false;
    unsigned difference = 0;
    for (size_t i = 0; i < length; i++)
        difference |= (unsigned char)text[i] ^ (unsigned char)secret[i];
    return !difference;
}

/* No name server can point an address elsewhere. */
static bool is_address(const char *name)
{
    unsigned char bytes[16];
    char inner[64];
    size_t length = strlen(name);
    if (name[0] != '[')
        return inet_pton(AF_INET, name, bytes) == 1;
    snprintf(inner, sizeof inner, "%.*s", (int)(length - 2), name + 1);
    return length > 2 && length < sizeof inner && name[length - 1] == ']' &&
           inet_pton(AF_INET6, inner, bytes) == 1;
}

static bool is_own_host(const struct ui_gate *gate, const char *host)
{
    char name[300];
    const char *bracket = strrchr(host, ']'), *colon = strchr(bracket ? bracket : host, ':');
    size_t length = colon ? (size_t)(colon - host) : strlen(host);
    if (!length || length >= sizeof name ||
        (colon && (strlen(colon) > 6 || colon[1 + strspn(colon + 1, "0123456789")])))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, host);
    return !strcasecmp(name, "localhost") || !strcmp(name, gate->address) ||
           (gate->is_open_to_many &&
            (is_address(name) || (*gate->computer && !strcasecmp(name, gate->computer))));
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* The browser says that a page of somebody else makes this request. */
static bool is_foreign(struct MHD_Connection *connection)
{
    const char *site = header(connection, "Sec-Fetch-Site");
    return site && strcmp(site, "same-origin") && strcmp(site, "none");
}

enum gate_answer ui_gate_judge(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *method, const char **refusal)
{
    const char *host = header(connection, "Host"), *origin = header(connection, "Origin");
    bool is_reading = !strcmp(method, "GET") || !strcmp(method, "HEAD");
    *refusal = "This address is not the one that Assay printed.";
    if (!host || !is_own_host(gate, host))
        return gate_REFUSED;
    *refusal = "Another site sent this request.";
    if (origin && (strncmp(origin, "http://", 7) || strcasecmp(origin + 7, host)))
        return gate_REFUSED;
    if (!origin && !is_reading)
        return gate_REFUSED;
    const char *mode = header(connection, "Sec-Fetch-Mode");
    bool has_token =
        is_secret(gate->token, MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token"));
    if (is_foreign(connection) && !(has_token && is_reading && mode && !strcmp(mode, "navigate")))
        return gate_REFUSED;
    *refusal = "Open the link that Assay printed: it has the token.";
    if (has_token)
        return is_reading ? gate_ENTERING : gate_OPEN;
    if (is_secret(gate->pass, MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, gate->cookie)))
        return gate_OPEN;
    return gate_REFUSED;
}

static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    FILE *out = context;
    (void)kind;
    if (strcmp(name, "token")) {
        putc('&', out);
        ui_print_encoded(out, name);
        putc('=', out);
        ui_print_encoded(out, value ? value : "");
    }
    return MHD_YES;
}

/* The address without the token; it always stays on this server.  To be freed. */
static char *address_without_token(struct MHD_Connection *connection, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    putc('/', out);
    for (path += strspn(path, "/\\"); *path;) {
        autofree char *word = strndup(path, strcspn(path, "/"));
        ui_print_encoded(out, word ? word : "");
        path += strcspn(path, "/");
        path += *path == '/' && putc('/', out);
    }
    size_t parameters = (fflush(out), size);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_parameter, out);
    fclose(out);
    if (text && text[parameters] == '&')
        text[parameters] = '?';
    return text;
}

/* A browser that comes from another site does not send its new cookie where a redirection leads, but does
   where our own page leads. */
static char *page_that_leads(const char *address)
{
    char *page = NULL;
    return asprintf(
               &page,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Assay</title>\n"
               "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n</head>\n<body>\n"
               "<p><a href=\"%s\">Assay</a></p>\n</body>\n</html>\n",
               address, address) < 0
               ? NULL
               : page;
}

enum MHD_Result ui_gate_let_in(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *path)
{
    char cookie[128];
    bool has_come_from_elsewhere = is_foreign(connection);
    autofree char *address = address_without_token(connection, path);
    char *page = address && has_come_from_elsewhere ? page_that_leads(address) : NULL;
    struct MHD_Response *response =
        address ? MHD_create_response_from_buffer(page ? strlen(page) : 0, page, MHD_RESPMEM_MUST_FREE)
                : NULL;
    enum MHD_Result sent = MHD_NO;
    if (response) {
        snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", gate->cookie, gate->pass);
        MHD_add_response_header(response, "Set-Cookie", cookie);
        MHD_add_response_header(response, "Cache-Control", "no-store");
        if (page)
            MHD_add_response_header(response, "Content-Type", "text/html; charset=utf-8");
        else
            MHD_add_response_header(response, "Location", address);
        ui_gate_protect(response);
        sent = MHD_queue_response(connection, page ? 200 : 303, response);
        MHD_destroy_response(response);
    }
    return sent;
}

void ui_gate_protect(struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
         "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        /* Not no-referrer: browsers then hide the Origin of our own forms. */
        {"Referrer-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}
