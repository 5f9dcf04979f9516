#include "app/save.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

struct export_options save_options(const struct scenario *s, const struct drawn *d)
{
    static const struct drawn usual = {.panel = -1};
    d = d ? d : &usual;
    struct export_options o = {.theme = s->theme ? s->theme : themes[0], .map = s->map ? s->map : colormaps[0], .lang = s->lang,
                               .depth = DEPTH_TRUECOLOR, .dpi = d->dpi > 0 ? d->dpi : DRAWN_DPI};
    carried_write(&o, s, d);
    return o;
}

bool save_report(const struct scenario *s, const char *path, const struct export_options *o, bool *done, struct err *err)
{
    const struct view *v = views[s->view];
    const char *dot = strrchr(path, '.');
    struct err local = {.lang = s->lang};
    char *text = v->report && dot ? v->report(s, dot + 1, &local) : NULL;
    *done = text || *local.text;
    bool good = text && file_write(path, text, strlen(text), o->force, err);
    if (!text && *done)
        err_set(err, "%s", local.text);
    free(text);
    return good;
}

bool save_figure(const struct scenario *s, const struct picture_room *room, const char *path, const struct export_options *o, int threads,
                 struct err *err)
{
    bool done, good = save_report(s, path, o, &done, err);
    if (done)
        return good;
    const struct export_format *format = export_format_of(path, err);
    if (!format || !file_may_write(path, o->force, err))
        return false;
    struct picture_room fine = *room;
    fine.heat_rows = export_heat_rows(format, o);
    struct figure *f = picture_plan(s, &fine, err);
    struct job *job = job_new_alone(threads);
    good = f && picture_compute(s, f, job, err) && export_figure(f, path, o, err);
    job_free_alone(job);
    figure_free(f);
    return good;
}
