import { type ProjectId, type Scope, type SessionId, sessionId } from '#domain';

/** The authenticated caller: key id, project and scopes. */
export interface Principal {
  /** Of a token that of the key that it was made with. */
  readonly keyId: string;
  readonly project: ProjectId;
  readonly scopes: ReadonlySet<Scope>;
  /** The operator's first admin key: it administers the keys of all projects. */
  readonly isRoot: boolean;
  /** ms since 1970; absent: never. What it was given is cut off then. */
  readonly expiresAt?: number;
  /** The sign-in of the console that it came by; absent: it sent its key. */
  readonly signIn?: string;
  /** The sessions that a token is for; absent: it is a key, and all of its project's are. */
  readonly reach?: Reach;
}

export interface Reach {
  /** Names the token. */
  readonly token: string;
  /** The one session; null: those that are opened with the token, whose ids begin with `sessionPrefixOf` it. */
  readonly session: SessionId | null;
}

/** What the ids of a token's sessions begin with. No other session's do: those begin with a hexadecimal digit. */
export const sessionPrefixOf = ({ token }: Pick<Reach, 'token'>): string => `t${token}`;

/** Whether a principal's token, if it is one, is for that session. */
export function reaches({ reach }: Pick<Principal, 'reach'>, session: SessionId): boolean {
  if (reach === undefined) return true;
  return reach.session === null
    ? session.startsWith(sessionId(sessionPrefixOf(reach)))
    : session === reach.session;
}

/** Whether a principal may do what needs the scope: `admin` includes the others. */
export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean =>
  scopes.has(scope) || scopes.has('admin');
