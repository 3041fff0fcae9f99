import type { RecordedSessionEvent } from '#domain/browser';
import { duration } from '../parts/format.js';
import type { LogEvent } from './log-event.js';
import type { ToldRow } from './rows.js';
import type { Story } from './story.js';
import { oneLine, sizeText } from './text.js';
import { type NameOfKey, type Summary, WORDS, driver, nth, said } from './words.js';

/** @param story of all events up to this one at least @param index of the event */
export function summaryOf(event: LogEvent, index: number, story: Story, nameOf: NameOfKey): Summary {
  const { known, data, line } = event;
  if (known === null) return said('an event of a newer version');
  if (data === null)
    return line.head === undefined ? said('erased') : said(oneLine(line.head), sizeText(line.bytes ?? 0));
  if (known.type === 'run_claimed') return claimed(known, index, story);
  return (WORDS[known.type] as (data: object, nameOf: NameOfKey) => Summary)(known.data, nameOf);
}

type Claim = Extract<RecordedSessionEvent, { type: 'run_claimed' }>;

function claimed({ data: { worker, epoch } }: Claim, index: number, story: Story): Summary {
  const over = story.takeOvers.get(index);
  if (over !== undefined) {
    const before = over.before === '' ? 'the one before' : driver(over.before);
    return said(
      `${driver(worker)} took over: ${before} was silent for ${duration(over.silentMs)}`,
      nth(epoch),
    );
  }
  return epoch > 1
    ? said(`${driver(worker)} goes on with it`, nth(epoch))
    : said(`${driver(worker)}, first claim`);
}

/** What was sent where, and what came of it; of which run, where the row stands under another one's head. */
export function toldText({ told, under }: ToldRow, story: Story): string {
  const { run, event, target, status, answer } = told;
  const ordinal = run === under ? undefined : story.runs.get(run)?.ordinal;
  const of = ordinal === undefined ? '' : `run ${ordinal}, `;
  return [`${of}event ${event} to ${target}`, status, answer].filter((part) => part !== '').join(', ');
}
