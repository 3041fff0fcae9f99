import type { ShapeName } from './sprite.js';

export type Tone = 'ok' | 'warn' | 'bad' | 'run' | 'none';

export interface StatusLook {
  readonly shape: ShapeName;
  readonly tone: Tone;
}

const LOOKS: Readonly<Record<string, StatusLook>> = {
  queued: { shape: 'queue', tone: 'none' },
  pending: { shape: 'queue', tone: 'none' },
  scheduled: { shape: 'queue', tone: 'none' },
  running: { shape: 'run', tone: 'run' },
  processing: { shape: 'run', tone: 'run' },
  checking: { shape: 'run', tone: 'run' },
  waiting: { shape: 'wait', tone: 'warn' },
  open: { shape: 'wait', tone: 'warn' },
  retrying: { shape: 'wait', tone: 'warn' },
  paused: { shape: 'stop', tone: 'warn' },
  completed: { shape: 'done', tone: 'ok' },
  delivered: { shape: 'done', tone: 'ok' },
  chain: { shape: 'done', tone: 'none' },
  signed: { shape: 'done', tone: 'ok' },
  receipted: { shape: 'done', tone: 'ok' },
  witnessed: { shape: 'done', tone: 'ok' },
  complete: { shape: 'done', tone: 'ok' },
  verified: { shape: 'done', tone: 'ok' },
  resolved: { shape: 'done', tone: 'ok' },
  approved: { shape: 'done', tone: 'ok' },
  indexed: { shape: 'done', tone: 'ok' },
  finished: { shape: 'done', tone: 'ok' },
  ok: { shape: 'done', tone: 'ok' },
  failed: { shape: 'bad', tone: 'bad' },
  failing: { shape: 'bad', tone: 'bad' },
  'gave up': { shape: 'bad', tone: 'bad' },
  'not verified': { shape: 'bad', tone: 'bad' },
  unusable: { shape: 'stop', tone: 'warn' },
  denied: { shape: 'stop', tone: 'bad' },
  cancelled: { shape: 'stop', tone: 'none' },
  stopped: { shape: 'stop', tone: 'none' },
  expired: { shape: 'stop', tone: 'none' },
  erased: { shape: 'gone', tone: 'none' },
};

/** Shape and colour of a status, by the API's word for it. */
export const lookOf = (status: string): StatusLook => LOOKS[status] ?? { shape: 'queue', tone: 'none' };

/** `completed` as "Completed", `tool_servers` as "Tool servers". */
export const capitalised = (word: string): string =>
  (word.charAt(0).toUpperCase() + word.slice(1)).replaceAll('_', ' ');
