#include "read/ia64.h"

const char ia64_templates[IA64_TEMPLATES][4] = {"mii", "mii", "mlx", "mmi", "mmi", "mfi",
                                                "mmf", "mib", "mbb", "bbb", "mmb", "mfb"};
