import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(() => stage.close());

/** Nobody listens there. */
const server = { serverName: 'shop', serverUrl: 'http://127.0.0.1:9/mcp' };
const warning = {
  code: 'tool_server_unavailable',
  server: 'shop',
  reason: expect.stringMatching(/^The tool server "shop" .* not available in this run\.$/),
};

describe('a tool server that cannot be used', () => {
  it('is told to the caller in the answer, in the record of the run and in its events', async () => {
    const answer = await stage.client.runToEnd({ message: 'What is 6 x 7?', mcp_servers: [server] });
    expect(answer).toMatchObject({ status: 'completed', warnings: [warning] });
    const run = (await stage.client.get(`/runs/${answer.run_id}`)).json();
    expect(run).toMatchObject({ status: 'completed', warnings: [warning] });
  });

  it('ends the run where it is required', async () => {
    const body = { message: 'What is 6 x 7?', mcp_servers: [{ ...server, required: true }] };
    const answer = await stage.client.runToEnd(body);
    expect(answer).toMatchObject({
      status: 'failed',
      response: '',
      warnings: [warning],
      error: { code: 'tool_servers_lost', retryable: true },
    });
  });

  it('says of nothing where all are there', async () => {
    const answer = await stage.client.runToEnd({ message: 'What is 6 x 7?' });
    expect(answer).toMatchObject({ status: 'completed', warnings: [] });
    expect((await stage.client.get(`/runs/${answer.run_id}`)).json()).toMatchObject({ warnings: [] });
  });
});
