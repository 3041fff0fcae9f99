/** What hashing.ts and signing.ts offer, whichever file stands in their place. */

/** SHA-256 of what comes bit by bit. */
export interface Sha256 {
  add(part: Uint8Array): void;
  /** Once, at the end. */
  digest(): Uint8Array;
}

export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}
