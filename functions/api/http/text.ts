/** Characters that Postgres text cannot store: NUL and lone surrogates. */
export const INVALID_TEXT_PATTERN = /\0|\p{Surrogate}/u;
