import type { ProjectId, RunId } from '#domain';
import {
  type McpServerConfig,
  type OpenToolbox,
  READ_HISTORY,
  RUN_WORKFLOW,
  type Tool,
  type Toolbox,
  type ToolboxRequest,
  Toolboxes,
  callerTool,
  reservedHandoffNames,
} from '#agent';
import { ResultRoom, TaskNotes, openMcpTools } from '#mcp';
import type { KnowledgeTools } from '#knowledge';
import { HeldServers } from './held-servers.js';
import type { Clock, EgressGuard, Logger } from '#platform';

export interface RunToolboxPorts {
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly knowledge: Pick<KnowledgeTools, 'open'>;
  /** Connects to the servers of a run; absent: over the network. */
  readonly openServers?: typeof openMcpTools;
}

/** What is known of the servers of a run. */
interface KnownServers {
  readonly servers: readonly McpServerConfig[];
  readonly tasks: TaskNotes;
}

/**
 * Opens the tools of each run. Owns what callers sent of their MCP servers, and what is known of their tasks: in memory
 * only, from the moment when a run is accepted until it ends.
 */
export class RunToolboxes extends Toolboxes {
  private readonly servers = new Map<string, readonly McpServerConfig[]>();
  private readonly held = new HeldServers();
  private readonly tasks = new Map<string, TaskNotes>();
  private readonly results = new ResultRoom();

  constructor(private readonly ports: RunToolboxPorts) {
    super();
  }

  /** The servers that a run may use. Of a run that is sent again, the new ones count. */
  override remember(run: RunId, servers: readonly McpServerConfig[]): void {
    if (servers.length > 0) this.servers.set(run, servers);
    this.held.release(run);
  }

  override knows(run: RunId): boolean {
    return this.servers.has(run);
  }

  override forget(run: RunId): void {
    this.drop(run);
    this.held.release(run);
  }

  private drop(run: RunId): void {
    this.servers.delete(run);
    this.tasks.get(run)?.clear();
    this.tasks.delete(run);
  }

  /** Those of a run whose servers are known here. */
  private tasksOf(run: RunId): TaskNotes {
    const known = this.tasks.get(run) ?? new TaskNotes(this.results);
    this.tasks.set(run, known);
    return known;
  }

  override hold(run: RunId, project: ProjectId): void {
    const servers = this.servers.get(run);
    if (servers === undefined) return;
    const bytes = Buffer.byteLength(JSON.stringify(servers));
    for (const over of this.held.hold(run, { project, bytes })) this.drop(over);
  }

  override open(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    return this.later(request.run)(request, signal);
  }

  override later(run: RunId): OpenToolbox {
    const servers = this.servers.get(run);
    const known = servers && { servers, tasks: this.tasksOf(run) };
    return (request, signal) => this.openWith(known, request, signal);
  }

  private async openWith(
    known: KnownServers | undefined,
    { session, run, project, config }: ToolboxRequest,
    signal: AbortSignal,
  ): Promise<Toolbox> {
    const { mcp_servers: names = [], datastores = [], queries = [], agents = [], workflows = [] } = config;
    const callers = (config.tools ?? []).map(callerTool);
    this.held.release(run);
    if (names.length > 0 && known === undefined) return LOST;
    const ofWorkflows = workflows.length > 0 ? [RUN_WORKFLOW] : [];
    const reserved = new Set([READ_HISTORY, ...ofWorkflows, ...reservedHandoffNames(agents)]);
    for (const { definition } of callers) reserved.add(definition.name);
    const knowledge =
      datastores.length === 0
        ? NO_KNOWLEDGE
        : await this.ports.knowledge.open({ project, datastores, queries }, reserved);
    const own = callers.length === 0 ? knowledge : [...knowledge, ...callers];
    if (known === undefined) return { tools: own, close: () => Promise.resolve() };
    for (const { definition } of knowledge) reserved.add(definition.name);
    const { openServers = openMcpTools, ...ports } = this.ports;
    const egress = ports.egress.of(project);
    const { servers, tasks } = known;
    const mcp = await openServers(servers, { ...ports, session, egress, reserved, tasks }, signal);
    return {
      get tools() {
        return own.length === 0 ? mcp.tools : [...own, ...mcp.tools];
      },
      get notices() {
        return mcp.notices;
      },
      get warnings() {
        return mcp.warnings;
      },
      get missing() {
        return mcp.missing;
      },
      servers: mcp.servers,
      close: () => mcp.close(),
    };
  }
}

const NO_KNOWLEDGE: readonly Tool[] = [];
const LOST: Toolbox = { tools: [], isLost: true, close: () => Promise.resolve() };
