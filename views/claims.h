/* claims.h - how a claim of the selection guide, its verdict and its sources are shown, the same in every view. */
#ifndef POSVIZ_VIEWS_CLAIMS_H
#define POSVIZ_VIEWS_CLAIMS_H

#include "figure/draw.h"
#include "wizard/wizard.h"

const char *verdict_mark(enum verdict verdict);         /* one cell: + supported, ~ imprecise, ! contested, x wrong, ? unverified */
enum role verdict_role(enum verdict verdict);
/* Into a text panel: a line of the sources; the claim with its verdict; what was found about it, with the sources. */
void cite(struct panel *p, const struct evidence *e, enum lang lang);
void claim_head(struct panel *p, const struct claim *claim, enum lang lang);
void claim_found(struct panel *p, const struct claim *claim, enum lang lang);

#endif
