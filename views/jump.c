#include "jump.h"

#include <string.h>

bool jump_to(struct scenario *s, const char *view, const char *encoding)
{
    struct scenario t;
    if (!view)
        return false;
    scenario_copy(&t, s);
    if ((encoding && !scenario_set_encoding(&t, encoding, NULL)) || !scenario_set_view(&t, view, NULL)) {
        scenario_done(&t);
        return false;
    }
    scenario_done(s);
    memcpy(s, &t, sizeof t);
    return true;
}
