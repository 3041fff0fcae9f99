import type { WantedInputs } from '#agent';

/** What has become of a task. */
export type TaskEnd =
  | { readonly kind: 'completed'; readonly result: Readonly<Record<string, unknown>> }
  /** In the server's words, as the end of "the tool server …". */
  | {
      readonly kind: 'failed' | 'cancelled';
      readonly says: string;
      /** It has not ended: it wants something that nobody can be asked for. */
      readonly isUnaskable?: true;
    }
  | { readonly kind: 'wants'; readonly wants: WantedInputs }
  /** Nobody knows whether it has taken effect. */
  | { readonly kind: 'unknown'; readonly says: string };
