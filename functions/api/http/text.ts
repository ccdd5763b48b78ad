/** What Postgres can store in no text: NUL, and halves of a character. */
export const badText = /\0|\p{Surrogate}/u;
