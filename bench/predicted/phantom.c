/* phantom SIZE ANATOMY STRENGTH WARP NOISE HAZE FILE.mif: a 3-D image for registration programs, as MRtrix
   reads it.

   An anatomy (a seed) is a head of soft-edged ellipsoids with a smooth texture in a cube of 192 mm; SIZE³
   voxels sample it, so the same anatomy exists in every size. The warp (a seed) moves it by a smooth random
   field: low waves along the three axes, STRENGTH mm at most (root of the mean square about a third of that).
   NOISE is the standard deviation of what is added to each voxel. HAZE is that of a smooth pattern that
   belongs to the scan and not to the anatomy, with as much in coarse waves as in fine ones: noise vanishes
   when an image is made smaller, haze stays. Tissue is between 20 and 100. The same words give the same file
   on every machine, but for the last bits of sin and exp. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 24, WAVES = 10, TEXTURES = 8, HAZES = 40, SIZE_MOST = 512 };
static const double CUBE = 192, PI = 3.14159265358979323846;

static uint64_t state;

static double uniform(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(double low, double high)
{
    return low + (high - low) * uniform();
}

static double normal(void)
{
    double radius = sqrt(-2 * log(1 - uniform()));
    return radius * cos(2 * PI * uniform());
}

struct ellipsoid {
    double center[3], radius[3], turn, level, edge;
};
struct wave {
    double frequency[3], phase, height[3];
};
static struct ellipsoid parts[PARTS];
static struct wave warp[WAVES], texture[TEXTURES], hazes[HAZES];

static void make_wave(struct wave *wave, double lowest, double highest)
{
    for (int axis = 0; axis < 3; axis++) {
        wave->frequency[axis] = between(lowest, highest) * (uniform() < 0.5 ? -1 : 1) * 2 * PI / CUBE;
        wave->height[axis] = between(-1, 1);
    }
    wave->phase = between(0, 2 * PI);
}

static void make_anatomy(uint64_t seed)
{
    state = seed * 0x2545f4914f6cdd1du + 1;
    double head[3] = {between(66, 80), between(76, 88), between(60, 76)};
    for (int i = 0; i < PARTS; i++) {
        struct ellipsoid *part = &parts[i];
        for (int axis = 0; axis < 3; axis++) {
            part->center[axis] = i < 2 ? 0 : between(-0.6, 0.6) * head[axis];
            part->radius[axis] = i == 0 ? head[axis] : i == 1 ? head[axis] - 9 : between(8, 30);
        }
        part->turn = i < 2 ? 0 : between(0, PI);
        part->level = i == 0 ? 70 : i == 1 ? -30 : between(-25, 35);
        part->edge = between(2, 4);
    }
    for (int i = 0; i < TEXTURES; i++)
        make_wave(&texture[i], 1.5, 6);
}

static void make_warp(uint64_t seed)
{
    state = seed * 0xda942042e4dd58b5u + 7;
    for (int i = 0; i < WAVES; i++)
        make_wave(&warp[i], 0.3, 1.6);
}

static void make_haze(uint64_t seed)
{
    state = seed * 0x9fb21c651e98df25u + 3;
    for (int i = 0; i < HAZES; i++) {
        double frequency = exp(between(log(0.7), log(16)));
        make_wave(&hazes[i], 0.3 * frequency, frequency);
    }
}

static double phase_at(const struct wave *wave, const double *place)
{
    return wave->phase + wave->frequency[0] * place[0] + wave->frequency[1] * place[1] +
           wave->frequency[2] * place[2];
}

static double tissue(const double *place, double *head)
{
    double level = 0, inside = 0;
    for (int i = 0; i < PARTS; i++) {
        const struct ellipsoid *part = &parts[i];
        double x = place[0] - part->center[0], y = place[1] - part->center[1], z = place[2] - part->center[2];
        double a = (x * cos(part->turn) + y * sin(part->turn)) / part->radius[0];
        double b = (y * cos(part->turn) - x * sin(part->turn)) / part->radius[1];
        double c = z / part->radius[2];
        double length = sqrt(a * a + b * b + c * c);
        double smallest = fmin(part->radius[0], fmin(part->radius[1], part->radius[2]));
        double share = 1 / (1 + exp((length - 1) * smallest / part->edge * 2));
        level += share * part->level;
        if (i == 0)
            *head = share;
        else if (i == 1)
            inside = share;
    }
    double grain = 0;
    for (int i = 0; i < TEXTURES; i++)
        grain += texture[i].height[0] * sin(phase_at(&texture[i], place));
    return fmax(0, level + 3 * inside * grain);
}

static double haze_at(const double *place)
{
    double sum = 0;
    for (int i = 0; i < HAZES; i++)
        sum += sin(phase_at(&hazes[i], place));
    return sum * sqrt(2.0 / HAZES);
}

static float sample(const double *place, double strength, double noise, double haze)
{
    double moved[3] = {place[0], place[1], place[2]};
    if (strength > 0)
        for (int i = 0; i < WAVES; i++) {
            double lift = strength / sqrt(WAVES) * sin(phase_at(&warp[i], place));
            for (int axis = 0; axis < 3; axis++)
                moved[axis] += lift * warp[i].height[axis];
        }
    double head = 0, level = tissue(moved, &head), disturbance = noise * normal();
    if (haze > 0)
        disturbance += haze * haze_at(place);
    return head < 0.02 ? 0 : (float)fmax(0, level + disturbance);
}

static double number(const char *text, double least, double most, const char *what)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == 0 || *end || !(value >= least && value <= most)) {
        fprintf(stderr, "phantom: %s '%s' is not a number between %g and %g\n", what, text, least, most);
        exit(2);
    }
    return value;
}

int main(int count, char **words)
{
    if (count != 8) {
        fprintf(stderr, "usage: phantom SIZE ANATOMY STRENGTH WARP NOISE HAZE FILE.mif\n");
        return 2;
    }
    int size = (int)number(words[1], 8, SIZE_MOST, "the size");
    uint64_t anatomy = (uint64_t)number(words[2], 0, 1e9, "the anatomy");
    double strength = number(words[3], 0, 60, "the strength");
    uint64_t seed = (uint64_t)number(words[4], 0, 1e9, "the warp");
    double noise = number(words[5], 0, 100, "the noise");
    double haze = number(words[6], 0, 100, "the haze");
    make_anatomy(anatomy);
    make_warp(seed);
    make_haze(anatomy * 1000 + seed);
    state = anatomy * 1000003 + seed * 7919 + (uint64_t)(strength * 1000) + (uint64_t)size;

    FILE *file = fopen(words[7], "wb");
    if (!file) {
        fprintf(stderr, "phantom: %s: %s\n", words[7], strerror(errno));
        return 1;
    }
    double step = CUBE / size;
    fprintf(file,
            "mrtrix image\ndim: %d,%d,%d\nvox: %.6g,%.6g,%.6g\nlayout: +0,+1,+2\ndatatype: Float32LE\n"
            "file: . 256\nEND\n",
            size, size, size, step, step, step);
    for (long at = ftell(file); at < 256; at++)
        fputc(0, file);
    for (int z = 0; z < size; z++)
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++) {
                double place[3] = {(x + 0.5) * step - CUBE / 2, (y + 0.5) * step - CUBE / 2,
                                   (z + 0.5) * step - CUBE / 2};
                float value = sample(place, strength, noise, haze);
                unsigned char bytes[4];
                uint32_t bits;
                memcpy(&bits, &value, 4);
                for (int i = 0; i < 4; i++)
                    bytes[i] = (unsigned char)(bits >> (8 * i));
                fwrite(bytes, 1, 4, file);
            }
    if (ferror(file) || fclose(file)) {
        fprintf(stderr, "phantom: %s: %s\n", words[7], strerror(errno));
        return 1;
    }
    return 0;
}
