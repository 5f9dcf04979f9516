#include "app/marks.h"

#include <stdlib.h>

#include "app/state.h"
#include "base/mem.h"

void marks_done(struct marks *m)
{
    for (int i = 0; i < MARKS; i++) {
        if (m->at[i])
            scenario_done(m->at[i]);
        free(m->at[i]);
        m->at[i] = NULL;
    }
}

static int letter(const char *name, struct err *err)
{
    if (name[0] >= 'a' && name[0] <= 'z' && !name[1])
        return name[0] - 'a';
    err_set(err, N_("mark %s: must be a letter from a to z"), name);
    return -1;
}

bool marks_set(struct app *app, const char *name, struct err *err)
{
    int i = letter(name, err);
    if (i < 0)
        return false;
    struct scenario **slot = &app->marks.at[i];
    if (*slot)
        scenario_done(*slot);
    else
        *slot = xmalloc(sizeof **slot);
    scenario_copy(*slot, &app->s);
    app_say(app, ROLE_GOOD, N_("kept as %s; '%s comes back here"), name, name);
    return true;
}

/* A jump: `q` comes back from it. */
bool marks_go(struct app *app, const char *name, struct err *err)
{
    int i = letter(name, err);
    struct scenario s;
    if (i < 0)
        return false;
    if (!app->marks.at[i])
        return err_set(err, N_("nothing is kept as %s; \"%s keeps this screen"), name, name);
    history_push(&app->jumps, &app->s);
    scenario_copy(&s, app->marks.at[i]);
    app_replace(app, &s);
    return true;
}

/* ---- the letter ------------------------------------------------------------------------------------------------------------ */

static void key(struct app *app, uint32_t key)
{
    char name[2] = {key < 128 ? (char)key : '?', '\0'};
    struct err err = {.lang = app->s.lang};
    app->overlay = NULL;
    if (key != KEY_ESCAPE && !(app->marks.setting ? marks_set(app, name, &err) : marks_go(app, name, &err)))
        app_fail(app, &err);
}

static void draw(struct app *app)
{
    (void)app;                      /* the line of messages asks */
}

static const struct overlay letter_overlay = {.key = key, .draw = draw, .typing = true};

void marks_ask(struct app *app, bool setting)
{
    app->marks.setting = setting;
    app->overlay = &letter_overlay;
    if (setting)
        app_say(app, ROLE_TEXT, N_("keep this screen as: a letter from a to z"));
    else
        app_say(app, ROLE_TEXT, N_("go to the screen kept as: a letter from a to z"));
}
