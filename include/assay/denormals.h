/* assay/denormals.h: marks in a program that is watched for denormal numbers (assay denormals).

       #include <assay/denormals.h>
       for (step = 0; step < steps; step++) {
           ASSAY_DENORMAL_PHASE("step");
           …
       }

   A mark begins a new phase, under the profiler and under the tracer alike; without either it costs a few
   instructions.  The header needs no library and nothing else of Assay; it may be copied into any project.
   Fortran programs call assay_denormal_phase, see docs/denormals.md. */
