import type { McpServerConfig, Tool } from '#agent';
import type { McpTools } from '#mcp';
import type { RunWarning } from '#domain';
import { RunToolboxes } from '#runs';
import { EgressGuard, SilentLogger, readEgressAllow } from '#platform';
import type { Owner } from '../engine/scheduler.js';
import { cancellable } from './sim-model.js';
import { type SimWorld, strikes } from './sim-world.js';

/** What a server says of its tools. */
export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** The tools that the simulated servers offer, as they describe them. */
export const REMOTE: Readonly<Record<string, Annotations>> = {
  look: { readOnlyHint: true },
  put: { idempotentHint: true },
  order: {},
};

/** Stands in no log, no file and no list. */
export const SECRET_OF_SERVERS = 'tok_secret_';

export const serversFor = (actor: string): McpServerConfig[] => [
  {
    serverName: 'crm',
    serverUrl: `https://crm.example.org/mcp?${SECRET_OF_SERVERS}${actor}`,
    auth: { type: 'bearer', token: SECRET_OF_SERVERS + actor },
  },
];

/** Makes a tool of a server that was reached with a token. */
export type RemoteTool = (name: string, annotations: Annotations, token: string) => Tool;

/** The product's own memory of what callers sent of their servers, over connections that are simulated. */
export const rememberedServers = (world: SimWorld, owner: Owner, toolOf: RemoteTool): RunToolboxes =>
  new RunToolboxes({
    egress: NO_EGRESS,
    knowledge: { open: () => Promise.resolve([]) },
    clock: null as never,
    logger: new SilentLogger(),
    openServers: async (servers, _, signal): Promise<McpTools> => {
      await cancellable(world, owner, 'servers connected', signal);
      const tools: Tool[] = [];
      const warnings: RunWarning[] = [];
      for (const { serverName, auth } of servers) {
        const token = auth?.type === 'bearer' ? auth.token : '';
        if (strikes(world, 'serverDown')) warnings.push(unavailable(serverName));
        else for (const [name, hints] of Object.entries(REMOTE)) tools.push(toolOf(name, hints, token));
      }
      const notices = warnings.map(({ reason }) => reason);
      return { tools, servers: [], notices, warnings, close: () => Promise.resolve() };
    },
  });

/** Nobody is connected to: the connections are simulated. */
const NO_EGRESS = new EgressGuard(readEgressAllow(''));

const unavailable = (server: string): RunWarning => ({
  code: 'tool_server_unavailable',
  server,
  reason: `The tool server "${server}" is not available.`,
});
