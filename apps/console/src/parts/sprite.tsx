import type { JSX } from 'preact';

/** Status shapes: 12 px, filled; what is cut out of them is the ground of panels. */
const SHAPES = {
  done: (
    <>
      <circle cx="6" cy="6" r="6" fill="currentColor" />
      <path
        d="M3.2 6.2 5.2 8.2 8.9 4.1"
        fill="none"
        stroke="var(--surface)"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </>
  ),
  run: (
    <>
      <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" stroke-opacity=".35" stroke-width="2" />
      <path
        class="spin"
        d="M6 1a5 5 0 0 1 5 5"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
      />
    </>
  ),
  wait: (
    <>
      <path d="M6 .5 11.5 6 6 11.5 .5 6Z" fill="currentColor" />
      <path d="M6 3.4v3M6 8.4v.1" stroke="var(--surface)" stroke-width="1.5" stroke-linecap="round" />
    </>
  ),
  bad: (
    <>
      <path d="M6 .6 11.8 11H.2Z" fill="currentColor" stroke="currentColor" stroke-linejoin="round" />
      <path d="M6 4.4v2.8M6 9.2v.1" stroke="var(--surface)" stroke-width="1.5" stroke-linecap="round" />
    </>
  ),
  queue: <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" stroke-width="2" />,
  stop: <path d="M1 1h10v10H1Z" fill="currentColor" stroke="currentColor" stroke-linejoin="round" />,
  gone: (
    <circle
      cx="6"
      cy="6"
      r="5"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-dasharray="2.2 1.72"
    />
  ),
} as const satisfies Readonly<Record<string, JSX.Element>>;

/** Icons: 16 px, strokes of 1.5 px. */
const ICONS = {
  chat: <path d="M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2Z" />,
  log: <path d="M5 3.5h8.5M5 8h8.5M5 12.5h8.5M2.4 3.5h.1M2.4 8h.1M2.4 12.5h.1" />,
  hand: <path d="M8 1.8 14.2 8 8 14.2 1.8 8ZM8 5.5v3M8 10.6v.1" />,
  runs: <path d="M2 4h6M5 8h7M8 12h6" />,
  send: <path d="M14 2 7 9M14 2 9.5 14 7 9 2 6.5Z" />,
  coin: <path d="M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5V8M13.5 13.5v-11" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.6V8l2.4 1.6" />
    </>
  ),
  stack: (
    <>
      <ellipse cx="8" cy="4" rx="5.5" ry="2" />
      <path d="M2.5 4v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2" />
    </>
  ),
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="3" />
      <path d="m7.4 8.6 6-6M10.8 5.2l2 2" />
    </>
  ),
  pulse: <path d="M1.5 8.5h3l2-5 3 9 2-4h3" />,
  seal: <path d="M8 1.8 13 3.6v4c0 3.2-2 5.4-5 6.6-3-1.2-5-3.4-5-6.6v-4ZM5.8 7.8l1.6 1.6 2.9-3.2" />,
  fork: (
    <>
      <circle cx="4" cy="3.5" r="1.5" />
      <circle cx="4" cy="12.5" r="1.5" />
      <circle cx="12" cy="5.5" r="1.5" />
      <path d="M4 5v6M12 7c0 2.5-4 2-8 4" />
    </>
  ),
  down: <path d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />,
  dots: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" stroke-width="2" />,
  wrench: (
    <path
      d="M10.2 2.3a3.4 3.4 0 0 0-3.9 4.6L2.2 11v2.8H5l4.1-4.1a3.4 3.4 0 0 0 4.6-3.9L11.6 8 9 7l-1-2.6Z"
      stroke-width="1.3"
    />
  ),
  text: <path d="M2.5 4h11M2.5 8h11M2.5 12h6" />,
  think: <path d="M2.5 4h11M2.5 8h11M2.5 12h6" stroke-dasharray="1.6 2.2" />,
  dot: <circle cx="8" cy="8" r="1.6" fill="currentColor" stroke="none" />,
  flag: <path d="M4 14V2.5M4 3h8l-2 3 2 3H4" />,
  check: <path d="m3 8.5 3.4 3.4L13 4.6" />,
  bolt: <path d="M9 1.5 3.5 9H8l-1 5.5L12.5 7H8Z" />,
  user: (
    <>
      <circle cx="8" cy="5.2" r="2.7" />
      <path d="M2.8 14c.5-3 2.6-4.3 5.2-4.3s4.7 1.3 5.2 4.3" />
    </>
  ),
  find: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  moon: <path d="M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z" />,
  first: <path d="M4 3v10M12.5 3.5 7 8l5.5 4.5Z" />,
  prev: <path d="M10.5 3.5 5 8l5.5 4.5Z" />,
  play: <path d="M4.5 3v10l8-5Z" fill="currentColor" />,
  next: <path d="M5.5 3.5 11 8l-5.5 4.5Z" />,
  last: <path d="M12 3v10M3.5 3.5 9 8l-5.5 4.5Z" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />
    </>
  ),
  half: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" />
    </>
  ),
  keyboard: <path d="M1.5 4h13v8h-13ZM4 6.7h.1M6.7 6.7h.1M9.3 6.7h.1M12 6.7h.1M5 9.5h6" />,
  out: <path d="M6.5 2.5h-4v11h4M6.5 8h7.5M11 5l3 3-3 3" />,
  copy: <path d="M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3" />,
  plus: <path d="M8 3v10M3 8h10" />,
  cross: <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  chevron: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  up: <path d="M8 10.2V2M4.8 5.2 8 2l3.2 3.2M2.5 13.5h11" />,
  retry: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 1.8v3h-3" />,
  stop: <path d="M4 4h8v8H4Z" />,
  trash: <path d="M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9" />,
  pause: <path d="M5 3.5v9M11 3.5v9" />,
  book: (
    <path d="M2.5 3.5c2-.7 3.8-.6 5.5.6 1.7-1.2 3.5-1.3 5.5-.6v9c-2-.7-3.8-.6-5.5.6-1.7-1.2-3.5-1.3-5.5-.6ZM8 4.1v9" />
  ),
  link: (
    <path d="M6.8 9.2a3 3 0 0 0 4.3 0l2-2a3 3 0 0 0-4.3-4.3l-.9.9M9.2 6.8a3 3 0 0 0-4.3 0l-2 2a3 3 0 0 0 4.3 4.3l.9-.9" />
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14c-2-1.8-2.6-3.8-2.6-6S6 3.8 8 2Z" />
    </>
  ),
} as const satisfies Readonly<Record<string, JSX.Element>>;

export type ShapeName = keyof typeof SHAPES;
export type IconName = keyof typeof ICONS;

const symbols = (prefix: string, size: number, all: Readonly<Record<string, JSX.Element>>) =>
  Object.entries(all).map(([name, drawing]) => (
    <symbol key={name} id={prefix + name} viewBox={`0 0 ${size} ${size}`}>
      {drawing}
    </symbol>
  ));

/** Every shape and icon, once in the page. */
export function Sprite() {
  return (
    <svg class="sprite" width="0" height="0" aria-hidden="true">
      <defs>
        {symbols('s-', 12, SHAPES)}
        {symbols('i-', 16, ICONS)}
      </defs>
    </svg>
  );
}
