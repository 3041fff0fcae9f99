import { signal } from '@preact/signals';

/** What the status "Connection" says: '' where nothing streams, 'Live', 'Reconnecting, last event N', 'Paused while hidden'. */
export type Connection =
  '' | 'Live' | `Reconnecting, last event ${number}` | 'Paused while hidden' | 'Signed out';

export const connection = signal<Connection>('');

/** What was said last in the status "Announcements"; counted, so that the same sentence is said again. */
export const announced = signal<{ readonly sentence: string; readonly count: number }>({
  sentence: '',
  count: 0,
});

/** Has a sentence said to those who do not see the page, politely. */
export function announce(sentence: string): void {
  announced.value = { sentence, count: announced.value.count + 1 };
}
