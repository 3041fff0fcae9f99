/** Options of an expendable process, passed as its only argument. */
export interface ExpendableOrders {
  readonly parent: number;
  readonly memoryBytes: number;
  /** Of one request (ms); null: unlimited. */
  readonly cpuMs: number | null;
  readonly niceness: number;
}

/** Options of its watchdog thread. */
export interface WatchOrders extends ExpendableOrders {
  /** Number of the request in progress, in shared memory; 0: none. */
  readonly request: Int32Array;
}

export type ToProcess =
  /** A request; `bytes` of payload follow on standard input. */
  | { readonly kind: 'ask'; readonly request: unknown; readonly bytes: number }
  /** Acknowledges a chunk; the next may be sent. */
  | { readonly kind: 'taken' };

export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'answer'; readonly answer: unknown };

/** Signal by which the watchdog ends a process that is over its time. */
export const OVER_TIME = 'SIGVTALRM';
export const OVER_MEMORY = 'SIGUSR2';
