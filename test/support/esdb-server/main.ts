import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { EsdbServer, type EsdbServerOptions } from './esdb-server.js';
import type { Fault, FaultyCall } from './faults.js';

/**
 * The protocol server as a process of its own: `main.js ['{"port":2113,"journal":"file"}']`. Its first line is its
 * connection string. Lines of JSON on stdin plan faults: `{"call":"append","fault":{"kind":"busy"},"times":3}`, or
 * `{"drop":"too-slow"}` for its subscriptions. It ends with its stdin, so that no test leaves one behind.
 */
// Its events are no objects: all objects together are small, and are not to be looked through for every few MB of garbage.
setFlagsFromString('--heap-growing-percent=800');
const server = await EsdbServer.start(JSON.parse(process.argv[2] ?? '{}') as EsdbServerOptions);
process.stdout.write(`${server.url}\n`);

type Line = { call: FaultyCall; fault: Fault; skip?: number; times?: number } | { drop: 'too-slow' | 'end' };

const lines = createInterface({ input: process.stdin });
lines.on('line', (text) => {
  const line = JSON.parse(text) as Line;
  if ('drop' in line) server.dropSubscriptions(line.drop);
  else server.faults.add(line.call, line.fault, line);
});
lines.on('close', () => process.exit(0));
