/* The functions that the library wraps. */
#ifndef RUNTIME_DENORMAL_PROFILE_REAL_H
#define RUNTIME_DENORMAL_PROFILE_REAL_H
/* The next one of that name after this library; found once, kept in *place.  NULL: there is none. */
void *real_function(void **place, const char *name);
#endif
