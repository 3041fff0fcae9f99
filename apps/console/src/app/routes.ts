import type { ComponentType } from 'preact';
import type { Scope } from '../api/types.js';
import type { IconName } from '../parts/sprite.js';
import { matchPath } from './path-pattern.js';

export interface PageProps {
  readonly params: Record<string, string>;
}

export interface PageModule {
  readonly default: ComponentType<PageProps>;
}

export interface Route {
  readonly pattern: string;
  readonly page: () => Promise<PageModule>;
  /** Its page in the rail, which is current on it. */
  readonly rail?: RailName;
  /** What the key needs for it; absent or none: a sign-in is enough. Each of several is enough. */
  readonly scopes?: readonly Scope[];
  /** It is shown to those who have not signed in. */
  readonly isOpen?: true;
}

export const RAIL = [
  { name: 'Chat', href: '/console/chat', icon: 'chat', group: null, scopes: ['run'] },
  { name: 'Sessions', href: '/console/sessions', icon: 'log', group: null, scopes: ['read'] },
  { name: 'Approvals', href: '/console/approvals', icon: 'hand', group: null, scopes: ['approve', 'read'] },
  { name: 'Runs', href: '/console/runs', icon: 'runs', group: null, scopes: ['read'] },
  { name: 'Deliveries', href: '/console/deliveries', icon: 'send', group: 'Record', scopes: ['read'] },
  { name: 'Usage', href: '/console/usage', icon: 'coin', group: 'Record', scopes: ['read'] },
  { name: 'Verify', href: '/console/verify', icon: 'seal', group: 'Record', scopes: [] },
  { name: 'Tasks', href: '/console/tasks', icon: 'clock', group: 'Set up', scopes: ['read'] },
  { name: 'Datastores', href: '/console/datastores', icon: 'stack', group: 'Set up', scopes: ['read'] },
  { name: 'Keys', href: '/console/keys', icon: 'key', group: 'Set up', scopes: ['admin'] },
  { name: 'System', href: '/console/system', icon: 'pulse', group: 'Set up', scopes: ['read', 'metrics'] },
] as const satisfies readonly {
  readonly name: string;
  readonly href: string;
  readonly icon: IconName;
  readonly group: string | null;
  readonly scopes: readonly Scope[];
}[];

export type RailEntry = (typeof RAIL)[number];
export type RailName = RailEntry['name'];

const at = (rail: RailName, pattern: string, page: Route['page']): Route => ({
  pattern: `/console/${pattern}`,
  page,
  rail,
  scopes: RAIL.find(({ name }) => name === rail)?.scopes ?? [],
});

/** Every page, in the order in which paths are held against them. */
export const ROUTES: readonly Route[] = [
  { pattern: '/console/welcome', page: () => import('../pages/welcome.js'), isOpen: true },
  { pattern: '/console/sign-in', page: () => import('../pages/sign-in.js'), isOpen: true },
  at('Chat', 'chat', () => import('../pages/chat.js')),
  at('Chat', 'chat/:session', () => import('../pages/chat.js')),
  at('Sessions', 'sessions', () => import('../pages/sessions.js')),
  at('Sessions', 'sessions/:session@', () => import('../pages/session.js')),
  at('Runs', 'runs', () => import('../pages/runs.js')),
  at('Runs', 'runs/:run@', () => import('../pages/run.js')),
  at('Runs', 'diff/:a/:b', () => import('../pages/diff.js')),
  at('Approvals', 'approvals', () => import('../pages/approvals.js')),
  at('Approvals', 'approvals/:action', () => import('../pages/approval.js')),
  at('Deliveries', 'deliveries', () => import('../pages/deliveries.js')),
  at('Usage', 'usage', () => import('../pages/usage.js')),
  at('Verify', 'verify', () => import('../pages/verify.js')),
  at('Tasks', 'tasks', () => import('../pages/tasks.js')),
  at('Tasks', 'tasks/:task', () => import('../pages/task.js')),
  at('Datastores', 'datastores', () => import('../pages/datastores.js')),
  at('Datastores', 'datastores/:datastore', () => import('../pages/datastore.js')),
  at('Keys', 'keys', () => import('../pages/keys.js')),
  at('System', 'system', () => import('../pages/system.js')),
];

export interface Found {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** null: there is no such page. */
export function routeOf(path: string): Found | null {
  for (const route of ROUTES) {
    const params = matchPath(route.pattern, path);
    if (params !== null) return { route, params };
  }
  return null;
}
