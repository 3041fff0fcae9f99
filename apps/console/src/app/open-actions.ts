import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePolled } from '../api/polled.js';
import type { ActionView, Page } from '../api/types.js';
import { may } from './session.js';
import { announce } from './status.js';

/** How many decisions of the project are open, at most 100. */
export const openActions = signal(0);

const EVERY_MS = 5000;

/** Keeps the count while the key may see it, and says when there are more. */
export function useOpenActions(): void {
  const { data } = usePolled<Page<ActionView>>(
    may('read', 'approve') ? '/actions?status=open&limit=100' : null,
    EVERY_MS,
  );
  const open = data?.items.length ?? 0;
  useEffect(() => {
    if (data === null) return;
    if (open > openActions.value) announce(open === 1 ? '1 approval is open' : `${open} approvals are open`);
    openActions.value = open;
  }, [data, open]);
}
