/** What `at` does, wherever it may be given. */
export const AS_OF =
  'With `at`, the id of an event of the session: as if nothing had happened after it, a clear neither. One that is not ' +
  'there yet: 422.';
