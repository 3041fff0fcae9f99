import { EraVerdicts, type McpPorts, type McpTools, openMcpTools } from '#mcp';
import type { McpServerConfig, ToolOutcome } from '#agent';
import { EgressGuard, Logger, SystemClock, readEgressAllow } from '#platform';
import type { McpFixture } from './mcp-fixture.js';

/** Keeps every line that would be logged, as JSON. */
export class LogLines extends Logger {
  readonly lines: string[] = [];

  private readonly keep = (fields: object, message: string): void => {
    this.lines.push(JSON.stringify({ ...fields, message }));
  };
  override debug = this.keep;
  override info = this.keep;
  override warn = this.keep;
  override error = this.keep;
}

export const never = new AbortController().signal;

/** The servers of one run, opened as the service does it; loopback is allowed. */
export class McpRun {
  readonly logger = new LogLines();
  mcp!: McpTools;

  static async open(servers: readonly McpServerConfig[], ports: Partial<McpPorts> = {}): Promise<McpRun> {
    const run = new McpRun();
    const egress = new EgressGuard(readEgressAllow('127.0.0.1'));
    run.mcp = await openMcpTools(
      servers,
      {
        egress,
        session: 'ses_1',
        clock: new SystemClock(),
        logger: run.logger,
        verdicts: new EraVerdicts(),
        ...ports,
      },
      never,
    );
    return run;
  }

  get names(): string[] {
    return this.mcp.tools.map((tool) => tool.definition.name);
  }

  get notices(): readonly string[] {
    return this.mcp.notices;
  }

  call(name: string, input: unknown = {}, signal = never): Promise<ToolOutcome> {
    const tool = this.mcp.tools.find(({ definition }) => definition.name === name);
    if (!tool) throw new Error(`there is no tool ${name}, but ${this.names.join(', ')}`);
    return tool.call(input, signal);
  }

  /** Resolves when the tools are these. */
  async offers(...names: string[]): Promise<void> {
    const until = Date.now() + 20_000;
    while (this.names.join() !== names.join()) {
      if (Date.now() > until) throw new Error(`it offers ${this.names.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  close(): Promise<void> {
    return this.mcp.close();
  }
}

export const at = (server: McpFixture, serverName = 'fixture'): McpServerConfig => ({
  serverName,
  serverUrl: server.url,
});
