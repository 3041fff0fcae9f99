import {
  type ApiKeyEvent,
  type CreationKey,
  type ListPage,
  Problem,
  apiKeyStream,
  creationCursors,
  invalid,
  notFound,
  pageOf,
  type ProjectId,
} from '#domain';
import {
  type Expected,
  LogUnavailable,
  NO_EVENTS,
  type RecordedEvent,
  type Revision,
  LogFeed,
} from '#event-log';
import { derivedWebhookSecret } from '#platform';
import { appendToKey } from './key-stream.js';
import { LastUses } from './last-uses.js';
import { type KeyRecord, KeyTable, OPERATORS_SCOPE, type Revocation, hashKey } from './key-table.js';
import type {
  ApiKeysOptions,
  ApiKeysPorts,
  BrowserCaller,
  FirstKey,
  IssuedKey,
  NewKey,
} from './key-shapes.js';
import { type Principal, hasScope } from './principal.js';
import { ROOT_KEY_ID, administers, mayLinkTo, operatorsScope, rootRecord } from './root-key.js';
import { ConsoleSignIns, type SignInLink, type LinkWish, LINK_MS } from '../console/console-sign-ins.js';
import { type IssuedToken, SessionTokens, type TokenWish } from '../tokens/session-tokens.js';

/** Where the seal of a webhook secret counts. */
const contextOf = (id: string): string => `api-key/${id}/webhook-secret`;
const PAUSING: Revocation = { keepsTasks: false };
const TRIES = 20;
const CURSORS = creationCursors('api_keys');

/**
 * API keys: authentication, issue and revocation. Event-sourced: the log is the record, a table in memory answers.
 */
export class ApiKeys {
  private readonly table: KeyTable;
  private readonly feed: LogFeed;
  private readonly uses: LastUses;
  private readonly tokens: SessionTokens;
  /** Those who are in the console as one of the keys. */
  readonly signIns: ConsoleSignIns;
  private readonly listeners: ((keyId: string) => void)[] = [];

  constructor(
    private readonly ports: ApiKeysPorts,
    private readonly options: ApiKeysOptions,
  ) {
    this.table = new KeyTable(ROOT_KEY_ID, (id) => {
      for (const listener of this.listeners) listener(id);
    });
    this.signIns = new ConsoleSignIns(ports, (id) => this.table.get(id));
    const applied = (event: RecordedEvent): boolean => this.table.apply(event) || this.signIns.apply(event);
    this.feed = new LogFeed('API keys', 'apikey-', applied, ports);
    this.uses = new LastUses(ports);
    this.tokens = new SessionTokens(ports, (id) => this.table.get(id));
    // In the table before anything of the log is, so that a key that the log holds under this id does not count.
    if (options.adminKey !== null) this.table.add(rootRecord(options.adminKey, ''));
  }

  /**
   * Loads the keys from the log.
   * @throws LogUnavailable
   */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.uses.stop(), { once: true });
    await this.feed.start(signal);
  }

  /**
   * Where there is no first admin key, neither set nor on the log, makes one. `show` gets it before it is written: a crash
   * between the two costs a key that never was valid, not one that nobody knows. Returns whether one was made.
   * @throws LogUnavailable
   */
  async makeFirst(show: (first: FirstKey) => void): Promise<boolean> {
    if (this.table.get(ROOT_KEY_ID) !== null) return false;
    // What stands there may be sign-ins with a key that the operator had set.
    const last = await this.reread(ROOT_KEY_ID);
    if (this.table.get(ROOT_KEY_ID) !== null) return false;
    const key = this.newKey();
    const secret = derivedWebhookSecret(this.ports.box);
    const sealed = this.ports.box.seal(secret, contextOf(ROOT_KEY_ID));
    const record = rootRecord(key, sealed, this.ports.clock.now());
    const { event, link } = this.signIns.draftLink(record, { to: '/console/chat', lifeMs: LINK_MS });
    show({ key, link });
    await this.write(record, ROOT_KEY_ID, {
      expected: last === NO_EVENTS ? 'no_stream' : last,
      more: [event],
    });
    return true;
  }

  /** Whose signed-in browser sent a cookie; null: nobody's, or not any more. */
  ofBrowser(cookie: string): BrowserCaller | null {
    const found = this.signIns.find(cookie);
    const owner = found === null ? null : this.table.principalOf(found.key);
    if (found === null || owner === null) return null;
    const { key, signIn } = found;
    if ((key.expiresAt ?? Infinity) <= this.ports.clock.now()) return null;
    this.uses.used(key.id);
    const { csrf, until } = signIn;
    return { principal: { ...owner, expiresAt: until, signIn: signIn.cookie }, key, signIn, csrf, until };
  }

  /** The record of a key that is presented; null: it is none, or a token. */
  recordOf(presented: string): KeyRecord | null {
    const principal = this.authenticate(presented);
    return principal === null || principal.reach !== undefined ? null : this.table.get(principal.keyId);
  }

  /**
   * A link by which somebody comes into the console as a key, without being handed it: a key that the caller administers, or
   * the first admin key itself. @throws Problem not_found, forbidden; LogUnavailable
   */
  async makeSignInLink(caller: Principal, id: string, wish: LinkWish): Promise<SignInLink> {
    const record = this.table.get(id);
    const mayHaveIt =
      record !== null && (administers(caller, record) || (caller.isRoot && id === ROOT_KEY_ID));
    if (!mayHaveIt) throw notFound('the key');
    if (!mayLinkTo(caller, record)) throw operatorsScope();
    return this.signIns.makeLink(record, wish, caller.keyId);
  }

  /** Why revocations by others are not received, for an operator; null: they are. */
  get problem(): string | null {
    return this.feed.problem;
  }

  /** The principal of a presented key or token; null: unknown, revoked or expired. */
  authenticate(key: string): Principal | null {
    const principal = this.table.find(key) ?? this.tokens.find(key);
    if (principal === null) return null;
    const { keyId, expiresAt } = principal;
    if (expiresAt !== undefined && expiresAt <= this.ports.clock.now()) return null;
    this.uses.used(keyId);
    return principal;
  }

  /** Calls `listener` with each sign-in of the console that ends before its time, wherever that is. */
  onSignedOut(listener: (signIn: string) => void): void {
    this.signIns.onEnded(listener);
  }

  /** Calls `listener` for every key that is revoked, here or by another replica. */
  onRevoked(listener: (keyId: string) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Whether scheduled work (tasks) of a key may still run: not once it has expired or was revoked, unless the
   * revocation kept its tasks. True for what no key owns.
   */
  mayAct(keyId: string): boolean {
    const revocation = this.table.revocationOf(keyId);
    if (revocation !== null) return revocation.keepsTasks;
    const expiresAt = this.table.get(keyId)?.expiresAt ?? null;
    return expiresAt === null || expiresAt > this.ports.clock.now();
  }

  /** @throws Problem forbidden; LogUnavailable */
  async issue(caller: Principal, wish: NewKey): Promise<IssuedKey> {
    const { name, scopes, project = caller.project, expiresAt = null } = wish;
    if (!caller.isRoot && project !== caller.project) {
      throw new Problem('forbidden', 'only the first admin key makes keys of other projects');
    }
    if (!caller.isRoot && scopes.includes(OPERATORS_SCOPE)) throw operatorsScope();
    const { random, box, clock } = this.ports;
    const createdAt = clock.now();
    if (expiresAt !== null && expiresAt <= createdAt) throw invalid('expires_at', 'must be in the future');
    const id = `key_${random.hex(12)}`;
    const key = this.newKey();
    const webhookSecret = `whsec_${Buffer.from(random.hex(32), 'hex').toString('base64')}`;
    const record: KeyRecord = {
      id,
      name,
      hash: hashKey(key),
      scopes: [...new Set(scopes)],
      project,
      webhookSecret: box.seal(webhookSecret, contextOf(id)),
      createdAt,
      expiresAt,
    };
    await this.write(record, caller.keyId);
    return { record, key, webhookSecret };
  }

  /** A token, which can do what the caller could, too, and no more. @throws Problem forbidden */
  issueToken(caller: Principal, wish: TokenWish): IssuedToken {
    const lacking = wish.scopes.find((scope) => !hasScope(caller, scope));
    if (lacking !== undefined) throw new Problem('forbidden', `this key lacks the scope ${lacking}`);
    const key = this.table.get(caller.keyId);
    if (key === null || caller.reach !== undefined) throw new Problem('forbidden', 'only keys make tokens');
    return this.tokens.issue(key, wish);
  }

  /** Effective at once in this process, and in others as soon as they hear of it. @throws Problem not_found; LogUnavailable */
  async revoke(caller: Principal, id: string, { keepsTasks }: Revocation = PAUSING): Promise<void> {
    const record = this.table.get(id);
    if (record === null || !administers(caller, record)) throw notFound('the key');
    const data = keepsTasks ? { id, tasks: 'keep' as const } : { id };
    const event: ApiKeyEvent = { type: 'api_key_revoked', data };
    // Behind its issue, which is all that its stream should hold.
    for (let expected = 0, left = TRIES; left > 0; left -= 1) {
      const result = await appendToKey(this.ports, record, [event], { expected, actor: caller.keyId });
      if (result.kind === 'appended') return this.table.revoke(id, { keepsTasks });
      await this.reread(id);
      // Somebody else was faster: what becomes of its tasks was theirs to say.
      if (this.table.revocationOf(id) !== null) return;
      expected = result.actual;
    }
    throw new LogUnavailable('the key is being written all the time');
  }

  /** Returns where its stream ends. */
  private async reread(id: string): Promise<Revision> {
    let last: Revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(apiKeyStream(id)))
      for (const event of page) {
        this.table.apply(event);
        last = event.revision;
      }
    return last;
  }

  /** The project of a key that is valid or expired; null: there is none, or it was revoked. */
  projectOf(id: string): ProjectId | null {
    return this.table.get(id)?.project ?? null;
  }

  /** Whether a key of the project was ever made. */
  hasProject(project: ProjectId): boolean {
    return this.table.all().some((key) => key.project === project);
  }

  /** Newest first. @throws Problem invalid_request for a cursor that is none */
  list(caller: Principal, limit: number, cursor?: string): ListPage<KeyRecord> {
    const conditions = { project: caller.isRoot ? undefined : caller.project };
    const after = CURSORS.decode(cursor, conditions);
    const rest = this.table
      .all()
      .filter((key) => administers(caller, key) && (after === null || compare(after, key) < 0))
      .sort(compare);
    return pageOf(rest, limit, (last) => CURSORS.encode(last, conditions));
  }

  /** When these keys were last used, to the hour, in ms since 1970; of those that were. */
  lastUses(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.uses.of(keyIds);
  }

  /** `whsec_…` that signs what runs of this key send; null: there is no such key. @throws SealBroken */
  webhookSecretOf(keyId: string): string | null {
    const { box } = this.ports;
    if (keyId === ROOT_KEY_ID) return this.options.webhookSecret ?? derivedWebhookSecret(box);
    // A revoked key's, too: the deliveries of its runs go on, and receivers know no other secret for them.
    const record = this.table.recordOf(keyId);
    return record === null ? null : box.open(record.webhookSecret, contextOf(keyId));
  }

  private newKey(): string {
    return `annals_${Buffer.from(this.ports.random.hex(32), 'hex').toString('base64url')}`;
  }

  private async write(
    record: KeyRecord,
    actor: string,
    { expected, more = [] }: { expected: Expected; more?: readonly ApiKeyEvent[] } = {
      expected: 'no_stream',
    },
  ): Promise<void> {
    const { id, name, hash, scopes, webhookSecret, project, expiresAt } = record;
    const expires = expiresAt === null ? {} : { expires_at: expiresAt };
    const data = { id, name, hash, scopes, webhook_secret: webhookSecret, ...expires };
    const terms = { expected, actor, time: record.createdAt };
    const result = await appendToKey(
      this.ports,
      { id, project },
      [{ type: 'api_key_issued', data }, ...more],
      terms,
    );
    if (result.kind === 'conflict') throw new Problem('conflict', 'this key is there already');
    this.table.add(record);
  }
}

const compare = (a: CreationKey, b: CreationKey): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
