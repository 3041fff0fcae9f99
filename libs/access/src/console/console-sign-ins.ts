import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { type Revision, type SignInEvent, apiKeyEvent, apiKeyStream } from '#domain';
import { LogUnavailable, NO_EVENTS, type RecordedEvent } from '#event-log';
import { type Random, type SecretBox, isSameText } from '#platform';
import { type KeyStreamPorts, appendToKey } from '../api-keys/key-stream.js';
import type { KeyRecord } from '../api-keys/key-table.js';
import { type SignIn, SignInTable, csrfContext } from './sign-in-table.js';

export interface SignInPorts extends KeyStreamPorts {
  readonly box: SecretBox;
}

/** What a browser is given, once. */
export interface NewSignIn {
  readonly cookie: string;
  readonly signIn: SignIn;
  /** Where the link led that it came by. */
  readonly to?: string;
}

export interface LinkWish {
  /** A path below `/console`. */
  readonly to: string;
  readonly lifeMs: number;
}

/** What is shown once. */
export interface SignInLink {
  readonly token: string;
  /** ms since 1970 */
  readonly expiresAt: number;
}

/** The event of a link, not written yet, and the link. */
export interface DraftLink {
  readonly event: SignInEvent;
  readonly link: SignInLink;
}

export const SIGN_IN_MS = 24 * 3600_000;
export const LINK_MS = 24 * 3600_000;
const TRIES = 20;

/**
 * Sign-ins of the console and the links that lead to them, event-sourced on the key's stream: they hold over restarts, on
 * every replica, and are on record. Of cookies and links only hashes are written.
 * 1. A link is redeemed once: its use and the sign-in are one append, behind the revision that was read.
 * 2. Nothing outlives its key: neither the end of a key, nor another one that the operator sets in its place.
 */
export class ConsoleSignIns {
  private readonly table: SignInTable;
  private readonly secret: KeyObject;
  private readonly listeners: ((cookie: string) => void)[] = [];

  /** @param keyOf of a key that is not revoked */
  constructor(
    private readonly ports: SignInPorts,
    private readonly keyOf: (id: string) => KeyRecord | null,
  ) {
    const tell = (cookie: string): void => this.listeners.forEach((listener) => listener(cookie));
    this.table = new SignInTable(ports.box, () => ports.clock.now(), tell);
    this.secret = createSecretKey(ports.box.derive('annals/console-sign-ins/v1'));
  }

  /** An event of an `apikey-` stream. False: it says nothing that is known here. */
  apply(event: RecordedEvent): boolean {
    return this.table.apply(event);
  }

  /** Calls `listener` with the name of each sign-in that ends before its time. */
  onEnded(listener: (cookie: string) => void): void {
    this.listeners.push(listener);
  }

  /** Whose browser this is; null: nobody's, or not any more. */
  find(cookie: string): { readonly signIn: SignIn; readonly key: KeyRecord } | null {
    const signIn = this.table.get(hashOf(cookie));
    const key = signIn === null ? null : this.keyOf(signIn.keyId);
    return signIn === null || key === null || signIn.mark !== this.markOf(key) ? null : { signIn, key };
  }

  /** @throws LogUnavailable */
  async signIn(key: KeyRecord): Promise<NewSignIn> {
    const made = this.newSignIn(key);
    await appendToKey(this.ports, key, [made.event], { expected: 'any', actor: key.id });
    return this.added(made);
  }

  /** Whoever holds a link comes in, once; null: it is none, was used, or is over. @throws LogUnavailable */
  async redeem(token: string): Promise<NewSignIn | null> {
    const key = this.keyOfLink(token);
    if (key === null) return null;
    for (let left = TRIES; left > 0; left -= 1) {
      const { link, last } = await this.linkOf(key, hashOf(token));
      if (link === null || link.until <= this.ports.clock.now() || link.mark !== this.markOf(key))
        return null;
      const made = this.newSignIn(key);
      const used: SignInEvent = { type: 'sign_in_link_used', data: { id: key.id, link: hashOf(token) } };
      const terms = { expected: last, actor: key.id };
      const result = await appendToKey(this.ports, key, [used, made.event], terms);
      if (result.kind === 'appended') return { ...this.added(made), to: link.to };
    }
    throw new LogUnavailable('the key is being written all the time');
  }

  /** @throws LogUnavailable */
  async signOut(key: KeyRecord, { cookie }: SignIn): Promise<void> {
    const event: SignInEvent = { type: 'console_signed_out', data: { id: key.id, cookie } };
    await appendToKey(this.ports, key, [event], { expected: 'stream_exists', actor: key.id });
    this.table.end(cookie);
  }

  /** A link by which somebody comes in as a key. @param actor who makes it @throws LogUnavailable */
  async makeLink(key: KeyRecord, wish: LinkWish, actor: string): Promise<SignInLink> {
    const { event, link } = this.draftLink(key, wish);
    await appendToKey(this.ports, key, [event], { expected: 'any', actor });
    return link;
  }

  /** For a key that may not be written yet. */
  draftLink(key: Pick<KeyRecord, 'id' | 'hash'>, { to, lifeMs }: LinkWish): DraftLink {
    const { clock, random } = this.ports;
    const named = `${key.id}.${secretOf(random)}`;
    const token = `${named}.${this.macOf(named)}`;
    const until = clock.now() + lifeMs;
    const data = { id: key.id, link: hashOf(token), to, until, mark: this.markOf(key) };
    return { event: { type: 'sign_in_link_made', data }, link: { token, expiresAt: until } };
  }

  private newSignIn(key: KeyRecord): { event: SignInEvent; cookie: string; signIn: SignIn } {
    const { clock, random, box } = this.ports;
    const [secret, csrf] = [secretOf(random), secretOf(random)];
    const cookie = hashOf(secret);
    const until = Math.min(clock.now() + SIGN_IN_MS, key.expiresAt ?? Infinity);
    const mark = this.markOf(key);
    const data = { id: key.id, cookie, csrf: box.seal(csrf, csrfContext(cookie)), until, mark };
    const signIn = { cookie, keyId: key.id, csrf, until, mark };
    return { event: { type: 'console_signed_in', data }, cookie: secret, signIn };
  }

  private added({ cookie, signIn }: NewSignIn): NewSignIn {
    this.table.add(signIn);
    return { cookie, signIn };
  }

  /** Nobody can have the log read by guessing. */
  private keyOfLink(token: string): KeyRecord | null {
    const at = token.lastIndexOf('.');
    const named = token.slice(0, Math.max(at, 0));
    if (!isSameText(token.slice(at + 1), this.macOf(named))) return null;
    return this.keyOf(named.slice(0, named.lastIndexOf('.')));
  }

  /** The link as the key's stream has it, unless it was used; and where that ends. */
  private async linkOf({ id }: KeyRecord, link: string): Promise<FoundLink> {
    const stream = apiKeyStream(id);
    let [made, last]: [LinkData | null, Revision] = [null, NO_EVENTS];
    for await (const page of this.ports.log.readStream(stream))
      for (const recorded of page) {
        last = recorded.revision;
        const event = apiKeyEvent(recorded);
        if (event?.type === 'sign_in_link_made' && event.data.link === link) made = event.data;
        if (event?.type === 'sign_in_link_used' && event.data.link === link) made = null;
      }
    return { link: made, last };
  }

  /** Tells a key from another of the same id, and tells nobody who lacks the master key anything of it. */
  private markOf({ hash: keyHash }: Pick<KeyRecord, 'hash'>): string {
    return createHmac('sha256', this.secret).update(`key ${keyHash}`).digest('hex').slice(0, 32);
  }

  private macOf(named: string): string {
    return createHmac('sha256', this.secret).update(`link ${named}`).digest('base64url').slice(0, 22);
  }
}

type LinkData = Extract<SignInEvent, { type: 'sign_in_link_made' }>['data'];

interface FoundLink {
  readonly link: LinkData | null;
  readonly last: Revision;
}

/** 32 random bytes. */
const secretOf = (random: Random): string => Buffer.from(random.hex(32), 'hex').toString('base64url');

const hashOf = (secret: string): string => hash('sha256', secret, 'hex');
