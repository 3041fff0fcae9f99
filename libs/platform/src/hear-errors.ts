interface Emitter {
  on: (event: 'error', listener: (error: Error) => void) => unknown;
}

/**
 * Hears the errors of a database connection as long as it lives; for `onConnect` of pg's pools. An error that nobody hears
 * ends the process, and between a pool and whoever awaits a connection of it nobody does: a server may take leave in the very
 * packet in which it says that it is ready. The next statement tells of it anyway.
 */
export const hearErrors = (client: Emitter): void => void client.on('error', () => undefined);
