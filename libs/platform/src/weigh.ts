/**
 * Back-pressure hook of reads: awaited before so many bytes are loaded into memory for an answer, so that the
 * writer of the answer can first drain what was loaded before. What it throws ends the reading.
 */
export type Weigh = (bytes: number) => Promise<void>;

/** No back-pressure: for readers that hold everything anyway. */
export const unweighed: Weigh = () => Promise.resolve();
