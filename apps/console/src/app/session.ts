import { signal } from '@preact/signals';
import type { Auth, Scope, SignedIn } from '../api/types.js';
import { ApiProblem, problemOf } from '../api/problem.js';

/**
 * Owns who is signed in. The key itself is never here: a cookie that scripts cannot read stands for it.
 * 1. `auth` is null until the service was asked, and after a sign-out.
 * 2. Tabs tell one another of both.
 */
export const auth = signal<Auth | null>(null);

/** 'asking' before the first answer, 'out' when a call was answered 401: the dialog "Signed out" is then open. */
export const signInState = signal<'asking' | 'in' | 'none' | 'out'>('asking');

/** Whether the key has one of these scopes, where any are asked for. `admin` stands for each of them, as at the service. */
export function may(...scopes: readonly Scope[]): boolean {
  const given = auth.value?.key?.scopes ?? [];
  return scopes.length === 0 || given.includes('admin') || scopes.some((scope) => given.includes(scope));
}

/** Those that wait for a sign-in to go on. */
const waiting = new Set<() => void>();

const channel = 'BroadcastChannel' in window ? new BroadcastChannel('annals') : null;
/** Told of what other tabs did; null where the browser has no such channel. */
const listeners = new Set<(message: TabMessage) => void>();

export type TabMessage =
  | { readonly what: 'signed-in' }
  | { readonly what: 'signed-out' }
  | { readonly what: 'decided'; readonly action: string };

/** Tells the other tabs. */
export const tellTabs = (message: TabMessage): void => channel?.postMessage(message);

/** @returns ends it */
export function onTabMessage(listener: (message: TabMessage) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const AUTH = '/console/auth';

async function call<T>(method: string, body?: object): Promise<T | null> {
  const answer = await fetch(AUTH, {
    method,
    headers: {
      accept: 'application/json',
      ...(auth.value === null ? {} : { 'annals-csrf': auth.value.csrf }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw await problemOf(answer);
  return answer.status === 204 ? null : ((await answer.json()) as T);
}

/** Asks who is signed in. A service that knows no sign-in has nobody signed in. */
export async function readAuth(): Promise<void> {
  const read = await call<Auth>('GET').catch((problem: unknown) => {
    if (problem instanceof ApiProblem && (problem.status === 404 || problem.status === 401)) return null;
    throw problem;
  });
  take(read);
}

function take(read: Auth | null): void {
  auth.value = (read?.key ?? null) === null ? null : read;
  if (auth.value === null) {
    if (signInState.value !== 'out') signInState.value = 'none';
    return;
  }
  signInState.value = 'in';
  for (const go of waiting) go();
  waiting.clear();
}

/** @returns where the sign-in leads; @throws ApiProblem where it is refused */
export async function signIn(
  by: { readonly key: string } | { readonly link: string },
): Promise<string | null> {
  const read = await call<SignedIn>('POST', by);
  take(read);
  tellTabs({ what: 'signed-in' });
  return read?.to ?? null;
}

export async function signOut(): Promise<void> {
  await call('DELETE').catch((problem: unknown) => {
    if (!(problem instanceof ApiProblem)) throw problem;
  });
  forget();
  tellTabs({ what: 'signed-out' });
}

function forget(): void {
  auth.value = null;
  signInState.value = 'none';
}

/** A call was answered 401. Opens the dialog "Signed out"; resolves when somebody has signed in again. */
export function untilSignedIn(signal?: AbortSignal): Promise<void> {
  signInState.value = 'out';
  return new Promise((resolve, reject) => {
    waiting.add(resolve);
    signal?.addEventListener('abort', () => {
      waiting.delete(resolve);
      reject(signal.reason as Error);
    });
  });
}

/** As `untilSignedIn`, where the page that asked stays as it is. */
export const isSignedOut = (): boolean => signInState.value === 'out' || signInState.value === 'none';

channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
  if (data.what === 'signed-in') void readAuth().catch(() => undefined);
  if (data.what === 'signed-out' && signInState.value === 'in') {
    auth.value = null;
    signInState.value = 'out';
  }
  for (const listener of listeners) listener(data);
});
