import type { BrowserCaller, Principal } from '#access';

/** Port: finds the principal of a presented key. ApiKeys is one. */
export abstract class Authenticator {
  /** null: unknown, revoked or expired. Synchronous, since every request waits for it. */
  abstract authenticate(key: string): Principal | null;

  /** Has `listener` told of every key that is revoked, wherever that was. */
  onRevoked(_listener: (keyId: string) => void): void {}

  /** Whose signed-in browser sent a cookie; null: nobody's. Synchronous, too. */
  ofBrowser(_cookie: string): Pick<BrowserCaller, 'principal' | 'csrf'> | null {
    return null;
  }

  /** Has `listener` told of every sign-in that ends before its time. */
  onSignedOut(_listener: (signIn: string) => void): void {}
}
