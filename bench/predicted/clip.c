/* clip WIDTH HEIGHT SEED SCENES FILE.y4m: a film for encoders, as YUV4MPEG2 4:2:0 with 25 frames a second.

   SCENES is KIND:FRAMES, several with commas between. Kinds: still (a picture), pan (it moves evenly), swarm
   (discs that move each its own way before it), shake (it trembles), snow (noise in each frame; the number
   after a second colon is its strength, 40 without). The same words give the same file on every machine, but
   for the last bits of sin. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVES = 12, DISCS = 20, MOST = 2048 };
static const double PI = 3.14159265358979323846;
static uint64_t state;
static double waves[WAVES][4], discs[DISCS][6];

static double uniform(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void make_scene(void)
{
    for (int i = 0; i < WAVES; i++) {
        double frequency = 0.02 * exp(uniform() * 3.5), angle = 2 * PI * uniform();
        waves[i][0] = frequency * cos(angle), waves[i][1] = frequency * sin(angle);
        waves[i][2] = 2 * PI * uniform(), waves[i][3] = 0.5 / frequency;
        if (waves[i][3] > 12)
            waves[i][3] = 12;
    }
    for (int i = 0; i < DISCS; i++) {
        discs[i][0] = uniform(), discs[i][1] = uniform();
        discs[i][2] = (uniform() - 0.5) * 12, discs[i][3] = (uniform() - 0.5) * 12;
        discs[i][4] = 5 + 25 * uniform(), discs[i][5] = 160 * uniform() - 80;
    }
}

static double picture(double x, double y)
{
    double level = 120;
    for (int i = 0; i < WAVES; i++)
        level += waves[i][3] * sin(waves[i][0] * x + waves[i][1] * y + waves[i][2]);
    return level;
}

static unsigned char clamped(double level)
{
    return level < 16 ? 16 : level > 235 ? 235 : (unsigned char)level;
}

static void draw_discs(unsigned char *frame, int width, int height, int at)
{
    for (int i = 0; i < DISCS; i++) {
        double cx = fmod(discs[i][0] * width + discs[i][2] * at + 1000.0 * width, width);
        double cy = fmod(discs[i][1] * height + discs[i][3] * at + 1000.0 * height, height);
        double radius = discs[i][4];
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius)
                    frame[y * width + x] = clamped(frame[y * width + x] + discs[i][5]);
    }
}

/* The picture, with room for all moves of the scene. */
static void paint(double *canvas, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            canvas[y * width + x] = picture(x, y);
}

static void draw(unsigned char *frame, int width, int height, const double *canvas, int canvas_width,
                 const char *kind, double strength, int at)
{
    int dx = 0, dy = 0;
    if (strcmp(kind, "pan") == 0)
        dx = 3 * at, dy = at;
    else if (strcmp(kind, "shake") == 0)
        dx = (int)(6 * uniform()), dy = (int)(6 * uniform());
    double grain = strcmp(kind, "snow") == 0 ? strength : 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            frame[y * width + x] = clamped(canvas[(y + dy) * canvas_width + x + dx] +
                                           (grain > 0 ? grain * (uniform() - 0.5) : 0));
    if (strcmp(kind, "swarm") == 0)
        draw_discs(frame, width, height, at);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "clip: %s: %s\n", what, why);
    return 2;
}

int main(int count, char **words)
{
    if (count != 6) {
        fprintf(stderr, "usage: clip WIDTH HEIGHT SEED KIND:FRAMES[:STRENGTH],... FILE.y4m\n");
        return 2;
    }
    int width = atoi(words[1]), height = atoi(words[2]);
    if (width < 16 || height < 16 || width > MOST || height > MOST || width % 2 || height % 2)
        return fail("width and height", "even numbers from 16 to 2048 are needed");
    state = strtoull(words[3], NULL, 10) * 0x2545f4914f6cdd1du + 1;
    FILE *file = fopen(words[5], "wb");
    unsigned char *frame = malloc((size_t)width * (size_t)height);
    if (!file || !frame)
        return fail(words[5], strerror(errno));
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", width, height);
    for (char *scene = strtok(words[4], ","); scene; scene = strtok(NULL, ",")) {
        char kind[16];
        int frames;
        double strength = 40;
        if (sscanf(scene, "%15[a-z]:%d:%lf", kind, &frames, &strength) < 2)
            return fail(scene, "KIND:FRAMES or KIND:FRAMES:STRENGTH is needed");
        if (frames < 1 || frames > MOST)
            return fail(scene, "a scene has 1 to 2048 frames");
        make_scene();
        int canvas_width = width + 3 * frames + 6, canvas_height = height + frames + 6;
        double *canvas = malloc(sizeof *canvas * (size_t)canvas_width * (size_t)canvas_height);
        if (!canvas)
            return fail(words[5], strerror(errno));
        paint(canvas, canvas_width, canvas_height);
        for (int at = 0; at < frames; at++) {
            draw(frame, width, height, canvas, canvas_width, kind, strength, at);
            fputs("FRAME\n", file);
            fwrite(frame, 1, (size_t)width * (size_t)height, file);
            for (int i = 0; i < width * height / 2; i++)
                fputc(128, file);
        }
        free(canvas);
    }
    free(frame);
    if (ferror(file) || fclose(file))
        return fail(words[5], strerror(errno));
    return 0;
}
