/* picture.c - png, svg and pdf: finds the module that draws them, beside the program or where `make install` puts it. */
#include "export/picture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define MODULE "posviz-picture.so"
#ifndef POSVIZ_LIBDIR
#define POSVIZ_LIBDIR "/usr/local/lib/posviz"
#endif

/* The folder of the running program, with its slash; "" if the system does not say. */
static void own_folder(char *out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(out, '/');
    out[slash ? slash + 1 - out : 0] = '\0';
}

static void *open_module(char *why, size_t size)
{
    char folder[4096];
    own_folder(folder, sizeof folder);
    char *places[] = {xasprintf("%s" MODULE, folder), xasprintf("%s../lib/posviz/" MODULE, folder), xstrdup(POSVIZ_LIBDIR "/" MODULE)};
    enum { N_PLACES = sizeof places / sizeof *places };
    void *handle = NULL;
    for (size_t i = 0; i < N_PLACES && !handle; i++) {
        bool there = access(places[i], R_OK) == 0;
        handle = there ? dlopen(places[i], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!handle && (there || !*why))
            snprintf(why, size, "%s", there ? dlerror() : MODULE);
    }
    for (size_t i = 0; i < N_PLACES; i++)
        free(places[i]);
    return handle;
}

/* Loaded once and kept: pango holds on to fonts. NULL with a message that names what to install. */
static const struct picture_module *module(struct err *err)
{
    static const struct picture_module *loaded;
    if (loaded)
        return loaded;
    char why[512] = "";
    void *handle = open_module(why, sizeof why);
    const struct picture_module *m = handle ? dlsym(handle, "posviz_picture") : NULL;
    if (!m) {
        err_set(err, N_("pictures need the package libpangocairo-1.0-0 (build: libpango1.0-dev) and the module %s; txt, ansi, csv, npy and json "
                        "work without (%s)"), MODULE, why);
        return NULL;
    }
    if (strcmp(m->version, POSVIZ_VERSION) != 0 || m->figure_size != sizeof(struct figure) || m->panel_size != sizeof(struct panel)) {
        err_set(err, N_("the module %s is of version %s, this program of version %s: install both from one build"), MODULE, m->version,
                POSVIZ_VERSION);
        return NULL;
    }
    return loaded = m;
}

bool export_pictures(struct err *err)
{
    return module(err) != NULL;
}

static bool write_picture(const struct figure *f, enum picture_format format, const struct export_options *o, struct buf *out, struct err *err)
{
    enum { ROOM_MIB = 320 };            /* fonts are mapped and pango starts threads; where it gets no memory, it ends the program */
    if (!mem_has_room((size_t)ROOM_MIB << 20))
        return err_set(err, N_("the picture cannot be drawn: it takes up to %d MiB of memory, and there is less (ulimit -v)"), ROOM_MIB);
    const struct picture_module *m = module(err);
    return m && m->write(f, format, o, out, err);
}

static bool write_png(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    return write_picture(f, PICTURE_PNG, o, out, err);
}

static bool write_svg(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    return write_picture(f, PICTURE_SVG, o, out, err);
}

static bool write_pdf(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    return write_picture(f, PICTURE_PDF, o, out, err);
}

/* Eight samples down and four across a cell: 320 x 192 in 80 x 24 cells. */
static int fine(const struct export_options *o)
{
    (void)o;
    return 8;
}

const struct export_format export_png = {
    .extension = "png", .help = N_("a picture in pixels (--dpi)"), .picture = true, .heat_rows = fine, .write = write_png,
};
const struct export_format export_svg = {
    .extension = "svg", .help = N_("a picture for the web, in lines"), .picture = true, .heat_rows = fine, .write = write_svg,
};
const struct export_format export_pdf = {
    .extension = "pdf", .help = N_("a picture for papers, in lines"), .picture = true, .heat_rows = fine, .write = write_pdf,
};
