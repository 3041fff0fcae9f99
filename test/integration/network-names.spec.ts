import { type Socket, createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NetworkNames } from '../../libs/platform/src/egress/network-names.js';

/** A name server: it knows the names that it is given, and says nothing of those that begin with `dead`. */
class NameServer {
  readonly asked: string[] = [];
  records: Readonly<Record<string, string>> = {};
  private readonly socket: Socket = createSocket('udp4');

  async listen(): Promise<string> {
    this.socket.on('message', (question, from) => {
      const { name, type, end } = questionOf(question);
      this.asked.push(`${name} ${type}`);
      if (!name.startsWith('dead'))
        this.socket.send(this.answer(question, name, type, end), from.port, from.address);
    });
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): void {
    this.socket.close();
  }

  /** A: the address; AAAA: none; an unknown name: NXDOMAIN. RFC 1035, 4.1. */
  private answer(question: Buffer, name: string, type: number, end: number): Buffer {
    const address = this.records[name];
    const head = Buffer.from(question.subarray(0, end));
    const hasAnswer = address !== undefined && type === 1;
    head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(hasAnswer ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    if (!hasAnswer) return head;
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
    return Buffer.concat([head, record]);
  }
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

describe('names of callers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-names-'));
  const [hostsFile, resolvConf] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  const server = new NameServer();
  let servers: string[];
  const names = (): NetworkNames => new NetworkNames({ servers, hostsFile, resolvConf });

  beforeAll(async () => {
    servers = [await server.listen()];
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    server.asked.length = 0;
    server.records = { 'alive.example': '192.0.2.7', 'db.shop.internal': '10.1.2.3' };
    writeFileSync(hostsFile, '# here\n10.9.8.7 Tools tools.internal # ours\n::1 six\nnonsense\n');
    writeFileSync(resolvConf, 'nameserver 192.0.2.1\nsearch shop.internal\noptions ndots:1\n');
  });

  const v4 = (address: string) => [{ address, family: 4 }];

  test('are looked up in the hosts file, then by the name servers, with the search list', async () => {
    const own = names();
    expect(await own.resolve('TOOLS.internal')).toEqual(v4('10.9.8.7'));
    expect(await own.resolve('six')).toEqual([{ address: '::1', family: 6 }]);
    expect((await own.resolve('a.localhost')).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
    expect(await own.resolve('alive.example')).toEqual(v4('192.0.2.7'));
    expect(await own.resolve('db')).toEqual(v4('10.1.2.3'));
    await expect(own.resolve('none.example')).rejects.toThrow('cannot be resolved');
  });

  test.each(['', '.', 'a..b', 'a'.repeat(64), `${'a.'.repeat(127)}aa`])(
    '%j is no name and is not asked for',
    async (name) => {
      await expect(names().resolve(name)).rejects.toThrow('cannot be resolved');
      expect(server.asked).toEqual([]);
    },
  );

  test('that do not answer delay neither other names nor files', async () => {
    const own = names();
    const dead = Array.from({ length: 200 }, (_, n) => own.resolve(`dead${n}.example`, 'one'));
    const ended: string[] = [];
    void Promise.allSettled(dead).then(() => ended.push('dead'));
    expect(await own.resolve('alive.example', 'two')).toEqual(v4('192.0.2.7'));
    await readFile(hostsFile);
    expect(ended).toEqual([]);
    const outcomes = await Promise.allSettled(dead);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    // A few at a time: the others gave up waiting.
    expect(new Set(server.asked.filter((asked) => asked.startsWith('dead'))).size).toBeLessThan(50);
  });

  test('are asked for once at a time, and a failure is remembered', async () => {
    const own = names();
    await Promise.all(Array.from({ length: 50 }, (_, n) => own.resolve('alive.example', `project ${n}`)));
    expect(server.asked.filter((asked) => asked === 'alive.example 1')).toHaveLength(1);
    await expect(own.resolve('none.example')).rejects.toThrow();
    const asked = server.asked.length;
    server.records = { 'none.example': '192.0.2.9' };
    await expect(own.resolve('none.example')).rejects.toThrow();
    expect(server.asked).toHaveLength(asked);
    expect(await names().resolve('none.example')).toEqual(v4('192.0.2.9'));
  });
});
