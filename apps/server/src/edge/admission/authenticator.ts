import type { Principal } from '#access';

/** Port: finds the principal of a presented key. ApiKeys is one. */
export abstract class Authenticator {
  /** null: unknown, revoked or expired. Synchronous, since every request waits for it. */
  abstract authenticate(key: string): Principal | null;

  /** Has `listener` told of every key that is revoked, wherever that was. */
  onRevoked(_listener: (keyId: string) => void): void {}
}
