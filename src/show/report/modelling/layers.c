/* What the time of a sweep is made of: causes, each with a kind, the largest share over all points first. */
#include "show/report/modelling/model_view.h"

#include <stdlib.h>

double model_layer_share(const struct model_layer *layer, const struct evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->causes.count; i++) {
        const struct evaluated_cause *one = ARRAY_AT(struct evaluated_cause, &evaluation->causes, i);
        if (one->cause == layer->cause && one->kind == layer->kind)
            return evaluation->seconds > 0 ? one->seconds / evaluation->seconds : 0;
    }
    return 0;
}

static int by_weight(const void *left, const void *right)
{
    double a = ((const struct model_layer *)left)->weight, b = ((const struct model_layer *)right)->weight;
    return (a < b) - (a > b);
}

static struct model_layer *layer_of(struct array *layers, const struct evaluated_cause *cause)
{
    for (size_t i = 0; i < layers->count; i++) {
        struct model_layer *layer = ARRAY_AT(struct model_layer, layers, i);
        if (layer->cause == cause->cause && layer->kind == cause->kind)
            return layer;
    }
    struct model_layer *layer = array_push(layers);
    *layer = (struct model_layer){.cause = cause->cause, .kind = cause->kind};
    return layer;
}

struct array model_layers(const struct model_sweep *sweep)
{
    struct array layers = ARRAY_OF(struct model_layer);
    for (size_t i = 0; i < sweep->points->count; i++) {
        const struct evaluation *evaluation = &ARRAY_AT(struct model_point, sweep->points, i)->evaluation;
        for (size_t k = 0; k < evaluation->causes.count; k++) {
            const struct evaluated_cause *cause = ARRAY_AT(struct evaluated_cause, &evaluation->causes, k);
            if (evaluation->seconds > 0 && cause->seconds > 0)
                layer_of(&layers, cause)->weight += cause->seconds / evaluation->seconds;
        }
    }
    if (layers.count)
        qsort(layers.data, layers.count, sizeof(struct model_layer), by_weight);
    return layers;
}
