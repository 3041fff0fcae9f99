import type { RecordedSessionEvent } from '#domain/browser';
import type { LogEvent } from './log-event.js';
import type { Story } from './story.js';
import { oneLine, sizeText } from './text.js';
import { type Summary, WORDS, driver, nth, said } from './words.js';

/** @param story of all events up to this one at least @param index of the event */
export function summaryOf(event: LogEvent, index: number, story: Story): Summary {
  const { known, data, line } = event;
  if (known === null) return said('an event of a newer version');
  if (data === null)
    return line.head === undefined ? said('erased') : said(oneLine(line.head), sizeText(line.bytes ?? 0));
  if (known.type === 'run_claimed') return claimed(known, index, story);
  return (WORDS[known.type] as (data: object) => Summary)(known.data);
}

type Claim = Extract<RecordedSessionEvent, { type: 'run_claimed' }>;

function claimed({ data: { worker, epoch } }: Claim, index: number, story: Story): Summary {
  const over = story.takeOvers.get(index);
  if (over !== undefined) {
    const before = over.before === '' ? 'the one before' : driver(over.before);
    return said(
      `${driver(worker)} took over: ${before} was silent for ${seconds(over.silentMs)}`,
      nth(epoch),
    );
  }
  return epoch > 1
    ? said(`${driver(worker)} goes on with it`, nth(epoch))
    : said(`${driver(worker)}, first claim`);
}

const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
