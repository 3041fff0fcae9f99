import { visible } from './visible.js';

/** A word or a line that somebody else wrote: in its own direction, with what hides in it spelled out. */
export const Bdi = ({ text, class: name }: { readonly text: string; readonly class?: string }) => (
  <bdi class={name}>{visible(text)}</bdi>
);
