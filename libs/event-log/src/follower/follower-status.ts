import type { Position } from '../envelope.js';

export interface FollowerStatus {
  readonly name: string;
  readonly state: 'new' | 'running' | 'stopped' | 'failed';
  readonly position: Position;
  readonly head: Position;
  /** Age of the oldest event not yet applied; 0: none. */
  readonly lagMs: number;
  readonly parked: number;
  /** Consecutive failures. */
  readonly failures: number;
}
