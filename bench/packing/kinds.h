/* Small problems of three kinds against the optimum; large ones of several shapes: how good the search is,
   and how quickly a change is taken in. Each prints its lines for people. */
#ifndef BENCH_PACKING_KINDS_H
#define BENCH_PACKING_KINDS_H
void kinds_run(void);
void shapes_run(void);
void changes_run(void);
#endif
