import { apiKeyEvent, apiKeyStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { SecretBox } from '#platform';

/** Somebody's browser, come in as a key. */
export interface SignIn {
  /** SHA-256 of its cookie, hex: names it. */
  readonly cookie: string;
  readonly keyId: string;
  /** What its requests must say besides. */
  readonly csrf: string;
  /** ms since 1970 */
  readonly until: number;
  /** Of the key that it was made with: the operator's own keeps its id when it is replaced. */
  readonly mark: string;
}

/** Of one key, at a time: with one more the oldest ends. */
const MAX_OF_KEY = 100;
/** Of one key: those before them have come from the log long ago. */
const MAX_ENDED_OF_KEY = 1000;

/**
 * In-memory projection of who is signed in to the console.
 * 1. Only a key's own stream counts, and applying an event is idempotent.
 * 2. A cookie that was signed out never comes back: its sign-in may arrive later.
 * 3. Those of a key are bounded in number, what is remembered of ended ones, too, and what has run out is dropped.
 */
export class SignInTable {
  private readonly byCookie = new Map<string, SignIn>();
  private readonly ofKey = new Map<string, Set<string>>();
  /** Of each key, the oldest first, with the time from which they would not count any more. */
  private readonly ended = new Map<string, Map<string, number>>();

  /** @param onEnded told of each that was there and ended before its time */
  constructor(
    private readonly box: Pick<SecretBox, 'open'>,
    private readonly now: () => number,
    private readonly onEnded: (cookie: string) => void,
  ) {}

  /** How many cookies are kept, of those that have ended, too. */
  get size(): number {
    return [...this.ended.values()].reduce((sum, { size }) => sum + size, this.byCookie.size);
  }

  get(cookie: string): SignIn | null {
    const signIn = this.byCookie.get(cookie) ?? null;
    return signIn === null || signIn.until <= this.now() ? null : signIn;
  }

  add(signIn: SignIn): void {
    const { cookie, keyId, until } = signIn;
    if (until <= this.now() || this.ended.get(keyId)?.has(cookie) || this.byCookie.has(cookie)) return;
    this.byCookie.set(cookie, signIn);
    const others = this.ofKey.get(keyId) ?? new Set();
    this.ofKey.set(keyId, others.add(cookie));
    this.dropOld(others);
  }

  end(cookie: string): void {
    const signIn = this.byCookie.get(cookie);
    if (signIn === undefined) return;
    this.remember(signIn);
    this.drop(signIn);
    this.onEnded(cookie);
  }

  /** False: it says nothing that is known here. @throws SealBroken */
  apply(recorded: RecordedEvent): boolean {
    const event = apiKeyEvent(recorded);
    if (event === null || event.stream !== apiKeyStream(event.data.id)) return false;
    if (event.type === 'console_signed_out') this.end(event.data.cookie);
    if (event.type === 'console_signed_in') {
      const { id: keyId, cookie, csrf, until, mark } = event.data;
      if (until > this.now())
        this.add({ cookie, keyId, csrf: this.box.open(csrf, csrfContext(cookie)), until, mark });
    }
    return event.type.startsWith('console_') || event.type.startsWith('sign_in_link_');
  }

  private dropOld(cookies: ReadonlySet<string>): void {
    const now = this.now();
    for (const cookie of cookies) {
      const signIn = this.byCookie.get(cookie);
      if (signIn !== undefined && signIn.until <= now) this.drop(signIn);
      else if (cookies.size > MAX_OF_KEY) this.end(cookie);
    }
  }

  private remember({ cookie, keyId, until }: SignIn): void {
    const ended = this.ended.get(keyId) ?? new Map<string, number>();
    this.ended.set(keyId, ended.set(cookie, until));
    for (const [oldest, past] of ended) {
      if (ended.size <= MAX_ENDED_OF_KEY && past > this.now()) break;
      ended.delete(oldest);
    }
  }

  private drop({ cookie, keyId }: SignIn): void {
    this.byCookie.delete(cookie);
    const others = this.ofKey.get(keyId);
    others?.delete(cookie);
    if (others?.size === 0) this.ofKey.delete(keyId);
  }
}

/** Where the seal of a csrf counts. */
export const csrfContext = (cookie: string): string => `console/${cookie}/csrf`;
