import type { Extraction, PassageBatch } from '../extractor.js';

/** To the thread. It works on one job at a time. */
export type ToThread =
  | { readonly kind: 'extract'; readonly content: Uint8Array }
  /** The passages were taken; the next may come. */
  | { readonly kind: 'taken' };

/** From the thread. */
export type FromThread =
  | { readonly kind: 'passages'; readonly batch: PassageBatch }
  | { readonly kind: 'done'; readonly extraction: Extraction };
