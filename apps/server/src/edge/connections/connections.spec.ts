import { type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ConnectionTerms, Connections, addressName } from './connections.js';

/** A real server, whose clients come from addresses of the loopback's own network. */
class Door {
  now = 0;
  readonly waiting: ServerResponse[] = [];
  readonly connections: Connections;
  readonly server: Server;
  private readonly sockets: Socket[] = [];

  constructor(terms: Partial<ConnectionTerms>) {
    this.server = createServer((request, response) => {
      if (request.url === '/wait') this.waiting.push(response.writeHead(200));
      else response.end('hello');
    });
    this.connections = new Connections({
      max: 100,
      maxPerAddress: 100,
      graceMs: 500,
      now: () => this.now,
      refuse: (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n'),
      ...terms,
    });
    this.connections.watch(this.server);
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** A connection that the server knows of, or has refused. */
  async comes(from = '127.0.0.1', asks = ''): Promise<Client> {
    const arrived = new Promise((resolve) => this.server.once('connection', resolve));
    const { port } = this.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    this.sockets.push(socket);
    const client = new Client(socket);
    await arrived;
    if (asks !== '') await client.ask(asks);
    return client;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

class Client {
  said = '';
  readonly closed: Promise<void>;

  constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('data', (part: Buffer) => (this.said += part.toString()));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Asks, and waits for the first bytes of an answer. */
  async ask(path: string): Promise<string> {
    this.said = '';
    const answered = new Promise((resolve) => this.socket.once('data', resolve));
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    if (path !== '/wait') await Promise.race([answered, this.closed]);
    return this.said.split('\r\n', 1)[0] ?? '';
  }
}

describe('connections', () => {
  let door: Door;
  const opened = async (terms: Partial<ConnectionTerms>): Promise<Door> =>
    (door = await new Door(terms).open());

  afterEach(() => door.close());

  it('that lie there make room for whoever comes, the one that is silent for longest first', async () => {
    await opened({ max: 3 });
    const [first, second, third] = [await door.comes(), await door.comes(), await door.comes()];
    door.now = 1_000;
    await first.ask('/');
    const newcomer = await door.comes();
    expect(await newcomer.ask('/')).toBe('HTTP/1.1 200 OK');
    await second.closed;
    expect([first.isOpen, third.isOpen, newcomer.isOpen]).toEqual([true, true, true]);
    expect(door.connections.size).toBe(3);
  });

  it('with a request under way stay, and the newcomer is told that there is no room', async () => {
    await opened({ max: 2 });
    const busy = [await door.comes('127.0.0.1', '/wait'), await door.comes('127.0.0.1', '/wait')];
    while (door.waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
    door.now = 1_000;
    const newcomer = await door.comes();
    await newcomer.closed;
    expect(newcomer.said).toMatch(/^HTTP\/1\.1 503 /);
    // Answered, one of them is like any other.
    const answered = new Promise((resolve) => door.waiting[0]!.once('close', resolve));
    door.waiting[0]!.end('done');
    await answered;
    door.now = 2_000;
    expect(await (await door.comes()).ask('/')).toBe('HTTP/1.1 200 OK');
    await busy[0]!.closed;
    expect(busy[1]!.isOpen).toBe(true);
    door.waiting[1]!.end();
  });

  it('of one address have a share of their own, and go before those of others', async () => {
    await opened({ max: 5, maxPerAddress: 4 });
    const many = [];
    for (let n = 0; n < 4; n++) many.push(await door.comes('127.0.0.2', '/wait'));
    while (door.waiting.length < 4) await new Promise((resolve) => setImmediate(resolve));
    const refused = await door.comes('127.0.0.2');
    await refused.closed;
    expect(refused.said).toMatch(/^HTTP\/1\.1 503 /);
    const other = await door.comes('127.0.0.3');
    door.now = 1_000;
    const answered = new Promise((resolve) => door.waiting[0]!.once('close', resolve));
    door.waiting[0]!.end('done');
    await answered;
    door.now = 2_000;
    // All five are taken: the one that is done goes, since its address has most, not the one that waits for longer.
    expect(await (await door.comes('127.0.0.4')).ask('/')).toBe('HTTP/1.1 200 OK');
    await many[0]!.closed;
    expect(other.isOpen).toBe(true);
    for (const response of door.waiting) response.end();
  });

  it('that have only just come are given time to ask', async () => {
    await opened({ max: 1 });
    const first = await door.comes();
    door.now = 499;
    const early = await door.comes();
    await early.closed;
    expect(early.said).toMatch(/^HTTP\/1\.1 503 /);
    expect(await first.ask('/')).toBe('HTTP/1.1 200 OK');
  });

  it('that end by themselves leave nothing behind', async () => {
    await opened({ max: 3 });
    for (let n = 0; n < 20; n++) {
      const client = await door.comes(`127.0.0.${1 + (n % 5)}`);
      await client.ask('/');
      door.server.closeIdleConnections();
      await client.closed;
    }
    expect(door.connections.size).toBe(0);
  });
});

describe('the name of an address', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, name) => {
    expect(addressName(address)).toBe(name);
  });
});
