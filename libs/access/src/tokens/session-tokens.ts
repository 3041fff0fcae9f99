import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Scope, SessionId } from '#domain';
import type { Clock, Random, SecretBox } from '#platform';
import type { KeyRecord } from '../api-keys/key-table.js';
import type { Principal } from '../api-keys/principal.js';

/** What a token may be given: to start runs and to read them. */
export const TOKEN_SCOPES = ['run', 'read'] as const satisfies readonly Scope[];

export interface TokenWish {
  /** The session that it is for; null: those that are opened with it. */
  readonly session: SessionId | null;
  readonly scopes: readonly Scope[];
  readonly lifeMs: number;
}

/** What is shown once. */
export interface IssuedToken {
  readonly token: string;
  /** ms since 1970 */
  readonly expiresAt: number;
}

/** Tells a token from a key; what follows is base64url of what it says, a dot, and base64url of its HMAC. */
const MARK = 'annals_tok_';

interface Claims {
  readonly token: string;
  readonly key: string;
  readonly session: SessionId | null;
  readonly scopes: readonly Scope[];
  readonly expires: number;
}

/**
 * Short-lived, stateless tokens for browsers. A token carries its claims under an HMAC (RFC 2104) with a secret of
 * the installation, so every replica can verify it at once.
 * 1. It never outlives or exceeds the key that issued it: a revoked, expired or replaced key ends its tokens.
 * 2. Claims are readable and hold no secret.
 */
export class SessionTokens {
  private readonly secret: KeyObject;

  /** @param keyOf of a key that is not revoked */
  constructor(
    private readonly ports: { readonly box: SecretBox; readonly clock: Clock; readonly random: Random },
    private readonly keyOf: (id: string) => KeyRecord | null,
  ) {
    this.secret = createSecretKey(ports.box.derive('annals/session-tokens/v1'));
  }

  /** A new one, of a key that may itself do what the token is to do. */
  issue(
    { id, hash, expiresAt: keyEnds }: Pick<KeyRecord, 'id' | 'hash' | 'expiresAt'>,
    { session, scopes, lifeMs }: TokenWish,
  ): IssuedToken {
    const expiresAt = Math.min(this.ports.clock.now() + lifeMs, keyEnds ?? Infinity);
    const claims: Claims = {
      token: this.ports.random.hex(8),
      key: id,
      session,
      scopes: [...new Set(scopes)],
      expires: expiresAt,
    };
    const said = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return { token: `${MARK}${said}.${this.macOf(said, hash).toString('base64url')}`, expiresAt };
  }

  /** null: it is no token, it was changed, or it is over. */
  find(presented: string): Principal | null {
    const [said, mac] = presented.startsWith(MARK) ? presented.slice(MARK.length).split('.') : [];
    if (said === undefined || mac === undefined) return null;
    const claims = claimsOf(said);
    const key = claims === null ? null : this.keyOf(claims.key);
    if (claims === null || key === null) return null;
    const given = Buffer.from(mac, 'base64url');
    const right = this.macOf(said, key.hash);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    const { token, session, scopes, expires } = claims;
    const expiresAt = Math.min(expires, key.expiresAt ?? Infinity);
    if (expiresAt <= this.ports.clock.now()) return null;
    return {
      keyId: key.id,
      project: key.project,
      scopes: new Set(scopes),
      isRoot: false,
      expiresAt,
      reach: { token, session },
    };
  }

  /** Of the key, too: the operator's own keeps its id when it is replaced. */
  private macOf(said: string, keyHash: string): Buffer {
    return createHmac('sha256', this.secret).update(`${keyHash}.${said}`).digest();
  }
}

/** Not believed yet. */
function claimsOf(said: string): Claims | null {
  try {
    return JSON.parse(Buffer.from(said, 'base64url').toString()) as Claims;
  } catch {
    return null;
  }
}
