import { once } from 'node:events';
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADMIN_KEY, type ServiceProcess } from '../service-process.js';

/** Hands requests on with a key, for programs that cannot send one; everything else stays as it came. */
export class KeyProxy {
  private constructor(private readonly server: Server) {}

  static async open(service: ServiceProcess): Promise<KeyProxy> {
    const server = createServer((incoming, answer) => {
      const { method, url = '/', headers } = incoming;
      const sent = { ...headers, authorization: `Bearer ${ADMIN_KEY}` };
      const onward = request(service.origin + url, { method, headers: sent }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      onward.once('error', () => answer.destroy());
      answer.once('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new KeyProxy(server);
  }

  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
