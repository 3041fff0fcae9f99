import { useEffect, useState } from 'preact/hooks';
import { Button, Seg } from '../parts/controls.js';
import { duration, time } from '../parts/format.js';
import { utc } from '../app/preferences.js';
import { Shape } from '../parts/icon.js';
import type { SessionModel } from './model.js';
import type { Player } from './play.js';
import { grouped } from './text.js';

interface TransportProps {
  readonly model: SessionModel;
  readonly player: Player;
}

/** Where we are in a log, and what goes elsewhere. */
export function Transport({ model, player }: TransportProps) {
  const at = model.at.value;
  const last = model.last.value;
  const go = (to: number) => () => model.seek(to);
  const { value: isPlaying } = player.isPlaying;
  return (
    <div class="bar">
      <Button kind="ghost" small icon="first" label="First event" idle={at <= 0} onClick={go(0)} />
      <Button kind="ghost" small icon="prev" label="Previous event" idle={at <= 0} onClick={go(at - 1)} />
      <Button
        kind="ghost"
        small
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => player.toggle()}
      />
      <Button kind="ghost" small icon="next" label="Next event" idle={at >= last} onClick={go(at + 1)} />
      <Button kind="ghost" small icon="last" label="Last event" idle={at >= last} onClick={go(last)} />
      {isPlaying && (
        <Button
          small
          pressed={player.isFast.value}
          onClick={() => (player.isFast.value = !player.isFast.value)}
        >
          10×
        </Button>
      )}
      <Place model={model} />
      <Moment model={model} />
      <span class="grow" />
      <Seg
        name="Axis"
        value={model.axisMode.value}
        options={[
          ['time', 'Time'],
          ['events', 'Events'],
        ]}
        onChange={(mode) => (model.axisMode.value = mode)}
      />
      <Live model={model} />
    </div>
  );
}

/** The number of the event, to be typed over. */
function Place({ model }: { readonly model: SessionModel }) {
  const at = Math.max(model.at.value, 0);
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [at]);
  const take = (text: string): void => {
    if (/^\d+$/.test(text)) model.seek(Number(text));
    setTyped(null);
  };
  return (
    <div class="pos">
      <label>
        Event
        <input
          type="number"
          id="event-number"
          min={0}
          max={Math.max(model.last.value, 0)}
          step={1}
          value={typed ?? String(at)}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => take(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') take(event.currentTarget.value);
            if (event.key !== 'Escape') return;
            // What was typed is taken back before the field is left, or leaving would go there.
            event.currentTarget.value = String(at);
            event.currentTarget.blur();
          }}
        />
      </label>
      <span class="dim">of {grouped(Math.max(model.last.value, 0))}</span>
    </div>
  );
}

/** When it was, in which run and turn, how long after the beginning. */
function Moment({ model }: { readonly model: SessionModel }) {
  const event = model.event.value;
  const first = model.store.events[0];
  if (event === null || first === undefined) return null;
  const { story } = model.store;
  const run = event.run === undefined ? undefined : story.runs.get(event.run);
  const turn = story.turns[event.id] ?? 0;
  const place = run === undefined ? null : `run ${run.ordinal}${turn === 0 ? '' : `, turn ${turn}`}`;
  const parts = [
    time(event.time, utc.value === 'on'),
    place,
    `${duration(event.time - first.time)} after the start`,
  ];
  return <span class="dim when">{parts.filter((part) => part !== null).join(' · ')}</span>;
}

/** Whether the page goes along with what comes. */
function Live({ model }: { readonly model: SessionModel }) {
  const isOver = model.store.state.value === 'erased';
  const { value: isLive } = model.isLive;
  return (
    <button
      type="button"
      class={isLive ? 'btn sm live on' : 'btn sm live'}
      aria-pressed={isLive}
      disabled={isOver}
      onClick={() => (isLive ? model.seek(model.last.value) : model.follow())}
    >
      <Shape name={isLive ? 'run' : 'queue'} />
      Live
    </button>
  );
}
