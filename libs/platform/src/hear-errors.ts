interface Emitter {
  on: (event: 'error', listener: (error: Error) => void) => unknown;
}

/**
 * Hears the errors of a database connection as long as it lives. An error that nobody hears ends the process, and while
 * nothing is asked nobody does; the next statement tells of it anyway. For pg's pools it is the `onConnect`: a server may take
 * leave in the very packet in which it says that it is ready, before whoever awaits the connection has it.
 */
export const hearErrors = (client: Emitter): void => void client.on('error', () => undefined);
