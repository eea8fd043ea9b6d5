/* Classes and elements that depend on the operands, as numbers beyond the model's vocabularies.  They are in
   the table of mnemonics and never leave the x86 readers. */
#ifndef CODE_READ_X86_CLASSES_H
#define CODE_READ_X86_CLASSES_H
#include "model/model.h"

enum {
    class_TRANSFER = class_COUNT, /* load, store or move */
    class_BROADCAST,              /* load or shuffle */
    class_INSERT,                 /* store or shuffle */
    class_MASK_TRANSFER,          /* load, store or mask */
    class_EXCHANGE,               /* atomic or move */
};
enum {
    element_OPERAND = element_COUNT, /* integer as wide as the operand */
    element_UNKNOWN,                 /* not the element of the mnemonic */
};
#endif
