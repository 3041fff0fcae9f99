import { openMcpTools } from '#mcp';
import { EgressGuard, SilentLogger, SystemClock, readEgressAllow } from '#platform';
import { RunToolboxes, type StartedRun } from '#runs';
import { House } from './house.js';
import type { TaskServer } from './mcp-servers/task-server.js';
import { type ClientStep, done, text, toolCall } from './scripted-client.js';
import type { TempLog } from './temp-log.js';
import { until } from './until.js';

export interface QuarryOptions {
  /** Is waited for before tool servers are connected to. */
  readonly mayOpen?: (signal: AbortSignal) => Promise<void>;
  /** Of the model's first turn; one where absent. */
  readonly calls?: readonly string[];
}

let count = 0;

/** A process whose runs call a tool of a server that makes a Task of each call, and tell what came of it. */
export function openQuarry(temp: TempLog, { mayOpen, calls = ['c1'] }: QuarryOptions = {}): House {
  const ports = {
    egress: new EgressGuard(readEgressAllow('127.0.0.1')),
    clock: new SystemClock(),
    logger: new SilentLogger(),
  };
  const openServers: typeof openMcpTools = async (servers, more, signal) => {
    await mayOpen?.(signal);
    return openMcpTools(servers, { ...more, limits: { minPollMs: 5, pollMs: 5 } }, signal);
  };
  const knowledge = { open: () => Promise.resolve([]) };
  const toolboxes = new RunToolboxes({ ...ports, knowledge, openServers });
  return new House(temp, `quarry ${++count}`, { script: scriptOf(calls), toolboxes });
}

const scriptOf =
  (calls: readonly string[]) =>
  ({ messages }: { messages: readonly { role: string; content: unknown }[] }): ClientStep[] => {
    const result = messages.findLast(({ role }) => role === 'tool');
    return result === undefined
      ? [done(...calls.map((id) => toolCall(id, 'dig', { deep: true })))]
      : [text(`told: ${String(result.content)}`), done()];
  };

export const startDigging = (house: House, server: TaskServer): Promise<StartedRun> =>
  house.start('dig', { config: { mcp_servers: ['quarry'] }, mcpServers: [server.entry] });

/** Resolves when the run waits for nothing but its server. */
export async function leftToServer(house: House, of: StartedRun, server: TaskServer): Promise<void> {
  await house.heard(of.session, ({ type }) => type === 'tool_task_started');
  await until(() => server.asked.length > 0);
  house.clock.advance(2_000);
  await house.heard(of.session, ({ type }) => type === 'run_parked');
  await until(() => house.core.admission.running === 0);
}
