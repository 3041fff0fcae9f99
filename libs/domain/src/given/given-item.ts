import type { Content } from '../content.js';
import type { ActionId } from '../ids.js';

/** A part of a message that a request brings. */
export type GivenPart =
  | {
      readonly kind: 'text';
      readonly text: Content;
      /** An assistant refused with it. */
      readonly isRefusal?: true;
    }
  /** An address or a `data:` URL, handed to the model as it is. */
  | { readonly kind: 'image'; readonly url: Content; readonly detail?: string };

/** What a request brings besides, or instead of, one message: in the order in which it was said. */
export type GivenItem =
  | {
      readonly kind: 'message';
      readonly role: 'user' | 'assistant' | 'system' | 'developer';
      readonly parts: readonly GivenPart[];
    }
  /** A call that was made elsewhere, under the id that it had there. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      /** JSON text. */
      readonly arguments: Content;
    }
  | { readonly kind: 'result'; readonly id: string; readonly output: Content }
  /** A call of a tool server that was made elsewhere, with what came of it. */
  | {
      readonly kind: 'server_call';
      readonly id: string;
      readonly server: string;
      readonly name: string;
      readonly arguments: Content;
      readonly output: Content;
      readonly isError?: true;
    }
  /** Somebody was asked, elsewhere: it tells the model nothing. */
  | {
      readonly kind: 'question';
      readonly id: string;
      readonly server: string;
      readonly name: string;
      readonly arguments: Content;
    }
  /** What was decided on an action of the session. */
  | {
      readonly kind: 'decision';
      readonly action: ActionId;
      readonly isApproved: boolean;
      readonly reason?: string;
    };

/** The texts of a message's parts. */
export const textsOf = (parts: readonly GivenPart[]): readonly Content[] =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
