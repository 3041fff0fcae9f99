import { describe, expect, it } from '@jest/globals';
import { Problem } from '#domain';
import { validated } from '../../edge/validation/validate.js';
import { decisionRequestOf } from './decision-request.js';
import { DecisionDto } from './decision.dto.js';

const servers = [{ serverName: 'a', serverUrl: 'https://a.example/mcp' }];

function pathsIn(body: object): readonly string[] {
  try {
    decisionRequestOf(validated(DecisionDto, body));
    return [];
  } catch (error) {
    if (error instanceof Problem) return (error.more.errors ?? []).map(({ path }) => path);
    throw error;
  }
}

describe('a decision', () => {
  it('that tool servers do not belong to names them as they were sent', () => {
    expect(pathsIn({ decision: 'deny', mcp_servers: servers })).toEqual(['mcp_servers']);
    expect(pathsIn({ decision: 'deny', mcpServers: servers })).toEqual(['mcpServers']);
    expect(pathsIn({ decision: 'deny', mcp_servers: servers, mcpServers: servers })).toEqual(['mcp_servers']);
  });

  it('that lacks them is told their name', () => {
    expect(pathsIn({ decision: 'supply' })).toEqual(['mcp_servers']);
    expect(pathsIn({ decision: 'supply', mcpServers: servers })).toEqual([]);
  });
});
