/* Who may ask.

   The page shows source code and runs queries, and every program and every web site that the user visits can
   reach a port of this computer.  So a request needs the token: in its address once (the link that is
   printed), then a cookie that scripts cannot read and other sites do not send.  Besides:

   - Host must name this computer: a foreign name that was pointed at 127.0.0.1 (DNS rebinding) does not.  The
     port may be another one, because people forward ports by ssh.
   - A request that a page makes must come from a page of ours.  The browser says so in Origin, and in
     Sec-Fetch-Site: also pages of other servers on this computer are foreign.  Whatever changes something
     needs Origin.
   - Only opening the link itself may come from elsewhere: from a mail, a terminal in the browser, a file. */
#ifndef SHOW_UI_GATE_H
#define SHOW_UI_GATE_H
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

enum { LEAST_TOKEN = 16, MOST_TOKEN = 100 };

struct ui_gate {
    char token[MOST_TOKEN + 1];
    char pass[33];        /* value of the cookie */
    char cookie[32];      /* its name: several servers on one computer must not take each other's */
    char address[64];     /* that we listen on, as it is in Host: 127.0.0.1, [::1] */
    char computer[256];   /* name of this computer, if others may ask; else "" */
    bool is_open_to_many; /* beyond loopback: every address may lead here */
};

enum gate_answer { gate_REFUSED, gate_ENTERING, gate_OPEN };

/* token NULL: a random one. */
void ui_gate_begin(struct ui_gate *gate, const char *token);
void ui_gate_listens(struct ui_gate *gate, const char *address, uint16_t port, bool is_open_to_many);
/* gate_ENTERING: the address has the token; the browser gets the cookie, and the address without it. */
enum gate_answer ui_gate_judge(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *method, const char **refusal);
enum MHD_Result ui_gate_let_in(const struct ui_gate *gate, struct MHD_Connection *connection,
                               const char *path);
/* The policy that goes with every answer. */
void ui_gate_protect(struct MHD_Response *response);
#endif
