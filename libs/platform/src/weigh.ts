/**
 * Called before so many bytes are brought into memory for an answer, when what was brought before is on its way out:
 * whoever answers makes room for them first, and what it throws ends the reading.
 */
export type Weigh = (bytes: number) => Promise<void>;

/** For whoever holds all of it anyway. */
export const unweighed: Weigh = () => Promise.resolve();
