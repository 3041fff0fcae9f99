import { type Server, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const WIDTH = 256;

/** The entries of a log over HTTP, as `/proof/tile/entries/…` has them. What they are the test says, and it may lie. */
export class TileServer {
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** Of the last request. */
  authorization: string | undefined;
  /** Answers in its own way where it returns true. */
  react: (path: string, response: ServerResponse) => boolean = () => false;
  private readonly server: Server;

  private constructor(public entries: readonly Uint8Array[]) {
    this.server = createServer((request, response) => {
      const path = (request.url ?? '').replace('/proof/tile/entries/', '');
      this.asked.push(path);
      this.authorization = request.headers.authorization;
      if (this.react(path, response)) return;
      const tile = this.tile(path);
      response.writeHead(tile === null ? 404 : 200).end(tile ?? undefined);
    });
  }

  static async start(entries: readonly Uint8Array[] = []): Promise<TileServer> {
    const tiles = new TileServer(entries);
    tiles.server.listen(0, '127.0.0.1');
    await once(tiles.server, 'listening');
    return tiles;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/proof`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private tile(path: string): Buffer | null {
    const match = /^((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path);
    if (match === null) return null;
    const from = Number(match[1]!.replaceAll(/[x/]/g, '')) * WIDTH;
    const width = match[2] === undefined ? WIDTH : Number(match[2]);
    const entries = this.entries.slice(from, from + width);
    if (entries.length < width) return null;
    return Buffer.concat(
      entries.flatMap((entry) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(entry.length);
        return [length, entry];
      }),
    );
  }
}
