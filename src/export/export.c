/* export.c - the formats, and their way into a file. */
#include "export/export.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

const struct export_format *const export_formats[] = {
    &export_png, &export_svg, &export_pdf, &export_txt, &export_ansi, &export_csv, &export_npy, &export_json, NULL,
};

const struct export_format *export_format_of(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    char list[80] = "";
    for (size_t i = 0; export_formats[i]; i++) {
        if (dot && !strcasecmp(dot + 1, export_formats[i]->extension))
            return export_formats[i];
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s.%s", at ? " " : "", export_formats[i]->extension);
    }
    err_set(err, N_("%s: the end of the name says the format, one of %s"), path, list);
    return NULL;
}

int export_heat_rows(const struct export_format *format, const struct export_options *o)
{
    enum { ON_SCREEN = 2 };
    return format->heat_rows ? format->heat_rows(o) : ON_SCREEN;
}

bool export_figure(const struct figure *f, const char *path, const struct export_options *o, struct err *err)
{
    const struct export_format *format = export_format_of(path, err);
    struct buf out = {0};
    if (!format || !file_may_write(path, o->force, err))
        return false;
    bool good = format->write(f, o, &out, err) && file_write(path, out.data, out.n, o->force, err);
    buf_done(&out);
    return good;
}
