/* Coupling of kernels, worded: chains, and what they say about all kernels together. */
#ifndef SHOW_REPORT_MODELLING_COUPLING_H
#define SHOW_REPORT_MODELLING_COUPLING_H
#include "plan/modelling/coupling/coupling.h"
#include "show/report/common/style.h"

/* stored: couplings from elsewhere, of struct coupling_chain, and the file that they are from; or NULL. */
void report_coupling(const struct coupling *coupling, uint32_t longest, const struct array *stored,
                     const char *stored_path, const struct report_style *style, FILE *out);
#endif
