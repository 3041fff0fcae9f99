import { duration, time } from '../parts/format.js';
import type { Axis } from './axis.js';
import { type LaneLayout, topOf, xOf } from './lane-layout.js';
import type { Mark } from './marks.js';
import type { LogEvent } from './log-event.js';
import type { TakeOver } from './story.js';
import { grouped, oneLine } from './text.js';
import { textWidth } from './text-width.js';

interface WordsProps {
  readonly layout: LaneLayout;
  readonly axis: Axis;
  readonly marks: readonly Mark[];
  readonly takeOvers: readonly TakeOver[];
  readonly events: readonly LogEvent[];
  readonly isUtc: boolean;
  readonly byTime: boolean;
}

const MOST_LABELS = 40;

/** All words of a timeline but those of the playhead. They change with the log, not with the position. */
export function TimelineWords(props: WordsProps) {
  const { layout } = props;
  return (
    <>
      {layout.lanes.map((lane) => (
        <text key={lane} x={12} y={(topOf(layout, lane) ?? 0) + layout.bar - 1}>
          {lane}
        </text>
      ))}
      {!layout.isSmall && runLabels(props)}
      {!layout.isSmall && silences(props)}
      {gaps(props)}
      {ticks(props)}
    </>
  );
}

function runLabels({ layout, axis, marks, events }: WordsProps) {
  const runs = marks.filter(({ lane }) => lane === 'Runs').sort((a, b) => a.from - b.from);
  const labels = runs.flatMap((mark, n) => {
    const left = xOf(layout, axis.at(mark.from));
    const end = xOf(layout, mark.to === undefined ? 1 : axis.at(mark.to));
    // Those that wait for their turn lie over one another: each has the room up to where the next one begins.
    const next = runs[n + 1];
    const right = next === undefined ? end : Math.min(end, xOf(layout, axis.at(next.from)));
    const took =
      mark.until === undefined ? '' : `, ${duration(mark.until - (events[mark.from]?.time ?? mark.since))}`;
    const whole = `${mark.label ?? ''} ${mark.kind}${took}`;
    const text = [whole, `${mark.label ?? ''} ${mark.kind}`, mark.label ?? ''].find(
      (words) => textWidth(words, '600 12px') < right - left - 14,
    );
    return text === undefined ? [] : [{ x: left + 8, text, kind: mark.kind, at: mark.from }];
  });
  return labels.slice(-MOST_LABELS).map(({ x, text, kind, at }) => (
    <text key={`r${at}`} class={`run-${kind}`} x={x} y={layout.top + layout.bar - 1}>
      {text}
    </text>
  ));
}

function silences({ layout, axis, takeOvers }: WordsProps) {
  return takeOvers.slice(-MOST_LABELS).map(({ crash, claim, silentMs, before }) => {
    const [left, right] = [xOf(layout, axis.at(crash)), xOf(layout, axis.at(claim))];
    const text = `${oneLine(before, 8)} silent, ${duration(silentMs)}`;
    if (textWidth(text, '11px') > right - left - 8) return null;
    return (
      <text key={`s${claim}`} class="tick silent" x={left + 5} y={layout.top + layout.step + layout.bar - 2}>
        {text}
      </text>
    );
  });
}

function gaps({ layout, axis }: WordsProps) {
  return axis.gaps.map(({ from, to, ms }) => (
    <g key={`g${from}`}>
      <title>{`${duration(ms)} in which nothing happened`}</title>
      <rect
        class="gap"
        x={xOf(layout, from)}
        y={layout.top - 6}
        width={Math.max(xOf(layout, to) - xOf(layout, from), 1)}
        height={layout.bottom - layout.top + 12}
      />
    </g>
  ));
}

interface Tick {
  readonly x: number;
  readonly text: string;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** Times or numbers of events, and how long what was folded took, where there is room. */
function ticks(props: WordsProps) {
  const { layout, axis } = props;
  const taken: (readonly [number, number])[] = [];
  const isFree = ({ x, text, anchor }: Tick): boolean => {
    const width = textWidth(text, '11px') + 12;
    const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
    if (taken.some(([from, to]) => left < to && left + width > from)) return false;
    taken.push([left, left + width]);
    return true;
  };
  const folded = axis.gaps.map(({ from, to, ms }): Tick => ({
    x: xOf(layout, (from + to) / 2),
    text: duration(ms),
    anchor: 'middle',
  }));
  const places = placesOf(props).filter(({ text }, n, all) => all[n - 1]?.text !== text);
  return [...folded, ...places].filter(isFree).map(({ x, text, anchor }) => (
    <text key={`t${x}`} class="tick" x={x} y={layout.ticks} text-anchor={anchor}>
      {text}
    </text>
  ));
}

const EVERY_PX = 130;

function placesOf({ layout, axis, events, isUtc, byTime }: WordsProps): readonly Tick[] {
  if (events.length === 0) return [];
  const count = Math.max(1, Math.floor((layout.right - layout.left) / EVERY_PX));
  return Array.from({ length: count + 1 }, (_, n): Tick => {
    const place = n / count;
    const x = xOf(layout, byTime ? place : axis.at(axis.nearest(place)));
    const text = byTime ? time(axis.timeAt(place), isUtc).slice(0, 8) : grouped(axis.nearest(place));
    const anchor = x < layout.left + 20 ? 'start' : x > layout.right - 20 ? 'end' : 'middle';
    return { x, text, anchor };
  });
}

interface PlayheadProps {
  readonly layout: LaneLayout;
  readonly axis: Axis;
  readonly at: number;
  readonly type: string;
}

export function Playhead({ layout, axis, at, type }: PlayheadProps) {
  const x = xOf(layout, axis.at(at));
  const words = `${grouped(at)} ${type}`;
  const width = textWidth(words, '12px') + 18;
  const isLeft = x + 10 + width > layout.width - 4;
  const left = isLeft ? x - 10 - width : x + 10;
  const y = layout.top + 2 * layout.step;
  return (
    <g class="playhead">
      <line x1={x} x2={x} y1={0} y2={layout.ticks - 12} />
      <path d={`M${x - 6} 0h12v6l-6 6-6-6Z`} />
      {!layout.isSmall && (
        <>
          <rect x={left} y={y - 5} width={width} height={20} rx={4} />
          <text x={left + 9} y={y + 9}>
            {words}
          </text>
        </>
      )}
    </g>
  );
}
