import { describe, expect, it } from '@jest/globals';
import { Problem } from '#domain';
import { EgressGuard, SecretBox, readEgressAllow } from '#platform';
import { runBodyOf } from '../dto/run-body.js';
import { RunRequestDto } from '../dto/run-request.dto.js';
import { validated } from '../../../edge/validation/validate.js';
import { RequestEgress } from './request-egress.js';

const egress = new RequestEgress(new EgressGuard(readEgressAllow('')), new SecretBox(Buffer.alloc(32, 1)));
const servers = ['https://8.8.8.8/mcp', 'http://10.0.0.1/'].map((serverUrl, n) => ({
  serverName: `s${n}`,
  serverUrl,
}));

async function refusalOf(fields: object): Promise<Problem | null> {
  const sent = { message: 'x', ...fields };
  try {
    await egress.requireAllowed(runBodyOf(validated(RunRequestDto, sent)), sent, 'p');
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

describe('a request that leads where it may not', () => {
  it.each<[string, object]>([
    ['mcp_servers[1].serverUrl', { mcp_servers: servers }],
    ['mcpServers[1].serverUrl', { mcpServers: servers }],
    ['mcp_servers[1].serverUrl', { mcp_servers: servers, mcpServers: servers }],
    ['callback.url', { callback: { url: 'http://10.0.0.1/' } }],
  ])('is told the field that it sent: %s', async (path, fields) => {
    const refusal = await refusalOf(fields);
    expect(refusal?.more.errors?.map((error) => error.path)).toEqual([path]);
    expect(refusal?.detail.startsWith(`${path}: may not be reached`)).toBe(true);
  });
});
