/* picture.h - what the module of pictures offers to the program. The module links cairo and pango, which would cost every start 4 ms;
 * so it is a shared object of its own, loaded when the first picture is written. */
#ifndef POSVIZ_EXPORT_PICTURE_H
#define POSVIZ_EXPORT_PICTURE_H

#include "export/export.h"

enum picture_format { PICTURE_PNG, PICTURE_SVG, PICTURE_PDF };

struct picture_module {
    const char *version;                /* of the program that it was built with */
    size_t figure_size, panel_size;     /* a module of another build is refused */
    bool (*write)(const struct figure *f, enum picture_format format, const struct export_options *o, struct buf *out, struct err *err);
};
/* The one symbol of the module. */
extern const struct picture_module posviz_picture;

#endif
