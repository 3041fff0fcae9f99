/** Port: what has to be done when a key was revoked, so that lists say so. Doing it again changes nothing. */
export abstract class KeyEnd {
  /** Resolves when it is done as far as it can be now; what is left is done later. */
  abstract ended(keyId: string, actor: string): Promise<void>;
}
