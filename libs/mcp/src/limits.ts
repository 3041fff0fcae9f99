export interface McpLimits {
  /** To connect, to agree on the protocol and to list the tools, all together. */
  readonly openMs: number;
  /** For one that cannot be reached while something was decided about a call of it. */
  readonly awayMs: number;
  /** For its answer to what it speaks; silence is one, too. */
  readonly discoverMs: number;
  /** A call without progress, and a call at all. */
  readonly idleMs: number;
  readonly callMs: number;
  /** Between two questions what has become of a task, whatever its server wants; where it says nothing. */
  readonly minPollMs: number;
  readonly maxPollMs: number;
  readonly pollMs: number;
  /** Without any answer of a task's server, and a task at all. */
  readonly taskSilenceMs: number;
  readonly taskMs: number;
  /** What is polite but not needed (cancelling, ending the session) may take this long at the end of a run. */
  readonly closeMs: number;
  /** Waits before a call is made again; so many times it is repeated. */
  readonly retryMs: readonly number[];
  /** One answer or one event of a stream; all that one answer's stream brings. */
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
  readonly maxTools: number;
  readonly maxPages: number;
  /** Characters of a result that the agent is told. */
  readonly maxResultChars: number;
}

export const MCP_LIMITS: McpLimits = {
  openMs: 10_000,
  awayMs: 120_000,
  discoverMs: 3_000,
  idleMs: 120_000,
  callMs: 600_000,
  minPollMs: 250,
  maxPollMs: 60_000,
  pollMs: 1_000,
  taskSilenceMs: 600_000,
  taskMs: 86_400_000,
  closeMs: 1_000,
  retryMs: [200, 1_000, 3_000],
  maxMessageBytes: 10 * 1024 * 1024,
  maxStreamBytes: 64 * 1024 * 1024,
  maxTools: 1_000,
  maxPages: 100,
  maxResultChars: 100_000,
};
