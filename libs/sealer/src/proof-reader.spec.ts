import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { HOUSE_ORIGIN, SealedHouse } from '../../../test/support/proof/sealed-house.js';
import { until } from '../../../test/support/until.js';
import { ProcessBackground, SilentLogger } from '#platform';
import { type Note, cosign, noteKey, parseNote, parseProof, signaturesOf, signingKey } from '#proof';
import { ProofReader } from './proof-reader.js';
import { Sealer } from './sealer.js';

const NAME = 'witness.example/w';
const KEY = signingKey(new Uint8Array(32).fill(41));
const STREAM = 'session-a';

const OF_WITNESS = noteKey(NAME, 4, KEY.publicKey);

let house: SealedHouse;
let sealer: Sealer;
let reader: ProofReader;
/** How often the witness was asked, and whether it is there. */
let witness: { asked: number; isThere: boolean };
beforeEach(async () => {
  house = await SealedHouse.open();
  witness = { asked: 0, isThere: false };
  house.witnesses = {
    isEmpty: false,
    learn: () => undefined,
    latest: async () => [],
    lacksQuorum: (note) => signaturesOf(note, OF_WITNESS).length === 0,
    cosign: async (note) => {
      witness.asked += 1;
      const signature = cosign(parseNote(note)!.text, NAME, KEY, Math.floor(house.clock.now() / 1000));
      return { cosignatures: witness.isThere ? [{ signature }] : [], conflicts: [] };
    },
  };
  await house.append(STREAM, 3);
  const { log, store, signed, clock, random, witnesses } = house;
  const logger = new SilentLogger();
  const background = new ProcessBackground(logger);
  const keys = await house.keys();
  sealer = new Sealer(
    { log, keys, signed, store, witnesses, clock, random, background, logger },
    { isShared: false },
  );
  sealer.start();
  const demand = async (): Promise<void> => sealer.demand();
  reader = new ProofReader({ origin: HOUSE_ORIGIN, store, clock, witnesses, demand });
  await until(() => witness.asked === 1 && store.row.published !== null);
});
afterEach(async () => {
  await sealer.stop(0);
  await house.close();
});

/** How many cosignatures the proofs have that so many ask for at once. */
async function proved(count = 1): Promise<readonly number[]> {
  let notes: readonly Note[] | null = null;
  const proofs = Promise.all(Array.from({ length: count }, () => reader.proofOf(STREAM, 2)));
  void proofs.then((all) => (notes = all.map((proof) => parseNote(parseProof(proof!.proof)!.note)!)));
  await until(() => {
    if (notes === null) house.clock.advance(100);
    return notes !== null;
  });
  return notes!.map((note) => signaturesOf(note, OF_WITNESS).length);
}

test('a seal that too few have cosigned is shown to them at the next export, and to others after a minute', async () => {
  house.clock.advance(2_000);
  expect([await proved(), witness.asked]).toEqual([[0], 2]);
  witness.isThere = true;
  house.clock.advance(2_000);
  expect([await proved(), witness.asked]).toEqual([[1], 3]);
  house.clock.advance(50_000);
  expect([await proved(), witness.asked]).toEqual([[1], 3]);
  house.clock.advance(10_000);
  expect([await proved(), witness.asked]).toEqual([[1], 4]);
});

test('many that come at once, and who comes directly behind them, share what was asked', async () => {
  house.clock.advance(2_000);
  expect(await proved(50)).toEqual(Array.from({ length: 50 }, () => 0));
  expect(await proved()).toEqual([0]);
  expect(witness.asked).toBeLessThan(5);
});
