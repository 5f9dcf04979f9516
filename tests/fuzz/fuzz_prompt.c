/* The line of commands: each line is completed, then typed into the running program. */
#include <math.h>

#include "../support/fuzz.h"
#include "../support/headless.h"
#include "app/words.h"

static void press(struct screen *s, uint32_t key)
{
    term_feed(s->app.term, (struct event){.type = EVENT_KEY, .key = key});
}

/* As little to compute as the words allow. */
static void keep_tiny(struct screen *s)
{
    screen_keep_small(s);
    s->app.s.shape.length = fmin(s->app.s.shape.length, 16);
}

static void run_line(struct screen *s, const char *line)
{
    static struct completions c;
    words_complete(&s->app, line, &c);
    press(s, ':');
    while (*line)
        press(s, utf8_next(&line));
    press(s, KEY_TAB);
    press(s, KEY_RETURN);
    app_turn(&s->app);
    s->app.quit = false;
    s->app.playing = false;
    keep_tiny(s);
    press(s, KEY_ESCAPE);
    app_settle(&s->app);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { BYTES_MAX = 600 };
    struct screen s;
    char *text = fuzz_text(data, size < BYTES_MAX ? size : BYTES_MAX), *rest = text;
    if (!strchr(text, '/') && !fuzz_is_slow(text)) {
        screen_open(&s, 12, 60, DEPTH_256, NULL);
        keep_tiny(&s);
        for (char *line; (line = strsep(&rest, "\n")) != NULL;)
            run_line(&s, line);
        screen_close(&s);
    }
    free(text);
    return 0;
}
