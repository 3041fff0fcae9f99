import type { Client } from '@modelcontextprotocol/client';
import { type TaskEnabledSession, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import type { ServiceProcess } from '../service-process.js';
import { MODERN, post } from './posted.js';

/** `@modelcontextprotocol/ext-tasks` 0.2.2, which sends its requests past the client: that one knows no Tasks. */
export function taskSession(client: Client, service: ServiceProcess): TaskEnabledSession {
  let id = 0;
  return createTaskSessionFromClient(client, {
    endpointId: 'annals',
    v2RequestFraming: {
      protocolVersion: MODERN,
      clientInfo: { name: 'test', version: '1' },
      clientCapabilities: {},
    },
    rawDispatch: async (request, options = {}) => {
      const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
      const named = params.name ?? params.taskId;
      const headers = {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(named === undefined ? {} : { 'mcp-name': named }),
      };
      const { signal } = options;
      const body = { jsonrpc: '2.0', id: ++id, method, params };
      const { last } = await post(service, body, { headers, ...(signal ? { signal } : {}) });
      return last.error === undefined
        ? { kind: 'result', result: last.result as never }
        : { kind: 'error', error: last.error as never };
    },
  });
}
