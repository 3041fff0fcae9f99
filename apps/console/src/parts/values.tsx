import { useEffect, useState } from 'preact/hooks';
import { utc } from '../app/preferences.js';
import { visible } from '../conversation/visible.js';
import { age, count, dayAndTime, duration, money, time } from './format.js';

type Instant = string | number;
const msOf = (at: Instant): number => (typeof at === 'number' ? at : Date.parse(at));
const isoOf = (ms: number): string => (Number.isNaN(ms) ? '' : new Date(ms).toISOString());

/** A time of the clock, "14:08:19.207"; `full`: with its day. UTC on hover. null: a dash. */
export function Time({ at, full = false }: { readonly at: Instant | null; readonly full?: boolean }) {
  if (at === null) return <span class="none-there">–</span>;
  const ms = msOf(at);
  const isUtc = utc.value === 'on';
  return (
    <time dateTime={isoOf(ms)} title={`${dayAndTime(ms, true)} UTC`}>
      {full ? dayAndTime(ms, isUtc) : time(ms, isUtc)}
    </time>
  );
}

const TICK_MS = 5000;

/** The time now, in milliseconds, renewed every 5 s while it is looked at. */
export function useNow(everyMs = TICK_MS): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(tick);
  }, [everyMs]);
  return now;
}

/** How long ago, "5 min ago"; the time in full on hover. null: a dash. */
export function Age({ at }: { readonly at: Instant | null }) {
  const now = useNow();
  if (at === null) return <span class="none-there">–</span>;
  const ms = msOf(at);
  const local = dayAndTime(ms, utc.value === 'on');
  return (
    <time dateTime={isoOf(ms)} title={`${local} (${dayAndTime(ms, true)} UTC)`}>
      {age(ms, now)}
    </time>
  );
}

/** US dollars to four significant digits; all of them on hover and when copied. */
export function Money({ amount }: { readonly amount: string | null }) {
  if (amount === null) return <span class="none-there">–</span>;
  const short = money(amount);
  return (
    <span
      title={`$${amount}`}
      onCopy={(event) => {
        event.clipboardData?.setData('text/plain', amount);
        event.preventDefault();
      }}
    >
      {short}
    </span>
  );
}

/** Milliseconds. null: a dash. */
export const Duration = ({ ms }: { readonly ms: number | null }) =>
  ms === null ? (
    <span class="none-there">–</span>
  ) : (
    <span title={`${count(Math.round(ms))} ms`}>{duration(ms)}</span>
  );

export const Count = ({ of }: { readonly of: number | null }) =>
  of === null ? <span class="none-there">–</span> : <>{count(of)}</>;

/** Text that somebody else wrote: its own direction, broken wherever it must be, with what hides in it spelled out. */
export const Said = ({ text, class: name }: { readonly text: string; readonly class?: string }) => (
  <bdi class={name === undefined ? 'said' : `said ${name}`}>{visible(text)}</bdi>
);
