import type { ComponentChildren } from 'preact';
import { Bdi } from '../conversation/bdi.js';
import { useEffect, useState } from 'preact/hooks';
import { Button, Switch } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { later } from '../parts/later.js';
import { Link } from './link.js';
import { openActions, useOpenActions } from './open-actions.js';
import { THEMES, theme, utc } from './preferences.js';
import { navigate, place } from './router.js';
import { RAIL, type RailEntry, routeOf } from './routes.js';
import { auth, may, signInState, signOut } from './session.js';
import { useShortcuts } from './shortcuts.js';

/** Few ask for it: it is fetched for those. */
const ShortcutsDialog = later<{ readonly onClose: () => void }>(
  async () => (await import('./shortcuts-dialog.js')).ShortcutsDialog,
);

/** These stand in the bottom bar of a narrow page; the others are behind "More". */
const IN_BAR = new Set(['Chat', 'Sessions', 'Approvals', 'Runs']);

/** The rail and the page beside it. Without a sign-in there is no rail. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const isDoor = routeOf(place.value.path)?.route.isOpen === true;
  const hasRail = !isDoor && signInState.value !== 'none';
  return (
    <div class={hasRail ? 'frame' : 'frame bare'}>
      {hasRail && <Rail />}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Rail() {
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [areKeysOpen, setKeysOpen] = useState(false);
  useOpenActions();
  useShortcuts({
    '?': () => setKeysOpen(true),
    Escape: () => setMoreOpen(false),
    '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
    'g c': () => navigate('/console/chat'),
    'g s': () => navigate('/console/sessions'),
    'g a': () => navigate('/console/approvals'),
    'g r': () => navigate('/console/runs'),
    'g d': () => navigate('/console/deliveries'),
    'g u': () => navigate('/console/usage'),
  });
  const { path } = place.value;
  useEffect(() => setMoreOpen(false), [path]);
  const seen = RAIL.filter(({ scopes }) => may(...scopes));
  const rest = seen.filter(({ name }) => !IN_BAR.has(name));
  return (
    <>
      <nav aria-label="Console" class={isMoreOpen ? 'rail open' : 'rail'}>
        <Link href="/console" class="brand" label="Annals, start">
          <Mark />
          <span>Annals</span>
        </Link>
        {seen.filter(({ name }) => IN_BAR.has(name)).map(entryLink)}
        <div class="rest" id="rail-rest">
          {['Record', 'Set up'].map((group) => (
            <Group key={group} name={group} entries={rest.filter((entry) => entry.group === group)} />
          ))}
          <Controls onKeys={() => setKeysOpen(true)} />
        </div>
        <Button
          class="more"
          kind="ghost"
          icon="dots"
          expanded={isMoreOpen}
          onClick={() => setMoreOpen(!isMoreOpen)}
        >
          More
        </Button>
      </nav>
      {areKeysOpen && <ShortcutsDialog onClose={() => setKeysOpen(false)} />}
    </>
  );
}

const Mark = () => (
  <svg viewBox="0 0 20 20" aria-hidden="true" class="mark">
    <path d="M3 4h14M3 10h9M3 16h14" />
    <circle cx="16" cy="10" r="1.6" />
  </svg>
);

function Group({ name, entries }: { readonly name: string; readonly entries: readonly RailEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <>
      <h2>{name}</h2>
      {entries.map(entryLink)}
    </>
  );
}

function entryLink({ name, href, icon }: RailEntry) {
  const open = name === 'Approvals' ? openActions.value : 0;
  const label = open === 0 ? name : `${name}, ${open} open`;
  return (
    <Link
      key={name}
      href={href}
      class="entry"
      label={label}
      title={label}
      current={routeOf(place.value.path)?.route.rail === name}
    >
      <Icon name={icon} />
      <span>{name}</span>
      {open > 0 && <i class="count" data-count={open} />}
    </Link>
  );
}

/** What holds for this browser, and who is signed in. */
function Controls({ onKeys }: { readonly onKeys: () => void }) {
  const key = auth.value?.key;
  const icons = { system: 'half', light: 'sun', dark: 'moon' } as const;
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  return (
    <div class="controls">
      <div class="knobs">
        <Button
          kind="ghost"
          icon={icons[theme.value]}
          label={`Theme: ${theme.value}`}
          onClick={() => (theme.value = next)}
        />
        <Button kind="ghost" icon="keyboard" label="Keyboard shortcuts" onClick={onKeys} />
        <Switch
          class="utc"
          label="Times in UTC"
          on={utc.value === 'on'}
          onChange={(on) => (utc.value = on ? 'on' : 'off')}
        />
      </div>
      <div class="who">
        <div>
          <b title={key?.name}>
            <Bdi text={key?.name ?? ''} />
          </b>
          <span class="meta">
            project <Bdi text={key?.project ?? ''} />
          </span>
        </div>
        <Button kind="ghost" icon="out" label="Sign out" onClick={() => void signOut()} />
      </div>
    </div>
  );
}
