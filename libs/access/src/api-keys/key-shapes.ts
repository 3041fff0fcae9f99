import type { ProjectId, Scope } from '#domain';
import type { LogFeedPorts } from '#event-log';
import type { SecretBox } from '#platform';
import type { SignInLink } from '../console/console-sign-ins.js';
import type { SignIn } from '../console/sign-in-table.js';
import type { KeyRecord } from './key-table.js';
import type { KeyUses } from './last-uses.js';
import type { Principal } from './principal.js';

export interface ApiKeysPorts extends LogFeedPorts {
  readonly box: SecretBox;
  /** Absent: when keys were last used is known of this process alone. */
  readonly uses?: KeyUses;
}

export interface ApiKeysOptions {
  /** The first admin key; null: the one on the log, made at the first start. */
  readonly adminKey: string | null;
  /** Signs the callbacks of the first admin key; null: derived from the master key. */
  readonly webhookSecret: string | null;
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Absent: the caller's project. */
  readonly project?: ProjectId;
  /** ms since 1970; absent: never. */
  readonly expiresAt?: number;
}

/** What is shown once. */
export interface IssuedKey {
  readonly record: KeyRecord;
  readonly key: string;
  readonly webhookSecret: string;
}

/** A request that a signed-in browser sent. */
export interface BrowserCaller {
  readonly principal: Principal;
  readonly key: KeyRecord;
  readonly signIn: SignIn;
  /** What its requests must say besides, unless they only read and are the console's own. */
  readonly csrf: string;
  /** ms since 1970 */
  readonly until: number;
}

/** The first key, and the link to the console as it. */
export interface FirstKey {
  readonly key: string;
  readonly link: SignInLink;
}
