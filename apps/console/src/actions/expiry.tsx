import { dayAndTime, duration } from '../parts/format.js';
import { useNow } from '../parts/values.js';
import { utc } from '../app/preferences.js';

/** "expires in 23 h 51 min, 2026-11-27 14:08"; UTC on hover. @param at ms since 1970 */
export function Expiry({ at }: { readonly at: number }) {
  const now = useNow();
  if (Number.isNaN(at)) return null;
  const left = at - now;
  return (
    <time class="meta" dateTime={new Date(at).toISOString()} title={`${dayAndTime(at, true)} UTC`}>
      {left > 0
        ? `expires in ${duration(left < 60_000 ? Math.ceil(left / 1000) * 1000 : left)}`
        : 'is expiring'}
      {`, ${dayAndTime(at, utc.value === 'on').slice(0, 16)}`}
    </time>
  );
}
