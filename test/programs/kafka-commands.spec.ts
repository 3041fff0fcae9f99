import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandHandler, type CommandOutcome, type KafkaCommand } from '#delivery';
import { CountedWork } from '#platform';
import { KafkaCommands } from '../../libs/delivery/src/kafka/kafka-commands.js';
import { KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient, deleteOurTopics } from '../support/kafka-client.js';
import { until } from '../support/until.js';
import { KafkaWorld } from '../support/kafka-world.js';

const COMMANDS = 'annals.commands';
const REJECTED = 'annals.commands.rejected';
const accepted: CommandOutcome = { kind: 'accepted' };

/** What the service does with a command, as a test wants it. Keeps what it was asked. */
class ScriptedHandler extends CommandHandler {
  readonly asked: string[] = [];
  readonly settled: string[] = [];

  constructor(public script: (text: string, nth: number) => CommandOutcome | Promise<CommandOutcome>) {
    super();
  }

  override async handle({ value }: KafkaCommand): Promise<CommandOutcome> {
    const text = String(value);
    this.asked.push(text);
    const outcome = await this.script(text, this.asked.filter((other) => other === text).length);
    if (outcome.kind !== 'later') this.settled.push(text);
    return outcome;
  }

  override giveUp({ value }: KafkaCommand, error: unknown): CommandOutcome {
    this.settled.push(String(value));
    return { kind: 'rejected', problem: JSON.stringify({ detail: (error as Error).message }), value };
  }
}

(hasKafka() ? describe : describe.skip)('the consumer of commands, on a real broker', () => {
  let broker: KafkaBroker;
  let world: KafkaWorld;
  let client: KafkaClient;
  let started: KafkaCommands[] = [];

  beforeAll(async () => void (broker = await KafkaBroker.start()));
  afterAll(() => broker.stop());
  beforeEach(async () => {
    world = await KafkaWorld.open();
    client = new KafkaClient(broker.address);
  });
  afterEach(async () => {
    // A test that failed may have left it dead.
    await broker.launch();
    await Promise.all(started.map((commands) => commands.stop()));
    started = [];
    await client.close();
    await world.close();
    await client.admin(async (admin) => {
      await admin.deleteGroups([COMMANDS]).catch(() => undefined);
      await deleteOurTopics(admin);
    });
  });

  const start = (handler: CommandHandler, counted = new CountedWork()): KafkaCommands => {
    const connection = { brokers: [broker.address], ssl: false, sasl: null };
    const commands = new KafkaCommands(connection, {
      ...world.ports,
      counted,
      handler,
      maxCommandBytes: 10_000,
    });
    commands.start();
    started.push(commands);
    return commands;
  };
  const send = (...texts: string[]): Promise<void> =>
    client.send(COMMANDS, ...texts.map((value) => ({ key: 'same', value })));
  const texts = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, i) => `c${from + i}`);
  const settled = (handler: ScriptedHandler, count: number): Promise<void> =>
    until(
      () => new Set(handler.settled).size >= count,
      () => handler.settled,
    );

  it.each([0, 1, 4])('skips nothing when command %i of the first batch of a new group fails', async (bad) => {
    await client.makeTopic(COMMANDS, 1);
    await send(...texts(5));
    const handler = new ScriptedHandler((text, nth) => {
      if (text === `c${bad}` && nth <= 2) throw new Error('not expected');
      return accepted;
    });
    start(handler);
    await settled(handler, 5);
    expect(handler.settled).toEqual(texts(5));
    await until(async () => (await client.committed(COMMANDS, COMMANDS))[0] === 5);
  });

  it('rejects what fails again and again, and goes on', async () => {
    await client.makeTopic(COMMANDS, 1);
    await client.send(
      COMMANDS,
      { key: 'k', value: 'bad', headers: { more: 'of theirs' } },
      { value: 'good' },
    );
    const handler = new ScriptedHandler((text) => {
      if (text === 'bad') throw new Error('a bug');
      return accepted;
    });
    const commands = start(handler);
    await settled(handler, 2);
    expect(handler.asked).toEqual(['bad', 'bad', 'bad', 'good']);
    const rejected = await client.follow(REJECTED);
    await until(() => rejected.length === 1);
    expect(rejected[0]).toMatchObject({
      key: 'k',
      value: 'bad',
      headers: {
        more: 'of theirs',
        'annals-command': 'annals.commands/0/0',
        'annals-problem': '{"detail":"a bug"}',
      },
    });
    await until(() => commands.status().state === 'consuming');
    expect(commands.status()).toMatchObject({ accepted: 1, rejected: 1, detail: null });
  });

  it('waits where the command is not to blame, says so, and keeps the order', async () => {
    await client.makeTopic(COMMANDS, 1);
    await send(...texts(3));
    let isOpen = false;
    const handler = new ScriptedHandler((text) =>
      isOpen || text === 'c0' ? accepted : { kind: 'later', detail: 'the log takes no writes now' },
    );
    const commands = start(handler);
    await until(() => handler.asked.filter((text) => text === 'c1').length >= 2);
    expect(commands.status()).toMatchObject({ state: 'failing', detail: 'the log takes no writes now' });
    isOpen = true;
    await settled(handler, 3);
    expect(handler.settled).toEqual(texts(3));
    await until(() => commands.status().state === 'consuming');
  });

  it('gives a command again that was not settled when the process died', async () => {
    await client.makeTopic(COMMANDS, 1);
    const dying = new ScriptedHandler((text) => (text === 'c1' ? new Promise(() => undefined) : accepted));
    const first = start(dying);
    await send(...texts(3));
    await until(() => dying.asked.includes('c1'));
    started = started.filter((one) => one !== first);
    void first.stop();
    const next = new ScriptedHandler(() => accepted);
    start(next);
    await settled(next, 2);
    expect(next.settled).toEqual(expect.arrayContaining(['c1', 'c2']));
    await until(async () => (await client.committed(COMMANDS, COMMANDS))[0] === 3);
  });

  it('gets past transactions, committed and aborted, and their markers', async () => {
    await client.makeTopic(COMMANDS, 1);
    const handler = new ScriptedHandler(() => accepted);
    const commands = start(handler);
    await client.transact(COMMANDS, 'abort', { value: 'aborted' });
    await client.transact(COMMANDS, 'commit', { value: 'c0' }, { value: 'c1' });
    await client.transact(COMMANDS, 'abort', { value: 'aborted' }, { value: 'aborted' });
    await settled(handler, 2);
    await commands.stop();
    await client.transact(COMMANDS, 'abort', { value: 'aborted' });
    await client.transact(COMMANDS, 'commit', { value: 'c2' });
    await client.transact(COMMANDS, 'abort', { value: 'aborted' });
    commands.start();
    await settled(handler, 3);
    await send('c3');
    await settled(handler, 4);
    expect([...new Set(handler.settled)]).toEqual(texts(4));
    expect(commands.status().restarts).toBe(0);
  });

  it('goes on after the broker was killed, and after others joined and left the group', async () => {
    const handler = new ScriptedHandler(() => accepted);
    const commands = start(handler);
    await until(() => commands.status().state === 'consuming');
    for (let round = 0; round < 2; round++) {
      const other = start(handler);
      await client.send(COMMANDS, ...texts(20, round * 40).map((value) => ({ value })));
      await settled(handler, round * 40 + 20);
      await other.stop();
      await broker.kill();
      await until(() => commands.status().state === 'failing');
      await broker.launch();
      await client.send(COMMANDS, ...texts(20, round * 40 + 20).map((value) => ({ value })));
      await settled(handler, round * 40 + 40);
    }
    expect(new Set(handler.settled)).toEqual(new Set(texts(80)));
    await until(() => commands.status().state === 'consuming');
  });

  /** A batch of 100 KB that is 100 MB when it is unpacked. */
  const BOMB = { partition: 0, value: 'a'.repeat(100 * 1024 * 1024) };

  it('takes packed commands; what becomes too large when it is unpacked the broker refuses', async () => {
    const handler = new ScriptedHandler(() => accepted);
    const commands = start(handler);
    await until(() => commands.status().state === 'consuming');
    await client.sendPacked(COMMANDS, ...texts(50).map((value) => ({ key: 'same', value })));
    await settled(handler, 50);
    expect(handler.settled).toEqual(texts(50));
    await expect(client.sendPacked(COMMANDS, BOMB)).rejects.toThrow(
      // A small heap is another way not to unpack it.
      /larger than|too large|max message size|unexpected error/i,
    );
  });

  it('survives a batch that is too large when it is unpacked, on a topic of others, and says so', async () => {
    await client.makeTopic(COMMANDS, 2);
    await client.sendPacked(COMMANDS, BOMB);
    const commands = start(new ScriptedHandler(() => accepted));
    await until(
      () => /larger than 67108864 bytes/.test(commands.status().detail ?? ''),
      () => commands.status(),
    );
    expect(commands.status().state).toBe('failing');
  });

  it('refuses a topic that would drop commands, and consumes once it is mended', async () => {
    await client.makeTopic(COMMANDS, 1, { 'cleanup.policy': 'compact' });
    const handler = new ScriptedHandler(() => accepted);
    const commands = start(handler);
    await until(() => commands.status().state === 'failing');
    expect(commands.status().detail).toBe(
      'topic annals.commands has cleanup.policy=compact; it must be delete',
    );
    await client.admin((admin) => admin.deleteTopics({ topics: [COMMANDS] }));
    await until(() => commands.status().state === 'consuming');
    await send('c0');
    await settled(handler, 1);
  });
});
