/** What was read of texts that are not in their events, by the event's index. */
export type Contents = ReadonlyMap<number, string>;

/** What looking for something came to. */
export interface Found {
  /** Indexes of events, rising and each once. */
  readonly matches: readonly number[];
  /** Texts that were not looked through, for they are not in the page. */
  readonly unsearched: number;
}
