import type { Position } from '../envelope.js';

export interface FollowerStatus {
  readonly name: string;
  readonly state: 'new' | 'running' | 'stopped' | 'failed';
  readonly position: Position;
  readonly head: Position;
  /** Age of the oldest event that waits or is being applied, 0 where none is. */
  readonly lagMs: number;
  readonly parked: number;
  /** Failures since the last success. */
  readonly failures: number;
}
