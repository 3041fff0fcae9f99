import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenApi } from '../../apps/server/src/openapi/describe-service.js';
import { Dice } from '../reliability/dice.js';
import { requireDescribed } from '../support/api-contract.js';
import { FuzzRequests } from '../support/api-fuzz/fuzz-requests.js';
import { FuzzSender } from '../support/api-fuzz/send.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const AT_ONCE = 12;
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);

let stage: Stage;
beforeAll(async () => {
  const env = { RATE_LIMIT_RPM: '100000000', EGRESS_ALLOW: '127.0.0.1' };
  stage = await Stage.open({ env });
}, 60_000);
afterAll(() => stage.close(), 60_000);

/** What the model was told is not looked at, and grows with every run of a session. */
function forgetAsks(): void {
  stage.book.asks.splice(0);
  stage.model.requests.splice(0);
}

describe(`${requests} requests made from /openapi.json (FUZZ_SEED=${seed})`, () => {
  it(
    'are answered as it says, none of them with 5xx',
    async () => {
      const description = (await stage.client.get('/openapi.json')).json<OpenApi>();
      const making = new FuzzRequests(new Dice(seed), description);
      const sender = new FuzzSender(stage.service.port, ADMIN_KEY);
      const statuses = new Map<number, number>();
      const failures: string[] = [];
      let left = requests;
      const work = async (): Promise<void> => {
        while (left-- > 0 && failures.length < 10) {
          const sent = making.next();
          const seen = await sender.send(sent);
          statuses.set(seen.status, (statuses.get(seen.status) ?? 0) + 1);
          making.learn(sent.path, seen.text ?? '');
          if (left % 500 === 0) forgetAsks();
          try {
            if (seen.status >= 500 || seen.status < 200) throw new Error(`${seen.status}: ${seen.text}`);
            if (sent.method !== 'HEAD') requireDescribed(seen);
          } catch (error) {
            failures.push(`${String(error)}\nfor ${JSON.stringify(sent).slice(0, 1_000)}`);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      sender.close();
      expect(failures).toEqual([]);
      // It came past the first check often enough to mean something.
      const isGood = (status: number) => status < 300;
      const good = [...statuses].filter(([status]) => isGood(status)).reduce((sum, [, n]) => sum + n, 0);
      expect(good).toBeGreaterThan(requests / 10);
      for (const status of [400, 404]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
      if (process.env['FUZZ_REQUESTS'])
        process.stdout.write(`${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}\n`);
    },
    60_000 + requests * 200,
  );
});
