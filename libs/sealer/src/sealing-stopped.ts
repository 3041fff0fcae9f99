import { Problem } from '#domain';
import type { Stop, StopReason } from './seal.js';

/** What was signed cannot be gone on from: nothing more is, until the operator names another origin. */
export class SealingStopped extends Error {
  override readonly name = 'SealingStopped';

  constructor(
    readonly reason: StopReason,
    detail: string,
  ) {
    super(detail);
  }
}

/** The answer to whoever asks for what would be signed. */
export const sealingStopped = ({ reason }: Pick<Stop, 'reason'>): Problem =>
  new Problem('sealing_stopped', `nothing is signed now (${reason}); the operator must look into it`);

/** Somebody else has sealed, or made the tables anew: what is known is read again. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}
