import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { theme, utc } from '../app/preferences.js';
import { time } from '../parts/format.js';
import { drawLanes, paletteOf } from './draw-lanes.js';
import { laneLayout, placeAt } from './lane-layout.js';
import type { SessionModel } from './model.js';
import { Playhead, TimelineWords } from './timeline-words.js';

const FAR = 100;

/** All that happened, on one axis: a canvas under words, and the position as a slider above both. */
export function Timeline({ model }: { readonly model: SessionModel }) {
  const width = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const seen = new ResizeObserver(([entry]) => (width.value = Math.round(entry?.contentRect.width ?? 0)));
    seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  const layout = useComputed(() =>
    laneLayout(
      width.value,
      model.marks.value.some(({ lane }) => lane === 'Steps'),
    ),
  );
  const at = Math.max(model.at.value, 0);
  const event = model.event.value;
  const moment = event === null ? '' : time(event.time, utc.value === 'on');
  const seekTo = (clientX: number): void => {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    model.seek(model.axis.value.nearest(placeAt(layout.value, clientX - left)));
  };
  return (
    <div
      ref={box}
      class="lanes"
      style={{ height: `${layout.value.height}px` }}
      role="slider"
      tabIndex={0}
      aria-label="Position"
      aria-valuemin={0}
      aria-valuemax={Math.max(model.last.value, 0)}
      aria-valuenow={at}
      aria-valuetext={`event ${at} of ${Math.max(model.last.value, 0)}, ${event?.type ?? 'none'}, ${moment}`}
      onKeyDown={(pressed) => onSliderKey(pressed, model)}
      onPointerDown={(pressed) => {
        if (pressed.button !== 0) return;
        pressed.currentTarget.setPointerCapture(pressed.pointerId);
        seekTo(pressed.clientX);
      }}
      onPointerMove={(moved) => {
        if (moved.currentTarget.hasPointerCapture(moved.pointerId)) seekTo(moved.clientX);
      }}
    >
      <Lanes model={model} layout={layout.value} />
      <svg aria-hidden="true" width={layout.value.width} height={layout.value.height}>
        <Words model={model} layout={layout.value} />
        {event !== null && width.value > 0 && (
          <Playhead layout={layout.value} axis={model.axis.value} at={at} type={event.type} />
        )}
      </svg>
    </div>
  );
}

function onSliderKey(pressed: KeyboardEvent, model: SessionModel): void {
  const at = model.at.value;
  const to = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at - FAR,
    PageDown: at + FAR,
    Home: 0,
    End: model.last.value,
  }[pressed.key];
  if (to === undefined) return;
  pressed.preventDefault();
  model.seek(Math.min(to, model.last.value));
}

interface LanesProps {
  readonly model: SessionModel;
  readonly layout: ReturnType<typeof laneLayout>;
}

const Words = ({ model, layout }: LanesProps) => (
  <TimelineWords
    layout={layout}
    axis={model.axis.value}
    marks={model.marks.value}
    takeOvers={[...model.store.story.takeOvers.values()]}
    events={model.store.events}
    isUtc={utc.value === 'on'}
    byTime={model.axisMode.value === 'time'}
  />
);

/** What is drawn is drawn anew when the log, the width or the colours change, not when the position does. */
function Lanes({ model, layout }: LanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const repaint = useSignal(0);
  useEffect(() => {
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      window.matchMedia(query),
    );
    const again = (): void => void (repaint.value += 1);
    for (const query of queries) query.addEventListener('change', again);
    return () => {
      for (const query of queries) query.removeEventListener('change', again);
    };
  }, []);
  const { value: axis } = model.axis;
  const { value: marks } = model.marks;
  useEffect(() => {
    if (canvas.current === null || layout.width === 0) return;
    const isForced = window.matchMedia('(forced-colors: active)').matches;
    const palette = paletteOf(canvas.current.parentElement ?? document.body, isForced);
    const takeOvers = [...model.store.story.takeOvers.values()];
    drawLanes(canvas.current, { layout, axis, marks, takeOvers, palette, isForced });
  }, [layout, axis, marks, theme.value, repaint.value]);
  return (
    <canvas
      ref={canvas}
      aria-hidden="true"
      style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
    />
  );
}
