#include <memory>
#include <vector>
struct particle {
    double x, y, z;
    int id;
};
struct simulation {
    std::vector<double> rho;
    std::vector<particle> parts;
    double *raw;
    int n;
};
std::vector<float> global_vector;
__attribute__((noinline)) void step(simulation &s, std::vector<double> &out)
{
    for (size_t i = 0; i < s.rho.size(); i++) {
        out[i] = s.rho[i] * 1e-110;
        s.raw[i] = out[i] * 0.5;
    }
    for (auto &p : s.parts)
        p.y = out[p.id] * 0.25;
}
int main()
{
    simulation s;
    s.rho.assign(48, 1e-200);
    s.parts.resize(10);
    s.raw = new double[48]();
    std::vector<double> result(48);
    global_vector.resize(48);
    std::unique_ptr<double[]> owned(new double[48]);
    step(s, result);
    for (int i = 0; i < 48; i++) {
        global_vector[i] = 1e-39f * i;
        owned[i] = result[i] * 0.5;
    }
    return global_vector[5] + owned[3] > 1;
}
