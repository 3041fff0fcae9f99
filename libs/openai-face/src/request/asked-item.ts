import type { GivenItem, GivenPart } from '#domain';

/** A file of a message, which is read as documents are before it is handed on as text. */
export interface AskedFile {
  readonly kind: 'file';
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly path: string;
}

export type AskedPart = GivenPart | AskedFile;

type Message = Extract<GivenItem, { kind: 'message' }>;

/** An item as it was sent, and where; what is to be looked up is not yet. */
export type AskedItem =
  | Exclude<GivenItem, Message>
  | (Omit<Message, 'parts'> & { readonly parts: readonly AskedPart[] })
  /** An item that is here already. */
  | { readonly kind: 'reference'; readonly id: string; readonly path: string };
