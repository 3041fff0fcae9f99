import { Agent, request } from 'node:http';
import type { SeenAnswer } from '../api-contract.js';
import type { FuzzRequest } from './fuzz-requests.js';

/** How much of a stream is read before the client goes away. */
const ENOUGH_BYTES = 300;

/** Sends over connections that are used again. Of a stream only the beginning is read: some never end. */
export class FuzzSender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(
    private readonly port: number,
    private readonly key: string,
  ) {}

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
            authorization: `Bearer ${this.key}`,
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
          response.once('close', () =>
            resolve({ method, path, status, headers, ...(isStream ? {} : { text }) }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
