import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, say } from '../support/scripted-turn.js';
import type { Ended, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

interface Action {
  readonly action_id: string;
}

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
});
afterAll(() => stage.close());

const statusOf = async (run: string): Promise<unknown> => (await client.get(`/runs/${run}`)).json()['status'];
const replay = async (run: string): Promise<Ended> =>
  (await client.post(`/runs/${run}/replay`, {}, { headers: { accept: 'application/json' } })).json<Ended>();

describe('what a person said of a workflow or a handoff', () => {
  const STEP = { id: 's', name: 's', description: 'do it', depends_on: [] };
  const HELD = { workflows: [{ id: 'w', name: 'w', description: 'd', steps: [STEP] }] };
  const AGENTS = [{ name: 'expert', description: 'knows' }];

  /** A run whose only call somebody has to release. */
  async function decidedRun(decision: object, tool: string, input: object): Promise<Ended> {
    const message = stage.book.on(stage.message('held'), say(...call(0, 'c0', tool, input)), say('done'));
    const approvals = { tools: { [tool]: 'ask' } };
    const body = { message, ...HELD, agents: AGENTS, approvals, background: true };
    const { run_id: run } = (await client.post('/', body)).json<Ended>();
    let open: readonly Action[] = [];
    await until(async () => {
      open = await client.all<Action>(`/actions?run=${run}&status=open`);
      return open.length > 0;
    });
    expect((await client.post(`/actions/${open[0]!.action_id}/resolve`, decision)).status).toBe(200);
    await until(async () => (await statusOf(run)) === 'completed');
    return { ...(await client.get(`/runs/${run}`)).json<Ended>(), run_id: run };
  }

  /** What the model was told of the call, and the events that tell of what was carried out. */
  async function toldOf({ run_id: run }: Pick<Ended, 'run_id'>) {
    const { items: events } = (
      await client.get(`/runs/${run}/events?limit=200`, { headers: { accept: 'application/json' } })
    ).json<{ items: { data: { type: string; content?: string } }[] }>();
    const types = ['agent_tool_response', 'agent_handoff', 'agent_workflow_step'];
    return events
      .map(({ data: { type, content } }) => ({ type, content }))
      .filter(({ type }) => types.includes(type));
  }

  it.each([
    ['run_workflow', { workflow_id: 'w', input: 'x' }],
    ['transfer_to_expert', {}],
  ])('a denied %s is denied again, and carried out by nobody', async (tool, input) => {
    const run = await decidedRun({ decision: 'deny', reason: 'not now' }, tool, input);
    const asks = stage.book.asks.length;
    const again = await replay(run.run_id);
    const events = await toldOf(run);
    expect(events).toHaveLength(1);
    expect(await toldOf(again)).toEqual(events);
    expect(stage.book.asks.length - asks).toBe(2);
  });

  it('a workflow that was changed is carried out as it was changed', async () => {
    stage.book.find = (text) => (text.includes('The step "s"') ? [say('went')] : undefined);
    const input = { workflow_id: 'w', input: 'EDITED' };
    const run = await decidedRun({ decision: 'approve', input }, 'run_workflow', { ...input, input: 'ORIG' });
    const again = await replay(run.run_id);
    expect(await toldOf(again)).toEqual(await toldOf(run));
    const steps = stage.book.asks.filter(({ message }) => message.includes('The step "s"'));
    expect(steps.map(({ message }) => /EDITED|ORIG/.exec(message)?.[0])).toEqual(['EDITED', 'EDITED']);
  });
});
