import { Agent, request } from 'node:http';
import type { SeenAnswer } from '../api-contract.js';
import type { FuzzRequest } from './fuzz-requests.js';

/** How much of a stream is read before the client goes away. */
const ENOUGH_BYTES = 300;
/** Whatever happens: what is not answered by then never is. */
const PATIENCE_MS = 60_000;

/** Sends over connections that are used again, as it is told. Of a stream only the beginning is read: some never end. */
export class FuzzSender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly port: number) {}

  /** @throws Error where the connection breaks before the answer, or none comes */
  send({ method, path, headers, body }: FuzzRequest): Promise<SeenAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          agent: this.agent,
          method,
          path,
          headers: {
            ...headers,
            ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
          },
        },
        (response) => {
          const { statusCode: status = 0, headers } = response;
          const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
          let text = '';
          if (isStream && method !== 'POST') response.destroy();
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
            if (isStream && text.length > ENOUGH_BYTES) response.destroy();
          });
          response.on('error', () => undefined);
          response.once('close', () => {
            if (isStream || response.complete)
              resolve({ method, path, status, headers, ...(isStream ? {} : { text }) });
            else reject(new Error(`the answer with ${status} was cut after ${text.length} characters`));
          });
        },
      );
      sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error(`no answer in ${PATIENCE_MS} ms`)));
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
