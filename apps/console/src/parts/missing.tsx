import type { Polled } from '../api/polled.js';

export const isMissing = ({ problem }: Pick<Polled<unknown>, 'problem'>): boolean => problem?.status === 404;

/** In the place of what was asked for, or was on the screen until it was erased. */
export const Missing = () => (
  <p class="lead">It does not exist, or was erased, or belongs to another project.</p>
);
