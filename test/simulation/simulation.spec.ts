import { describe, expect, it } from '@jest/globals';
import { FIRST_SEED, play, playWell } from './play-worlds.js';
import { FLAWS } from './world/flaws.js';

describe(`the simulation, from seed ${FIRST_SEED}`, () => {
  it('breaks no invariant on a tape that broke one before', async () => {
    await playWell('--kept');
  });

  it('plays the same seed the same way, from the seed and from what was recorded', async () => {
    await playWell('--seeds', '100', '--from', String(FIRST_SEED), '--repeat');
  });
});

// Of the simulation's own world; those in the product are planted by the long form, npm run sim:mutants.
it.each(Object.entries(FLAWS))('a mistake is found: %s: %s', async (flaw) => {
  const { failures } = await play('--seeds', '1000', '--from', '1', '--first', '--parts', '', '--flaw', flaw);
  expect(failures).toHaveLength(1);
});
