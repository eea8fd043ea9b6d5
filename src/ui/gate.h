/* Who may ask.

   The page shows source code and runs queries, and every program and every web site that the user visits can
   reach a port of this computer.  So a request needs the token: in its address once (the link that is
   printed), then in a cookie that scripts cannot read and other sites do not send.  Host must be the address
   that we listen on (a foreign name that was pointed at 127.0.0.1 is not), and a request that changes
   something, or comes from a script, must have our own Origin. */
#ifndef UI_GATE_H
#define UI_GATE_H
#include <microhttpd.h>
#include <stdint.h>

enum { TOKEN_SIZE = 128 };

struct ui_gate {
    char token[TOKEN_SIZE];
    char hosts[3][300]; /* values of Host that are ours: address, localhost, both with the port */
    char cookie[32];    /* its name: several servers on one computer must not take each other's */
};

enum gate_answer { gate_REFUSED, gate_ENTERING, gate_OPEN };

/* token NULL: a random one. */
void ui_gate_begin(struct ui_gate *gate, const char *token);
void ui_gate_listens(struct ui_gate *gate, const char *address, uint16_t port);
/* gate_ENTERING: the address has the token; the browser gets the cookie, and the address without it. */
enum gate_answer ui_gate_judge(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *method, const char *path, const char **refusal);
enum MHD_Result ui_gate_let_in(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *path);
/* The policy that goes with every answer. */
void ui_gate_protect(struct MHD_Response *response);
#endif
