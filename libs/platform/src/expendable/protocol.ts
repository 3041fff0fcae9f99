/** What an expendable process is told at its start, as its only argument. */
export interface ExpendableOrders {
  readonly parent: number;
  readonly memoryBytes: number;
  /** Of one request; null: it may take any. */
  readonly cpuMs: number | null;
  readonly niceness: number;
}

/** What its watch is told, besides. */
export interface WatchOrders extends ExpendableOrders {
  /** The number of the request that is worked on; 0: none. */
  readonly request: Int32Array;
}

export type ToProcess =
  /** `bytes` of them come on its standard input. */
  | { readonly kind: 'ask'; readonly request: unknown; readonly bytes: number }
  /** The piece was taken; the next may come. */
  | { readonly kind: 'taken' };

export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'answer'; readonly answer: unknown };

/** With what the watch ends its process. */
export const OVER_TIME = 'SIGVTALRM';
export const OVER_MEMORY = 'SIGUSR2';
