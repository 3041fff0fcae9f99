import { useEffect } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Page, SessionView } from '../api/types.js';
import { navigate } from './router.js';
import { RAIL } from './routes.js';
import { may } from './session.js';

/** The start: sessions, or a first chat while the project has none, or what else the key may see. */
export function Home() {
  useEffect(() => {
    const first = RAIL.find(({ scopes }) => may(...scopes));
    const go = (to: string): void => navigate(to, { replace: true });
    if (!may('read')) {
      go(first?.href ?? '/console/sessions');
      return;
    }
    const abort = new AbortController();
    api
      .get<Page<SessionView>>('/sessions?limit=1', { signal: abort.signal })
      .then(({ items }) => go(items.length === 0 && may('run') ? '/console/chat' : '/console/sessions'))
      .catch(() => abort.signal.aborted || go('/console/sessions'));
    return () => abort.abort();
  }, []);
  return <div class="page" aria-busy="true" />;
}
