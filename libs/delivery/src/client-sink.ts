/** Port: the response to a streaming client. Production writes to a socket. */
export abstract class ClientSink {
  /** Aborted when the client disconnected, or was cut off for not reading. */
  abstract readonly gone: AbortSignal;
  /**
   * Resolves when the buffers are drained or the client is gone; until then nothing may be written (back-pressure).
   * undefined: drained already.
   */
  abstract write(text: string): Promise<void> | undefined;
  /** Sends the last text, if there is any, and ends the answer. Nothing may be under way. */
  abstract end(text: string): void;
}
