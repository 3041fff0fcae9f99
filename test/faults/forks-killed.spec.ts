import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ForkingClient, type Listed } from '../support/forking-client.js';
import { Stage } from '../support/stage.js';

const DIE_AT_TYPE = resolve('test/e2e/hooks/die-at-type.ts');

let stage: Stage;
let forks: ForkingClient;
beforeAll(async () => {
  stage = await Stage.open();
  forks = new ForkingClient(stage);
});
afterAll(() => stage.close());

describe('a process that is killed in the middle of a fork', () => {
  it.each(['sent:session_forked', 'stored:session_forked', 'sent:session_opened', 'stored:session_opened'])(
    'at %s makes it when it is asked again, once',
    async (at) => {
      const { session, messages } = await forks.said('killed');
      await stage.service.restart('SIGTERM', { imports: [DIE_AT_TYPE], env: { DIE_AT: at } });
      await forks.ask(session, {}, at).catch(() => undefined);
      expect(await stage.service.exited).toMatchObject({ signal: 'SIGKILL' });
      await stage.service.launch();
      expect(await forks.history(session)).toEqual(messages);
      const answer = await forks.ask(session, {}, at);
      expect(answer.status).toBe(201);
      const made = answer.json<Listed>();
      expect(await forks.history(made.session)).toEqual(messages);
      const more = await forks.goOn(made.session, 'after the kill');
      await stage.service.restart('SIGKILL');
      expect(await forks.history(made.session)).toEqual([...messages, ...more]);
      const listed = await stage.client.all<Listed>('/sessions');
      expect(listed.filter(({ forked_from: from }) => from?.session === session)).toHaveLength(1);
      expect((await forks.erase(session)).json<{ forks: string[] }>().forks).toEqual([made.session]);
    },
  );

  it('again and again leaves each fork whole or not there', async () => {
    const { session, messages } = await forks.said('storm');
    for (let round = 0; round < 4; round++) {
      const asked = Array.from({ length: 40 }, () => forks.ask(session).catch(() => null));
      await asked[round * 9];
      await stage.service.restart('SIGKILL');
      const answers = (await Promise.all(asked)).filter((answer) => answer?.status === 201);
      for (const answer of answers)
        expect(await forks.history(answer!.json<Listed>().session)).toEqual(messages);
    }
    const listed = await stage.client.all<Listed>('/sessions');
    const made = listed.filter(({ forked_from: from }) => from?.session === session);
    for (const fork of made) {
      expect(fork).toMatchObject({ message_count: 2, title: messages[0]!.content });
      expect(await forks.history(fork.session)).toEqual(messages);
    }
    const erased = (await forks.erase(session, '?forks=true')).json<{ forks: string[] }>().forks;
    expect([...erased].toSorted()).toEqual(made.map(({ session }) => session).toSorted());
  });
});
