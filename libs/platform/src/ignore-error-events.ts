interface Emitter {
  on: (event: 'error', listener: (error: Error) => void) => unknown;
}

/**
 * Ignores the `error` events of a database connection, which end the process if nobody listens and may come
 * while no statement runs; the next statement fails anyway. For pg's pools it is `onConnect`: a server may
 * close in the very packet that says it is ready, before the caller has the connection.
 */
export const ignoreErrorEvents = (client: Emitter): void => void client.on('error', () => undefined);
