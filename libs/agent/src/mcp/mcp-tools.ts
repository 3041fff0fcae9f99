import type { RunWarning } from '#domain';
import type { Clock, EgressGuard, Logger } from '#platform';
import type { Tool } from '../tools/tool.js';
import { EraVerdicts } from './era-verdicts.js';
import { MCP_LIMITS, type McpLimits } from './limits.js';
import { McpConnection } from './mcp-connection.js';
import { McpFailure } from './mcp-failure.js';
import type { McpServerConfig } from './mcp-server-config.js';
import { McpTool } from './mcp-tool.js';
import { OfferedNames } from './offered-names.js';
import { raceAbort } from './race-abort.js';
import type { SecretMask } from './secret-mask.js';
import type { ListedTool } from './tool-list.js';

export interface McpPorts {
  /** Of the run. */
  readonly session: string;
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names of tools that the run has besides: no MCP tool gets one of them. */
  readonly reserved?: ReadonlySet<string>;
  readonly limits?: Partial<McpLimits>;
  /** What servers were found to speak; absent: what this process has found. */
  readonly verdicts?: EraVerdicts;
}

/** Of tools that cannot be called, in a sentence for the agent. */
const maxNamed = 20;
const maxNameChars = 128;

const verdictsOfProcess = new EraVerdicts();

/** The MCP servers of one run, open. */
export interface McpTools {
  /**
   * What is offered now. Servers may change their tools while the run goes on: read it before each turn. It is the same
   * array for as long as nothing has changed.
   */
  readonly tools: readonly Tool[];
  /** Which servers are not there, or not with everything, and why: a sentence each, for the agent to be told. */
  readonly notices: readonly string[];
  /** The same for the caller, in the order of the request. */
  readonly warnings: readonly RunWarning[];
  /** What is missing of what the run cannot do without; absent: nothing. */
  readonly missing?: string | undefined;
  /** Ends sessions and connections; never rejects, takes a second at most. */
  close(): Promise<void>;
}

/**
 * Connects to all the servers at the same time and lists their tools. A server that cannot be reached, or speaks no MCP,
 * is a notice. Nothing of a server's entry but its name gets into notices, results of calls, or the log.
 * @throws the signal's reason, when it is aborted; then everything is closed again
 */
export async function openMcpTools(
  servers: readonly McpServerConfig[],
  ports: McpPorts,
  signal: AbortSignal,
): Promise<McpTools> {
  signal.throwIfAborted();
  const limits = { ...MCP_LIMITS, ...ports.limits };
  const usable = servers.filter(isUsable);
  const { verdicts = verdictsOfProcess } = ports;
  const connections = usable.map(
    (server) => new McpConnection(server, { ...ports, limits, verdicts }, indexOf(server, servers)),
  );
  const closeAll = async () => {
    await Promise.allSettled(connections.map((connection) => connection.close()));
  };
  try {
    const opened = Promise.all(connections.map((connection) => open(connection, ports.logger)));
    const failures = await raceAbort(opened, signal, () => signal.reason as Error);
    const warnings = servers.map((server) => {
      const at = usable.indexOf(server);
      const connection = connections[at];
      if (connection === undefined)
        return [unavailable(server.serverName, 'has no address of http or https')];
      return warningsOf(connection, failures[at] ?? null);
    });
    return new OpenMcpTools(
      connections,
      warnings.flat(),
      missingOf(servers, warnings),
      new OfferedNames(ports.reserved ?? new Set()),
      ports.clock,
      limits,
    );
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Why it could not be opened; null: it is open. */
async function open(connection: McpConnection, logger: Logger): Promise<string | null> {
  try {
    await connection.open();
    return null;
  } catch (error) {
    const reason = connection.mask.cleanError(error instanceof McpFailure ? error.message : 'cannot be used');
    logger.warn({ server: connection.config.serverName, reason }, 'an MCP server is not available to a run');
    return reason;
  }
}

function warningsOf(
  { config: { serverName }, beyond, tools, leftOut, mask }: McpConnection,
  failure: string | null,
): RunWarning[] {
  if (failure !== null) return [unavailable(serverName, failure)];
  const warnings: RunWarning[] = [];
  if (beyond !== null) {
    const reason = `The tool server "${serverName}" offers more tools than can be used; the first ${tools.length} are available.`;
    const names = beyond.map((name) => nameOf(name, mask));
    const named = names.length === 0 ? {} : { tools: names };
    warnings.push({ code: 'tools_left_out', server: serverName, reason, ...named });
  }
  for (const why of new Set(leftOut.map(({ reason }) => reason))) {
    const names = leftOut.filter(({ reason }) => reason === why).map(({ name }) => nameOf(name, mask));
    const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    const named = `${names.slice(0, maxNamed).join(', ')}${rest}`;
    const reason = `Tools of the tool server "${serverName}" are not available, because ${why}: ${named}.`;
    warnings.push({ code: 'tools_left_out', server: serverName, tools: names, reason });
  }
  return warnings;
}

const nameOf = (name: string, mask: SecretMask): string => mask.cleanBeginning(name, maxNameChars);

const unavailable = (serverName: string, reason: string): RunWarning => ({
  code: 'tool_server_unavailable',
  server: serverName,
  reason: `The tool server "${serverName}" ${reason}. Its tools are not available in this run.`,
});

function missingOf(
  servers: readonly McpServerConfig[],
  warnings: readonly (readonly RunWarning[])[],
): string | null {
  const left = servers
    .flatMap(({ required = false }, at) => (required ? (warnings[at] ?? []) : []))
    .find(({ code }) => code === 'tool_server_unavailable');
  return left === undefined ? null : `a required tool server cannot be used: ${left.reason}`;
}

const indexOf = (server: McpServerConfig, servers: readonly McpServerConfig[]): number =>
  servers.slice(0, servers.indexOf(server)).filter(({ serverName }) => serverName === server.serverName)
    .length;

const isUsable = ({ serverUrl }: McpServerConfig): boolean =>
  URL.canParse(serverUrl) && /^https?:$/.test(new URL(serverUrl).protocol);

/** Servers list their tools as it comes; requests to the model are to begin as the one before did. */
const byName = (a: ListedTool, b: ListedTool): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

class OpenMcpTools implements McpTools {
  private offered: readonly Tool[] = [];
  private lists: readonly (readonly ListedTool[])[] = [];

  constructor(
    private readonly connections: readonly McpConnection[],
    readonly warnings: readonly RunWarning[],
    private readonly lacking: string | null,
    private readonly names: OfferedNames,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
  ) {}

  get notices(): readonly string[] {
    return this.warnings.map(({ reason }) => reason);
  }

  get missing(): string | undefined {
    return this.lacking ?? undefined;
  }

  get tools(): readonly Tool[] {
    const lists = this.connections.map((connection) => connection.tools);
    if (this.lists.length !== lists.length || lists.some((list, at) => list !== this.lists[at])) {
      this.lists = lists;
      this.offered = this.offer();
    }
    return this.offered;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.connections.map((connection) => connection.close()));
  }

  private offer(): readonly Tool[] {
    const all = this.connections.flatMap((connection, server) =>
      connection.tools.toSorted(byName).map((listed) => ({ connection, server, listed })),
    );
    const names = this.names.assign(
      all.map(({ connection, server, listed }) => ({
        serverName: connection.config.serverName,
        server,
        name: connection.mask.clean(listed.name),
      })),
    );
    return all.map(
      ({ connection, listed }, at) =>
        new McpTool(names[at] ?? listed.name, listed, connection, this.clock, this.limits),
    );
  }
}
