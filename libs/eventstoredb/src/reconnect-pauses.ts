/** Between attempts to reach the server; with jitter, so that replicas do not come back all at once. */
export const RECONNECT_PAUSES = { firstMs: 50, longestMs: 2_000 };
