import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import type { SseStream } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open({ env: { RUN_TIMEOUT_S: '600' } })));
afterAll(() => stage.close());

const statusOf = async (run: string): Promise<unknown> =>
  (await stage.client.get(`/runs/${run}`)).json()['status'];

/** A run that is in the middle of its text until the gate opens. */
async function busySession(): Promise<{ stream: SseStream; session: string; gate: Gate }> {
  const gate = new Gate();
  const message = stage.book.on(stage.message('busy'), say('working ', before(gate), 'done'));
  const stream = await stage.client.run({ message, streaming_tokens: true });
  await stream.untilType('agent_response');
  return { stream, session: stream.session, gate };
}

describe('a busy session', () => {
  it('starts what was queued in the order in which it was accepted', async () => {
    const { stream, session, gate } = await busySession();
    const queued: SseStream[] = [];
    for (let n = 0; n < 5; n++)
      queued.push(await stage.client.run(stage.message(`queued ${n}`), { session }));
    expect(await Promise.all(queued.map(({ run }) => statusOf(run)))).toEqual(Array(5).fill('queued'));
    gate.open();
    await stream.closed();
    for (const one of queued) await one.closed();
    const starts = queued.map(({ ids }) => ids[0] ?? 0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    for (const one of queued) expect(one.lines.at(-1)).toBe('agent_completed');
  });

  it('refuses with 409 for those who asked for that', async () => {
    const { stream, session, gate } = await busySession();
    const answer = await stage.client.post(`/?session=${session}`, {
      message: 'now or never',
      on_busy: 'reject',
    });
    expect([answer.status, answer.json()['code']]).toEqual([409, 'session_busy']);
    gate.open();
    await stream.closed();
    const later = await stage.client.post(`/?session=${session}`, {
      message: stage.message('idle again'),
      on_busy: 'reject',
      background: true,
    });
    expect(later.status).toBe(202);
  });

  it('is interrupted: the running one is cancelled, and the new one goes before those that wait', async () => {
    const { stream, session } = await busySession();
    const queued = await stage.client.run(stage.message('waits'), { session });
    const urgent = await stage.client.run(
      { message: stage.message('urgent'), on_busy: 'interrupt' },
      { session },
    );
    for (const one of [stream, urgent, queued]) await one.closed();
    expect(stream.lines.at(-1)).toBe('agent_cancelled');
    expect(urgent.lines.at(-1)).toBe('agent_completed');
    expect(queued.lines.at(-1)).toBe('agent_completed');
    expect(urgent.ids[0]).toBeLessThan(queued.ids[0] ?? 0);
  });

  it('lets a hundred wait, and no more', async () => {
    const { stream, session, gate } = await busySession();
    const answers = await Promise.all(
      Array.from({ length: 103 }, () =>
        stage.client.post(`/?session=${session}`, { message: stage.message('many'), background: true }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(100);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
    gate.open();
    await stream.closed();
    const last = answers
      .filter(({ status }) => status === 202)
      .map((answer) => answer.json()['run_id'] as string);
    for (const run of last) await (await stage.client.follow(`/runs/${run}`)).closed();
    expect(new Set(await Promise.all(last.map(statusOf)))).toEqual(new Set(['completed']));
  });
});

describe('a cancel', () => {
  it('takes no fields, and is not done where some are sent', async () => {
    const { stream, session, gate } = await busySession();
    for (const path of [`/runs/${stream.run}/cancel`, `/get-messages?session=${session}`]) {
      const answer = await stage.client.post(path, { force: true });
      expect([answer.status, answer.json()['detail']]).toEqual([400, 'force: is not a known field']);
      expect((await stage.client.post(path, [])).status).toBe(400);
    }
    expect((await stage.client.post(`/get-messages?session=${session}`, {})).status).toBe(200);
    gate.open();
    await stream.closed();
    expect(stream.lines.at(-1)).toBe('agent_completed');
  });

  it('stops a run whose model hangs', async () => {
    const message = stage.book.on(stage.message('hangs'), say('I think ', { kind: 'hang' }));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.untilType('agent_response');
    const answer = await stage.client.post(`/runs/${stream.run}/cancel`);
    expect([answer.status, answer.json()['run_id']]).toEqual([202, stream.run]);
    await stream.closed();
    expect(stream.lines).toEqual([
      'agent_started',
      'agent_response_start',
      'agent_response I think ',
      'agent_cost 0',
      'agent_cancelled',
    ]);
    await stage.model.until('the request is given up', () => stage.model.aborted > 0);
    expect(await statusOf(stream.run)).toBe('cancelled');
  });

  it('stops a run whose model does not even answer', async () => {
    const message = stage.book.on(stage.message('mute'), { kind: 'hang' });
    const stream = await stage.client.run(message);
    await stage.model.until('it is asked', () => stage.book.asksOf(message, 0) === 1);
    await stage.client.post(`/runs/${stream.run}/cancel`);
    await stream.closed();
    expect(stream.lines).toEqual(['agent_started', 'agent_cost 0', 'agent_cancelled']);
  });

  it('cancels a queued run at once, whose events are written when its turn comes', async () => {
    const { stream, session, gate } = await busySession();
    const queued = await stage.client.run(stage.message('never mind'), { session });
    const answer = await stage.client.post(`/runs/${queued.run}/cancel`);
    expect([answer.status, answer.json()['status']]).toEqual([202, 'cancelled']);
    expect(queued.records).toEqual([]);
    gate.open();
    await stream.closed();
    await queued.closed();
    expect(queued.lines).toEqual(['agent_started', 'agent_cost 0', 'agent_cancelled']);
    const history = await stage.client.history(session);
    expect(history.map(({ content }) => content)).not.toContain('never mind');
  });

  it('does nothing to a run that has ended, however often', async () => {
    const { run_id, session } = await stage.client.runToEnd(stage.message('over'));
    const before = (await stage.client.get(`/runs/${run_id}`)).text;
    for (let n = 0; n < 3; n++) {
      const answer = await stage.client.post(`/runs/${run_id}/cancel`);
      expect([answer.status, answer.text]).toEqual([202, before]);
    }
    expect((await stage.client.history(session)).length).toBe(2);
  });

  it('is one cancel, however many ask for it at the same time', async () => {
    const message = stage.book.on(stage.message('ten'), say('hm ', { kind: 'hang' }));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.untilType('agent_response');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => stage.client.post(`/runs/${stream.run}/cancel`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    await stream.closed();
    expect(stream.lines.filter((line) => line === 'agent_cancelled')).toHaveLength(1);
    // Each answer is of one moment: a run that has its last event has ended.
    const end = String(stream.ids.at(-1));
    for (const { status, last_event_id } of answers.map((answer) => answer.json()))
      expect([status, last_event_id === end]).toEqual([status, status === 'cancelled']);
  });

  it('is 404 for a run that does not exist', async () => {
    for (const run of ['run_ses_x_y', 'nonsense', `run_${stage.service.pid}`])
      expect((await stage.client.post(`/runs/${run}/cancel`)).status).toBe(404);
  });
});
