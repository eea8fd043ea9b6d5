/* Pages come first: the process that computes the report is stopped while somebody clicks, and for a moment
   after that, when the browser draws. Its low priority alone does not do it: it has the caches and the memory
   to itself, and a page waits for those. */
#ifndef SHOW_UI_QUIET_H
#define SHOW_UI_QUIET_H

struct quiet;

/* process: a descriptor of it (pidfd_open); -1: there is none, and nothing is done. */
struct quiet *quiet_begin(int process);
void quiet_end(struct quiet *quiet);
/* Around a request. */
void quiet_enter(struct quiet *quiet);
void quiet_leave(struct quiet *quiet);
#endif
