import { navigate } from '../app/router.js';
import { Bdi } from '../conversation/bdi.js';
import { visible } from '../conversation/visible.js';
import { Icon } from '../parts/icon.js';
import { EventCells } from './log-row.js';
import type { PartBefore } from './model.js';
import { grouped } from './text.js';
import { HEAD_PX, ROW_PX, rem } from './window.js';

const heightOf = ({ rows }: PartBefore): number => HEAD_PX + rows.length * ROW_PX;

/** Of all that stands before a session's own rows, in px. */
export const heightBefore = (parts: readonly PartBefore[]): number =>
  parts.reduce((sum, part) => sum + heightOf(part), 0);

interface RowsBeforeProps {
  readonly parts: readonly PartBefore[];
  readonly top: number;
  readonly height: number;
}

/** What a fork goes on from: it is read there, and stands here dimmed, outside the count of rows and the ids. */
export function RowsBefore({ parts, top, height }: RowsBeforeProps) {
  let from = 0;
  return (
    <>
      {parts.map((part) => {
        const own = from;
        from += heightOf(part);
        return <Part key={part.ancestor.session} part={part} top={top - own} height={height} />;
      })}
    </>
  );
}

interface PartProps {
  readonly part: PartBefore;
  readonly top: number;
  readonly height: number;
}

function Part({ part, top, height }: PartProps) {
  const { ancestor, rows } = part;
  const first = Math.max(Math.floor((top - HEAD_PX) / ROW_PX), 0);
  const last = Math.min(Math.ceil((top + height - HEAD_PX) / ROW_PX), rows.length);
  const name = `Forked from ${ancestor.title ?? (ancestor.isErased ? 'an erased session' : ancestor.session)} at ${ancestor.at}`;
  return (
    <div class="part-before" style={{ height: rem(heightOf(part)) }}>
      <div class="run-head" style={{ height: rem(HEAD_PX) }}>
        <Icon name="fork" />
        <Bdi text={name} class="x" />
        <span class="n">{`${grouped(part.events.length)} events`}</span>
      </div>
      <ul aria-label={visible(name)}>
        {rows.slice(first, Math.max(last, first)).map((row, n) =>
          row.kind === 'told' ? null : (
            <li
              key={first + n}
              class="row after internal"
              style={{
                transform: `translateY(${rem(HEAD_PX + (first + n) * ROW_PX)})`,
                height: rem(ROW_PX),
              }}
              onClick={() => navigate(`/console/sessions/${ancestor.session}@${row.to}`)}
            >
              <EventCells part={part} row={row} isInGrid={false} />
            </li>
          ),
        )}
      </ul>
    </div>
  );
}
