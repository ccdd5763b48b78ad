/** What Postgres can store in no text: NUL, and halves of a character. */
export const INVALID_TEXT_PATTERN = /\0|\p{Surrogate}/u;
