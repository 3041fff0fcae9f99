import type { IconName, ShapeName } from './sprite.js';

/** An icon beside a word. Where it stands alone, its button or link has the name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="i" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
);

/** A status shape; the word stands beside it. */
export const Shape = ({ name }: { readonly name: ShapeName }) => (
  <svg class="s" viewBox="0 0 12 12" aria-hidden="true">
    <use href={`#s-${name}`} />
  </svg>
);
