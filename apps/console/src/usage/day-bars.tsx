import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../app/link.js';
import { pathWith } from '../lists/path.js';
import { count, money } from '../parts/format.js';
import { type DayBar, dayAfter } from './days.js';

/** One bar a day, which is one of UTC; each leads to the day's runs. */
export function DayBars({ days }: { readonly days: readonly DayBar[] }) {
  const track = useRef<HTMLDivElement>(null);
  const [first, last] = [days[0], days.at(-1)];
  // Where they do not all fit, the newest are in sight.
  useEffect(() => track.current?.scrollTo({ left: track.current.scrollWidth }), [first?.day, days.length]);
  if (first === undefined || last === undefined) return null;
  return (
    <figure class="days" aria-label="Cost by day">
      <div class="track" ref={track}>
        <div class="plot">
          <ol>
            {days.map((day) => (
              <li key={day.day}>
                <Link
                  href={pathWith('/console/runs', { from: day.day, to: dayAfter(day.day) })}
                  label={dayInWords(day)}
                  title={dayInWords(day)}
                >
                  <span style={{ height: `${Math.max(day.height * 100, day.cost === '0' ? 0 : 2)}%` }} />
                </Link>
              </li>
            ))}
          </ol>
          <p class="meta" aria-hidden="true">
            <span>{first.day}</span>
            <span>{last.day}</span>
          </p>
        </div>
      </div>
    </figure>
  );
}

const dayInWords = ({ day, cost, runs }: DayBar): string =>
  `${day}: ${money(cost)}, ${count(runs)} ${runs === 1 ? 'run' : 'runs'}`;
