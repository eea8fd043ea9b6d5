/* What a kernel of the corpus has in common with main.c. */
#ifdef __clang__
#define KERNEL __attribute__((noinline))
#else
#define KERNEL __attribute__((noipa))
#endif

enum { N = 1000 }; /* usual length of arrays */

#ifdef __cplusplus
extern "C" {
#endif
void set_up(void);
void run(void);
double result(void);
#ifdef __cplusplus
}
#endif
