import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Note,
  type TreeHead,
  consistencyProof,
  formatNote,
  judge,
  parseCheckpoint,
  parseKey,
  parseNote,
  parsePolicy,
} from '#proof';
import { SystemClock } from '#platform';
import { Witnesses } from '#sealer';
import { addCheckpointBody } from '../support/proof/add-checkpoint.js';
import { LOG_ORIGIN, ProvedLog, type Seal } from '../support/proof/proved-log.js';
import { runOf, story } from '../support/proof/story.js';
import { TileServer } from '../support/proof/tile-server.js';
import { until } from '../support/until.js';
import { WitnessProcess } from '../support/proof/witness-process.js';

/** A log that has been sealed several times. */
class SealedLog extends ProvedLog {
  readonly seals: Seal[] = [];

  static of(answer: string, more = 0): SealedLog {
    const log = new SealedLog();
    const rest = Array.from({ length: more }, (_, n) => runOf('ses_a', n + 2, answer));
    for (const drafts of [...story(), ...rest]) {
      log.append(drafts.map((draft) => ({ ...draft, text: draft.text.replace('answer 1', answer) })));
      log.seals.push(log.seal());
    }
    return log;
  }

  body(seal: Seal, old: number): string {
    return addCheckpointBody(this, seal, old);
  }
}

describe('annals witness', () => {
  const log = SealedLog.of('one');
  const [first, second, third] = log.seals as [Seal, Seal, Seal];
  let witness: WitnessProcess;
  beforeAll(async () => {
    witness = await WitnessProcess.start({ name: 'witness.example/w', logs: `log ${log.vkey}\n` });
  });
  afterAll(() => witness.dispose());

  it('prints its line, and speaks tlog-witness', async () => {
    expect(witness.line('w')).toMatch(/^witness w witness\.example\/w\+[0-9a-f]{8}\+\S{44} http:/);
    expect((await witness.latest(LOG_ORIGIN)).status).toBe(404);
    const added = await witness.add(log.body(first, 0));
    expect([added.status, added.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const key = parseKey(witness.line('w').split(' ')[2]!)!;
    const note = parseNote(`${log.note(first).text}\n${await added.text()}`)!;
    expect(judge(note, key)).toMatchObject({ is: 'good' });
    const latest = await witness.latest(LOG_ORIGIN);
    expect(latest.status).toBe(200);
    expect(parseNote(await latest.text())!.signatures).toHaveLength(2);
    const conflict = await witness.add(log.body(second, 0));
    expect([conflict.status, conflict.headers.get('content-type')]).toEqual([409, 'text/x.tlog.size']);
    expect(await conflict.text()).toBe(`${first.size}\n`);
  });

  it('knows no other paths and methods, and reads no more than it may', async () => {
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${witness.url}${path}`, init)).status;
    expect(await status('/')).toBe(404);
    expect(await status('/sign-subtree', { method: 'POST', body: 'subtree 0 1\n' })).toBe(404);
    expect(await status('/add-checkpoint')).toBe(405);
    expect(await status(`/${'0'.repeat(64)}/checkpoint`)).toBe(404);
    expect(await status(`/${'0'.repeat(64)}/checkpoint`, { method: 'DELETE' })).toBe(405);
    const body = log.body(second, first.size);
    const padded = (length: number) =>
      body + '\u2014 x AAAAAAA=\n'.repeat(Math.ceil((length - body.length) / 15));
    expect(await status('/add-checkpoint', { method: 'POST', body: padded(66_000) })).toBe(400);
    const endless = connect(Number(new URL(witness.url).port), '127.0.0.1');
    endless.write('POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\n');
    endless.write('x'.repeat(70_000));
    expect(await text(endless)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is the only one of its folder, and another name is not its own', async () => {
    const { code, errors } = await witness.second();
    expect([code, errors]).toEqual([1, expect.stringMatching(/^DATA_DIR must be free[^\n]*\n$/)]);
    expect((await witness.add(log.body(second, first.size))).status).toBe(200);
  });

  it('stops when it is told to, and has the same key and memory afterwards', async () => {
    const line = witness.line('w');
    expect(await witness.kill()).toBe(0);
    await witness.launch();
    expect(witness.line('w')).toBe(line);
    expect(await (await witness.add(log.body(third, 0))).text()).toBe(`${second.size}\n`);
  });
});

describe('killed at any moment', () => {
  const KILLS = 8;

  it('never signs two trees', async () => {
    const trees = [SealedLog.of('one', 40), SealedLog.of('another', 40)];
    const witness = await WitnessProcess.start({
      name: 'witness.example/w',
      logs: `log ${trees[0]!.vkey}\n`,
    });
    const signed: TreeHead[] = [];
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const before = signed.length;
        const killed = new AbortController();
        const pushing = trees.map(async (log) => {
          // From wherever the witness says that it is, each to a size of its own tree.
          let old = 0;
          while (!killed.signal.aborted) {
            const seal = log.seals.find(({ size }) => size > old) ?? log.seals.at(-1)!;
            const answer = await witness.add(log.body(seal, Math.min(old, seal.size))).catch(() => null);
            if (answer === null) return;
            const body = await answer.text().catch(() => '');
            if (answer.status === 200 && body !== '') signed.push(seal);
            if (answer.status === 200) old = seal.size;
            else if (answer.status === 409) old = Number(body);
            else return;
          }
        });
        await until(() => signed.length > before + (kill % 4));
        killed.abort();
        await witness.kill('SIGKILL');
        await Promise.all(pushing);
        await witness.launch();
        const held = parseCheckpoint(parseNote(await (await witness.latest(LOG_ORIGIN)).text())!.text)!;
        // What it has said it still knows.
        expect(held.size).toBeGreaterThanOrEqual(Math.max(...signed.map(({ size }) => size)));
      }
    } finally {
      await witness.dispose();
    }
    const ofOne = trees.map((log) =>
      signed.every((head) =>
        log.seals.some((seal) => seal.size === head.size && equal(seal.root, head.root)),
      ),
    );
    expect(signed.length).toBeGreaterThan(KILLS);
    expect(ofOne.filter(Boolean)).toHaveLength(1);
  });
});

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

describe('a witness and a monitor, and who asks them', () => {
  const log = SealedLog.of('one');
  let tiles: TileServer;
  let [witness, monitor]: [WitnessProcess | null, WitnessProcess | null] = [null, null];
  let witnesses: Witnesses;
  beforeAll(async () => {
    tiles = await TileServer.start(log.entries);
    const logs = `log ${log.vkey} ${tiles.url}\n`;
    [witness, monitor] = (await Promise.all(
      ['witness.example/w', 'audit.example/monitor'].map((name) => WitnessProcess.start({ name, logs })),
    )) as [WitnessProcess, WitnessProcess];
    const lines = [witness.line('w'), monitor.line('m'), 'group both all w m\n', 'quorum both\n'];
    const policy = parsePolicy(`log ${log.vkey}\n${lines.join('')}`);
    witnesses = new Witnesses({ policy, origin: log.origin, clock: new SystemClock() });
  });
  afterAll(async () => {
    await witnesses.close();
    await witness?.dispose();
    await monitor?.dispose();
    await tiles.close();
  });

  const ask = (of: SealedLog, seal: Seal, note: Note = of.note(seal)) =>
    witnesses.cosign(formatNote(note), async (old) => consistencyProof(of.node, old, seal.size));

  it('cosign, also where one was away', async () => {
    const [first, second, third] = log.seals as [Seal, Seal, Seal];
    const both = await ask(log, first);
    expect(witnesses.isQuorumMet(both.cosignatures)).toBe(true);
    await witness!.kill('SIGKILL');
    const one = await ask(log, second);
    expect(one).toMatchObject({ cosignatures: [{ witness: 'm' }], missing: [{ witness: 'w' }] });
    expect(witnesses.isQuorumMet(one.cosignatures)).toBe(false);
    await witness!.launch();
    const again = await ask(log, third);
    expect(witnesses.isQuorumMet(again.cosignatures)).toBe(true);
    expect(again.cosignatures.every(({ time }) => Math.abs(time - Date.now() / 1000) < 60)).toBe(true);
  });

  it('are read again from where they were, when the monitor is killed over it', async () => {
    const { size } = log.seals.at(-1)!;
    log.append(runOf('ses_b', 2));
    const next = log.seal();
    log.seals.push(next);
    const read = Promise.withResolvers<void>();
    tiles.react = () => (read.resolve(), true);
    const broken = monitor!.add(log.body(next, size)).catch(() => null);
    await read.promise;
    await monitor!.kill('SIGKILL');
    expect(await broken).toBeNull();
    tiles.react = () => false;
    await monitor!.launch();
    expect((await ask(log, next)).cosignatures).toHaveLength(2);
  });

  it('tell a fork, and what they hold', async () => {
    const { size } = log.seals.at(-1)!;
    const other = SealedLog.of('another');
    const { cosignatures, conflicts } = await ask(other, other.seals.at(-1)!);
    expect(cosignatures).toEqual([]);
    expect(conflicts.map((one) => one.witness)).toEqual(['w', 'm']);
    const older = await ask(other, other.seals[0]!);
    expect(older.conflicts.map((one) => one.witness)).toEqual(['w', 'm']);
    const held = await witnesses.latest();
    expect(held.map(({ checkpoint }) => checkpoint.size)).toEqual([size, size]);
    for (const { note } of held) expect(judge(note, parseKey(log.vkey)!)).toMatchObject({ is: 'good' });
  });

  it('differ in what they let through', async () => {
    const { size } = log.seals.at(-1)!;
    const { tag, events } = log.stream('session-ses_a');
    log.pushEvent(tag, events[0]!);
    const at = log.entries.length - 1;
    const answer = await ask(log, log.seal());
    expect(answer.cosignatures.map(({ witness }) => witness)).toEqual(['w']);
    const reason = `leaf ${at} is revision 0 of a stream whose next is ${events.length}`;
    expect(answer.conflicts).toEqual([{ kind: 'conflict', witness: 'm', reason }]);
    const held = await witnesses.latest();
    expect(held.map(({ checkpoint }) => checkpoint.size)).toEqual([log.entries.length, size]);
  });
});
