/** A client that is sent text. Port: production writes to a socket. */
export abstract class ClientSink {
  /** Aborted when the client is gone, or was cut off because it does not read. */
  abstract readonly gone: AbortSignal;
  /** Resolves when the text has left our buffers, or the client is gone: nothing more is to be written before that. undefined: it has. */
  abstract write(text: string): Promise<void> | undefined;
  /** Sends the last text, if there is any, and ends the answer. Nothing may be under way. */
  abstract end(text: string): void;
}
