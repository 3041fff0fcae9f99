import { Shape } from './icon.js';
import { capitalised, lookOf } from './status-looks.js';

interface StatusProps {
  /** The API's word. */
  readonly status: string;
  /** What is said instead of the word, capitalised. */
  readonly word?: string;
}

/** A status on a soft ground. */
export function Pill({ status, word = capitalised(status) }: StatusProps) {
  const { shape, tone } = lookOf(status);
  return (
    <span class={`pill ${tone}`}>
      <Shape name={shape} />
      {word}
    </span>
  );
}

/** A status in a table. */
export function StatusWord({ status, word = capitalised(status) }: StatusProps) {
  const { shape, tone } = lookOf(status);
  return (
    <span class={`status ${tone}`}>
      <Shape name={shape} />
      {word}
    </span>
  );
}
