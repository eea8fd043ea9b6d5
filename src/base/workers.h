/* Splits work over threads. The items 0 … count-1 are handed out in order to free threads; the function must
   write only to data of its item or its worker, so that results do not depend on the number of threads. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H
#include <stddef.h>

typedef void work_function(void *context, size_t item, unsigned worker);

/* threads 0 means one for each processor this process may use. */
unsigned workers_count(unsigned threads);
/* Returns when all items are done.  worker is in 0 … workers_count(threads)-1. */
void workers_run(unsigned threads, size_t count, work_function *function, void *context);
#endif
