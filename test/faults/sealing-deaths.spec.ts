import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { HOUSE_ORIGIN, SealedHouse, checkpointOf } from '../support/proof/sealed-house.js';
import { collect } from '#event-log';
import { parseNote } from '#proof';
import { PROOF_STREAM, proofLogEvent } from '../../libs/sealer/src/proof-log.js';
import { Sealing } from '../../libs/sealer/src/sealing.js';
import type { SealWitnesses } from '../../libs/sealer/src/witness-round.js';

/** The process is dead: it asks for nothing any more. */
class Death extends Error {}

/** Dies at a call of what it holds: before it is made, or when it has taken effect and before it is heard of. */
class Fate {
  private left: number;
  isDead = false;

  constructor(
    at: number,
    private readonly isAfter: boolean,
  ) {
    this.left = at;
  }

  /** @param name of the calls that count; a transaction is kept only behind the last of its own */
  over<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown =>
          this.call(() =>
            value.apply(
              of,
              args.map((arg) => this.wrapped(arg)),
            ),
          );
      },
    });
  }

  private call(make: () => unknown): unknown {
    if (this.isDead) throw new Death();
    const isIt = this.left-- === 0;
    if (isIt && !this.isAfter) this.die();
    const made = make();
    if (!isIt) return made;
    if (!(made instanceof Promise)) this.die();
    return Promise.resolve(made).then(() => this.die());
  }

  /** What a transaction is given counts, too. */
  private wrapped(arg: unknown): unknown {
    if (typeof arg !== 'function') return arg;
    return (...args: unknown[]): unknown =>
      (arg as (...of: unknown[]) => unknown)(
        ...args.map((one) =>
          typeof one === 'object' && one !== null && 'setTree' in one ? this.over(one) : one,
        ),
      );
  }

  private die(): never {
    this.isDead = true;
    throw new Death();
  }
}

let house: SealedHouse;
/** The checkpoints that anybody was told. */
let told: Set<string>;

const hear = (note: string): void => void told.add(parseNote(note)!.text);

const listening: SealWitnesses = {
  isEmpty: false,
  lacksQuorum: () => true,
  learn: () => undefined,
  latest: async () => [],
  cosign: async (note) => {
    hear(note);
    return { cosignatures: [], conflicts: [] };
  },
};

beforeEach(async () => {
  house = await SealedHouse.open();
  house.witnesses = listening;
  told = new Set();
});
afterEach(() => house.close());

const logged = async () =>
  (await collect(house.log.readStream(PROOF_STREAM))).flatMap((event) => {
    const read = proofLogEvent(event);
    return read?.type === 'log_sealed' ? [read.data] : [];
  });

/** A process that begins and seals twice what came; true: it lived to its end. */
async function life(fate: Fate): Promise<boolean> {
  const { clock, random, witnesses } = house;
  const ports = { store: fate.over(house.store), signed: fate.over(house.signed), log: fate.over(house.log) };
  const keys = await house.keys();
  const sealing = new Sealing({ ...ports, keys, witnesses: fate.over(witnesses), clock, random });
  try {
    await sealing.begin();
    await sealing.seal();
    await house.append('session-a', 2);
    await house.append('session-b', 1);
    await sealing.seal();
    return true;
  } catch (error) {
    if (!(error instanceof Death) && !fate.isDead) throw error;
    return false;
  }
}

async function expectWhole(): Promise<void> {
  const seals = await logged();
  const events = await house.events();
  expect(seals.map(({ seal }) => seal)).toEqual(seals.map((_, n) => n + 1));
  seals.forEach((seal, n) => {
    const sealedAt = seals.slice(0, n + 1).map((one) => one.events);
    expect(parseNote(seal.note)!.text).toBe(checkpointOf(events, sealedAt));
  });
  // Whatever was told is a seal that stayed.
  const texts = new Set(seals.map(({ note }) => parseNote(note)!.text));
  for (const text of told) expect(texts).toContain(text);
  const { published } = await house.store.status();
  expect(published).toMatchObject({ seal: seals.length, note: seals.at(-1)!.note });
  const kept = await house.signed.signed(HOUSE_ORIGIN);
  expect(kept?.seal).toBe(seals.length);
}

test.each([
  ['before it is made', false],
  ['when it has taken effect', true],
])(
  'a process may die at each call, %s: the next goes on, and nothing is signed twice',
  async (_, isAfter) => {
    let [calls, hasLived] = [0, false];
    for (; !hasLived; calls++) {
      await house.append(`session-${calls % 5}`, 2);
      hasLived = await life(new Fate(calls, isAfter));
      // One that dies again where the first one died, and one that lives.
      await house.append('session-c');
      await life(new Fate(calls, isAfter));
      expect(await life(new Fate(Infinity, isAfter))).toBe(true);
    }
    await expectWhole();
    expect(calls).toBeGreaterThan(40);
  },
);

test.each([
  ['the tables', () => house.store.lose()],
  [
    'the key store',
    async () => {
      const kept = (await house.signed.signed(HOUSE_ORIGIN))!;
      const seals = await logged();
      const older = {
        ...(JSON.parse(kept.text) as object),
        seal: 1,
        note: seals[0]!.note,
        size: seals[0]!.size,
      };
      await house.signed.saveSigned(HOUSE_ORIGIN, kept.seal, { seal: 1, text: JSON.stringify(older) });
    },
  ],
] as const)('where %s were lost a process may die at each call of its start', async (_, lose) => {
  for (const name of ['a', 'b', 'c']) {
    await house.append(`session-${name}`, 3);
    await life(new Fate(Infinity, false));
  }
  for (let calls = 0, hasLived = false; !hasLived; calls++) {
    await lose();
    for (const isAfter of [false, true]) hasLived = await life(new Fate(calls, isAfter));
  }
  expect(await life(new Fate(Infinity, false))).toBe(true);
  await expectWhole();
});
