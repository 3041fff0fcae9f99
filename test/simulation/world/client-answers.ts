import { Problem } from '#domain';
import { ContentErased, LogUnavailable } from '#event-log';
import type { SimWorld } from './sim-world.js';

/** What becomes of a request, as the client sees it. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string; readonly isFinal: boolean }
  | { readonly kind: 'cut' };

/** @param isThere what is asked for is there: a worker whose reads lag behind may not know of it yet */
export function refusalOf(world: SimWorld, label: string, error: unknown, isThere: boolean): Answer<never> {
  if (error instanceof LogUnavailable) return { kind: 'refused', code: 'log_unavailable', isFinal: false };
  if (error instanceof Problem) {
    const mayChange = error.code === 'not_found' && !world.isExclusive && isThere;
    return { kind: 'refused', code: error.code, isFinal: error.code !== 'rate_limited' && !mayChange };
  }
  // As the doors answer it.
  if (error instanceof ContentErased) return { kind: 'refused', code: 'not_found', isFinal: true };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  world.violated('errors', `${label} failed: ${text}`);
  return { kind: 'refused', code: 'internal', isFinal: true };
}
