/* The function that before.c calls. */
double blend(double a, double b);

double blend(double a, double b)
{
    return 0.75 * a + 0.25 * b;
}
