/* A small function of another file, for ../other-file.c and ../plt-other-file.c. */
double clamp(double value);

double clamp(double value)
{
    return value * 0.5 + value * value;
}
