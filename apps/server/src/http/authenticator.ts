import type { Principal } from '#runs';

/** Port: finds the principal of a presented key. ApiKeys is one. */
export abstract class Authenticator {
  /** null: unknown or revoked. Synchronous, since every request waits for it. */
  abstract authenticate(key: string): Principal | null;
}
