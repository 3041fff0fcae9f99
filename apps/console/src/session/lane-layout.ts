import { LANES, type Lane } from './lanes.js';

/** Where the lanes of a timeline are, in CSS px. */
export interface LaneLayout {
  readonly width: number;
  readonly height: number;
  /** Where the axis begins and ends. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly step: number;
  readonly bar: number;
  readonly lanes: readonly Lane[];
  readonly bottom: number;
  /** The base line of what stands under the axis. */
  readonly ticks: number;
  readonly isSmall: boolean;
}

const SMALL_BELOW = 700;
const EDGE = 20;

export function laneLayout(width: number, hasSteps: boolean): LaneLayout {
  const isSmall = width < SMALL_BELOW;
  const lanes = LANES.filter((lane) => hasSteps || lane !== 'Steps');
  const [left, step, top, bar] = isSmall ? [52, 17, 10, 8] : [76, 24, 16, 11];
  const bottom = top + (lanes.length - 1) * step + bar;
  const ticks = bottom + (isSmall ? 14 : 18);
  const right = Math.max(left + 1, width - EDGE);
  return {
    width,
    height: ticks + (isSmall ? 6 : 9),
    left,
    right,
    top,
    step,
    bar,
    lanes,
    bottom,
    ticks,
    isSmall,
  };
}

export const xOf = ({ left, right }: LaneLayout, place: number): number => left + place * (right - left);

export const placeAt = ({ left, right }: LaneLayout, x: number): number =>
  Math.min(Math.max((x - left) / (right - left), 0), 1);

/** The top of a lane's bars; null: it is not there. */
export function topOf({ top, step, lanes }: LaneLayout, lane: Lane): number | null {
  const at = lanes.indexOf(lane);
  return at < 0 ? null : top + at * step;
}
