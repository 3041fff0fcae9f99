import { type Socket, connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';
import { freePort } from '../support/free-port.js';

const IDLE = 300;
const SHARE = 40;

/** Opens a connection and never asks. */
function lieThere(port: number, localAddress: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket));
    socket.on('error', () => resolve(socket)).resume();
  });
}

const statusOf = async (origin: string, path: string): Promise<number> => {
  const { status } = await fetch(`${origin}${path}`, { headers: { connection: 'close' } });
  return status;
};

/** Those that came last may not have been idle for long enough yet to make room. */
async function comesIn(origin: string): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    const status = await statusOf(origin, '/healthz').catch(() => 0);
    if (status === 200) return true;
    await quiet(50);
  }
  return false;
}

it('idle connections shut nobody out, neither their own address nor others, and probes have a port of their own', async () => {
  const probePort = await freePort();
  const env = {
    PROBE_PORT: String(probePort),
    MAX_CONNECTIONS: '100',
    MAX_CONNECTIONS_PER_ADDRESS: String(SHARE),
  };
  const service = await ServiceProcess.start({ env });
  const sockets: Socket[] = [];
  try {
    const probes = `http://127.0.0.1:${probePort}`;
    const opened = async (from: string, port = service.port): Promise<void> => {
      const batch = Array.from({ length: IDLE }, () => lieThere(port, from));
      sockets.push(...(await Promise.all(batch)));
    };
    for (const from of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) {
      await opened(from);
      expect(await statusOf(probes, '/healthz')).toBe(200);
      expect(await statusOf(probes, '/readyz')).toBe(200);
      expect(await comesIn(service.origin)).toBe(true);
    }
    // What is asked of the probes' port alone is no more than how it is.
    expect(await statusOf(probes, '/runs')).toBe(404);
    expect(await statusOf(probes, '/metrics')).toBe(404);
    await opened('127.0.0.1', probePort);
    expect(await statusOf(probes, '/healthz')).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.dispose();
  }
});

it('a probe is answered while the log is waited for, and a port that is taken is told in one line', async () => {
  const probePort = await freePort();
  const gone = await freePort();
  const env = {
    PROBE_PORT: String(probePort),
    EVENTSTORE_URL: `esdb://127.0.0.1:${gone}?tls=false`,
    ANNALS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const service = await ServiceProcess.prepare({ env });
  try {
    service.spawn({});
    const probes = `http://127.0.0.1:${probePort}`;
    await until(async () => (await statusOf(probes, '/healthz').catch(() => 0)) > 0);
    expect(await statusOf(probes, '/healthz')).toBe(200);
    expect(await statusOf(probes, '/readyz')).toBe(503);
    const second = await ServiceProcess.prepare({ env: { PROBE_PORT: String(probePort) } });
    try {
      second.spawn({});
      expect((await second.exited).code).toBe(1);
      expect(second.output.trim()).toMatch(/^PROBE_PORT must be .*EADDRINUSE$/);
    } finally {
      await second.dispose();
    }
  } finally {
    await service.dispose();
  }
});
