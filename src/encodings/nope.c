/* nope.c - no position encoding: the causal mask is the only source of order (Haviv et al. 2022, arXiv 2203.16634;
 * Kazemnejad et al. 2023, arXiv 2305.19466). Without a mask, attention is equivariant to any permutation of the
 * tokens. Llama 4 and SmolLM3 mix such layers with rotating ones. */
#include "core/encoding.h"

const struct encoding encoding_nope = {
    .id = "nope",
    .title = N_("NoPE"),
    .help = N_("No position encoding at all: scores see the content alone. A causal mask still tells how many tokens came "
               "before, and models learn positions from that; without a mask the order of the tokens is invisible."),
    .year = 2022,
    .cite = "Haviv et al. 2022 (arXiv 2203.16634); Kazemnejad et al. 2023 (arXiv 2305.19466)",
    .scheme = "none",
    .axes = 1,
    .promises = PROMISE_RELATIVE,
};
