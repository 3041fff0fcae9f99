import type { RunWarning } from '#domain';
import type { Clock, EgressGuard, Logger } from '#platform';
import type { McpServerConfig, Tool, ToolServer } from '#agent';
import { EraVerdicts } from './era-verdicts.js';
import { MCP_LIMITS, type McpLimits } from './limits.js';
import { McpConnection } from './mcp-connection.js';
import { McpServer } from './mcp-server.js';
import { McpTool } from './mcp-tool.js';
import { OfferedNames } from './offered-names.js';
import { raceAbort } from './race-abort.js';
import { ServerWarnings } from './server-warnings.js';
import { TaskNotes } from './task-notes.js';
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
  /** What is known of the run's tasks; absent: nothing. */
  readonly tasks?: TaskNotes;
  /** What servers were found to speak; absent: what this process has found. */
  readonly verdicts?: EraVerdicts;
}

const verdictsOfProcess = new EraVerdicts();

/** The MCP servers of one run, open. */
export interface McpTools {
  /**
   * What is offered now. Servers may change their tools while the run goes on: read it before each turn. It is the same
   * array for as long as nothing has changed.
   */
  readonly tools: readonly Tool[];
  /** All of them, also those that cannot be reached. */
  readonly servers: readonly ToolServer[];
  /** Which servers are not there, or not with everything, and why: a sentence each, for the agent to be told. */
  readonly notices: readonly string[];
  /** The same for the caller, in the order of the request. The same array for as long as nothing has changed. */
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
    await raceAbort(opened, signal, () => signal.reason as Error);
    const told = new ServerWarnings(servers, (server) => connections[usable.indexOf(server)]);
    return new OpenMcpTools(
      connections,
      told,
      new OfferedNames(ports.reserved ?? new Set()),
      ports.clock,
      limits,
      ports.tasks ?? new TaskNotes(),
    );
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Never rejects: the connection knows why it could not be opened. */
async function open(connection: McpConnection, logger: Logger): Promise<void> {
  try {
    await connection.open();
  } catch {
    const { failure: reason, config } = connection;
    logger.warn({ server: config.serverName, reason }, 'an MCP server is not available to a run');
  }
}

const indexOf = (server: McpServerConfig, servers: readonly McpServerConfig[]): number =>
  servers.slice(0, servers.indexOf(server)).filter(({ serverName }) => serverName === server.serverName)
    .length;

const isUsable = ({ serverUrl }: McpServerConfig): boolean =>
  URL.canParse(serverUrl) && /^https?:$/.test(new URL(serverUrl).protocol);

/** Servers list their tools as it comes; requests to the model are to begin as the one before did. */
const byName = (a: ListedTool, b: ListedTool): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

class OpenMcpTools implements McpTools {
  readonly servers: readonly ToolServer[];
  private offered: readonly Tool[] = [];
  private lists: readonly (readonly ListedTool[])[] = [];

  constructor(
    private readonly connections: readonly McpConnection[],
    private readonly told: ServerWarnings,
    private readonly names: OfferedNames,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
    notes: TaskNotes,
  ) {
    this.servers = connections.map((connection) => new McpServer(connection, clock, limits, notes));
  }

  get warnings(): readonly RunWarning[] {
    return this.told.all;
  }

  get notices(): readonly string[] {
    return this.warnings.map(({ reason }) => reason);
  }

  get missing(): string | undefined {
    return this.told.missing;
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
