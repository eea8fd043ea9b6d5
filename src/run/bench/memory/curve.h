/* Steps of a curve over sizes of regions: where a cache ends, the time of an access rises.

   A rise may be sharp (a cache that throws out what was used least recently: after its size everything
   misses) or blurred (other rules, sets that fill unevenly, other programs in the same cache).  Between rises
   the curve may climb slowly, because of the translation of addresses for example.  Times that are too long
   by chance are frequent. */
#ifndef RUN_BENCH_MEMORY_CURVE_H
#define RUN_BENCH_MEMORY_CURVE_H

struct curve_point {
    double bytes, time;
};

struct curve_step {
    double bytes;    /* the last size before the rise */
    double from, to; /* times before and after it */
};

/* What counts as a rise: times that grow by more than this factor for each doubling of the size, and by
 * `least` in all. */
struct curve_rule {
    double for_octave, least;
};

/* The points are in the order of their sizes.  Returns the number of steps, at most `most`. */
unsigned curve_steps(const struct curve_point *points, unsigned count, struct curve_rule rule,
                     struct curve_step *steps, unsigned most);
#endif
