#include "ui/gate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

void ui_gate_begin(struct ui_gate *gate, const char *token)
{
    unsigned char bytes[16] = {0};
    *gate = (struct ui_gate){.token = ""};
    if (token) {
        snprintf(gate->token, sizeof gate->token, "%s", token);
        return;
    }
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return; /* an empty token lets nobody in */
    for (unsigned i = 0; i < sizeof bytes; i++)
        snprintf(gate->token + 2 * i, 3, "%02x", bytes[i]);
}

void ui_gate_listens(struct ui_gate *gate, const char *address, uint16_t port)
{
    snprintf(gate->hosts[0], sizeof gate->hosts[0], "%s:%u", address, port);
    snprintf(gate->hosts[1], sizeof gate->hosts[1], "localhost:%u", port);
    snprintf(gate->cookie, sizeof gate->cookie, "assay%u", port);
}

/* Takes the same time whatever differs. */
static bool is_token(const struct ui_gate *gate, const char *text)
{
    size_t length = strlen(gate->token);
    if (!text || !length || strlen(text) != length)
        return false;
    unsigned difference = 0;
    for (size_t i = 0; i < length; i++)
        difference |= (unsigned char)text[i] ^ (unsigned char)gate->token[i];
    return !difference;
}

static bool is_own_host(const struct ui_gate *gate, const char *host)
{
    for (unsigned i = 0; i < sizeof gate->hosts / sizeof *gate->hosts; i++)
        if (*gate->hosts[i] && !strcasecmp(gate->hosts[i], host))
            return true;
    return false;
}

enum gate_answer ui_gate_judge(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *method, const char *path, const char **refusal)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    bool is_reading = !strcmp(method, "GET") || !strcmp(method, "HEAD");
    (void)path;
    *refusal = "This address is not the one that Assay printed.";
    if (!host || !is_own_host(gate, host))
        return gate_REFUSED;
    *refusal = "Another site sent this request.";
    if (origin && (strncmp(origin, "http://", 7) || !is_own_host(gate, origin + 7)))
        return gate_REFUSED;
    if (!origin && !is_reading)
        return gate_REFUSED;
    *refusal = "Open the link that Assay printed: it has the token.";
    if (is_token(gate, MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token")))
        return is_reading ? gate_ENTERING : gate_OPEN;
    if (is_token(gate, MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, gate->cookie)))
        return gate_OPEN;
    return gate_REFUSED;
}

enum MHD_Result ui_gate_let_in(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *path)
{
    char cookie[300];
    struct MHD_Response *response = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", gate->cookie, gate->token);
    MHD_add_response_header(response, "Set-Cookie", cookie);
    MHD_add_response_header(response, "Location", path[0] == '/' && path[1] != '/' ? path : "/");
    ui_gate_protect(response);
    enum MHD_Result sent = MHD_queue_response(connection, 303, response);
    MHD_destroy_response(response);
    return sent;
}

void ui_gate_protect(struct MHD_Response *response)
{
    MHD_add_response_header(
        response, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}
