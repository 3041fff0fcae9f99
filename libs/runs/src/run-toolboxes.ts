import {
  type McpServerConfig,
  type Toolbox,
  type ToolboxRequest,
  Toolboxes,
  openMcpTools,
  reservedHandoffNames,
} from '#agent';
import type { Clock, EgressGuard, Logger } from '#platform';

export interface RunToolboxPorts {
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the tools of each run. Owns what callers sent of their MCP servers: in memory only, from the moment when a run is
 * accepted until it ends.
 */
export class RunToolboxes extends Toolboxes {
  private readonly servers = new Map<string, readonly McpServerConfig[]>();

  constructor(private readonly ports: RunToolboxPorts) {
    super();
  }

  /** The servers that a run may use. Of a run that is sent again, the new ones count. */
  override remember(run: string, servers: readonly McpServerConfig[]): void {
    if (servers.length > 0) this.servers.set(run, servers);
  }

  override forget(run: string): void {
    this.servers.delete(run);
  }

  override async open({ run, config }: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    if ((config.mcp_servers ?? []).length === 0) return NO_TOOLS;
    const servers = this.servers.get(run);
    if (servers === undefined) return LOST;
    const reserved = new Set(['run_workflow', ...reservedHandoffNames(config.agents ?? [])]);
    const mcp = await openMcpTools(servers, { ...this.ports, reserved }, signal);
    return {
      get tools() {
        return mcp.tools;
      },
      get notices() {
        return mcp.notices;
      },
      close: () => mcp.close(),
    };
  }
}

const NO_TOOLS: Toolbox = { tools: [], close: () => Promise.resolve() };
const LOST: Toolbox = { tools: [], isLost: true, close: () => Promise.resolve() };
