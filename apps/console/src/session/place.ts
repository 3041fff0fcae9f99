import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { location, navigate } from '../app/router.js';
import { type FirstLook, type SessionModel, TABS } from './model.js';

/** A seek has come to rest when so long nothing else came. */
const REST_MS = 300;

/** How the address says that a session is to be looked at. */
export function firstLook(at: string | undefined, query: URLSearchParams): FirstLook {
  const tab = TABS.find((name) => name.toLowerCase() === query.get('tab'));
  return {
    at: at === undefined ? null : Number(at),
    rows: query.get('rows') === 'every' ? 'every' : 'blocks',
    axis: query.get('axis') === 'events' ? 'events' : 'time',
    query: query.get('q') ?? '',
    tab: tab ?? 'Conversation',
  };
}

/** Keeps the address as the page is looked at, a moment later, in the place of what it was; and goes where it leads. */
export function useAddress(model: SessionModel, at: string | undefined): void {
  const written = useRef(at);
  useEffect(() => {
    // Somebody went back, or followed a link to another event of the same session.
    if (at === written.current) return;
    written.current = at;
    if (at !== undefined) model.seek(Number(at));
    else model.follow();
  }, [at]);
  useSignalEffect(() => {
    const { session } = model.store;
    const wanted = model.isLive.value ? null : model.wanted.value;
    const settings = {
      rows: model.rowsMode.value === 'every' ? 'every' : null,
      axis: model.axisMode.value === 'events' ? 'events' : null,
      q: model.query.value === '' ? null : model.query.value,
      tab: model.tab.value === 'Conversation' ? null : model.tab.value.toLowerCase(),
    };
    const timer = setTimeout(() => {
      const query = new URLSearchParams(location.peek().query);
      for (const [name, value] of Object.entries(settings))
        if (value === null) query.delete(name);
        else query.set(name, value);
      const text = query.toString();
      written.current = wanted === null ? undefined : String(wanted);
      const path = `/console/sessions/${session}${wanted === null ? '' : `@${wanted}`}`;
      if (location.peek().path.startsWith(`/console/sessions/${session}`))
        navigate(path + (text === '' ? '' : `?${text}`), { replace: true });
    }, REST_MS);
    return () => clearTimeout(timer);
  });
}
