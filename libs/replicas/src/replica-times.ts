/** How the time that an operator gives for a take-over is divided. */
export interface ReplicaTimes {
  /** A replica that is silent for longer counts as gone. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How often the others are looked at. */
  readonly lookMs: number;
}

const LONGEST_LOOK_MS = 500;

/** @param takeoverMs the most that may pass between the death of a replica and the first claim of its runs */
export const replicaTimes = (takeoverMs: number): ReplicaTimes => {
  const leaseMs = Math.ceil(takeoverMs * 0.7);
  // A death that is certain is acted on sooner.
  const lookMs = Math.min(Math.ceil(takeoverMs / 10), LONGEST_LOOK_MS);
  return { leaseMs, beatMs: Math.ceil(leaseMs / 5), lookMs };
};
