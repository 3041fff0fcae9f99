import { Link } from '../app/link.js';
import { pathWith } from '../lists/path.js';
import { count, money } from '../parts/format.js';
import { type DayBar, dayAfter } from './days.js';

/** One bar a day; each leads to the day's runs. */
export function DayBars({ days }: { readonly days: readonly DayBar[] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <figure class="days" aria-label="Cost by day">
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
      <figcaption class="meta">
        <span>{first.day}</span>
        <span>a day is one of UTC</span>
        <span>{last.day}</span>
      </figcaption>
    </figure>
  );
}

const dayInWords = ({ day, cost, runs }: DayBar): string =>
  `${day}: ${money(cost)}, ${count(runs)} ${runs === 1 ? 'run' : 'runs'}`;
