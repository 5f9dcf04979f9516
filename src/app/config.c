#include "app/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/userdir.h"
#include "base/file.h"
#include "base/mem.h"
#include "json/json.h"

enum { CONFIG_BYTES = 64 << 10 };

/* The next option of *text and its value ("": none), without comments and blanks around; false at the end. *text is cut up. */
static bool next_line(char **text, int *line, char **name, char **value)
{
    while (*text) {
        char *here = strsep(text, "\n");
        ++*line;
        here += strspn(here, " \t");
        for (size_t n = strlen(here); n && strchr(" \t\r", here[n - 1]); n--)
            here[n - 1] = '\0';
        if (!*here || *here == '#')
            continue;
        size_t n = strcspn(here, " \t=");
        *name = here;
        *value = here + n + strspn(here + n, " \t");
        *value += **value == '=';
        *value += strspn(*value, " \t");
        here[n] = '\0';
        return true;
    }
    return false;
}

static char *config_path(void)
{
    return userdir_file(USERDIR_CONFIG, "config", false);
}

/* The text, NULL where there is no file or it is none; the caller frees it. */
static char *config_text(const char *path, struct err *err)
{
    size_t size = 0;
    char *text = path && access(path, F_OK) == 0 ? file_read(path, CONFIG_BYTES, &size, err) : NULL;
    if (text && strlen(text) < size) {
        err_set(err, N_("%s: holds a byte of value 0, so it is no text"), path);
        free(text);
        return NULL;
    }
    if (text && !strncmp(text, "\xef\xbb\xbf", 3))
        memmove(text, text + 3, size - 2);
    return text;
}

/* "theme", as other programs have it, is --theme. */
static bool lacks_dashes(const char *name)
{
    for (size_t i = 0; i < SCREEN_COUNT; i++)
        if (!strncmp(start_options[i].name, "--", 2) && !strcmp(start_options[i].name + 2, name))
            return true;
    return !strcmp(name, "lang");
}

static bool take_line(struct start *start, const char *name, const char *value, struct err *err)
{
    for (size_t i = 0; i < SCREEN_COUNT; i++) {
        const struct command_option *o = &start_options[i];
        if (strcmp(o->name, name))
            continue;
        if (o->argument && !*value)
            return err_set(err, N_("option %s needs a value"), name);
        if (!o->argument && *value)
            return err_set(err, N_("option %s takes no value"), name);
        return start_take(start, (int)i, value, err);
    }
    enum lang lang;
    if (!strcmp(name, "--lang"))
        return options_lang(value, &lang, err);
    return lacks_dashes(name) ? err_set(err, N_("there is no option %s; it is written --%s"), name, name)
                              : err_set(err, N_("there is no option %s; --help lists them"), name);
}

bool config_options(struct start *start, struct err *err)
{
    static char *text;                  /* the options point into it */
    struct start unused = *start, *into = start_on_terminal() ? start : &unused;
    char *path = config_path(), *name, *value;
    free(text);
    text = config_text(path, err);
    bool good = !*err->text;
    int line = 0;
    for (char *rest = text; good && next_line(&rest, &line, &name, &value);)
        if (!take_line(into, name, value, err)) {
            char place[32];
            snprintf(place, sizeof place, ":%d", line);
            good = err_prefix(err, "%s%s", path, place);
        }
    free(path);
    return good;
}

void config_lang(enum lang *lang)
{
    struct err err = {.lang = *lang};
    char *path = config_path(), *text = config_text(path, &err), *name, *value;
    int line = 0;
    for (char *rest = text; next_line(&rest, &line, &name, &value);)
        if (!strcmp(name, "--lang"))
            lang_from_name(value, lang);
    free(text);
    free(path);
}
