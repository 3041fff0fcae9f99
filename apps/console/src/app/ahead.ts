/**
 * Fetches what chats, sessions and runs share once the first page is there and nothing else is to be done: so each further
 * page is a small one. Whoever needs it before that loads it by itself.
 */
export function loadAhead(): void {
  const load = (): void => void import('../conversation/conversation.js').catch(() => undefined);
  if ('requestIdleCallback' in window) window.requestIdleCallback(load, { timeout: 5000 });
  else setTimeout(load, 2000);
}
