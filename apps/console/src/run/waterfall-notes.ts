import { type ModelCall, type PicoDollars, formatDollars, parseDollars } from '#domain/browser';
import { duration } from '../parts/format.js';
import type { Note, OpenRow } from './waterfall-row.js';

/** What a run waits for, by the kind of its action. */
export const WAITS = {
  approval: 'approval',
  tool: 'the caller',
  input: 'an answer',
  tool_servers: 'its tool servers',
  budget: 'a higher budget',
} as const;

/** A moment. */
export function closed(row: OpenRow, note: string): OpenRow {
  row.note(note);
  row.close(row.start);
  return row;
}

/** What a run left open when it ended. */
export function closeAll(row: OpenRow, time: number, end: string): void {
  for (const child of row.children) closeAll(child, time, end);
  if (!row.isOpen) return;
  if (row.kind === 'tool' || row.kind === 'step')
    row.note(end === 'agent_cancelled' ? 'cancelled' : 'broken off');
  row.close(time);
}

/** In picodollars. */
export const costOf = (calls: readonly ModelCall[]): PicoDollars =>
  calls.reduce((sum, { cost }) => sum + parseDollars(cost), 0n);

/** Empty: it cost nothing that is known. */
export const costNote = (cost: PicoDollars): Note => (cost === 0n ? '' : { cost: formatDollars(cost) });

/** @param by id of the key */
export const decisionNote = (decision: string, by: string): Note =>
  decision === 'expired' ? 'nobody decided in time' : { decision, by };

/** First token, tokens a second, cost. */
export function notesOf(row: OpenRow, time: number, calls: readonly ModelCall[]): readonly Note[] {
  const first = row.firstOf('thinking', 'answer');
  const call = calls.at(-1);
  const saidMs = first === null ? 0 : time - first;
  const isTold = first !== null && first > row.start;
  return [
    isTold ? `first token ${duration(first - row.start)}` : '',
    call !== undefined && isTold && saidMs > 0
      ? `${Math.round((call.output_tokens * 1000) / saidMs)} tokens/s`
      : '',
    costNote(costOf(calls)),
  ];
}
