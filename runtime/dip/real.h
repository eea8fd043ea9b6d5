/* The functions that the library wraps. */
#ifndef DIP_REAL_H
#define DIP_REAL_H
/* The next one of that name after this library; found once, kept in *place.  NULL: there is none. */
void *real_function(void **place, const char *name);
#endif
