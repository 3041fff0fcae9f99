import type { RecordedEvent } from '#event-log';
import type { TraceLine } from './engine/trace.js';
import type { Play } from './play.js';

const FIRST_LINES = 1_500;
const LAST_LINES = 100;

/** What a reader needs to understand a failure: what happened, by whom, and what the log holds in the end. */
export function report(play: Play): string {
  const { trace, log, violation } = play;
  const first = trace.lines.slice(0, FIRST_LINES);
  const last = trace.lines.slice(FIRST_LINES).slice(-LAST_LINES);
  const start = trace.lines[0]?.time ?? 0;
  const parts = [
    'timeline (seconds, who, what)',
    ...[...first, ...last].map((line) => timelineOf(line, start)),
    '',
    'log',
    ...log.map(logLineOf),
  ];
  if (violation) parts.push('', `broken: ${violation.invariant}`, violation.detail);
  return parts.join('\n');
}

function timelineOf({ time, who, what }: TraceLine, start: number): string {
  return `${((time - start) / 1000).toFixed(3).padStart(10)}  ${who.padEnd(12)} ${what}`;
}

function logLineOf({ position, stream, revision, type, meta, json }: RecordedEvent): string {
  const run = meta.run === undefined ? '' : ` ${meta.run.slice(-16)}`;
  return `${String(position).padStart(4)}  ${stream} ${revision} ${type}${run} by ${meta.actor} ${json.slice(0, 120)}`;
}
