/* A position in a structure is stored in every iteration, and the structure goes to a function when the buffer is full: the
   position must be in memory there.
   build: gcc -O2
   silent: stores */
#include "corpus.h"

struct stream {
    unsigned char buffer[64];
    long position, flushed;
};
static struct stream stream;
static unsigned char x[N];

__attribute__((noinline, noclone)) static void flush(struct stream *s)
{
    s->flushed += s->position;
    s->position = 0;
}

KERNEL void kernel(struct stream *s, const unsigned char *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (s->position == 64)
            flush(s);
        s->buffer[s->position++] = x[i];
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (unsigned char) i;
}

void run(void)
{
    kernel(&stream, x, N);
}

double result(void)
{
    return (double) (stream.flushed % 64) + stream.buffer[3];
}
