/* Connections, and whose they are.

   Everybody on this computer can connect, and say nothing, or a byte now and then. Such a connection takes
   one of the places that the server has. So whoever has not shown the token has few places and little time:
   the head of a request has to be there within seconds, and if too many knock, the one that has knocked
   longest has to go. Who has shown it keeps the place, but each request has to be there within a minute. */
#ifndef SHOW_UI_GUESTS_H
#define SHOW_UI_GUESTS_H
#include <stdbool.h>

enum { GUESTS_MOST = 128, GUESTS_MOST_STRANGERS = 32, GUESTS_SECONDS = 10, GUESTS_REQUEST_SECONDS = 60 };

struct guests;
struct guest;

struct guests *guests_begin(void);
void guests_end(struct guests *guests);
/* A connection, by its socket; NULL: there are too many. */
struct guest *guests_come(struct guests *guests, int socket);
/* Before the socket is closed. */
void guests_go(struct guests *guests, struct guest *guest);
/* It has the token; a request of it began to arrive; all of that is there. NULL is ignored. */
void guests_enter(struct guests *guests, struct guest *guest);
void guests_speak(struct guests *guests, struct guest *guest, bool is_complete);
#endif
